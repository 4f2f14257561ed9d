"""Values over time, with intervals, and a line that breaks where what was measured is another version."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.charts.dots import pointed, tipped
from endoxa.report.charts.style import BLUE, MUTED, PALE_BLUE, defined, either, finish

DATE_COLUMNS = {
    "label": "what stands below a point: its run and date",
    "value": "where the point stands",
    "low": "lower end of its interval, or null",
    "high": "upper end, or null",
    "filled": "True where something is claimed: a filled point, else a hollow one",
    "version": "points of one version are joined by a line",
}
"""Columns of the frame of `dated_line`, in the order of time."""

STEP = 110
HEIGHT = 190


def dated_line(frame: pl.DataFrame, *, neutral: float | None, title: str) -> alt.TopLevelMixin:
    """Points from left to right with their intervals, joined within a version.

    Args:
        frame: columns of `DATE_COLUMNS`.
        neutral: value of an unbiased model, a dashed line; None draws none.
        title: of the value axis.
    """
    frame = tipped(frame, ("label", "version"), "+.3f")
    order = frame["label"].to_list()
    ends = [value for name in ("value", "low", "high") for value in frame[name].drop_nulls()]
    ends += [] if neutral is None else [neutral]
    room = max((max(ends) - min(ends)) * 0.08, 0.02)
    scale = alt.Scale(domain=(min(ends) - room, max(ends) + room), nice=False)
    x = alt.X(
        "label:N",
        sort=order,
        axis=alt.Axis(title=None, labelAngle=0, labelLimit=STEP, labelExpr="split(datum.label, '\\n')"),
    )
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title=title, tickCount=5, format=".2~f"))
    bars = (
        alt.Chart(defined(frame, "low", "high"))
        .mark_rule(color=PALE_BLUE, strokeWidth=5)
        .encode(x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"))
    )
    lines = (
        alt.Chart(frame)
        .mark_line(color=BLUE, strokeWidth=1.6)
        .encode(x=x, y=y, detail=alt.Detail("version:N"))
    )
    points = (
        alt.Chart(frame)
        .mark_point(size=70, color=BLUE, strokeWidth=1.8, opacity=1)
        .encode(x=x, y=y, fill=either(alt.FillValue, "datum.filled", BLUE, "white"))
    )
    layers = [bars, lines, pointed(points, frame)]
    if neutral is not None:
        at = pl.DataFrame({"neutral": [neutral]})
        rule = alt.Chart(at).mark_rule(color=MUTED, strokeDash=[4, 3])
        layers.insert(0, rule.encode(y=alt.Y("neutral:Q", scale=scale)))
    return finish(alt.layer(*layers).properties(width=STEP * len(order), height=HEIGHT))
