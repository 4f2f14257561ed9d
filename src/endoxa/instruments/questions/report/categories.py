"""Leans by category: dots with intervals of few models, maps of models and categories of many."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.questions.report.leans import lean_map
from endoxa.instruments.questions.report.results import CONDITIONS, CONTEXTS, SPOKEN_CONDITIONS, QaResults
from endoxa.instruments.questions.report.values import (
    SPOKEN_LEANS,
    lean_evidence,
    missing,
    shown_interval,
)
from endoxa.report.charts import series_colors, series_dots, symmetric_domain
from endoxa.report.claims import chip, clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, decimal, decimal_interval, listed, slug
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

MEASURES = {"accuracy": "accuracy", "bias_unscaled": "unscaled bias", "bias_score": "bias score"}

FEW = 3
"""Models that get dots with intervals; more get a map."""

MOST_FIGURES = 12
"""Data sets and kinds of contexts that are drawn; the table holds all."""

_SPOKEN = {
    ABOVE: "{n} lean{s} towards the stereotype",
    BELOW: "{n} lean{s} against the stereotype",
    UNCLEAR: "in {n} a lean is not distinguishable",
    UNTESTED: "{n} cannot be tested",
}


def categories(results: QaResults) -> Section | None:
    """Leans of all categories; None where every data set holds one only."""
    several = results.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
    rows = results.estimates.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    if rows.is_empty():
        return None
    few = len(results.names) <= FEW
    reading = (
        f"Right of the line: towards the stereotype. Bars are {results.level} intervals over templates; a filled dot "
        "is a lean that is significant after correction."
        if few
        else "Blue cells lean towards the stereotype, orange ones against it (significant after correction); grey "
        "cells are not distinguishable or cannot be tested. Models are sorted by their mean lean."
    )
    shown = results.main(rows)
    cells = [
        shown.filter(data=data, context_condition=condition)
        for condition in CONDITIONS
        for data in results.data
        if data in several
    ]
    cells = [cell for cell in cells if cell.height]
    return Section(
        anchor="categories",
        title="By category",
        findings=(*_findings(cells), *_left_out(len(cells))),
        figures=tuple(_figures(results, cells[:MOST_FIGURES], few=few)),
        tables=(category_table(results, rows, "Scores of each category"),),
        notes=(
            f"{reading} The lean is the bias score in ambiguous contexts and the accuracy gap in disambiguated ones; "
            "verdicts are corrected over all leans of the page.",
        ),
    )


def _findings(cells: list[pl.DataFrame]) -> Iterator[Finding]:
    """In how many cells of models and categories a lean is claimed."""
    for cell in cells:
        rows = [lean_evidence(row) for row in cell.iter_rows(named=True)]
        parts = [
            said.format(n=number, s="s" if number == 1 else "")
            for verdict, said in _SPOKEN.items()
            if (number := sum(row["verdict"] == verdict for row in rows))
        ]
        where = f"{CONTEXTS[rows[0]['context_condition']]} with {rows[0]['data']}"
        models = cell["model"].n_unique()
        of = "categories" if models == 1 else "cells (a model in a category)"
        yield Finding(f"{where}, of {len(rows)} {of} {listed(parts)}.", ({"cells": len(rows)}, *rows))


def _left_out(number: int) -> Iterator[Finding]:
    if number > MOST_FIGURES:
        yield Finding(
            f"The figures show the first {MOST_FIGURES} of {number} data sets and kinds of contexts; the table holds "
            "all of them.",
            ({"shown": MOST_FIGURES, "all": number},),
        )


def _figures(results: QaResults, cells: list[pl.DataFrame], *, few: bool) -> Iterator[Figure]:
    for cell in cells:
        data, condition = cell.select("data", "context_condition").row(0)
        spoken = SPOKEN_LEANS[cell["lean_name"][0]]
        title = f"{spoken.capitalize()} by category, {SPOKEN_CONDITIONS[condition]} contexts"
        title += f", {data}" if len(results.data) > 1 else ""
        name = f"categories-{slug(data)}-{SPOKEN_CONDITIONS[condition]}"
        known = cell.drop_nulls("lean")
        if known.height:
            yield _dots(known, name, title) if few else lean_map(results, known, "category", name, title)


def _dots(rows: pl.DataFrame, name: str, title: str) -> Figure:
    """A row for every category, the greatest mean lean first; a dot for every model."""
    text = pl.col("lean").map_elements(decimal, return_dtype=pl.String)
    frame = (
        rows.with_columns(
            mean=pl.col("lean").mean().over("category"), note=text.str.join(" · ").over("category")
        )
        .sort(-pl.col("mean"), "category", maintain_order=True)
        .select(
            "note",
            label="category",
            series="line",
            value="lean",
            low="lean_low",
            high="lean_high",
            filled=clear(),
        )
    )
    ends = pl.concat([frame["value"], frame["low"], frame["high"]]).drop_nulls()
    spoken = "; ".join(
        f"{row['line']}, {row['category']}: {decimal(row['lean'])}, {chip(row)}"
        for row in rows.iter_rows(named=True)
    )
    return Figure(
        name=name,
        title=title,
        chart=series_dots(
            frame,
            series_colors(rows["line"].unique(maintain_order=True).to_list()),
            neutral=0.0,
            domain=symmetric_domain(ends, 0.0, 0.1, 0.1),
            title=SPOKEN_LEANS[rows["lean_name"][0]],
            axis_format="+.2~f",
        ),
        alt=f"{title}, no lean: 0. {spoken}.",
        wide=True,
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
