"""Every two of a list against each other: a matrix of signed numbers for each panel, on one scale of colours."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from endoxa.report.charts.style import (
    BLUE,
    INK,
    LABEL_LIMIT,
    ORANGE,
    PALE,
    PALE_BLUE,
    either,
    finish,
    label_width,
)
from endoxa.report.words import signed

MATRIX_COLUMNS = {
    "panel": "heading of the panel (a model)",
    "subpanel": "second line of the heading (a pooling), or empty",
    "row": "group of the row",
    "column": "group of the column",
    "value": "estimate of row against column; null where it is undefined",
    "mark": "'*' where a difference is claimed, else empty",
}
"""Columns of the frame: one row per cell. Cells of groups that were not tested against each other are left out."""

SCALE = (ORANGE, "#f0b287", "#f7f7f7", PALE_BLUE, BLUE)
"""From negative to positive: told apart with every common colour blindness; the sign is written in each cell."""

LINE = 13
MOST_WRITTEN = 12
"""Groups up to which numbers fit into the cells."""


def signed_matrix(
    frame: pl.DataFrame, groups: Sequence[str], *, reach: float, title: str, across: int
) -> alt.TopLevelMixin:
    """Panels of rows against columns; a dark outline and a star mark what is claimed.

    Args:
        frame: columns of `MATRIX_COLUMNS`; panels are drawn in the order given.
        groups: groups in the order of rows and columns.
        reach: the colours run from -reach to reach, the same for all matrices that are to be compared.
        title: title of the colour legend.
        across: panels side by side.
    """
    charts = [
        _panel(cells, groups, reach, title).properties(
            title=alt.TitleParams(
                str(panel), subtitle=str(subpanel) or alt.Undefined, frame="group", offset=6
            )
        )
        for (panel, subpanel), cells in frame.group_by(["panel", "subpanel"], maintain_order=True)
    ]
    rows = [
        alt.hconcat(*charts[start : start + across], spacing=22) for start in range(0, len(charts), across)
    ]
    return finish(alt.vconcat(*rows, spacing=16))


def _panel(
    cells: pl.DataFrame, groups: Sequence[str], reach: float, title: str
) -> alt.LayerChart | alt.FacetChart:
    written = len(groups) <= MOST_WRITTEN
    width, height = (18, 18) if not written else (62, 28) if len(groups) <= 4 else (52, 26)
    tilted = 6 * max((len(word) for group in groups for word in group.split(" ")), default=0) > width
    number = pl.col("value").map_elements(lambda value: signed(value, 2), return_dtype=pl.String)
    undefined = pl.col("value").is_null()
    shown = cells.with_columns(
        dark=pl.col("value").abs().fill_null(0) > 0.75 * reach,
        text=pl.when(undefined).then(pl.lit("undefined")).otherwise(pl.format("{}{}", number, "mark")),
    )
    lines = max(len(group.split(" ")) for group in groups)
    column_labels = alt.Axis(
        orient="top",
        labelAngle=-40 if tilted else 0,
        labelLimit=LABEL_LIMIT,
        labelOverlap=False,
        labelExpr="datum.label" if tilted else "split(datum.label, ' ')",
        labelBaseline="bottom",
        labelPadding=5 if tilted else 5 + LINE * (lines - 1),
    )
    row_labels = alt.Axis(labelLimit=LABEL_LIMIT, labelOverlap=False, minExtent=label_width(groups))

    def place(channel: type, field: str, order: list[str], axis: alt.Axis) -> alt.X | alt.Y:
        made: alt.X | alt.Y = channel(
            f"{field}:N", sort=order, scale=alt.Scale(domain=order, padding=0), title=None, axis=axis
        )
        return made

    rows, columns = list(groups[:-1]), list(groups[1:])
    x, y = place(alt.X, "column", columns, column_labels), place(alt.Y, "row", rows, row_labels)

    def layer(*rows: pl.Expr) -> alt.Chart:
        return alt.Chart(shown.filter(*rows)).encode(x=x, y=y)

    color = alt.Color(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[-reach, -reach / 2, 0, reach / 2, reach], range=list(SCALE), clamp=True),
        legend=alt.Legend(
            orient="bottom", gradientLength=260, titleLimit=560, format="+.1f", titleFontWeight="normal"
        ),
    )
    claimed = pl.col("mark") != ""
    layers: list[alt.Chart] = [
        layer(undefined).mark_rect(fill=PALE, stroke="white", strokeWidth=2),
        layer(~undefined).mark_rect(stroke="white", strokeWidth=2).encode(color=color),
        layer(~undefined, claimed).mark_rect(
            fill="transparent", stroke=INK, strokeWidth=1.8, width=width - 3, height=height - 3
        ),
    ]
    if written:
        ink = either(alt.ColorValue, "datum.dark", "white", INK)
        # One layer for each weight: Vega-Lite has no condition on it.
        layers += [
            layer(claimed)
            .mark_text(fontWeight="bold", fontSize=11)
            .encode(text=alt.Text("text:N"), color=ink),
            layer(~claimed).mark_text(fontSize=11).encode(text=alt.Text("text:N"), color=ink),
        ]
    return alt.layer(*layers).properties(width=width * len(columns), height=height * len(rows))
