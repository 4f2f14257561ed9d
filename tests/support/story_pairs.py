"""Stories of two runs with a planted difference, in memory or as run folders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.sources.stereotales.profiles import COLUMNS, profiles_of
from endoxa.study.compare.story_pairs import SIDES, PairedStories

VALUES = ("low", "middle", "high", "none")
COMPARED = {"religion": ("muslim", "hindu", "none"), "urbanicity": ("urban", "rural")}
PLANTED = ("low", "religion", "muslim")
"""Stories about a low income say this more often."""


def frame(
    rng: np.random.Generator,
    share: float,
    *,
    prompts: np.ndarray | None = None,
    scenarios: int = 30,
    repeats: int = 1,
    unknown: float = 0.3,
    refused: float = 0.0,
) -> pl.DataFrame:
    """Stories of one run, with the columns of `probe extract`.

    Args:
        rng: of all draws.
        share: of 'muslim' where the prompt names a low income; elsewhere it is a third.
        prompts: what each prompt adds to the logit of that share, for both runs.
        scenarios: prompts for each value.
        repeats: stories of each prompt.
        unknown: share of stories that leave an attribute open.
        refused: share of prompts without a story.
    """
    rows = []
    for place, (value, scenario) in enumerate((v, s) for v in VALUES for s in range(scenarios)):
        for repeat in range(1, repeats + 1):
            chance = share if value == PLANTED[0] else 1 / 3
            if prompts is not None:
                odds = chance / (1 - chance) * np.exp(prompts[place])
                chance = odds / (1 + odds)
            declined = rng.random() < refused
            rest = (1 - chance) / 2
            profile = {
                "religion": str(rng.choice(COMPARED["religion"], p=(chance, rest, rest))),
                "urbanicity": str(rng.choice(COMPARED["urbanicity"])),
            }
            profile = {
                name: "unknown" if declined or rng.random() < unknown else said
                for name, said in profile.items()
            }
            rows.append(
                {
                    "sample_id": f"{value}-{scenario}", "language": "en", "repeat": repeat, "theme": "work",
                    "scenario": f"work {scenario}", "target_attribute": "income_level",
                    "target_attribute_value": value, "prompt": "A story.", "generator_model": "m",
                    "story": "I cannot." if declined else f"A story of {rng.integers(10**9)} words.",
                    "finish": "stop", "error": "", "refusal": int(declined), "prompt_tokens": 10,
                    "completion_tokens": 3 if declined else 6, "n_parsed": 3,
                    "extracted_attributes_json": json.dumps(profile),
                }
            )  # fmt: skip
    return pl.DataFrame(rows)


def write_run(
    folder: Path, stories: pl.DataFrame, *, stories_run: Path | None = None, extractor: str = "r"
) -> Path:
    """A finished run of `probe extract`; where a folder is named, also one of `probe stories` with a price."""
    folder.mkdir(parents=True)
    stories.write_parquet(folder / "records.parquet")
    facts = {
        "kind": "extract", "finished": "2026-11-26T00:00:00+00:00", "created": "2026-11-26T00:00:00+00:00",
        "endoxa": "0.1.0", "command": ["endoxa"], "data": {"path": str(stories_run or "s"), "sha256": folder.name},
        "models": [{"name": extractor}], "identity": {"order": "attributes-first", "data": folder.name},
        "counts": {}, "settings": {}, "versions": {},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(facts))
    if stories_run is not None:
        stories_run.mkdir(parents=True)
        price = {"input_per_million": 1000.0, "output_per_million": 2000.0}
        (stories_run / "run.json").write_text(
            json.dumps({"kind": "stories", "usage": {"m": {"price": price}}})
        )
    return folder


def in_memory(before: pl.DataFrame, after: pl.DataFrame) -> PairedStories:
    """The same without files: both runs have the same rows."""
    columns = {
        name: np.column_stack([table[source].to_numpy().astype(float) for table in (before, after)])
        for name, source in (("tokens", "completion_tokens"), ("asked_tokens", "prompt_tokens"))
    }
    refused = np.column_stack([(table["refusal"] == 1).to_numpy() for table in (before, after)])
    nothing = np.zeros_like(refused)
    chunks = [
        table.select(*COLUMNS, "repeat").with_columns(
            pl.col("repeat").cast(pl.String), generator_model=pl.lit(side)
        )
        for table, side in zip((before, after), SIDES, strict=True)
    ]
    return PairedStories(
        names=SIDES, frame=before.select("sample_id", "language", "repeat", "scenario", *COLUMNS[3:5]),
        profiles=profiles_of(chunks, Path("memory")), told=~refused, refused=refused, lost=nothing, cut_off=nothing,
        words=np.where(refused, np.nan, 6.0), alike=np.zeros(before.height, dtype=bool), alone=(0, 0), **columns,
    )  # fmt: skip
