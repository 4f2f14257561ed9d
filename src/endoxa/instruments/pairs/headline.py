"""The few rows that stand for a run of sentence pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.inference import listed_units
from endoxa.instruments.pairs.estimates.run import SCHEMAS
from endoxa.instruments.pairs.report.preference import (
    ALONE,
    basis,
    by_kind,
    calibrated,
    compared_with,
    rounding_notes,
    same_side,
)
from endoxa.instruments.pairs.report.results import kind_cells, overall, preference_cells
from endoxa.report.claims import chip, percent_ends
from endoxa.report.words import NO_VALUE, NOT_DEFINED, count, language_name, listed, percent, short_labels
from endoxa.runs.estimates import read
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import UNTESTED

KEPT = (
    *("model", "rule", "language", "value", "low", "high", "confidence", "verdict", "reason"),
    *("p_adjusted", "n", "clusters", "name", "raw", "n_all", "placebo", "with_groups"),
    *("frequency", "length", "references"),
)


def headline(folder: Path) -> Headline:
    """How often each model prefers the stereotypical sentence under each rule, as the run folder holds it."""
    return headline_of(read(folder, "estimates", SCHEMAS["estimates"]))


def headline_of(estimates: pl.DataFrame) -> Headline:
    """The same from estimates; languages of their own where all together cannot be tested.

    Args:
        estimates: columns of `schema.ESTIMATE_COLUMNS`.
    """
    rows = list(_rows(preference_cells(estimates)))
    labels = short_labels([row["model"] for row in rows])
    by_language = any(row["language"] != ALL for row in rows)
    level = f"{100 * rows[0]['confidence']:g} % interval" if rows else "interval"
    some = [row for row in rows if calibrated(row)]
    columns = (
        "model",
        "rule",
        *(("language",) if by_language else ()),
        "ratio (raw)" if some else "preferred",
        level,
        "verdict",
        "pairs",
    )
    return Headline(
        title=f"Stereotypical sentence preferred, compared with {compared_with(some[0])} (an unbiased model: 50 %)"
        if some
        else "Pairs whose stereotypical sentence is preferred (an unbiased model: 50 %)",
        columns=columns,
        texts=tuple(_texts(row, labels, by_language=by_language) for row in rows),
        rows=tuple({name: plain(row[name]) for name in KEPT} for row in rows),
        words=("model", "rule", "language", "verdict"),
        notes=(
            *dict.fromkeys(
                f"What intervals rest on: {basis(row)}." for row in rows if listed_units(row["method"])
            ),
            *dict.fromkeys(
                f"Cannot be tested: {row['reason']}." for row in rows if row["verdict"] == UNTESTED
            ),
            *rounding_notes(rows, lambda row: _label(row, labels, by_language=by_language)),
            *filter(
                None, (_of_references(row, _label(row, labels, by_language=by_language)) for row in rows)
            ),
            *([_of_calibration(some, len(rows))] if some else []),
            *_of_kinds(overall(kind_cells(estimates)), labels),
        ),
    )


def _label(row: Mapping[str, Any], labels: dict[str, str], *, by_language: bool) -> str:
    where = f", {language_name(row['language'])}" if by_language else ""
    return f"{labels[row['model']]}, {row['rule']}{where}"


MOST_LINES = 6
"""Models and rules whose kinds of pairs are listed in a terminal; of more they are on the page."""


def _of_kinds(kinds: pl.DataFrame, labels: dict[str, str]) -> Iterator[str]:
    """The kinds and directions of pairs apart, a line for each model and rule."""
    groups = list(kinds.group_by("model", "rule", maintain_order=True))
    if len(groups) > MOST_LINES:
        yield "Pairs of several kinds: the page and the estimates have them apart (preference_ratio_KIND)."
        return
    for (model, rule), rows in groups:
        yield f"{labels[model]}, {rule}, by kind of pair: {by_kind(rows.rows(named=True))}."


def _of_references(row: Mapping[str, Any], label: str) -> str:
    """What word frequency and length alone prefer, and that nothing more is claimed where they do as the model does."""
    shares = [
        f"{words} alone {percent(row[column])}" for column, words in ALONE.items() if row[column] is not None
    ]
    return f"{label}: {listed(shares)}.{same_side([row])}" if shares and not calibrated(row) else ""


def _of_calibration(some: list[dict[str, Any]], number: int) -> str:
    """What the calibrated column holds, and how many pairs it rests on."""
    text = (
        "What the identity adds to the difference of the same sentences about others decides; in brackets: all pairs "
        "as they are."
    )
    if beaten := dict.fromkeys(percent(row["placebo"]) for row in some if row["placebo"] is not None):
        text += (
            f" The number these have to beat: {listed(list(beaten))}, the same sentences about the others."
        )
    fewer = dict.fromkeys(
        f"{count(row['n'])} of {count(row['n_all'])}" for row in some if row["n"] < row["n_all"]
    )
    if fewer:
        text += f" Could be compared: {listed(list(fewer))} pairs."
    return text if len(some) == number else f"{text} Rows without brackets are not compared."


def _rows(cells: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Over all languages and axes, the highest first; each language where all together cannot be tested."""
    every = cells.filter(axis=ALL)
    overall = every.filter(language=ALL).sort("rule", "value", descending=[False, True], maintain_order=True)
    for row in overall.iter_rows(named=True):
        yield row
        if row["verdict"] == UNTESTED:
            by_language = every.filter(pl.col("language") != ALL, model=row["model"], rule=row["rule"])
            yield from by_language.iter_rows(named=True)


def _texts(row: dict[str, Any], labels: dict[str, str], *, by_language: bool) -> tuple[str, ...]:
    ends, value = percent_ends(row), percent(row["value"])
    if calibrated(row):
        value += f" ({100 * row['raw']:.1f})"
    return (
        labels[row["model"]],
        row["rule"],
        *((language_name(row["language"]),) if by_language else ()),
        value,
        NO_VALUE if ends == NOT_DEFINED else ends,
        chip(row),
        count(row["n"]),
    )
