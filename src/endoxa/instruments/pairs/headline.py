"""The few rows that stand for a run of sentence pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

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
from endoxa.report.claims import Row, chip, percent_ends
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
MOST_LINES = 6
"""Models and rules whose kinds of pairs are listed in a terminal; of more they are on the page."""


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
    several = any(row["language"] != ALL for row in rows)
    compared = [row for row in rows if calibrated(row)]

    def label(row: Row) -> str:
        return f"{labels[row['model']]}, {row['rule']}" + (
            f", {language_name(row['language'])}" if several else ""
        )

    def texts(row: Row) -> tuple[str, ...]:
        ends, raw = percent_ends(row), f" ({100 * row['raw']:.1f})" if calibrated(row) else ""
        return (
            labels[row["model"]],
            row["rule"],
            *((language_name(row["language"]),) if several else ()),
            f"{percent(row['value'])}{raw}",
            NO_VALUE if ends == NOT_DEFINED else ends,
            chip(row),
            count(row["n"]),
        )

    kinds = overall(kind_cells(estimates)).group_by("model", "rule", maintain_order=True)
    return Headline(
        title=f"Stereotypical sentence preferred, compared with {compared_with(compared[0])} (an unbiased model: 50 %)"
        if compared
        else "Pairs whose stereotypical sentence is preferred (an unbiased model: 50 %)",
        columns=(
            *("model", "rule", *(("language",) if several else ())),
            "ratio (raw)" if compared else "preferred",
            f"{100 * rows[0]['confidence']:g} % interval" if rows else "interval",
            *("verdict", "pairs"),
        ),
        texts=tuple(map(texts, rows)),
        rows=tuple({name: plain(row[name]) for name in KEPT} for row in rows),
        words=("model", "rule", "language", "verdict"),
        notes=(
            *dict.fromkeys(
                f"What intervals rest on: {basis(row)}." for row in rows if listed_units(row["method"])
            ),
            *dict.fromkeys(
                f"Cannot be tested: {row['reason']}." for row in rows if row["verdict"] == UNTESTED
            ),
            *rounding_notes(rows, label),
            *_of_references(rows, label),
            *([_of_calibration(compared, len(rows))] if compared else []),
            *_of_kinds([(f"{labels[model]}, {rule}", of.rows(named=True)) for (model, rule), of in kinds]),
        ),
    )


def _rows(cells: pl.DataFrame) -> Iterator[Row]:
    """Over all languages and axes, the highest first; each language where all together cannot be tested."""
    every = cells.filter(axis=ALL)
    pooled = every.filter(language=ALL).sort("rule", "value", descending=[False, True], maintain_order=True)
    for row in pooled.iter_rows(named=True):
        yield row
        if row["verdict"] == UNTESTED:
            by_language = every.filter(pl.col("language") != ALL, model=row["model"], rule=row["rule"])
            yield from by_language.iter_rows(named=True)


def _of_kinds(groups: Sequence[tuple[str, Sequence[Row]]]) -> Iterator[str]:
    """The kinds and directions of pairs apart, a line for each model and rule."""
    if len(groups) > MOST_LINES:
        yield "Pairs of several kinds: the page and the estimates have them apart (preference_ratio_KIND)."
        return
    for name, rows in groups:
        yield f"{name}, by kind of pair: {by_kind(rows)}."


def _of_references(rows: Sequence[Row], label: Callable[[Row], str]) -> Iterator[str]:
    """What word frequency and length alone prefer, and that nothing more is claimed where they do as the model does."""
    for row in rows:
        shares = [
            f"{words} alone {percent(row[name])}" for name, words in ALONE.items() if row[name] is not None
        ]
        if shares and not calibrated(row):
            yield f"{label(row)}: {listed(shares)}.{same_side([row])}"


def _of_calibration(compared: Sequence[Row], number: int) -> str:
    """What the calibrated column holds, and how many pairs it rests on."""
    text = (
        "What the identity adds to the difference of the same sentences about others decides; in brackets: all pairs "
        "as they are."
    )
    if beaten := dict.fromkeys(percent(row["placebo"]) for row in compared if row["placebo"] is not None):
        text += (
            f" The number these have to beat: {listed(list(beaten))}, the same sentences about the others."
        )
    fewer = [row for row in compared if row["n"] < row["n_all"]]
    if of_all := dict.fromkeys(f"{count(row['n'])} of {count(row['n_all'])}" for row in fewer):
        text += f" Could be compared: {listed(list(of_all))} pairs."
    return text if len(compared) == number else f"{text} Rows without brackets are not compared."
