"""Forest plots: every estimate with its interval, rows in blocks; several models in a row, panels side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import altair as alt
import polars as pl

from endoxa.report.charts.dots import beside, labelled_rows, neutral_line
from endoxa.report.charts.style import LABEL_LIMIT, SERIES_COLORS, defined, finish, fixed, label_width, tested

FOREST_COLUMNS = {
    "block": "heading of the block of rows (an attribute pair)",
    "row": "the row's label (the two groups); may have several lines",
    "series": "the model: colour and shape",
    "column": "heading of the panel (a pooling)",
    "value": "the estimate, null where it is undefined",
    "low": "lower end of its interval, or null",
    "high": "upper end of its interval, or null",
    "filled": "True where a difference is claimed: a filled mark, else a hollow one",
}
"""Columns of the frame; blocks, rows, series and columns are drawn in the order given."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
LINE = 11
LEAST_WIDTH, MOST_WIDTH, ALL_WIDTH = 130, 340, 440


def series_forest(
    frame: pl.DataFrame, series: Sequence[str], *, neutral: float, domain: tuple[float, float], title: str
) -> alt.TopLevelMixin:
    """Marks with their intervals, the dashed line at the neutral value; 'undefined' where there is no value.

    Args:
        frame: columns of `FOREST_COLUMNS`.
        series: every model of the report, so that each keeps its colour and shape in all figures.
        neutral: value of a model without the association.
        domain: range of the value axis, the same for all panels that are to be compared.
        title: title of the value axis.
    """
    columns = frame["column"].unique(maintain_order=True).to_list()
    blocks = frame["block"].unique(maintain_order=True).to_list()
    width = max(LEAST_WIDTH, min(MOST_WIDTH, ALL_WIDTH // len(columns)))
    ticks = list(range(math.ceil(domain[0]), math.floor(domain[1]) + 1))
    rows = []
    for block in blocks:
        axis = alt.Axis(values=ticks, format="+d", grid=False, title=title if block == blocks[-1] else None)

        def x(field: str, axis: alt.Axis = axis) -> alt.X:
            return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

        cells = frame.filter(pl.col("block") == block)
        panels = [
            _panel(cells, column, series, neutral, x=x, labels=column == columns[0]).properties(
                width=width, title=alt.TitleParams(block if column == columns[0] else " ", subtitle=column)
            )
            for column in columns
        ]
        rows.append(alt.hconcat(*panels, spacing=26, bounds="flush"))
    return finish(alt.vconcat(*rows, spacing=10))


def _panel(
    rows: pl.DataFrame,
    column: str,
    series: Sequence[str],
    neutral: float,
    *,
    x: Callable[[str], alt.X],
    labels: bool,
) -> alt.LayerChart | alt.FacetChart:
    order = rows["row"].unique(maintain_order=True).to_list()
    present = [name for name in series if name in set(rows["series"])]
    lines = 1 + max(row.count("\n") for row in order)
    y = labelled_rows(
        "row",
        order,
        label_width(order) if labels else 0,
        labels=labels,
        labelExpr="split(datum.label, '\\n')",
        labelLimit=LABEL_LIMIT,
        labelOffset=-6 * (lines - 1),
        tickBand="extent",
    )

    def marks(frame: pl.DataFrame) -> alt.Chart:
        chart: alt.Chart = alt.Chart(frame).encode(y=y, yOffset=beside(present))
        return chart

    def scale(choices: Sequence[str]) -> alt.Scale:
        return alt.Scale(domain=list(series), range=[choices[k % len(choices)] for k in range(len(series))])

    colors = scale(SERIES_COLORS)
    legend = alt.Legend(title=None, orient="bottom", columns=3, labelLimit=220, symbolStrokeWidth=1.8)
    color = alt.Color("series:N", scale=colors, legend=legend)
    cells = rows.filter(pl.col("column") == column)
    fill = alt.condition("datum.filled", alt.Fill("series:N", scale=colors, legend=None), alt.value("white"))
    return alt.layer(
        neutral_line(neutral).encode(x=x("neutral")),
        marks(defined(cells, "low", "high"))
        .mark_rule(strokeWidth=1.6)
        .encode(x=x("low"), x2=alt.X2("high:Q"), color=color),
        marks(defined(cells, "value"))
        .mark_point(size=44, strokeWidth=1.6, opacity=1)
        .encode(
            tested(),
            x=x("value"),
            color=color,
            shape=alt.Shape("series:N", scale=scale(SHAPES), legend=legend),
            fill=fill,
        ),
        marks(cells.filter(pl.col("value").is_null()))
        .mark_text(fontSize=11, fontStyle="italic", align="left")
        .encode(x=fixed(alt.XValue, 4), color=color, text=fixed(alt.TextValue, "undefined")),
    ).properties(height=max(LINE * len(present) + 12, 14 * lines + 4) * len(order))
