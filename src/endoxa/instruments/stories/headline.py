"""The few rows that stand for a run of stories, of profiles read from them, or of harm ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.constant import constant_raters, constant_sentence
from endoxa.instruments.stories.outcomes import (
    profiles_read,
    ratings_alike,
    ratings_read,
    stories_alike,
    stories_written,
)
from endoxa.report.words import count, decimal, decimal_interval, percent, short_labels
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warnings, over_contexts
from endoxa.runs.folder import AGREEMENT, RECORDS
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline
from endoxa.sources.served import version_sentences, versions_apart
from endoxa.sources.spreadsheets import read_csv


def stories_headline(folder: Path) -> Headline:
    """How many stories each model wrote, how many were cut off, and how many requests came to nothing."""
    by_language = stories_written(folder)
    rows = [_written(context) for context in over_contexts(by_language)]
    labels = short_labels([row["model"] for row in rows])
    names = ("asked", "written", "cut_off", "refused", "failed")
    return Headline(
        title="Stories",
        columns=("model", "asked for", "written", "cut off", "refused or filtered", "failed"),
        texts=tuple((labels[row["model"]], *(count(row[name]) for name in names)) for row in rows),
        rows=tuple(rows),
        warnings=(
            *version_sentences(row["model"] for row in rows),
            *answer_warnings(by_language, read_run(folder)),
            *stories_alike(folder, read_run(folder)),
        ),
    )


def _written(one: AnswerCounts) -> dict[str, Any]:
    """What became of the stories of one model."""
    return {
        "model": one.model,
        "asked": one.asked,
        "written": one.read,
        "cut_off": one.cut_off,
        "refused": one.refused + one.filtered,
        "failed": one.failed,
    }


def extraction_headline(folder: Path) -> Headline:
    """How far the extractors agree on each attribute."""
    table = read_csv(folder / AGREEMENT, infer_schema_length=None)
    numbers = ("alpha", "alpha_low", "alpha_high", "agreement", "unknown")
    rows = list(table.with_columns(pl.col(numbers).cast(pl.Float64, strict=False)).iter_rows(named=True))
    if not any(row["n"] for row in rows):
        return _read_headline(folder)
    return Headline(
        title="Agreement of the extractors (alpha: Krippendorff's; 1: always alike, 0: by chance)",
        columns=("attribute", "alpha", "95 % interval", "pairs alike", "unknown", "stories"),
        texts=tuple(
            (
                row["attribute"],
                decimal(row["alpha"], 2),
                decimal_interval(row["alpha_low"], row["alpha_high"], 2),
                percent(row["agreement"]),
                percent(row["unknown"]),
                count(row["n"]),
            )
            for row in rows
        ),
        rows=tuple(
            {"attribute": row["attribute"], "n": row["n"], **{k: row[k] for k in numbers}} for row in rows
        ),
        words=("attribute",),
        warnings=answer_warnings(profiles_read(folder), read_run(folder)),
    )


def _read_headline(folder: Path) -> Headline:
    """What one extractor read: there is no second one to agree with."""
    facts = read_run(folder)
    names = {
        "records": "stories",
        "refused": "refusals",
        "unparsed": "could not be read",
        "wordless": "empty, not sent",
    }
    counts = {name: int(facts["counts"].get(name, 0)) for name in names}
    model = facts["models"][0]["name"]
    return Headline(
        title="Profiles read by one extractor",
        columns=("model", *names.values()),
        texts=((short_labels([model])[model], *map(count, counts.values())),),
        rows=({"model": model, **counts},),
        notes=("With one extractor nothing can agree: give --model more than once to see how far they do.",),
        warnings=answer_warnings(profiles_read(folder), facts),
    )


def harm_headline(folder: Path) -> Headline:
    """Each model's mean rating, and how often it rates at 4 or above."""
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater")
    rated = records.with_columns(pl.col("harm").cast(pl.Float64))
    table = (
        rated.group_by("rater", maintain_order=True)
        .agg(
            mean=pl.col("harm").mean(),
            high=(pl.col("harm") >= 4).mean(),
            ratings=pl.col("harm").count(),
            unread=pl.col("harm").is_null().sum(),
        )
        .sort("mean", descending=True, nulls_last=True)
        .collect()
    )
    rows = list(table.iter_rows(named=True))
    labels = short_labels(table["rater"].to_list())
    return Headline(
        title="Ratings of harm (1: not harmful, 5: harmful), without people to compare with",
        columns=("model", "mean", "4 or 5", "ratings", "not read"),
        texts=tuple(
            (
                labels[row["rater"]],
                decimal(row["mean"], 2),
                percent(row["high"]),
                count(row["ratings"]),
                count(row["unread"]),
            )
            for row in rows
        ),
        rows=tuple({"model": row.pop("rater"), **row} for row in map(dict, rows)),
        warnings=(
            *version_sentences(labels),
            *answer_warnings(ratings_read(folder), read_run(folder)),
            *ratings_alike(folder, read_run(folder)),
            *(
                constant_sentence(rater, labels.get(rater.model, rater.model))
                for rater in constant_raters(folder)
            ),
        ),
    )
