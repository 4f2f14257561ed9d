"""Stories of two runs with a planted difference, in memory or as run folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.sources.stereotales.associations import association_id
from endoxa.study.compare.stories import PairedStories, side_by_side, with_outcomes

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
    prompt = np.repeat(np.arange(len(VALUES) * scenarios), repeats)
    named = np.array(VALUES)[prompt // scenarios]
    chance = np.where(named == PLANTED[0], share, 1 / 3)
    odds = chance / (1 - chance) * np.exp(0 if prompts is None else prompts[prompt])
    chance = odds / (1 + odds)
    lots = rng.random((5, len(prompt)))
    declined = lots[0] < refused
    rest = (lots[1] - chance) / (1 - chance)
    religion = np.select([rest < 0, rest < 0.5], COMPARED["religion"][:2], COMPARED["religion"][2])
    urbanicity = np.array(COMPARED["urbanicity"])[(lots[2] < 0.5).astype(int)]
    religion, urbanicity = (
        np.where(declined | (lot < unknown), "unknown", value)
        for value, lot in ((religion, lots[3]), (urbanicity, lots[4]))
    )
    scenario = prompt % scenarios
    texts = {
        "sample_id": [f"{value}-{number}" for value, number in zip(named, scenario, strict=True)],
        "scenario": [f"work {number}" for number in scenario],
        "target_attribute_value": named,
        "story": np.where(declined, "I cannot.", "A story of some more words."),
        "extracted_attributes_json": [
            json.dumps({"religion": first, "urbanicity": second})
            for first, second in zip(religion.tolist(), urbanicity.tolist(), strict=True)
        ],
        "repeat": np.tile(np.arange(1, repeats + 1), len(prompt) // repeats),
        "refusal": declined.astype(int),
        "completion_tokens": np.where(declined, 3, 6),
    }
    alike = {
        "language": "en", "theme": "work", "target_attribute": "income_level", "prompt": "A story.",
        "generator_model": "m", "finish": "stop", "error": "", "prompt_tokens": 10, "n_parsed": 3,
    }  # fmt: skip
    return pl.DataFrame(texts).with_columns(**{name: pl.lit(value) for name, value in alike.items()})


def write_run(folder: Path, stories: pl.DataFrame, *, extractor: str = "r") -> Path:
    """A finished run of `probe extract`."""
    folder.mkdir(parents=True)
    stories.write_parquet(folder / "records.parquet")
    facts = {
        "kind": "extract", "finished": "2026-11-26T00:00:00+00:00", "created": "2026-11-26T00:00:00+00:00",
        "endoxa": "0.1.0", "command": ["endoxa"], "data": {"path": "s", "sha256": folder.name},
        "models": [{"name": extractor}], "identity": {"data": folder.name},
        "counts": {}, "settings": {}, "versions": {},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(facts))
    return folder


def in_memory(before: pl.DataFrame, after: pl.DataFrame) -> PairedStories:
    """The same without files: both runs have the same rows, and no two stories are alike."""
    pairs = side_by_side(with_outcomes(before), with_outcomes(after))
    return replace(pairs, frame=pairs.frame.with_columns(same=pl.lit(value=False)))


def write_ratings(folder: Path, harms: np.ndarray, language: str = "en") -> Path:
    """A run of ratings of 240 associations, a row each."""
    rows = []
    for number, harm in enumerate(harms):
        parts = ("religion", f"value {number // 8}", "work", f"job {number % 8}")
        rows.append(
            {
                "association_id": association_id(*parts), "base_attribute": parts[0], "base_value": parts[1],
                "compared_attribute": parts[2], "compared_value": parts[3], "rater": "m", "rater_kind": "model",
                "repeat": 1, "order": "harm", "language": language, "harm": int(harm) or None, "frequent": "yes",
                "outcome": "rated" if harm else "refused", "answer": f"{harm}, yes", "seed": 0, "finish": "stop",
                "served_model": "", "prompt_tokens": 9, "completion_tokens": 3, "error": "",
            }
        )  # fmt: skip
    folder.mkdir(parents=True)
    pl.DataFrame(rows).write_parquet(folder / "records.parquet")
    facts = {
        "kind": "harm", "finished": "x", "created": "2026-11-26T00:00:00+00:00", "endoxa": "0.1.0", "command": [],
        "data": {"path": "a.csv", "sha256": "x"}, "models": [{"name": "m"}], "identity": {"repeats": 1},
        "settings": {}, "versions": {}, "counts": {},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(facts))
    return folder
