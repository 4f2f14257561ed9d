"""Every test with its interval: forest plots, sorted by effect size."""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from endoxa.report.associations import Associations
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures.association_forest import association_forest
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.words import language_name, plural, slug
from endoxa.stats.verdicts import CLEAR

NEUTRAL = 0.0
ROW = ("language", "axis", "a", "b", "test")
"""What a row is about; every model and pooling is a mark in it."""

MOST_MARKS = 72
"""Marks of one figure below one another: more would not fit on a printed page."""

MOST_ROWS = 108
"""Rows drawn in all; of more tests, those with the largest effect size."""


def forest_plots(results: Associations) -> Section:
    """Forest plots by language, tests about one attribute pair together, largest mean effect size first."""
    rows = _rows(results.estimates)
    drawn = rows.sort("size", descending=True, maintain_order=True).head(MOST_ROWS).select(ROW)
    left_out = (
        (
            Finding(
                f"Drawn are the {MOST_ROWS} of {rows.height:,} tests with the largest effect size of any "
                "encoder; the table of all tests holds the others.",
                ({"drawn": MOST_ROWS, "tests": rows.height},),
            ),
        )
        if rows.height > MOST_ROWS
        else ()
    )
    shown = results.estimates.join(drawn, on=ROW, how="semi", maintain_order="left")
    return Section(
        anchor="forest",
        title="Every test with its interval",
        findings=left_out,
        figures=tuple(_figures(shown, rows, list(results.labels.values()))),
        notes=(_note(results),),
    )


def _note(results: Associations) -> str:
    levels = results.estimates["confidence"].drop_nulls().unique().sort()
    spoken = " or ".join(f"{100 * level:g}\u00a0%" for level in levels) or "recorded"
    return (
        "Marks right of the dashed line: the first group lies nearer to the first attribute, rather than the second, "
        "than the second group does; left of it: the second group does. Filled marks: the groups differ (adjusted "
        f"permutation p-value at most {results.level}). Lines are {spoken} intervals, which draw the words of the two "
        "groups anew, not the attributes, the sentences around them or the encoder. A line that excludes zero beside a "
        "hollow mark is not a claim."
    )


def _rows(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per test: its mean effect size over encoders, and the largest without its sign."""
    return estimates.group_by(ROW, maintain_order=True).agg(
        mean=pl.col("effect_size").mean(), size=pl.col("effect_size").abs().max().fill_null(-1)
    )


def _figures(shown: pl.DataFrame, rows: pl.DataFrame, series: list[str]) -> Iterator[Figure]:
    ends = pl.concat([shown["low"], shown["high"], shown["effect_size"]]).drop_nulls()
    domain = symmetric_domain(ends, NEUTRAL, 1.0, 0.5)
    rows_each = max(4, min(18, MOST_MARKS // len(series)))
    ordered = shown.join(rows, on=ROW, maintain_order="left")
    for (language,), tests in ordered.group_by(["language"], maintain_order=True):
        blocks = tests.select("axis", "a", "b").unique(maintain_order=True).with_row_index("block_number")
        sorted_tests = (
            tests.join(blocks, on=["axis", "a", "b"], maintain_order="left")
            .sort("block_number", "mean", descending=[False, True], nulls_last=True, maintain_order=True)
            .with_columns(place=pl.struct("block_number", "test").rle_id())
        )
        number = 1 + max(sorted_tests["place"].to_list())
        parts = math.ceil(number / rows_each)
        even = math.ceil(number / parts)
        spoken = language_name(str(language)) if language else "Language not stated"
        for part in range(parts):
            own = sorted_tests.filter(pl.col("place") // even == part)
            yield Figure(
                name=f"forest-{slug(str(language) or 'tests')}",
                title=spoken if parts == 1 else f"{spoken}, part {part + 1} of {parts}",
                chart=association_forest(_marks(own), series, neutral=NEUTRAL, domain=domain),
                alt=_alt(own),
                wide=True,
            )


def _marks(tests: pl.DataFrame) -> pl.DataFrame:
    alike = tests.select("language", "axis", "a", "b", "x", "y", "model", "pooling").is_duplicated().any()
    label = pl.col("test") if alike else pl.format("{}\nvs {}", "x", "y")
    block = pl.format("{} (+) rather than {} (−)", "a", "b")
    axes = tests["axis"].n_unique() > 1
    return tests.select(
        block=pl.format("{} ({})", block, "axis") if axes else block,
        row=label,
        series="label",
        column=pl.when(pl.col("pooling") == "").then(pl.lit(" ")).otherwise("pooling"),
        value="effect_size",
        low="low",
        high="high",
        filled=pl.col("verdict").is_in(CLEAR),
    )


def _alt(tests: pl.DataFrame) -> str:
    known = tests.drop_nulls("effect_size")
    words = (
        f"Effect sizes with intervals of {plural(tests['test'].n_unique(), 'test')} for "
        f"{plural(tests['encoder'].n_unique(), 'encoder')}."
    )
    if known.is_empty():
        return f"{words} All are undefined."
    top = known.row(int(known["effect_size"].arg_max() or 0), named=True)
    return (
        f"{words} The largest is {top['effect_size']:+.2f} ({top['x']} against {top['y']}, {top['encoder']}); "
        f"in {int(tests['verdict'].is_in(CLEAR).sum())} of {plural(tests.height, 'result')} the groups differ."
    )
