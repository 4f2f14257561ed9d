"""Heat maps: how much every two of a list have in common."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from endoxa.page.charts.style import BLUE, INK, LABEL_LIMIT, PALE, either, finish, label_width

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
    written = frame.drop_nulls("value").with_columns(
        text=(100 * pl.col("value")).round(0).cast(pl.Int64).cast(pl.String),
        dark=pl.col("value") > domain[0] + 0.75 * (domain[1] - domain[0]),
    )
    layers: list[alt.Chart] = [
        alt.Chart(frame).mark_rect(fill=PALE, stroke="white").encode(x=x, y=y),
        alt.Chart(written).mark_rect(stroke="white").encode(x=x, y=y, color=color),
    ]
    if len(order) <= MOST_WRITTEN:
        ink = either(alt.ColorValue, "datum.dark", "white", INK)
        layers.append(
            alt.Chart(written).mark_text(fontSize=10).encode(x=x, y=y, text=alt.Text("text:N"), color=ink)
        )
    return finish(alt.layer(*layers).properties(width=size * len(order), height=size * len(order)))
