"""Bars under their labels: shares of 100 %, and lengths in blocks on one scale."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import altair as alt
import polars as pl

from endoxa.report.charts.style import INK, MUTED, defined, either, finish, fixed, square_legend

SHARE_COLUMNS = {
    "label": "what the bar is about, written above it",
    "part": "a part of the bar",
    "share": "its share of the bar",
    "text": "written into the part, or empty",
}
"""Columns of the frame of `stacked_shares`; bars are drawn in the order of their first rows."""

BLOCK_COLUMNS = {
    "block": "heading of the block of bars",
    "label": "what the bar is about, written above it",
    "part": "a part of the bar, its colour",
    "start": "where the part begins",
    "end": "where it ends, or null",
    "note": "written beside the bar",
}
"""Columns of the frame of `bar_blocks`; blocks and bars are drawn in the order given."""

WIDTH = 300
BAR = 17
LABEL_HEIGHT = 16
ROW = BAR + LABEL_HEIGHT + 4
OFFSET = ROW / 2 - BAR / 2 - 2
"""From the middle of a row to the middle of its bar."""


def stacked_shares(
    frame: pl.DataFrame, colors: Mapping[str, str], *, dark: Collection[str], title: str, legend: alt.Legend
) -> alt.TopLevelMixin:
    """One bar of 100 % per label, its parts always in the same order.

    Args:
        frame: columns of `SHARE_COLUMNS`.
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        title: title of the axis: of what the shares are.
        legend: the legend of the parts.
    """
    order = {part: place for place, part in enumerate(colors)}
    rows = (
        _numbered(frame)
        .with_columns(place=pl.col("part").replace_strict(order, return_dtype=pl.Int64))
        .sort("row", "place")
        .with_columns(end=pl.col("share").cum_sum().over("row"))
        .with_columns(start=pl.col("end") - pl.col("share"))
        .with_columns(middle=(pl.col("start") + pl.col("end")) / 2, dark=pl.col("part").is_in(list(dark)))
    )
    y = _row_axis()
    scale = alt.Scale(domain=(0, 1), nice=False, clamp=True)
    axis = alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title=title, grid=False)
    bars = _bars(rows, y, alt.X("start:Q", scale=scale, axis=axis), _color(colors, legend))
    texts = (
        alt.Chart(rows.filter(pl.col("text") != ""))
        .mark_text(fontSize=11, yOffset=OFFSET)
        .encode(
            y=y,
            x=alt.X("middle:Q", scale=scale),
            text=alt.Text("text:N"),
            color=either(alt.ColorValue, "datum.dark", "white", INK),
        )
    )
    height = ROW * max(1, rows["row"].n_unique())
    return finish(alt.layer(bars, texts, _row_labels(rows, y)).properties(width=WIDTH, height=height))


def bar_blocks(
    frame: pl.DataFrame,
    colors: Mapping[str, str],
    *,
    domain: tuple[float, float],
    title: str,
    axis_format: str,
    zero: bool = False,
    legend: bool = True,
) -> alt.TopLevelMixin:
    """Bars in blocks with a heading, all on one scale.

    Args:
        frame: columns of `BLOCK_COLUMNS`.
        colors: colour of every part, in the order of the legend.
        domain: range of the value axis.
        title: title of the value axis.
        axis_format: d3 format of its labels.
        zero: whether 0 is marked in every row.
        legend: whether the parts need one.
    """
    blocks = frame["block"].unique(maintain_order=True).to_list()
    color = _color(colors, square_legend() if legend else None)
    scale = alt.Scale(domain=domain, nice=False, clamp=True)

    def drawn(block: str) -> alt.LayerChart | alt.FacetChart:
        last = block == blocks[-1]
        rows = _numbered(frame.filter(pl.col("block") == block)).with_columns(zero=pl.lit(0.0))
        y = _row_axis()
        axis = alt.Axis(format=axis_format, tickCount=5, title=title if last else None, labels=last)
        each = alt.Chart(rows.unique("row", maintain_order=True))
        ticks = each.mark_tick(color=MUTED, size=BAR + 6, thickness=1.2, yOffset=OFFSET).encode(
            y=y, x=alt.X("zero:Q", scale=scale)
        )
        notes = each.mark_text(align="left", yOffset=OFFSET).encode(
            y=y, x=fixed(alt.XValue, WIDTH + 8), text=alt.Text("note:N")
        )
        bars = _bars(defined(rows, "end"), y, alt.X("start:Q", scale=scale, axis=axis), color)
        return alt.layer(bars, *([ticks] if zero else []), notes, _row_labels(rows, y)).properties(
            width=WIDTH,
            height=ROW * rows["row"].n_unique(),
            title=alt.TitleParams(block, frame="bounds"),
        )

    return finish(alt.vconcat(*map(drawn, blocks), spacing=8))


def _bars(rows: pl.DataFrame, y: alt.Y, start: alt.X, color: alt.Color) -> alt.Chart:
    """Bars from `start` to the column `end`."""
    bars: alt.Chart = (
        alt.Chart(rows)
        .mark_bar(height=BAR, stroke=INK, strokeWidth=0.6, yOffset=OFFSET)
        .encode(y=y, x=start, x2=alt.X2("end:Q"), color=color)
    )
    return bars


def _color(colors: Mapping[str, str], legend: alt.Legend | None) -> alt.Color:
    scale = alt.Scale(domain=list(colors), range=list(colors.values()))
    return alt.Color("part:N", scale=scale, legend=legend)


def _row_axis() -> alt.Y:
    """The rows, in the order of their number (column `row`), without an axis."""
    return alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with `row`: the number of the row its bar stands in, by `label`."""
    rows = frame.select("label").unique(maintain_order=True).with_row_index("row")
    return frame.join(rows.with_columns(pl.col("row").cast(pl.Int64)), on="label", maintain_order="left")


def _row_labels(rows: pl.DataFrame, y: alt.Y) -> alt.Chart:
    """The label of every row above its bar."""
    texts = alt.Chart(rows.unique("row", maintain_order=True))
    labels: alt.Chart = texts.mark_text(align="left", baseline="top", dy=2 - ROW / 2).encode(
        y=y, x=fixed(alt.XValue, 0), text=alt.Text("label:N")
    )
    return labels
