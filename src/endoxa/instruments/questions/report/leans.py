"""Figures of leans: all models, sorted, groups beside names; maps of models and data sets or categories."""

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
from endoxa.report.charts import series_colors, series_dots, symmetric_domain, verdict_map
from endoxa.report.claims import chip, clear
from endoxa.report.closer import Box, closer_section
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, listed, percent, slug
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW_SERIES = 2
"""Data sets that share a row; more make a map of models and data sets."""

FAR = 0.2
"""Distance from 0 from which on a map uses its full colour."""

MAP_DIGITS = 2


def lean_figures(results: QaResults) -> Iterator[Figure]:
    """A figure of leans for each kind of context."""
    for condition in CONDITIONS:
        rows = results.main(results.overall).filter(context_condition=condition).drop_nulls("lean")
        if rows.height:
            yield (
                _dots_by_model(results, rows)
                if rows["data"].n_unique() <= FEW_SERIES
                else lean_map(results, rows, "data")
            )


def _dots_by_model(results: QaResults, rows: pl.DataFrame) -> Figure:
    """A row for every model, the greatest lean first; a dot for every data set."""
    condition, spoken = rows["context_condition"][0], SPOKEN_LEANS[rows["lean_name"][0]]
    data = [name for name in results.data if name in set(rows["data"])]
    frame = _noted(_sorted(rows, data), "lean").select(
        "note", label="line", series="data", value="lean", low="lean_low", high="lean_high", filled=clear()
    )
    ends = pl.concat([frame["value"], frame["low"], frame["high"]]).drop_nulls()
    return Figure(
        name=f"leans-{SPOKEN_CONDITIONS[condition]}",
        title=_title(condition, spoken)
        + (f": {data[0]} (left value) and {data[1]}" if len(data) > 1 else ""),
        chart=series_dots(
            frame,
            series_colors(data),
            neutral=0.0,
            domain=symmetric_domain(ends, 0.0, 0.1, 0.1),
            title=spoken,
            axis_format="+.2~f",
        ),
        alt=_alt(rows, condition, spoken),
        wide=True,
    )


def lean_map(results: QaResults, rows: pl.DataFrame, column: str, name: str = "", title: str = "") -> Figure:
    """Models against what a column names (data sets, categories); only claimed leans have a colour.

    Args:
        results: of the page.
        rows: estimates of one kind of context.
        column: the column of the estimates.
        name: of the figure's files; by default that of the headline.
        title: of the figure; by default that of the headline.
    """
    condition, spoken = rows["context_condition"][0], SPOKEN_LEANS[rows["lean_name"][0]]
    means = rows.group_by("line", maintain_order=True).agg(pl.col("lean").mean())
    lines = means.sort("lean", descending=True, nulls_last=True, maintain_order=True)["line"].to_list()
    columns = list(results.data) if column == "data" else sorted(rows[column].unique())
    frame = rows.select(
        row="line",
        column=column,
        value="lean",
        verdict="verdict",
        text=pl.col("lean").map_elements(lambda value: decimal(value, MAP_DIGITS), return_dtype=pl.String),
        far=pl.col("lean").abs() >= FAR,
    )
    shown = [one for one in columns if one in set(frame["column"])]
    return Figure(
        name=name or f"leans-{SPOKEN_CONDITIONS[condition]}",
        title=title or _title(condition, spoken),
        chart=verdict_map(frame, lines, shown),
        alt=_alt(rows, condition, spoken, column),
        wide=True,
    )


def _title(condition: str, spoken: str) -> str:
    return f"{spoken.capitalize()} in {SPOKEN_CONDITIONS[condition]} contexts"


def _sorted(rows: pl.DataFrame, data: list[str]) -> pl.DataFrame:
    """Rows by the lean with the first data set that the model answered, the greatest first."""
    order = {name: place for place, name in enumerate(data)}
    placed = rows.with_columns(place=pl.col("data").replace_strict(order, return_dtype=pl.Int64)).sort(
        "place"
    )
    first = placed.group_by("line", maintain_order=True).agg(size=pl.col("lean").first())
    joined = placed.join(first, on="line", maintain_order="left")
    return joined.sort(-pl.col("size"), "line", "place", maintain_order=True)


def _noted(rows: pl.DataFrame, column: str, digits: int = 3) -> pl.DataFrame:
    """The rows with a note: the values of the model side by side."""
    text = pl.col(column).map_elements(lambda value: decimal(value, digits), return_dtype=pl.String)
    return rows.with_columns(note=text.str.join(" · ").over("line"))


def _alt(rows: pl.DataFrame, condition: str, spoken: str, column: str = "data") -> str:
    cells = []
    for row in rows.iter_rows(named=True):
        ends = shown_interval(lean_evidence(row))
        interval = "" if ends == NO_VALUE else f", interval {ends}"
        cells.append(f"{row['line']}, {row[column]}: {decimal(row['lean'])}{interval}, {chip(row)}")
    return f"{_title(condition, spoken)} by model and {slug(column)}, no lean: 0. {'; '.join(cells)}."


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
        figures=tuple(_category_figures(results, cells[:MOST_FIGURES], few=few)),
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


