"""The strongest differences: in sentences that hold after correction, and every test with all encoders in one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.report.charts import series_colors, series_dots, sorted_dots, symmetric_domain
from endoxa.report.charts.series import MOST_APART
from endoxa.report.document import Figure
from endoxa.report.words import language_name, plural, signed, slug
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR

TEST = ("language", "axis", "x", "y", "a", "b", "test")
"""What a row of the chart is about; every model and pooling is a dot in it."""

MOST_ROWS = 24
"""Tests in the chart; of more, those with the largest mean effect size. The sections below hold all."""

MOST_NAMED = 3
"""Differences that are put into words."""

LABEL_ROOM = 250
ENCODERS = "encoder"


def strongest(estimates: pl.DataFrame) -> list[list[dict[str, Any]]]:
    """The rows of the tests that differ in the most encoders in one direction, those of the strongest first."""
    above, below = (pl.col("verdict") == ABOVE).sum(), (pl.col("verdict") == BELOW).sum()
    ranked = (
        estimates.group_by(TEST, maintain_order=True)
        .agg(reach=pl.max_horizontal(above, below), size=pl.col("effect_size").abs().mean())
        .filter(pl.col("reach") > 0)
        .sort("reach", "size", descending=True, maintain_order=True)
        .head(MOST_NAMED)
    )
    return [
        list(estimates.join(ranked[k], on=TEST, how="semi", maintain_order="left").iter_rows(named=True))
        for k in range(ranked.height)
    ]


def headline_figure(results: Associations) -> Iterator[Figure]:
    """One sorted chart: a row for every test with its encoders, or of one test a row for every encoder."""
    known = results.estimates.drop_nulls("effect_size")
    tests = known.select(TEST).unique().height
    if known.height > 1:
        yield _encoders(known) if tests == 1 else _tests(results, known, tests)


def _tests(results: Associations, known: pl.DataFrame, tests: int) -> Figure:
    encoders = results.estimates["encoder"].unique(maintain_order=True).to_list()
    sizes = known.group_by(TEST, maintain_order=True).agg(
        mean=pl.col("effect_size").mean(),
        size=pl.col("effect_size").mean().abs(),
        note=_note(len(encoders)),
    )
    shown = sizes.sort("size", descending=True, maintain_order=True).head(MOST_ROWS)
    ordered = shown.sort("mean", descending=True, maintain_order=True)
    several = pl.lit(known["language"].n_unique() > 1)
    ordered = ordered.with_columns(several=several)
    labelled = ordered.with_columns(
        label=pl.struct(ordered.columns).map_elements(_label, return_dtype=pl.String)
    )
    if labelled["label"].is_duplicated().any():
        labelled = labelled.with_columns(label=pl.format("{} ({})", "label", "test"))
    frame = labelled.join(known, on=TEST, maintain_order="left").select(
        "label",
        "note",
        "low",
        "high",
        series="encoder",
        value="effect_size",
        filled=pl.col("verdict").is_in(CLEAR),
    )
    spoken = "; ".join(
        f"{row['label']}: mean {signed(row['mean'], 2)}".replace("\n", ", ")
        for row in labelled.iter_rows(named=True)
    )
    title = (
        "Effect size of every test" if tests <= MOST_ROWS else f"The {MOST_ROWS} largest of {tests:,} tests"
    )
    return Figure(
        name="strongest",
        title=title,
        chart=series_dots(
            frame,
            series_colors(encoders),
            neutral=0.0,
            domain=_domain(frame),
            title="effect size",
            axis_format="+.2~f",
            label_limit=LABEL_ROOM,
        ),
        alt=f"Effect sizes in {plural(len(encoders), 'encoder')}, no difference: 0. {spoken}.",
        wide=True,
    )


def _note(encoders: int) -> pl.Expr:
    """The effect sizes of few encoders side by side; of many, in how many the groups differ."""
    if encoders <= MOST_APART:
        return (
            pl.col("effect_size").map_elements(lambda d: signed(d, 2), return_dtype=pl.String).str.join(" · ")
        )
    return pl.format("{} of {} differ", pl.col("verdict").is_in(CLEAR).sum(), pl.len())


def _label(row: Mapping[str, Any]) -> str:
    language = f", {language_name(row['language'])}" if row["language"] and row.get("several") else ""
    return f"{row['x']} vs {row['y']}{language}\n{row['a']} (+) / {row['b']} (−)"


def _encoders(known: pl.DataFrame) -> Figure:
    """One test: encoders by their effect size."""
    row = known.row(0, named=True)
    frame = known.sort("effect_size", descending=True, maintain_order=True).select(
        "low",
        "high",
        label="encoder",
        note=pl.col("effect_size").map_elements(lambda d: signed(d, 2), return_dtype=pl.String),
        value="effect_size",
        outer_low=pl.lit(None, dtype=pl.Float64),
        outer_high=pl.lit(None, dtype=pl.Float64),
        filled=pl.col("verdict").is_in(CLEAR),
    )
    spoken = "; ".join(f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    title = _label(row).replace("\n", ", ")
    return Figure(
        name=f"strongest-{slug(row['test'])}",
        title=title,
        chart=sorted_dots(
            frame, neutral=0.0, domain=_domain(frame), title="effect size", axis_format="+.2~f"
        ),
        alt=f"Effect size of {title} in every encoder, no difference: 0. {spoken}.",
        wide=True,
    )


def _domain(frame: pl.DataFrame) -> tuple[float, float]:
    ends = pl.concat([frame["value"], frame["low"], frame["high"]]).drop_nulls()
    return symmetric_domain(ends, 0.0, 1.0, 0.5)
