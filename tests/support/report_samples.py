"""Run folders for the tests of the report: mild sentences of ours, scores with a planted preference."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.schema import RECORD_COLUMNS

HOSTILE = "<script>alert(1)</script>"
AXES = ("age", "city & country")
JOBS = ("bakers", "drivers", "gardeners", "nurses", "painters", "sailors", "tailors", "teachers")


def pairs(n: int = 48, languages: tuple[str, ...] = ("en", "hi")) -> pl.DataFrame:
    """n pairs per language over `AXES`, each about one of eight occupations; sentence 0 holds markup."""
    rows = [
        {
            "item_id": f"{language}-{i}",
            "language": language,
            "axis": AXES[i % 2],
            "direction": "stereo",
            "stereotypical": "less" if i % 3 == 0 else "more",
            "sent_more": f"Quoted words: {JOBS[i % 8]} rise early, case {i} {language}.{HOSTILE * (i == 0)}",
            "sent_less": f"Quoted words: {JOBS[i % 8]} rise late, case {i} {language}.",
            "identity": JOBS[i % 8],
        }
        for language in languages
        for i in range(n)
    ]
    return pl.DataFrame(rows)


def scored(
    items: pl.DataFrame, model: str, rule: str, share: float, *, neutral: bool = False, seed: int = 0
) -> pl.DataFrame:
    """Records in which exactly `share` of the pairs prefer the stereotypical sentence, drawn by lot.

    With `neutral`, all but every fourth pair have a neutral difference that explains the whole of their own.
    """
    rng = np.random.default_rng(seed)
    n = items.height
    prefers = np.random.default_rng(1).permutation(n) < round(share * n)
    difference = np.where(prefers, 1, -1) * rng.uniform(0.2, 3.0, n)
    sign = np.where(items["stereotypical"].to_numpy() == "more", 1, -1)
    known = np.arange(n) % 4 != 0 if neutral else np.zeros(n, dtype=bool)
    filled = items.with_columns(
        pl.lit(model).alias("model"),
        pl.lit(rule).alias("rule"),
        pl.Series("score_more", -20 + sign * difference),
        pl.lit(-20.0).alias("score_less"),
        pl.lit(9).alias("n_tokens_more"),
        pl.lit(9).alias("n_tokens_less"),
        pl.Series("neutral_difference", np.where(known, sign * (difference + rng.normal(0, 0.3, n)), np.nan)),
        pl.Series("n_neutral", known.astype(int) * 2),
    )
    missing = [name for name in RECORD_COLUMNS if name not in filled.columns]
    return filled.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing).select(
        list(RECORD_COLUMNS)
    )


def run_folder(folder: Path, records: pl.DataFrame, *, data: str = "sample.csv", **facts: object) -> Path:
    """Write a finished run; `facts` are added to `run.json` or replace what is there (None removes)."""
    folder.mkdir(parents=True)
    records.write_parquet(folder / "records.parquet")
    described: dict[str, object] = {
        "kind": "pairs",
        "endoxa": "0.1.0",
        "command": ["endoxa", "probe", "pairs", "--data", data, "--out", "a folder"],
        "finished": "2026-01-02T03:04:05+00:00",
        "data": {
            "path": data,
            "sha256": hashlib.sha256(data.encode()).hexdigest(),
            "format": "endoxa",
            "rows": 96,
        },
        "models": [{"name": name, "architecture": "masked"} for name in records["model"].unique().sort()],
        "rules": records["rule"].unique().sort().to_list(),
        **facts,
    }
    text = json.dumps({key: value for key, value in described.items() if value is not None})
    (folder / "run.json").write_text(text, encoding="utf-8")
    return folder
