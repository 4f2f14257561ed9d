"""Rows of a dot and its intervals beside a neutral mark: headlines, and differences between models."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.figures.style import BLUE, INK, MUTED, PALE_BLUE, finish, known

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
