"""Rows behind a figure: those that it draws, in the columns it uses, and nothing that it does not show."""

from __future__ import annotations

from urllib.parse import unquote

import polars as pl

from endoxa.report.document import Figure
from endoxa.report.figures import Measure, series_figure
from endoxa.report.files import csv_address

ROWS = pl.DataFrame(
    {
        "label": ["a", "b"],
        "series": ["x", "x"],
        "note": ["1", "2"],
        "value": [0.25, 0.5],
        "low": [0.1, None],
        "high": [0.4, None],
        "filled": [True, False],
        "hidden": ["quoted words", "more of them"],
    }
)


def figure(drawn: pl.DataFrame = ROWS, **facts: object) -> Figure:
    measure = Measure("share", 0.0, ".0%", 1.0, 1.0)
    return series_figure(drawn, measure, ["x"], name="f", title="F", alt="F.", **facts)


def test_rows_are_those_drawn_in_the_columns_that_the_figure_uses() -> None:
    rows = figure().rows
    assert rows is not None
    assert set(rows.columns) == {"label", "series", "value", "low", "high"}
    assert rows.sort("label")["value"].to_list() == [0.25, 0.5]
    assert "quoted" not in unquote(csv_address(rows))
