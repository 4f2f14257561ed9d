"""Rule flips of one model: how many pairs change sides between every two rules."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.figures.style import INK, MUTED, finish

COLUMNS = {
    "rule_a": "one rule (a column)",
    "rule_b": "the other (a row)",
    "share": "share of the pairs that change sides",
    "flips": "how many pairs that are",
    "n": "of how many",
}
"""Columns of the frame: one row per two rules."""

CELL_WIDTH = 88
CELL_HEIGHT = 44


def flips(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """A matrix of two rules against each other, the share as shade and the count as text."""
    cells = frame.with_columns(
        percent=pl.format("{} %", (100 * pl.col("share")).round(1)),
        counts=pl.format("{} of {}", "flips", "n"),
        dark=pl.col("share") > 0.3,
    )
    columns = frame["rule_a"].unique(maintain_order=True).to_list()
    rows = frame["rule_b"].unique(maintain_order=True).to_list()
    base = alt.Chart(cells).encode(
        x=alt.X(
            "rule_a:N",
            sort=columns,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0, labelLimit=CELL_WIDTH - 4),
        ),
        y=alt.Y("rule_b:N", sort=rows, title=None, axis=alt.Axis(labelLimit=120)),
    )
    ink = alt.condition("datum.dark", alt.value("white"), alt.value(INK))
    chart = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=3).encode(
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 0.5], range=["#eef5fb", "#084c84"], clamp=True),
                legend=None,
            )
        ),
        base.mark_text(dy=-7, fontWeight="bold").encode(text="percent:N", color=ink),
        base.mark_text(dy=8, fontSize=10, color=MUTED).encode(text="counts:N", color=ink),
    )
    return finish(chart.properties(width=CELL_WIDTH * len(columns), height=CELL_HEIGHT * len(rows)))
