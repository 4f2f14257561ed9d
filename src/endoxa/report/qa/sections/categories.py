"""Scores of each category, where a data set holds several."""

from __future__ import annotations

import polars as pl

from endoxa.report.claims import chip
from endoxa.report.document import Column, Section, Table
from endoxa.report.qa.cells import missing
from endoxa.report.qa.claims import lean_evidence, shown_interval
from endoxa.report.qa.results import SPOKEN_CONDITIONS, QaResults
from endoxa.report.words import count, decimal, decimal_interval
from endoxa.schema import ALL

MEASURES = {"accuracy": "accuracy", "bias_unscaled": "unscaled bias", "bias_score": "bias score"}


def categories(results: QaResults) -> Section | None:
    """A table of all categories; None where there is one only."""
    several = results.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
    rows = results.estimates.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    if rows.is_empty():
        return None
    return Section(
        anchor="categories",
        title="By category",
        tables=(category_table(results, rows, "Scores of each category"),),
        notes=(
            "The lean is the bias score in ambiguous contexts and the accuracy gap in disambiguated ones; verdicts are "
            "corrected over all leans of the page.",
        ),
    )


def category_table(results: QaResults, rows: pl.DataFrame, caption: str) -> Table:
    """Every measure of the rows with its interval; reasons of what is undefined below."""
    columns = [Column("model"), Column("data"), Column("category"), Column("contexts")]
    for spoken in MEASURES.values():
        columns += [Column(spoken, numeric=True), Column(f"{results.level} interval", numeric=True)]
    columns += [Column("lean", numeric=True), Column("its interval", numeric=True), Column("verdict")]
    columns.append(Column("answers", numeric=True))
    body = tuple(
        (
            row["line"],
            row["data"],
            row["category"],
            SPOKEN_CONDITIONS[row["context_condition"]],
            *(
                text
                for name in MEASURES
                for text in (decimal(row[name]), decimal_interval(row[f"{name}_low"], row[f"{name}_high"]))
            ),
            decimal(row["lean"]),
            shown_interval(lean_evidence(row)),
            chip(row),
            count(row["n"]),
        )
        for row in rows.iter_rows(named=True)
    )
    places = (
        (f"{row['line']}, {row['data']}, {row['category']}", row, name)
        for row in rows.iter_rows(named=True)
        for name in MEASURES
    )
    return Table(caption, tuple(columns), body, folded=len(body) > 40, notes=tuple(missing(places)))
