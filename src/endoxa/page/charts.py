"""What charts share: style, rows of dots with intervals, labelled bars, heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import altair as alt
import polars as pl

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""vl-convert carries Liberation Sans; Arial and Helvetica have the same widths, so labels fit everywhere."""

INK = "#1b1f24"
MUTED = "#57606a"
GRID = "#e6e8eb"
BLUE = "#0b5fa5"
PALE_BLUE = "#9cc3e6"
ORANGE = "#b3500b"
PALE = "#d5d9de"

LABEL_LIMIT = 150
"""Widest label beside a row, in pixels."""


def finish(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """The chart with the style of all figures."""
    # One call, because each copies the whole chart.
    styled: alt.TopLevelMixin = chart.configure(
        font=FONT,
        background="white",
        aria=False,
        padding=4,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=MUTED,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            gridColor=GRID,
            domain=False,
            ticks=False,
            labelPadding=5,
        ),
        text=alt.MarkConfig(color=INK, fontSize=11),
        title=alt.TitleConfig(
            color=INK, fontSize=12, anchor="start", frame="group", subtitleColor=MUTED, subtitleFontSize=11
        ),
    )
    return styled


def known(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The rows in which all these columns are defined: NaN has no place in a chart."""
    return frame.fill_nan(None).drop_nulls(list(columns))


def symmetric_domain(
    values: Iterable[float], neutral: float, least: float, step: float
) -> tuple[float, float]:
    """The smallest range around `neutral` that holds all values, a whole number of steps to either side."""
    reach = max((abs(value - neutral) for value in values if math.isfinite(value)), default=0.0)
    reach = max(least, math.ceil(round(reach / step, 9)) * step)
    return neutral - reach, neutral + reach


def label_width(labels: Sequence[str]) -> int:
    """Room for the longest line, from its letters: vl-convert measures some scripts (Devanagari) too short."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return min(LABEL_LIMIT, round(6.3 * longest) + 8)


COLUMNS = {
    "label": "what the row is about, written above its dot; may have several lines",
    "note": "the numbers, written to the right of the dot",
    "value": "where the dot stands",
    "low": "lower end of the thick interval",
    "high": "upper end of the thick interval",
    "outer_low": "lower end of the thin interval, or null",
    "outer_high": "upper end of the thin interval, or null",
    "filled": "True where the value is significant: a filled dot, else a hollow one",
}
"""Columns of the frame, one row per dot, drawn in the order given."""

PLOT_WIDTH = 240
LINE_HEIGHT = 14
DOT_HEIGHT = 26


def interval_rows(
    frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float], title: str, axis_format: str
) -> alt.TopLevelMixin:
    """Dots with a thick and a thin interval; labels stand above them, so that the figure fits a phone.

    Args:
        frame: columns of `COLUMNS`.
        neutral: value of an unbiased model, a grey mark in every row.
        domain: range of the value axis.
        title: title of the value axis, with the unit.
        axis_format: d3 format of the axis labels (".0%" for shares).
    """
    lines = 1 + max((label.count("\n") for label in frame["label"]), default=0)
    row_height = DOT_HEIGHT + LINE_HEIGHT * lines
    offset = row_height / 2 - DOT_HEIGHT / 2
    rows = (
        frame.fill_nan(None)
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64), neutral=pl.lit(neutral))
    )
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    scale = alt.Scale(domain=domain, nice=False, clamp=True)
    axis = alt.Axis(format=axis_format, tickCount=5, grid=False, ticks=True, tickColor=MUTED, title=title)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    base = alt.Chart(rows).encode(y=y)
    thick = alt.Chart(known(rows, "low", "high")).encode(y=y)
    thin = alt.Chart(known(rows, "outer_low", "outer_high")).encode(y=y)
    chart = alt.layer(
        base.mark_tick(orient="vertical", size=22, thickness=1.5, color=MUTED, yOffset=offset).encode(
            x=x("neutral")
        ),
        thick.mark_rule(strokeWidth=6, color=PALE_BLUE, yOffset=offset).encode(x=x("low"), x2="high:Q"),
        thin.mark_rule(strokeWidth=1.3, color=INK, yOffset=offset).encode(
            x=x("outer_low"), x2="outer_high:Q"
        ),
        base.mark_point(size=60, strokeWidth=2, color=BLUE, opacity=1, yOffset=offset).encode(
            x=x("value"), fill=alt.condition("datum.filled", alt.value(BLUE), alt.value("white"))
        ),
        base.mark_text(
            align="left", baseline="top", dy=4 - row_height / 2, fontWeight="bold", lineBreak="\n"
        ).encode(x=alt.value(0), text="label:N"),
        base.mark_text(align="left", baseline="middle", yOffset=offset).encode(
            x=alt.value(PLOT_WIDTH + 10), text="note:N"
        ),
    )
    return finish(chart.properties(width=PLOT_WIDTH, height=row_height * max(1, rows.height)))


