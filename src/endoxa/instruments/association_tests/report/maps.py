"""Tests against encoders, of more encoders than have room side by side: effect sizes, a star where it differs."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.association_tests.report.results import CLAIMED, Associations
from endoxa.report.charts import verdict_map
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.words import language_name, plural, signed, slug
from endoxa.stats.verdicts import CLEAR

TEST = ("language", "axis", "a", "b", "x", "y", "test")
MOST_COLUMNS = 12
"""Encoders side by side: more would not be readable."""

MOST_ROWS = 60
"""Tests of one language that are drawn, those with the largest effect size of any encoder."""

LARGE = 0.8
"""From this effect size on (Cohen's 'large') a cell has its full colour."""


def maps(results: Associations) -> Section:
    """A map of tests and encoders for every language."""
    figures = [figure for own in _languages(results) for figure in _parts(own)]
    return Section(
        anchor="forest",
        title="Every test in every encoder",
        findings=tuple(_left_out(results)),
        figures=tuple(figures),
        notes=(
            "A cell is an effect size. Blue with a star: the first group lies nearer to the first attribute, rather "
            "than the second, than the second group does; orange with a star: the second group does (adjusted "
            f"permutation p-value at most {results.level}). Full colours: effect sizes of at least {LARGE}. Grey "
            "cells are not distinguishable or cannot be tested, empty ones undefined. Intervals and p-values are in "
            "the table of all tests.",
        ),
    )


def _languages(results: Associations) -> list[pl.DataFrame]:
    return results.estimates.partition_by("language", maintain_order=True)


def _left_out(results: Associations) -> Iterator[Finding]:
    for own in _languages(results):
        number, language = own.select(TEST).unique().height, own["language"][0]
        if number > MOST_ROWS:
            where = f" in {language_name(language)}" if language else ""
            yield Finding(
                f"Drawn are the {MOST_ROWS} of {number:,} tests{where} with the largest effect size of any encoder; "
                "the table of all tests holds the others.",
                ({"drawn": MOST_ROWS, "tests": number},),
            )


def _parts(own: pl.DataFrame) -> Iterator[Figure]:
    sizes = own.group_by(TEST, maintain_order=True).agg(
        mean=pl.col("effect_size").mean(), size=pl.col("effect_size").abs().max().fill_null(-1)
    )
    rows = (
        sizes.sort("size", descending=True, maintain_order=True)
        .head(MOST_ROWS)
        .sort("mean", descending=True, nulls_last=True, maintain_order=True)
        .with_columns(label=pl.format("{} vs {}: {} / {}", "x", "y", "a", "b"))
    )
    if rows["label"].is_duplicated().any():
        rows = rows.with_columns(label=pl.format("{} ({})", "label", "test"))
    cells = rows.join(own, on=TEST, maintain_order="left").select(
        "verdict",
        row="label",
        column="encoder",
        value="effect_size",
        text=pl.struct("effect_size", "verdict").map_elements(_text, return_dtype=pl.String),
        far=pl.col("effect_size").abs() >= LARGE,
    )
    encoders = own["encoder"].unique(maintain_order=True).to_list()
    parts = -(-len(encoders) // MOST_COLUMNS)
    each = -(-len(encoders) // parts)
    language = language_name(own["language"][0]) if own["language"][0] else "Effect sizes"
    for part in range(parts):
        columns = encoders[part * each : (part + 1) * each]
        shown = cells.filter(pl.col("column").is_in(columns))
        yield Figure(
            name=f"tests-{slug(own['language'][0] or 'all')}",
            title=language
            if parts == 1
            else f"{language}, encoders {part * each + 1} to {part * each + len(columns)}",
            chart=verdict_map(shown, rows["label"].to_list(), columns),
            alt=f"Effect sizes of {plural(rows.height, 'test')} in {plural(len(columns), 'encoder')}; in "
            f"{shown['verdict'].is_in(CLEAR).sum()} of {plural(shown.height, 'result')} the groups differ.",
            wide=True,
        )


def _text(row: dict[str, object]) -> str:
    effect = row["effect_size"]
    if not isinstance(effect, float):
        return ""
    return signed(effect, 2) + (CLAIMED if row["verdict"] in CLEAR else "")
