"""Differences with their intervals, a row for each, on both sides of 0."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from endoxa.report.figures.style import (
    BLUE,
    GRID,
    MUTED,
    ORANGE,
    finish,
    known,
    label_width,
    symmetric_domain,
)

COLUMNS = {
    "row": "label of the row",
    "series": "what the dot is about, where there are several: colour and shape",
    "value": "the difference, or null",
    "low": "lower end of its interval, or null",
    "high": "upper end, or null",
    "filled": "True where the difference is claimed: a filled mark, else a hollow one",
    "note": "written to the right of the row",
}
"""Columns of the frame; rows are drawn in the order given."""

COLORS = (BLUE, ORANGE)
WIDTH = 210
LINE = 14


def difference_dots(
    frame: pl.DataFrame, shapes: Mapping[str, str], *, title: str, step: float
) -> alt.TopLevelMixin:
    """Dots with intervals, the line at 0 marked.

    Args:
        frame: columns of `COLUMNS`.
        shapes: Vega shape of every series, at most two.
        title: title of the value axis.
        step: the axis ends at a whole number of steps.
    """
    order = frame["row"].unique(maintain_order=True).to_list()
    series = list(shapes)
    ends = [*frame["value"].drop_nulls(), *frame["low"].drop_nulls(), *frame["high"].drop_nulls()]
    scale = alt.Scale(domain=symmetric_domain(ends, 0.0, step, step), nice=False)
    axis = alt.Axis(
        title=title,
        grid=False,
        format="+.2~f",
        tickCount=5,
        labelExpr="datum.value === 0 ? '0' : datum.label",
    )
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        scale=alt.Scale(domain=order, paddingInner=0, paddingOuter=0),
        axis=alt.Axis(
            minExtent=label_width(order),
            labelLimit=label_width(order),
            labelOverlap=False,
            grid=True,
            bandPosition=1,
            gridColor=GRID,
        ),
    )
    beside = alt.YOffset("series:N", scale=alt.Scale(domain=series, paddingOuter=0.6))
    legend = alt.Legend(title=None, orient="top") if len(series) > 1 else None
    color = alt.Color(
        "series:N", scale=alt.Scale(domain=series, range=list(COLORS[: len(series)])), legend=legend
    )
    fill = alt.condition(
        "datum.filled",
        alt.Fill("series:N", scale=alt.Scale(domain=series, range=list(COLORS[: len(series)])), legend=None),
        alt.value("white"),
    )
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=list(shapes.values())), legend=legend)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    chart = alt.layer(
        alt.Chart(pl.DataFrame({"zero": [0.0]}))
        .mark_rule(color=MUTED, strokeDash=[4, 3])
        .encode(x=x("zero")),
        alt.Chart(known(frame, "low", "high"))
        .mark_rule(strokeWidth=1.6)
        .encode(y=y, yOffset=beside, x=x("low"), x2="high:Q", color=color),
        alt.Chart(known(frame, "value"))
        .mark_point(size=44, opacity=1, strokeWidth=1.6)
        .encode(y=y, yOffset=beside, x=x("value"), color=color, shape=shape, fill=fill),
        alt.Chart(frame.unique("row", maintain_order=True))
        .mark_text(align="left", color=MUTED, fontSize=10)
        .encode(y=y, x=alt.value(WIDTH + 8), text="note:N"),
    )
    height = (LINE * len(series) + 6) * max(1, len(order))
    return finish(chart.properties(width=WIDTH, height=height))