WIDTH = 300
BAR = 17
LABEL_HEIGHT = 16
ROW = BAR + LABEL_HEIGHT + 4
OFFSET = ROW / 2 - BAR / 2 - 2
"""From the middle of a row to the middle of its bar."""


def row_axis() -> alt.Y:
    """The rows, in the order of their number (column `row`), without an axis."""
    return alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))


def numbered(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """The frame with `row`: the number of the row its bar stands in."""
    rows = frame.select(keys).unique(maintain_order=True).with_row_index("row")
    return frame.join(rows.with_columns(pl.col("row").cast(pl.Int64)), on=keys, maintain_order="left")


def row_labels(rows: pl.DataFrame, y: alt.Y) -> alt.Chart:
    """The label of every row (column `label`) above its bar."""
    texts = alt.Chart(rows.unique("row", maintain_order=True))
    labels: alt.Chart = texts.mark_text(align="left", baseline="top", dy=2 - ROW / 2).encode(
        y=y, x=alt.value(0), text="label:N"
    )
    return labels


HEAT_COLUMNS = {"row": "label of the row", "column": "label of the column", "value": "share, or null"}
"""Columns of the frame, one row per cell."""

MOST_WRITTEN = 12
"""Rows up to which numbers fit into the cells."""
SCALE = ("#ffffff", "#c6dff3", BLUE)


def heat_map(
    frame: pl.DataFrame, order: Sequence[str], *, domain: tuple[float, float], title: str
) -> alt.TopLevelMixin:
    """Cells from white to blue; numbers in percent where there is room.

    Args:
        frame: columns of `COLUMNS`.
        order: labels in the order of rows and columns.
        domain: the colours run from its lower to its upper end.
        title: title of the colour legend.
    """
    size = 38 if len(order) <= MOST_WRITTEN else max(14, 440 // len(order))
    labels = alt.Axis(labelLimit=LABEL_LIMIT, labelOverlap=False, minExtent=label_width(order))
    scale = alt.Scale(domain=list(order), padding=0)
    y = alt.Y("row:N", sort=list(order), scale=scale, title=None, axis=labels)
    x = alt.X(
        "column:N",
        sort=list(order),
        scale=scale,
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-60, labelLimit=LABEL_LIMIT, labelOverlap=False),
    )
    middle = (domain[0] + domain[1]) / 2
    color = alt.Color(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[domain[0], middle, domain[1]], range=list(SCALE), clamp=True),
        legend=alt.Legend(
            orient="bottom", format=".0%", gradientLength=240, titleLimit=320, titleFontWeight="normal"
        ),
    )
    known = frame.drop_nulls("value").with_columns(
        text=(100 * pl.col("value")).round(0).cast(pl.Int64).cast(pl.String),
        dark=pl.col("value") > domain[0] + 0.75 * (domain[1] - domain[0]),
    )
    layers: list[alt.Chart] = [
        alt.Chart(frame).mark_rect(fill=PALE, stroke="white").encode(x=x, y=y),
        alt.Chart(known).mark_rect(stroke="white").encode(x=x, y=y, color=color),
    ]
    if len(order) <= MOST_WRITTEN:
        ink = alt.condition("datum.dark", alt.value("white"), alt.value(INK))
        layers.append(alt.Chart(known).mark_text(fontSize=10).encode(x=x, y=y, text="text:N", color=ink))
    return finish(alt.layer(*layers).properties(width=size * len(order), height=size * len(order)))
