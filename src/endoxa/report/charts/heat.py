"""Heat maps: how much every two of a list have in common; shares of models on axes with their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from endoxa.report.charts.dots import pointed, tipped
from endoxa.report.charts.style import (
    BLUE,
    INK,
    LABEL_LIMIT,
    MUTED,
    ORANGE,
    PALE,
    PALE_BLUE,
    either,
    finish,
    label_width,
)

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
        frame: columns of `HEAT_COLUMNS`.
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
    written = tipped(frame.drop_nulls("value"), ("row", "column"), ".0%").with_columns(
        text=(100 * pl.col("value")).round(0).cast(pl.Int64).cast(pl.String),
        dark=pl.col("value") > domain[0] + 0.75 * (domain[1] - domain[0]),
    )
    layers: list[alt.Chart] = [
        alt.Chart(frame).mark_rect(fill=PALE, stroke="white").encode(x=x, y=y),
        pointed(alt.Chart(written).mark_rect(stroke="white"), written).encode(x=x, y=y, color=color),
    ]
    if len(order) <= MOST_WRITTEN:
        ink = either(alt.ColorValue, "datum.dark", "white", INK)
        layers.append(
            alt.Chart(written).mark_text(fontSize=11).encode(x=x, y=y, text=alt.Text("text:N"), color=ink)
        )
    return finish(alt.layer(*layers).properties(width=size * len(order), height=size * len(order)))


CELL_WIDTH, CELL_HEIGHT = 62, 22
SIDES = {"above": (PALE_BLUE, BLUE), "below": ("#f3c9a8", ORANGE)}
"""Colours of a claim, for shares near the neutral value and far from it."""
FAR = 0.2
"""Distance from the neutral value from which on the full colour is used."""


def verdict_map(frame: pl.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> alt.TopLevelMixin:
    """Shares in percent; a cell has a colour only where something is claimed, and grey where not.

    Args:
        frame: `row`, `column`, `value` (share, or null) and `verdict`, against one half; `tip` as in `pointed`.
        rows: labels in order.
        columns: labels in order.

    Values that are no shares bring two columns of their own: `text`, written into the cell, and `far`, True where the
    full colour is used.
    """
    shares = {
        "text": pl.format("{} %", (100 * pl.col("value")).round(0).cast(pl.Int64)),
        "far": (pl.col("value") - 0.5).abs() >= FAR,
    }
    drawn = frame.drop_nulls("value").with_columns(
        **{name: made for name, made in shares.items() if name not in frame.columns}
    )
    if "tip" not in drawn.columns:
        words = pl.col("verdict").fill_null("").str.replace_all("-", " ")
        drawn = drawn.with_columns(tip=pl.format("{}, {}: {}, {}", "row", "column", "text", words))
    y = alt.Y(
        "row:N",
        sort=list(rows),
        scale=alt.Scale(domain=list(rows), padding=0),
        title=None,
        axis=alt.Axis(
            labelLimit=2 * LABEL_LIMIT, labelOverlap=False, minExtent=label_width(rows, 2 * LABEL_LIMIT)
        ),
    )
    x = alt.X(
        "column:N",
        sort=list(columns),
        scale=alt.Scale(domain=list(columns), padding=0),
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-35, labelLimit=LABEL_LIMIT, labelOverlap=False),
    )
    cells = alt.Chart(drawn).mark_rect(fill="#eef0f2", stroke="white")
    layers = [pointed(cells, drawn).encode(x=x, y=y)]
    for side, (near, far) in SIDES.items():
        side_rows = drawn.filter(verdict=side)
        layers.append(
            alt.Chart(side_rows)
            .mark_rect(stroke="white")
            .encode(x=x, y=y, fill=either(alt.FillValue, "datum.far", far, near))
        )
    claimed = drawn.filter(pl.col("verdict").is_in(list(SIDES)))
    others = drawn.filter(~pl.col("verdict").is_in(list(SIDES)))
    text = alt.Text("text:N")
    layers += [
        alt.Chart(claimed)
        .mark_text(fontSize=11, fontWeight="bold")
        .encode(x=x, y=y, text=text, color=either(alt.ColorValue, "datum.far", "white", INK)),
        alt.Chart(others).mark_text(fontSize=11, color=MUTED).encode(x=x, y=y, text=text),
    ]
    size = {"width": CELL_WIDTH * len(columns), "height": CELL_HEIGHT * len(rows)}
    return finish(alt.layer(*layers).properties(**size))
