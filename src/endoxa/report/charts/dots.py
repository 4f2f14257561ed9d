"""Dots with intervals, and what figures with a row for every dot share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from endoxa.report.charts.style import (
    BLUE,
    GRID,
    INK,
    LABEL_LIMIT,
    MUTED,
    PALE_BLUE,
    defined,
    either,
    finish,
    fixed,
    label_width,
    tested,
)

INTERVAL_COLUMNS = {
    "label": "what the row is about, written above its dot; may have several lines",
    "note": "the numbers, written to the right of the dot",
    "value": "where the dot stands",
    "low": "lower end of the thick interval",
    "high": "upper end of the thick interval",
    "outer_low": "lower end of the thin interval, or null",
    "outer_high": "upper end of the thin interval, or null",
    "filled": "True where the value is significant: a filled dot, else a hollow one",
}
"""Columns of the frame of `interval_rows`, one row per dot, drawn in the order given.

A column `tip` may stand beside them: what a page shows when somebody points at the dot (see `pointed`).
"""

PLOT_WIDTH = 240
LINE_HEIGHT = 14
DOT_HEIGHT = 26
NOTE_GAP = 8
"""Pixels between a plot and the notes to its right."""


@dataclass(frozen=True, slots=True)
class DotRows:
    """Rows with a label above, something drawn on a value axis, and a note to the right; fits a phone.

    Attributes:
        frame: at least `label` (may have several lines) and `note`, one row per row of the figure.
        neutral: value of an unbiased model, a grey mark in every row.
        domain: range of the value axis.
        title: title of the value axis, with the unit.
        axis_format: d3 format of the axis labels (".0%" for shares).
    """

    frame: pl.DataFrame
    neutral: float
    domain: tuple[float, float]
    title: str
    axis_format: str

    @property
    def row_height(self) -> int:
        """Height of a row in pixels."""
        return DOT_HEIGHT + LINE_HEIGHT * (
            1 + max((label.count("\n") for label in self.frame["label"]), default=0)
        )

    @property
    def offset(self) -> float:
        """From the middle of a row to the middle of what is drawn in it."""
        return self.row_height / 2 - DOT_HEIGHT / 2

    def rows(self, *columns: str) -> alt.Chart:
        """A chart of the rows in which these columns are defined, each in its place."""
        numbered = (
            self.frame.fill_nan(None)
            .with_row_index("row")
            .with_columns(pl.col("row").cast(pl.Int64), neutral=pl.lit(self.neutral))
        )
        y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
        chart: alt.Chart = alt.Chart(defined(numbered, *columns)).encode(y=y)
        return chart

    def x(self, field: str) -> alt.X:
        """A field on the value axis."""
        axis = alt.Axis(
            format=self.axis_format, tickCount=5, grid=False, ticks=True, tickColor=MUTED, title=self.title
        )
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=self.domain, nice=False, clamp=True), axis=axis)

    def drawn(self, *layers: alt.Chart) -> alt.TopLevelMixin:
        """The figure: neutral marks, the layers, labels and notes."""
        base = self.rows()
        ticks = base.mark_tick(
            orient="vertical", size=22, thickness=1.5, color=MUTED, yOffset=self.offset
        ).encode(x=self.x("neutral"))
        labels = base.mark_text(
            align="left", baseline="top", dy=4 - self.row_height / 2, fontWeight="bold", lineBreak="\n"
        ).encode(x=fixed(alt.XValue, 0), text=alt.Text("label:N"))
        notes = base.mark_text(align="left", baseline="middle", yOffset=self.offset).encode(
            x=fixed(alt.XValue, PLOT_WIDTH + 10), text=alt.Text("note:N")
        )
        height = self.row_height * max(1, self.frame.height)
        return finish(alt.layer(ticks, *layers, labels, notes).properties(width=PLOT_WIDTH, height=height))


def interval_rows(
    frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float], title: str, axis_format: str
) -> alt.TopLevelMixin:
    """Dots with a thick and a thin interval, see `DotRows`.

    Args:
        frame: columns of `INTERVAL_COLUMNS`.
        neutral: value of an unbiased model, a grey mark in every row.
        domain: range of the value axis.
        title: title of the value axis, with the unit.
        axis_format: d3 format of the axis labels (".0%" for shares).
    """
    dots = DotRows(frame, neutral, domain, title, axis_format)
    x, offset = dots.x, dots.offset
    return dots.drawn(
        dots.rows("low", "high")
        .mark_rule(strokeWidth=6, color=PALE_BLUE, yOffset=offset)
        .encode(x=x("low"), x2=alt.X2("high:Q")),
        dots.rows("outer_low", "outer_high")
        .mark_rule(strokeWidth=1.3, color=INK, yOffset=offset)
        .encode(x=x("outer_low"), x2=alt.X2("outer_high:Q")),
        pointed(
            dots.rows().mark_point(size=60, strokeWidth=2, color=BLUE, opacity=1, yOffset=offset), frame
        ).encode(tested(), x=x("value"), fill=either(alt.FillValue, "datum.filled", BLUE, "white")),
    )


def pointed(marks: alt.Chart, frame: pl.DataFrame) -> alt.Chart:
    """The marks with the column `tip` of their rows as description, where there is one.

    It is the `aria-label` of the mark in an SVG file; in a page it is shown to who points at the mark.
    """
    chart: alt.Chart = marks.encode(description=alt.Description("tip:N")) if "tip" in frame.columns else marks
    return chart


def tipped(frame: pl.DataFrame, words: Sequence[str], axis_format: str) -> pl.DataFrame:
    """The frame with a column `tip`, its own or one made of its words, `value`, `low` and `high`.

    Args:
        frame: has `value`, and perhaps `low` and `high`.
        words: columns that say what a mark is about.
        axis_format: d3 format of the value axis; shares are written in percent.
    """
    if "tip" in frame.columns:
        return frame
    digits = "{:.1f}" if axis_format.endswith("%") else "{:.3g}"
    factor = 100 if axis_format.endswith("%") else 1

    def written(row: dict[str, Any]) -> str:
        about = ", ".join(str(row[name]).replace("\n", ", ") for name in words)
        ends = [row.get(name) for name in ("low", "high")]
        numbers = [
            None if number is None else digits.format(factor * number) for number in (row["value"], *ends)
        ]
        unit = " %" if factor == 100 else ""
        interval = f" ({numbers[1]} to {numbers[2]})" if None not in ends else ""
        return f"{about}: {numbers[0]}{unit}{interval}"

    made = pl.struct(frame.columns).map_elements(written, return_dtype=pl.String)
    return frame.fill_nan(None).with_columns(tip=made)


SORTED_WIDTH = 420
SORTED_HEIGHT = 22


def sorted_dots(
    frame: pl.DataFrame,
    *,
    neutral: float,
    domain: tuple[float, float],
    title: str,
    axis_format: str,
    label_limit: int = LABEL_LIMIT,
) -> alt.TopLevelMixin:
    """One line for each dot, label at the left and numbers at the right, for many rows of which no two share a label.

    Args:
        frame: columns of `INTERVAL_COLUMNS` (the thin interval is not drawn), rows in the order drawn.
        neutral: value of an unbiased model, a line through all rows.
        domain: range of the value axis.
        title: title of the value axis, with the unit.
        axis_format: d3 format of the axis labels.
        label_limit: widest label in pixels.
    """
    y = labelled_rows("label", None, label_width(frame["label"].to_list(), label_limit))
    axis = alt.Axis(format=axis_format, tickCount=6, grid=False, ticks=True, tickColor=MUTED, title=title)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    # One data set for all layers, so that a page can put other rows in its place.
    base = alt.Chart(frame.fill_nan(None)).encode(y=y)
    bars = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    notes = base.mark_text(align="left", dx=NOTE_GAP).encode(
        x=fixed(alt.XValue, "width"), text=alt.Text("note:N")
    )
    return finish(
        alt.layer(
            neutral_line(neutral).encode(x=x("neutral")),
            bars.mark_rule(strokeWidth=6, color=PALE_BLUE).encode(x=x("low"), x2=alt.X2("high:Q")),
            pointed(base.mark_point(size=60, strokeWidth=2, color=BLUE, opacity=1), frame).encode(
                tested(), x=x("value"), fill=either(alt.FillValue, "datum.filled", BLUE, "white")
            ),
            notes,
        ).properties(width=SORTED_WIDTH, height={"step": SORTED_HEIGHT})
    )


def neutral_line(at: float = 0.0) -> alt.Chart:
    """A dashed line where an unbiased model stands; to be placed by its column `neutral`, across or up."""
    line: alt.Chart = alt.Chart(pl.DataFrame({"neutral": [at]})).mark_rule(color=MUTED, strokeDash=[4, 3])
    return line


def labelled_rows(field: str, order: Sequence[str] | None, width: int, **axis: Any) -> alt.Y:
    """Rows of several marks each, with their label at the left and a thin line between them.

    Args:
        field: column that holds the labels.
        order: the labels, from top to bottom; None where they stand in the order of the data.
        width: room for them, in pixels.
        axis: further settings of the axis.
    """
    settings = {
        "labelLimit": width,
        "minExtent": width,
        "labelOverlap": False,
        "grid": True,
        "bandPosition": 1,
        "gridColor": GRID,
    }
    return alt.Y(
        f"{field}:N",
        sort=None if order is None else list(order),
        title=None,
        scale=alt.Scale(
            domain=alt.Undefined if order is None else list(order), paddingInner=0, paddingOuter=0
        ),
        axis=alt.Axis(**{**settings, **axis}),
    )


def beside(series: Sequence[str]) -> alt.YOffset:
    """The place of a mark within its row, by its column `series`."""
    return alt.YOffset("series:N", scale=alt.Scale(domain=list(series), paddingOuter=0.6))


def notes_beside(rows: pl.DataFrame, y: alt.Y, width: int) -> alt.Chart:
    """Small grey texts (column `note`) to the right of a plot of this width."""
    texts: alt.Chart = (
        alt.Chart(rows)
        .mark_text(align="left", color=MUTED, fontSize=11)
        .encode(y=y, x=fixed(alt.XValue, width + NOTE_GAP), text=alt.Text("note:N"))
    )
    return texts
