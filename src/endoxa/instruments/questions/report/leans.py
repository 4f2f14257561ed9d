"""Leans of every model: dots and maps by data set and by category, a chart to choose from, and right answers beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.instruments.questions.report.results import (
    CONDITIONS,
    CONTEXTS,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    QaResults,
    lean_evidence,
    missing,
    shown_interval,
)
from endoxa.report.charts import series_colors, series_dots
from endoxa.report.claims import VERDICT, chip, clear, counted
from endoxa.report.closer import Box, closer_section
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, claim_map, described, series_figure
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, listed, percent, slug
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW_SERIES = 2
"""Data sets that share a row; more make a map of models and data sets."""

FAR = 0.2
"""Distance from 0 from which on a map uses its full colour."""

MEASURES = {"accuracy": "accuracy", "bias_unscaled": "unscaled bias", "bias_score": "bias score"}

FEW = 3
"""Models that get dots with intervals for their categories; more get a map."""

MOST_FIGURES = 12
"""Data sets and kinds of contexts whose categories are drawn; the table holds all."""

MOST_DATA = 6
"""Data sets whose right answers are drawn; the first table of the page holds all."""

EVERY = "all categories"
LEAN_ENDS = {"value": "lean", "low": "lean_low", "high": "lean_high"}

_SPOKEN = {
    ABOVE: "{n} lean{s} towards the stereotype",
    BELOW: "{n} lean{s} against the stereotype",
    UNCLEAR: "in {n} a lean is not distinguishable",
    UNTESTED: "{n} cannot be tested",
}


def lean_measure(title: str) -> Measure:
    """The value axis of leans."""
    return Measure(title, 0.0, "+.2~f", 0.1, 0.1)


def side_by_side(value: str, row: str) -> pl.Expr:
    """The note beside a row of dots: its values in their order."""
    return pl.col(value).map_elements(decimal, return_dtype=pl.String).str.join(" · ").over(row)


def lean_figures(results: QaResults) -> Iterator[Figure]:
    """A figure of leans for each kind of context."""
    for condition in CONDITIONS:
        rows = results.main(results.overall).filter(context_condition=condition).drop_nulls("lean")
        if rows.is_empty():
            continue
        spoken, contexts = SPOKEN_LEANS[rows["lean_name"][0]], SPOKEN_CONDITIONS[condition]
        name, title = f"leans-{contexts}", f"{spoken.capitalize()} in {contexts} contexts"
        if rows["data"].n_unique() > FEW_SERIES:
            yield lean_map(results, rows, "data", name, title)
            continue
        data = [name for name in results.data if name in set(rows["data"])]
        order = {name: place for place, name in enumerate(data)}
        placed = rows.sort(pl.col("data").replace_strict(order, return_dtype=pl.Int64))
        first = placed.group_by("line", maintain_order=True).agg(first=pl.col("lean").first())
        frame = (
            placed.join(first, on="line", maintain_order="left")
            .sort(-pl.col("first"), "line", maintain_order=True)
            .select(
                label="line", series="data", **LEAN_ENDS, filled=clear(), note=side_by_side("lean", "line")
            )
        )
        yield series_figure(
            frame,
            lean_measure(spoken),
            data,
            name=name,
            title=title + (f": {data[0]} (left value) and {data[1]}" if len(data) > 1 else ""),
            alt=_alt(rows, "data"),
        )


def lean_map(results: QaResults, rows: pl.DataFrame, column: str, name: str, title: str) -> Figure:
    """Models against what a column names (data sets, categories); only claimed leans have a colour.

    Args:
        results: of the page.
        rows: estimates of one kind of context.
        column: the column of the estimates.
        name: of the figure's files.
        title: of the figure.
    """
    means = rows.group_by("line", maintain_order=True).agg(pl.col("lean").mean())
    lines = means.sort("lean", descending=True, nulls_last=True, maintain_order=True)["line"].to_list()
    present = set(rows[column])
    cells = rows.select(
        "verdict",
        row="line",
        column=column,
        value="lean",
        text=pl.col("lean").map_elements(lambda value: decimal(value, 2), return_dtype=pl.String),
        far=pl.col("lean").abs() >= FAR,
    )
    columns = [data for data in results.data if data in present] if column == "data" else sorted(present)
    return claim_map(cells, lines, columns, name=name, title=title, alt=_alt(rows, column))


def _alt(rows: pl.DataFrame, column: str) -> str:
    spoken, contexts = SPOKEN_LEANS[rows["lean_name"][0]], SPOKEN_CONDITIONS[rows["context_condition"][0]]
    cells = []
    for row in rows.iter_rows(named=True):
        ends = shown_interval(lean_evidence(row))
        interval = "" if ends == NO_VALUE else f", interval {ends}"
        cells.append(f"{row['line']}, {row[column]}: {decimal(row['lean'])}{interval}, {chip(row)}")
    return described(
        f"{spoken.capitalize()} in {contexts} contexts by model and {slug(column)}, no lean: 0", cells
    )


def categories(results: QaResults) -> Section | None:
    """Leans of all categories; None where every data set holds one only."""
    several = results.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
    rows = results.estimates.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    if rows.is_empty():
        return None
    reading = (
        f"Right of the line: towards the stereotype. Bars are {results.level} intervals over templates; a filled dot "
        "is a lean that is significant after correction."
        if len(results.names) <= FEW
        else "Blue cells lean towards the stereotype, orange ones against it (significant after correction); grey "
        "cells are not distinguishable or cannot be tested. Models are sorted by their mean lean."
    )
    shown = results.main(rows)
    cells = [
        cell
        for condition in CONDITIONS
        for data in results.data
        if data in several and (cell := shown.filter(data=data, context_condition=condition)).height
    ]
    findings = [*map(_by_verdict, cells)]
    if len(cells) > MOST_FIGURES:
        text = (
            f"The figures show the first {MOST_FIGURES} of {len(cells)} data sets and kinds of contexts; the table "
            "holds all of them."
        )
        findings.append(Finding(text, ({"shown": MOST_FIGURES, "all": len(cells)},)))
    places = (
        (f"{row['line']}, {row['data']}, {row['category']}", row, name)
        for row in rows.iter_rows(named=True)
        for name in MEASURES
    )
    measures = [
        field
        for name, spoken in MEASURES.items()
        for field in results.value_fields(name, spoken, f"{results.level} interval")
    ]
    table = table_of(
        "Scores of each category",
        rows,
        (
            *(text_field("model", "line"), text_field("data"), text_field("category")),
            results.contexts_field,
            *measures,
            number_field("lean", lambda row: decimal(row["lean"])),
            number_field("its interval", lambda row: shown_interval(lean_evidence(row))),
            VERDICT,
            number_field("answers", "n"),
        ),
        most_open=40,
        notes=tuple(missing(places)),
    )
    return Section(
        anchor="categories",
        title="By category",
        findings=tuple(findings),
        figures=tuple(_category_figures(results, cells[:MOST_FIGURES])),
        tables=(table,),
        notes=(
            f"{reading} The lean is the bias score in ambiguous contexts and the accuracy gap in disambiguated ones; "
            "verdicts are corrected over all leans of the page.",
        ),
    )


def _by_verdict(cell: pl.DataFrame) -> Finding:
    """In how many models and categories a lean is claimed."""
    rows = [lean_evidence(row) for row in cell.iter_rows(named=True)]
    where = f"{CONTEXTS[rows[0]['context_condition']]} with {rows[0]['data']}"
    noun = "categories" if cell["model"].n_unique() == 1 else "cells (a model in a category)"
    text = f"{where}, of {len(rows)} {noun} {listed(counted(rows, _SPOKEN))}."
    return Finding(text, ({"cells": len(rows)}, *rows))


def _category_figures(results: QaResults, cells: list[pl.DataFrame]) -> Iterator[Figure]:
    """Of few models a row for every category, the greatest mean lean first; of many a map."""
    for cell in cells:
        data, condition = cell.select("data", "context_condition").row(0)
        title = f"{SPOKEN_LEANS[cell['lean_name'][0]].capitalize()} by category, "
        title += f"{SPOKEN_CONDITIONS[condition]} contexts" + (f", {data}" if len(results.data) > 1 else "")
        name = f"categories-{slug(data)}-{SPOKEN_CONDITIONS[condition]}"
        rows = cell.drop_nulls("lean")
        if rows.is_empty():
            continue
        if len(results.names) > FEW:
            yield lean_map(results, rows, "category", name, title)
            continue
        frame = rows.sort(-pl.col("lean").mean().over("category"), "category", maintain_order=True)
        texts = (
            f"{row['line']}, {row['category']}: {decimal(row['lean'])}, {chip(row)}"
            for row in rows.iter_rows(named=True)
        )
        yield series_figure(
            frame.select(
                label="category",
                series="line",
                **LEAN_ENDS,
                filled=clear(),
                note=side_by_side("lean", "category"),
            ),
            lean_measure(SPOKEN_LEANS[cell["lean_name"][0]]),
            rows["line"].unique(maintain_order=True).to_list(),
            name=name,
            title=title,
            alt=described(f"{title}, no lean: 0", texts),
        )


def closer(results: QaResults) -> Section | None:
    """All leans to choose from; None where there are few."""
    cells = results.estimates.drop_nulls("lean").filter(pl.col("lean").is_not_nan())
    if cells.is_empty():
        return None
    first = next(name for name in CONDITIONS if name in set(cells["context_condition"]))
    rows = cells.select(
        pl.col("data"),
        *("p_adjusted", "verdict"),
        contexts=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS, return_dtype=pl.String),
        model="line",
        category=pl.col("category").replace({ALL: EVERY}),
        **LEAN_ENDS,
        n="n_lean",
    ).fill_nan(None)
    rows = rows.select(
        *("contexts", "model", "data", "category", "value", "low", "high", "n", "p_adjusted", "verdict"),
        reading=pl.Series([_reading(row) for row in rows.iter_rows(named=True)], dtype=pl.String),
    )
    return closer_section(
        rows,
        (
            Box("contexts", "kind of context", SPOKEN_CONDITIONS[first]),
            Box("model", "model"),
            Box("data", "data set", cells["data"][0]),
            Box("category", "category", EVERY if ALL in set(cells["category"]) else "", together=EVERY),
        ),
        lean_measure("lean"),
        title="Lean of every cell",
        reading=f"The lean of every model, data set and category with its {results.level} interval over templates: "
        "bias score in ambiguous contexts, accuracy gap in disambiguated ones.",
        line="no lean",
    )


def _reading(row: dict[str, Any]) -> str:
    """'0.12 (0.02 to 0.22)', or the lean alone where it has no interval."""
    value = decimal(row["value"])
    if row["low"] is None or row["high"] is None:
        return value
    return f"{value} ({decimal_interval(row['low'], row['high'], 2)})"


def accuracy(results: QaResults) -> Section | None:
    """Right answers of every model, the most first, a figure for each data set; None where no answer could be read."""
    rows = results.main(results.overall).drop_nulls("accuracy")
    data = [name for name in results.data if name in set(rows["data"])]
    if not data:
        return None
    drawn = data[:MOST_DATA]
    left_out = Finding(
        f"The figures show the first {len(drawn)} of {len(data)} data sets; the table of leans holds all of them.",
        ({"shown": len(drawn), "data": len(data)},),
    )
    return Section(
        anchor="accuracy",
        title="How often the answers are right",
        findings=(left_out,) if len(drawn) < len(data) else (),
        figures=tuple(_right_answers(results, rows.filter(data=name)) for name in drawn),
        notes=(
            "Of the answers that were read. In ambiguous contexts the right answer is that it cannot be known, in "
            f"disambiguated ones it is the person whom the text names. Bars are {results.level} intervals; models are "
            "sorted by the mean of both.",
        ),
    )


def _right_answers(results: QaResults, rows: pl.DataFrame) -> Figure:
    data, shown = rows["data"][0], set(rows["context_condition"])
    present = [spoken for code, spoken in SPOKEN_CONDITIONS.items() if code in shown]
    text = pl.col("accuracy").map_elements(percent, return_dtype=pl.String)
    frame = rows.with_columns(
        series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
        note=text.str.join(" · ").over("line"),
        mean=pl.col("accuracy").mean().over("line"),
    ).sort(-pl.col("mean"), "line", "series", maintain_order=True)
    dots = frame.select(
        *("series", "note"),
        label="line",
        value="accuracy",
        low="accuracy_low",
        high="accuracy_high",
        filled=pl.lit(value=True),
    )
    title = f"Right answers in {listed(present)} contexts" + (f", {data}" if len(results.data) > 1 else "")
    texts = (
        f"{row['line']}, {row['series']} {percent(row['accuracy'])}" for row in frame.iter_rows(named=True)
    )
    chart = series_dots(
        dots,
        series_colors(present),
        neutral=None,
        domain=(0.0, 1.0),
        title="share of right answers",
        axis_format=".0%",
    )
    return Figure(f"accuracy-{slug(data)}", title, chart, described(title, texts), wide=True)