def _category_figures(results: QaResults, cells: list[pl.DataFrame], *, few: bool) -> Iterator[Figure]:
    for cell in cells:
        data, condition = cell.select("data", "context_condition").row(0)
        spoken = SPOKEN_LEANS[cell["lean_name"][0]]
        title = f"{spoken.capitalize()} by category, {SPOKEN_CONDITIONS[condition]} contexts"
        title += f", {data}" if len(results.data) > 1 else ""
        name = f"categories-{slug(data)}-{SPOKEN_CONDITIONS[condition]}"
        known = cell.drop_nulls("lean")
        if known.height:
            yield (
                _dots_by_category(known, name, title)
                if few
                else lean_map(results, known, "category", name, title)
            )


def _dots_by_category(rows: pl.DataFrame, name: str, title: str) -> Figure:
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


EVERY = "all categories"

LEAN = Measure("lean", 0.0, "+.2~f", 0.1, 0.1)


def closer(results: QaResults) -> Section | None:
    """All leans to choose from; None where there are few."""
    cells = results.estimates.drop_nulls("lean").filter(pl.col("lean").is_not_nan())
    if cells.is_empty():
        return None
    first = next(name for name in CONDITIONS if name in set(cells["context_condition"]))
    return closer_section(
        _rows(cells),
        (
            Box("contexts", "kind of context", SPOKEN_CONDITIONS[first]),
            Box("model", "model"),
            Box("data", "data set", cells["data"][0]),
            Box("category", "category", EVERY if ALL in set(cells["category"]) else "", together=EVERY),
        ),
        LEAN,
        title="Lean of every cell",
        reading=f"The lean of every model, data set and category with its {results.level} interval over templates: "
        "bias score in ambiguous contexts, accuracy gap in disambiguated ones.",
        line="no lean",
    )


def _rows(cells: pl.DataFrame) -> pl.DataFrame:
    """Cells as readers choose and download them."""
    category = pl.col("category").replace({ALL: EVERY})
    named = cells.select(
        pl.col("context_condition")
        .replace_strict(SPOKEN_CONDITIONS, return_dtype=pl.String)
        .alias("contexts"),
        pl.col("line").alias("model"),
        "data",
        category,
        pl.col("lean").alias("value"),
        pl.col("lean_low").alias("low"),
        pl.col("lean_high").alias("high"),
        pl.col("n_lean").alias("n"),
        "p_adjusted",
        "verdict",
    ).fill_nan(None)
    reading = pl.Series([_reading(row) for row in named.iter_rows(named=True)], dtype=pl.String)
    return named.with_columns(reading=reading)


def _reading(row: dict[str, Any]) -> str:
    """'0.12 (0.02 to 0.22)', or the lean alone where it has no interval."""
    value = decimal(row["value"])
    if row["low"] is None or row["high"] is None:
        return value
    return f"{value} ({decimal_interval(row['low'], row['high'], 2)})"


MOST_DATA = 6
"""Data sets that are drawn; the first table of the page holds all."""


def accuracy(results: QaResults) -> Section | None:
    """Right answers of every model, the most first; None where no answer could be read."""
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
        figures=tuple(_accuracy_figures(results, rows, drawn)),
        notes=(
            "Of the answers that were read. In ambiguous contexts the right answer is that it cannot be known, in "
            f"disambiguated ones it is the person whom the text names. Bars are {results.level} intervals; models are "
            "sorted by the mean of both.",
        ),
    )


def _accuracy_figures(results: QaResults, rows: pl.DataFrame, data: list[str]) -> Iterator[Figure]:
    for name in data:
        own = rows.filter(data=name)
        present = [
            spoken for code, spoken in SPOKEN_CONDITIONS.items() if code in set(own["context_condition"])
        ]
        text = pl.col("accuracy").map_elements(percent, return_dtype=pl.String)
        frame = own.with_columns(
            series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
            note=text.str.join(" · ").over("line"),
            mean=pl.col("accuracy").mean().over("line"),
        ).sort(-pl.col("mean"), "line", "series", maintain_order=True)
        spoken = "; ".join(
            f"{row['line']}, {row['series']} {percent(row['accuracy'])}"
            for row in frame.iter_rows(named=True)
        )
        title = f"Right answers in {listed(present)} contexts" + (
            f", {name}" if len(results.data) > 1 else ""
        )
        yield Figure(
            name=f"accuracy-{slug(name)}",
            title=title,
            chart=series_dots(
                frame.select(
                    "series",
                    "note",
                    label="line",
                    value="accuracy",
                    low="accuracy_low",
                    high="accuracy_high",
                    filled=pl.lit(value=True),
                ),
                series_colors(present),
                neutral=None,
                domain=(0.0, 1.0),
                title="share of right answers",
                axis_format=".0%",
            ),
            alt=f"{title}. {spoken}.",
            wide=True,
        )
