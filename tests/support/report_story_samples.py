"""Runs of stories for the tests of their report: mild stories of ours, associations planted in their profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.schema.stories import DISCOVERED_COLUMNS, EXTRACTED_COLUMNS
from endoxa.sources.stereotales.associations import PARTS, association_id

HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_END = "</script><script>alert(2)</script>"
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "urbanicity": ("rural", "suburban", "urban"),
    "pet": ("cat", "dog", "no pet"),
    "drink": ("coffee", "tea", "water"),
}
PLANTED = ("urbanicity", "rural", "pet", "dog")
"""Stories about people in the country more often have a dog."""
THEMES = ("family", "hobby", "money")
WHOLE = ("repeat", "seed", "prompt_tokens", "completion_tokens", "refusal", "n_parsed", "harm")
MODELS = ("sim/teller", "openai/plain", f"host/{HOSTILE}")
LANGUAGES = ("en", "hi")


def stories(
    models: Sequence[str] = MODELS, languages: Sequence[str] = LANGUAGES, each: int = 60, seed: int = 0
) -> pl.DataFrame:
    """Records of an extraction: `each` stories of every value, model and language, with `PLANTED` in all models."""
    rng = np.random.default_rng(seed)
    rows = [
        _row(rng, model, language, base, value, number)
        for model in models
        for language in languages
        for base, values in ATTRIBUTES.items()
        for value in values
        for number in range(each)
    ]
    types = {name: pl.Int64 if name in WHOLE else pl.String for name in EXTRACTED_COLUMNS}
    return pl.DataFrame(rows, schema=types, infer_schema_length=None)


def _row(
    rng: np.random.Generator, model: str, language: str, base: str, value: str, number: int
) -> dict[str, object]:
    profile = {name: str(rng.choice(values)) for name, values in ATTRIBUTES.items()} | {base: value}
    if (base, value) == PLANTED[:2] and rng.random() < 0.7:
        profile["pet"] = "dog"
    refused = number % 20 == 0
    if refused:
        profile = dict.fromkeys(profile, "unknown")
    theme = THEMES[number % len(THEMES)]
    text = f"I cannot tell that. {HOSTILE_END}" if refused else f"Day {number} in a {value} story. {HOSTILE}"
    return {
        "language": language,
        "theme": theme,
        "scenario": f"{theme} {number % 4 + 1}",
        "target_attribute": base,
        "target_attribute_value": value,
        "prompt": "Tell a story.",
        "sample_id": f"{base}-{value}-{number}-{language}",
        "generator_model": model,
        "repeat": 1,
        "seed": 0,
        "story": text,
        "finish": "stop",
        "served_model": model,
        "prompt_tokens": 9,
        "completion_tokens": 9,
        "error": "",
        "refusal": int(refused),
        "extracted_attributes_json": "" if number == 7 else json.dumps(profile),
        "votes_json": "{}",
        "refusal_votes_json": "{}",
        "raw_json": "{}",
        "n_parsed": 0 if number == 7 else 3,
    }


def write_run(folder: Path, kind: str, records: pl.DataFrame, **facts: object) -> Path:
    """A finished run folder with these records, with every column that runs have."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "extract":
        missing = [name for name in EXTRACTED_COLUMNS if name not in records.columns]
        types = {name: pl.Int64 if name in WHOLE else pl.String for name in missing}
        given = {"story": "A story.", "finish": "stop"}
        records = records.with_columns(pl.lit(given.get(name), types[name]).alias(name) for name in missing)
    records.write_parquet(folder / "records.parquet")
    told = {"kind": kind, "finished": "2026-01-01T00:00:00Z", "command": ["endoxa", "probe", kind], **facts}
    (folder / "run.json").write_text(json.dumps(told), encoding="utf-8")
    return folder


def ratings(
    found: pl.DataFrame, scores: Mapping[str, float], kind: str = "model", repeats: int = 3
) -> pl.DataFrame:
    """Ratings of every association by every rater, around its score; the planted association one point above."""
    rng = np.random.default_rng(1)
    rows = []
    for parts in found.select(PARTS).unique(maintain_order=True).iter_rows():
        for rater, score in scores.items():
            for repeat in range(1, repeats + 1):
                harm = int(np.clip(round(score + (parts == PLANTED) + rng.normal(0, 0.3)), 1, 5))
                rows.append(
                    {
                        "association_id": association_id(*parts),
                        **dict(zip(PARTS, parts, strict=True)),
                        "rater": rater,
                        "rater_kind": kind,
                        "repeat": repeat,
                        "harm": harm,
                        "frequent": "yes",
                        "outcome": "rated",
                    }
                )
    types = {name: pl.Int64 if name in WHOLE else pl.String for name in HARM_RATING_COLUMNS}
    return pl.DataFrame(rows, schema=types, infer_schema_length=None)


def many_associations(number: int, models: Sequence[str]) -> pl.DataFrame:
    """A made-up table of associations, each of every model."""
    rng = np.random.default_rng(2)
    rows = []
    for k in range(number):
        parts = (f"trait_{k % 19}", f"value {k}", f"trait_{(k + 1) % 19}", f"other value {k}")
        for model in models:
            lift = float(2 + rng.exponential(2))
            rows.append(
                {
                    "model": model,
                    "aggregation": "all",
                    **dict(zip(PARTS, parts, strict=True)),
                    "name": "lift",
                    "value": lift,
                    "low": lift / 1.3,
                    "high": lift * 1.3,
                    "fraction": float(rng.random()),
                    "count": int(rng.integers(10, 300)),
                    "paper_rule": 1,
                }
            )
    known = [name for name in DISCOVERED_COLUMNS if name in rows[0]]
    return pl.DataFrame(rows).select(known)
