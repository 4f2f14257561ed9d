"""Figures of leans: all models, sorted, groups beside names; maps of models and data sets or categories."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.questions.report.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.instruments.questions.report.values import SPOKEN_LEANS, lean_evidence, shown_interval
from endoxa.report.charts import series_colors, series_dots, symmetric_domain, verdict_map
from endoxa.report.claims import chip, clear
from endoxa.report.document import Figure
from endoxa.report.words import NO_VALUE, decimal, slug

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
                _dots(results, rows)
                if rows["data"].n_unique() <= FEW_SERIES
                else lean_map(results, rows, "data")
            )


def _dots(results: QaResults, rows: pl.DataFrame) -> Figure:
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
