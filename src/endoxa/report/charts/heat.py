"""Grids of cells: how much every two of a list have in common, verdicts of models on axes, signed numbers of groups.

A signed matrix has a panel for each model, all on one scale of colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from endoxa.report.words import signed

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
    x, y = _grid(order, order, label_width(order), labelAngle=-60)
    middle = (domain[0] + domain[1]) / 2
    color = _shades([domain[0], middle, domain[1]], SCALE, title, ".0%", length=240, room=320)
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


def _grid(
    rows: Sequence[str], columns: Sequence[str], width: int, *, room: int = LABEL_LIMIT, **column_labels: Any
) -> tuple[alt.X, alt.Y]:
    """Columns and rows of the cells, in the order given, column labels above; `width` and `room` are of row labels."""

    def placed(names: Sequence[str]) -> dict[str, Any]:
        return {"sort": list(names), "scale": alt.Scale(domain=list(names), padding=0), "title": None}

    above = alt.Axis(orient="top", labelLimit=LABEL_LIMIT, labelOverlap=False, **column_labels)
    left = alt.Axis(labelLimit=room, labelOverlap=False, minExtent=width)
    return alt.X("column:N", axis=above, **placed(columns)), alt.Y("row:N", axis=left, **placed(rows))


def _shades(
    domain: Sequence[float], colors: Sequence[str], title: str, axis_format: str, *, length: int, room: int
) -> alt.Color:
    """Colours of values, with their legend below the cells."""
    return alt.Color(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=list(domain), range=list(colors), clamp=True),
        legend=alt.Legend(
            orient="bottom",
            format=axis_format,
            gradientLength=length,
            titleLimit=room,
            titleFontWeight="normal",
        ),
    )


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

    Values that are no shares bring two columns of their own, see `claim_cells`.
    """
    drawn = claim_cells(frame)
    room = 2 * LABEL_LIMIT
    x, y = _grid(rows, columns, label_width(rows, room), room=room, labelAngle=-35)
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


def claim_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells of a map of claims with `text` (written into the cell), `far` (True for the full colour) and `tip`.

    Values that are no shares bring the first two themselves.
    """
    shares = {
        "text": pl.format("{} %", (100 * pl.col("value")).round(0).cast(pl.Int64)),
        "far": (pl.col("value") - 0.5).abs() >= FAR,
    }
    drawn = frame.drop_nulls("value").with_columns(
        **{name: made for name, made in shares.items() if name not in frame.columns}
    )
    if "tip" in drawn.columns:
        return drawn
    words = pl.col("verdict").fill_null("").str.replace_all("-", " ")
    return drawn.with_columns(tip=pl.format("{}, {}: {}, {}", "row", "column", "text", words))


MATRIX_COLUMNS = {
    "panel": "heading of the panel (a model)",
    "subpanel": "second line of the heading (a pooling), or empty",
    "row": "group of the row",
    "column": "group of the column",
    "value": "estimate of row against column; null where it is undefined",
    "mark": "'*' where a difference is claimed, else empty",
}
"""Columns of the frame: one row per cell. Cells of groups that were not tested against each other are left out."""

SIGNED_SCALE = (ORANGE, "#f0b287", "#f7f7f7", PALE_BLUE, BLUE)
"""From negative to positive: told apart with every common colour blindness; the sign is written in each cell."""

LINE = 13


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
    x, y = _grid(
        groups[:-1],
        groups[1:],
        label_width(groups),
        labelAngle=-40 if tilted else 0,
        labelExpr="datum.label" if tilted else "split(datum.label, ' ')",
        labelBaseline="bottom",
        labelPadding=5 if tilted else 5 + LINE * (lines - 1),
    )

    def layer(*rows: pl.Expr) -> alt.Chart:
        return alt.Chart(shown.filter(*rows)).encode(x=x, y=y)

    colored = [-reach, -reach / 2, 0, reach / 2, reach]
    color = _shades(colored, SIGNED_SCALE, title, "+.1f", length=260, room=560)
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
    cells_across = len(groups) - 1
    return alt.layer(*layers).properties(width=width * cells_across, height=height * cells_across)
