"""Forest plot of association tests: a row for every test, a mark for every model, a column for every pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import polars as pl

from endoxa.report.figures.style import (
    BLUE,
    GRID,
    INK,
    LABEL_LIMIT,
    MUTED,
    ORANGE,
    finish,
    known,
    label_width,
)

COLUMNS = {
    "block": "heading of the block of rows (an attribute pair)",
    "row": "the row's label (the two groups); may have several lines",
    "series": "the model: colour and shape",
    "column": "heading of the panel (a pooling)",
    "value": "effect size, null where it is undefined",
    "low": "lower end of its interval, or null",
    "high": "upper end of its interval, or null",
    "filled": "True where a difference is claimed: a filled mark, else a hollow one",
}
"""Columns of the frame; blocks, rows, series and columns are drawn in the order given."""

COLORS = (BLUE, ORANGE, "#00795a", "#7b3f98", INK, "#8a6d00")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
LINE = 11
LEAST_WIDTH, MOST_WIDTH, ALL_WIDTH = 130, 340, 440


def association_forest(
    frame: pl.DataFrame, series: Sequence[str], *, neutral: float, domain: tuple[float, float]
) -> alt.TopLevelMixin:
    """Marks with their intervals, the dashed line at the neutral value; 'undefined' where there is no value.

    Args:
        frame: columns of `COLUMNS`.
        series: every model of the report, so that each keeps its colour and shape in all figures.
        neutral: effect size of an encoder without the association.
        domain: range of the value axis, the same for all panels that are to be compared.
    """
    columns = frame["column"].unique(maintain_order=True).to_list()
    blocks = frame["block"].unique(maintain_order=True).to_list()
    width = max(LEAST_WIDTH, min(MOST_WIDTH, ALL_WIDTH // len(columns)))
    charts = []
    for block in blocks:
        rows = frame.filter(pl.col("block") == block)
        panels = [
            _panel(
                rows,
                column,
                series,
                neutral=neutral,
                domain=domain,
                width=width,
                first=column == columns[0],
                last=block == blocks[-1],
            ).properties(title=alt.TitleParams(block if column == columns[0] else " ", subtitle=column))
            for column in columns
        ]
        charts.append(alt.hconcat(*panels, spacing=26, bounds="flush"))
    return finish(alt.vconcat(*charts, spacing=10))


def _panel(
    rows: pl.DataFrame,
    column: str,
    series: Sequence[str],
    *,
    neutral: float,
    domain: tuple[float, float],
    width: int,
    first: bool,
    last: bool,
) -> alt.LayerChart | alt.FacetChart:
    order = rows["row"].unique(maintain_order=True).to_list()
    present = [name for name in series if name in set(rows["series"])]
    height = max(LINE * len(present) + 12, 14 * max(1 + row.count("\n") for row in order) + 4)
    own = rows.filter(pl.col("column") == column)
    y = alt.Y(
        "row:N",
        sort=order,
        scale=alt.Scale(domain=order, paddingInner=0, paddingOuter=0),
        title=None,
        axis=alt.Axis(
            labels=first,
            labelExpr="split(datum.label, '\\n')",
            labelLimit=LABEL_LIMIT,
            labelOffset=-6 * max(row.count("\n") for row in order),
            minExtent=label_width(order) if first else 0,
            labelOverlap=False,
            grid=True,
            bandPosition=1,
            tickBand="extent",
            gridColor=GRID,
        ),
    )
    beside = alt.YOffset("series:N", scale=alt.Scale(domain=present, paddingOuter=0.6))
    axis = alt.Axis(
        values=list(range(math.ceil(domain[0]), math.floor(domain[1]) + 1)),
        format="+d",
        grid=False,
        title="effect size" if last else None,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    colors = alt.Scale(domain=list(series), range=[COLORS[k % len(COLORS)] for k in range(len(series))])
    shapes = alt.Scale(domain=list(series), range=[SHAPES[k % len(SHAPES)] for k in range(len(series))])
    legend = alt.Legend(title=None, orient="bottom", columns=3, labelLimit=220, symbolStrokeWidth=1.8)
    color = alt.Color("series:N", scale=colors, legend=legend)
    base = alt.Chart(known(own, "value")).encode(y=y, yOffset=beside)
    bars = alt.Chart(known(own, "low", "high")).encode(y=y, yOffset=beside)
    undefined = alt.Chart(own.filter(pl.col("value").is_null())).encode(y=y, yOffset=beside)
    line = alt.Chart(pl.DataFrame({"neutral": [neutral]}))
    return alt.layer(
        line.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=x("neutral")),
        bars.mark_rule(strokeWidth=1.6).encode(x=x("low"), x2="high:Q", color=color),
        base.mark_point(size=44, strokeWidth=1.6, opacity=1).encode(
            x=x("value"),
            color=color,
            shape=alt.Shape("series:N", scale=shapes, legend=legend),
            fill=alt.condition(
                "datum.filled", alt.Fill("series:N", scale=colors, legend=None), alt.value("white")
            ),
        ),
        undefined.mark_text(fontSize=9, fontStyle="italic", align="left").encode(
            x=alt.value(4), color=color, text=alt.value("undefined")
        ),
    ).properties(width=width, height=height * len(order))
