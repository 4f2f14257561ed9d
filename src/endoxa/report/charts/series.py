"""Several dots in every row: data sets, contexts or models beside one another, rows sorted, values at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from endoxa.report.charts.dots import beside, labelled_rows, neutral_line, pointed, tipped
from endoxa.report.charts.style import (
    BLUE,
    LABEL_LIMIT,
    MUTED,
    SERIES_COLORS,
    defined,
    finish,
    fixed,
    label_width,
    tested,
)

SERIES_COLUMNS = {
    "label": "what the row is about; may have several lines",
    "series": "what the dot is about: its colour",
    "note": "the numbers of the row, written at the right",
    "value": "where the dot stands, or null",
    "low": "lower end of its interval, or null",
    "high": "upper end of its interval, or null",
    "filled": "True where something is claimed: a filled dot, else a hollow one",
}
"""Columns of the frame of `series_dots`, one row per dot; rows are drawn in the order of their first dot."""

MOST_SERIES = 8
"""More series share one colour: nobody can tell more colours apart."""

MOST_APART = 4
"""More series share the line of their row, without intervals: the row would be too tall."""

COLORS = (*SERIES_COLORS, "#b8246b", "#4f8a00")

WIDTH = 420
LINE = 12
LEAST_HEIGHT = 22
TEXT_LINE = 14
NOTE_GAP = 8


def series_colors(names: Sequence[str]) -> dict[str, str]:
    """A colour for every name, the same in all figures of a page; one colour for all of more than `MOST_SERIES`."""
    if len(names) > MOST_SERIES:
        return dict.fromkeys(names, BLUE)
    return dict(zip(names, COLORS, strict=False))


def series_dots(
    frame: pl.DataFrame,
    colors: Mapping[str, str],
    *,
    neutral: float | None,
    domain: tuple[float, float],
    title: str,
    axis_format: str,
    log: bool = False,
    label_limit: int = LABEL_LIMIT,
) -> alt.TopLevelMixin:
    """Rows with a dot for every series; of up to `MOST_APART` each has a line of its own, with its interval.

    Args:
        frame: columns of `SERIES_COLUMNS`.
        colors: colour of every series, in the order drawn (see `series_colors`).
        neutral: value of an unbiased model, a line through all rows; None where there is none.
        domain: range of the value axis.
        title: title of the value axis, with the unit.
        axis_format: d3 format of the axis labels.
        log: whether the value axis is logarithmic.
        label_limit: room for the labels at most, in pixels.
    """
    apart = len(colors) <= MOST_APART
    order = frame["label"].unique(maintain_order=True).to_list()
    lines = max((1 + label.count("\n") for label in order), default=1)
    width = label_width(order, label_limit)
    y = labelled_rows(
        "label",
        order,
        width,
        labelExpr="split(datum.label, '\\n')",
        labelOffset=-7 * (lines - 1),
        tickBand="extent",
    )
    axis = alt.Axis(format=axis_format, tickCount=6, grid=False, ticks=True, tickColor=MUTED, title=title)
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False, clamp=True)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    shades = alt.Scale(domain=list(colors), range=list(colors.values()))
    several = 1 < len(colors) <= MOST_SERIES
    legend = alt.Legend(title=None, orient="top", columns=4, labelLimit=220) if several else None
    color = alt.Color("series:N", scale=shades, legend=legend)
    words = ("label", "series") if len(colors) > 1 else ("label",)
    drawn = tipped(defined(frame, "value"), words, axis_format)
    dots = alt.Chart(drawn).mark_point(
        size=60 if apart else 44, strokeWidth=2 if apart else 1.4, opacity=1 if apart else 0.7
    )
    bars = alt.Chart(defined(drawn, "low", "high")).mark_rule(strokeWidth=3, opacity=0.45)
    fill = alt.condition("datum.filled", alt.Fill("series:N", scale=shades, legend=None), alt.value("white"))
    marks = [bars.encode(y=y, x=x("low"), x2=alt.X2("high:Q"), color=color)] if apart else []
    marks.append(dots.encode(tested(), y=y, x=x("value"), color=color, fill=fill))
    if apart:
        marks = [mark.encode(yOffset=beside(list(colors))) for mark in marks]
    marks[-1] = pointed(marks[-1], drawn)
    notes = (
        alt.Chart(frame.unique("label", maintain_order=True).select("label", "note"))
        .mark_text(align="left")
        .encode(y=y, x=fixed(alt.XValue, WIDTH + NOTE_GAP), text=alt.Text("note:N"))
    )
    line = [] if neutral is None else [neutral_line(neutral).encode(x=x("neutral"))]
    height = max(LEAST_HEIGHT, TEXT_LINE * lines + 8, LINE * len(colors) + 8 if apart else 0)
    chart = alt.layer(*line, *marks, notes).properties(width=WIDTH, height=height * max(1, len(order)))
    return finish(chart)
