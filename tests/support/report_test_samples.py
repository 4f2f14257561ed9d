"""Tables of association tests for the tests of their report: groups of ours, effect sizes that are planted."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import norm

from endoxa.instruments.association_tests.estimates.permutation import NO_EFFECT, judged
from endoxa.schema import TEST_COLUMNS
from endoxa.stats.verdicts import UNTESTED

GROUPS = {
    "en": ("hindu male", "muslim male", "hindu female", "muslim female"),
    "hi": ("हिंदू पुरुष", "मुस्लिम पुरुष", "हिंदू महिला", "मुस्लिम महिला"),
}
ATTRIBUTES = {
    "en": (("career", "family"), ("non-violent", "violent")),
    "hi": (("करियर", "परिवार"), ("अहिंसक", "हिंसक")),
}
PARTITIONS = "40116600"


def estimates(
    models: tuple[str, ...] = ("hf/one",),
    poolings: tuple[str, ...] = ("cls",),
    languages: tuple[str, ...] = ("en",),
    groups: dict[str, tuple[str, ...]] | None = None,
    *,
    seed: int = 0,
) -> pl.DataFrame:
    """Every two groups against every attribute pair; p falls with the effect size."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "test": f"{x} {y} {a} {b}",
            "model": model,
            "pooling": pooling,
            "axis": "gender x religion",
            "language": language,
            "x": x,
            "y": y,
            "a": a,
            "b": b,
            "n_x": 14,
            "n_y": 13 if "muslim female" in (x, y) else 14,
            "n_a": 8,
            "n_b": 8,
            "value": float(effect),
        }
        for model in models
        for pooling in poolings
        for language in languages
        for x, y in combinations((groups or GROUPS)[language], 2)
        for a, b in ATTRIBUTES[language]
        for effect in [np.clip(rng.normal(0, 0.6), -1.8, 1.8)]
    ]
    return completed(pl.DataFrame(rows))


def completed(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with every column of the schema, judged together; columns that are there are kept."""
    d = pl.col("value")
    made: dict[str, pl.Expr] = {
        "axis": pl.lit(""),
        "language": pl.lit(""),
        "association_id": pl.lit(""),
        "pooling": pl.lit(""),
        "name": pl.lit("effect_size"),
        "statistic": d / 10,
        "low": d - 0.6,
        "high": d + 0.6,
        "confidence": pl.lit(0.95),
        "p_value": d.map_batches(lambda values: pl.Series(norm.sf(2.6 * values)), return_dtype=pl.Float64),
        "p_kind": pl.lit("exact"),
        "n_partitions": pl.lit(PARTITIONS),
        "n_draws": pl.lit(None, dtype=pl.Int64),
        "neutral": pl.lit(0.0),
        "undefined": pl.lit(""),
        "method": pl.lit("equal sets, exact permutation p, percentile bootstrap, seed 0"),
        "reason": pl.lit(""),
        "alternative": pl.lit("greater"),
        "n": pl.sum_horizontal("n_x", "n_y"),
        "clusters": pl.min_horizontal("n_x", "n_y"),
        "attributes": pl.min_horizontal("n_a", "n_b"),
        "sampled": pl.lit("texts"),
        "verdict": pl.lit(""),
        "p_adjusted": pl.lit(None, dtype=pl.Float64),
        "p_published": pl.lit(None, dtype=pl.Float64),
    }
    sizes = {name: pl.lit(8) for name in ("n_x", "n_y", "n_a", "n_b")}
    frame = rows.with_columns(
        *(value.alias(name) for name, value in sizes.items() if name not in rows.columns)
    ).with_columns(*(value.alias(name) for name, value in made.items() if name not in rows.columns))
    return judged(frame).select(list(TEST_COLUMNS))


def undefined(frame: pl.DataFrame, place: int, reason: str) -> pl.DataFrame:
    """The frame with one row that has no values, as `endoxa analyze run` leaves it."""
    here = pl.int_range(pl.len()) == place
    values = ("value", "low", "high", "p_value", "p_adjusted")
    changed = frame.with_columns(
        *(pl.when(~here).then(name).alias(name) for name in values),
        pl.when(here).then(pl.lit("undefined")).otherwise("p_kind").alias("p_kind"),
        pl.when(here).then(pl.lit(reason)).otherwise("undefined").alias("undefined"),
        pl.when(here).then(pl.lit(UNTESTED)).otherwise("verdict").alias("verdict"),
        pl.when(here).then(pl.lit(NO_EFFECT)).otherwise("reason").alias("reason"),
    )
    return judged(changed).select(list(TEST_COLUMNS))


def run_folder(folder: Path, frame: pl.DataFrame, **facts: object) -> Path:
    """Write a finished run of `probe embeddings`; `facts` replace what is in `run.json` (None removes)."""
    folder.mkdir(parents=True)
    frame.write_csv(folder / "estimates.csv")
    described: dict[str, object] = {
        "kind": "embeddings",
        "endoxa": "0.1.0",
        "command": ["endoxa", "probe", "embeddings", "--data", "tests.json", "--out", "a folder"],
        "finished": "2026-01-02T03:04:05+00:00",
        "models": [{"name": name, "fingerprint": "abc"} for name in frame["model"].unique().sort()],
        **facts,
    }
    text = json.dumps({key: value for key, value in described.items() if value is not None})
    (folder / "run.json").write_text(text, encoding="utf-8")
    return folder
