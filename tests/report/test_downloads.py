"""Rows behind a figure: those that its chart draws, in the columns it uses, and nothing that it does not show."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

import altair as alt
import polars as pl

from endoxa.report.charts import series_dots
from endoxa.report.charts.series import series_colors
from endoxa.report.document import Figure
from endoxa.report.downloads import LARGEST, csv_address, rows_of

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


def figure(rows: pl.DataFrame = ROWS, **facts: object) -> Figure:
    chart = series_dots(
        rows, series_colors(["x"]), neutral=0.0, domain=(0.0, 1.0), title="share", axis_format=".0%"
    )
    return Figure(name="f", title="F", chart=chart, alt="F.", **facts)


def test_rows_are_those_drawn_in_the_columns_that_the_chart_uses() -> None:
    found = rows_of(figure())
    assert found is not None
    assert set(found.columns) == {"label", "series", "value", "low", "high"}
    assert found.sort("label")["value"].to_list() == [0.25, 0.5]
    assert "quoted" not in unquote(csv_address(found))


def test_a_figures_own_rows_come_first_and_parts_have_none_of_their_own() -> None:
    own = pl.DataFrame({"a": [1]})
    assert rows_of(replace(figure(), rows=own)) is own
    assert rows_of(figure(part_of=("other", {}))) is None


def test_very_many_rows_and_charts_of_nothing_have_no_download() -> None:
    many = pl.DataFrame({"x": range(LARGEST // 4), "y": range(LARGEST // 4)})
    with alt.data_transformers.disable_max_rows():
        chart = alt.Chart(many).mark_point().encode(x="x:Q", y="y:Q")
        assert rows_of(Figure(name="f", title="F", chart=chart, alt="F.")) is None
    assert rows_of(figure(ROWS.clear())) is None


def test_marks_say_what_they_are() -> None:
    spec = figure().chart.to_dict()
    tips = {row["tip"] for rows in spec["datasets"].values() for row in rows if "tip" in row}
    assert tips == {"a: 25.0 % (10.0 to 40.0)", "b: 50.0 %"}
