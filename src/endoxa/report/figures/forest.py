"""Forest plot of one model under one rule: a row for every axis, a block for every language."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.figures.style import BLUE, MUTED, PALE_BLUE, finish, known

COLUMNS = {
    "block": "heading of the block of rows (a language)",
    "axis": "the row's label",
    "pooled": "True for the row that pools all axes: a diamond",
    "value": "share of pairs in which the stereotypical sentence is preferred",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "n": "pairs it rests on",
    "filled": "True where the adjusted p-value is significant",
}
"""Columns of the frame, rows and blocks drawn in the order given."""

PLOT_WIDTH = 150
ROW_HEIGHT = 17
LABEL_WIDTH = 135


def forest(frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float]) -> alt.TopLevelMixin:
    """A dot, its interval and its n for every axis; the dashed line is an unbiased model.

    Args:
        frame: columns of `COLUMNS`.
        neutral: value of an unbiased model.
        domain: range of the value axis, the same for all panels that are to be compared.
    """
    blocks = frame["block"].unique(maintain_order=True).to_list()
    charts = [
        _block(frame.filter(pl.col("block") == block), neutral, domain, block, last=block == blocks[-1])
        for block in blocks
    ]
    return finish(alt.vconcat(*charts, spacing=8))


def _block(
    rows: pl.DataFrame, neutral: float, domain: tuple[float, float], heading: str, *, last: bool
) -> alt.LayerChart | alt.FacetChart:
    order = rows["axis"].to_list()
    y = alt.Y("axis:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABEL_WIDTH, minExtent=LABEL_WIDTH))
    axis = alt.Axis(
        format=".0%",
        values=[domain[0], neutral, domain[1]],
        labels=last,
        title="stereotypical preferred" if last else None,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    base = alt.Chart(known(rows.with_columns(n_text=pl.format("n {}", "n")), "value")).encode(y=y)
    bars = alt.Chart(known(rows, "low", "high")).encode(y=y)
    line = alt.Chart(pl.DataFrame({"neutral": [neutral]}))
    return alt.layer(
        line.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=x("neutral")),
        bars.mark_rule(strokeWidth=4, color=PALE_BLUE).encode(x=x("low"), x2="high:Q"),
        base.mark_point(size=42, strokeWidth=1.6, color=BLUE, opacity=1).encode(
            x=x("value"),
            shape=alt.condition("datum.pooled", alt.value("diamond"), alt.value("circle")),
            fill=alt.condition("datum.filled", alt.value(BLUE), alt.value("white")),
        ),
        base.mark_text(align="left", color=MUTED, fontSize=10).encode(
            x=alt.value(PLOT_WIDTH + 9), text="n_text:N"
        ),
    ).properties(
        width=PLOT_WIDTH, height=ROW_HEIGHT * rows.height, title=alt.TitleParams(heading, frame="bounds")
    )
