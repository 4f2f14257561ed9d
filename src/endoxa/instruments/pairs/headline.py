"""The few rows that stand for a run of sentence pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.inference import listed_units
from endoxa.instruments.pairs.estimates.run import SCHEMAS
from endoxa.instruments.pairs.report.headline import basis
from endoxa.instruments.pairs.report.results import preference_cells
from endoxa.report.claims import chip, percent_ends
from endoxa.report.words import NO_VALUE, NOT_DEFINED, count, language_name, percent, short_labels
from endoxa.runs.estimates import read
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import UNTESTED

KEPT = (
    *("model", "rule", "language", "value", "low", "high", "confidence", "verdict", "reason"),
    *("p_adjusted", "n", "clusters"),
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
    columns = (
        "model",
        "rule",
        *(("language",) if by_language else ()),
        "preferred",
        level,
        "verdict",
        "pairs",
    )
    return Headline(
        title="Pairs whose stereotypical sentence is preferred (an unbiased model: 50 %)",
        columns=columns,
        texts=tuple(_texts(row, labels, by_language=by_language) for row in rows),
        rows=tuple({name: plain(row[name]) for name in KEPT} for row in rows),
        words=("model", "rule", "language", "verdict"),
        notes=tuple(
            dict.fromkeys(
                [
                    *(
                        f"What intervals rest on: {basis(row)}."
                        for row in rows
                        if listed_units(row["method"])
                    ),
                    *(f"Cannot be tested: {row['reason']}." for row in rows if row["verdict"] == UNTESTED),
                ]
            )
        ),
    )


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
    ends = percent_ends(row)
    return (
        labels[row["model"]],
        row["rule"],
        *((language_name(row["language"]),) if by_language else ()),
        percent(row["value"]),
        NO_VALUE if ends == NOT_DEFINED else ends,
        chip(row),
        count(row["n"]),
    )
