"""Stacked bars of outcomes: what became of all answers to questions of one kind."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.report.figures.style import INK, ORANGE, finish
from endoxa.report.qa.figures.bars import BAR, OFFSET, ROW, WIDTH, numbered, row_axis, row_labels
from endoxa.schema import NOT_KNOWN, OUTCOMES, SHOWN_OUTCOMES

COLUMNS = {
    "label": "what the bar is about, written above it",
    "outcome": "one of `SHOWN_OUTCOMES`",
    "share": "its share of the bar's answers",
}
"""Columns of the frame; bars are drawn in the order of their first rows."""

STEREOTYPED, ANTI, UNKNOWN, REFUSED, UNPARSED = OUTCOMES
COLORS = {
    STEREOTYPED: ORANGE,
    ANTI: "#a9cdec",
    NOT_KNOWN: "#d9c9a3",
    UNKNOWN: "#f4f6f8",
    REFUSED: "#8a939c",
    UNPARSED: INK,
}
"""From left to right dark and light take turns, so that prints without colour can be read."""

ON_DARK = (STEREOTYPED, UNPARSED)
LEAST_LABELLED = 0.08
"""Narrower parts have no room for their percentage."""


def outcome_bars(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """One bar of 100 % per label, its parts always in the same order, wide ones with their percentage.

    Args:
        frame: columns of `COLUMNS`.
    """
    present = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(frame["outcome"])]
    order = {outcome: place for place, outcome in enumerate(present)}
    rows = (
        numbered(frame, "label")
        .with_columns(place=pl.col("outcome").replace_strict(order, return_dtype=pl.Int64))
        .sort("row", "place")
        .with_columns(end=pl.col("share").cum_sum().over("row"))
        .with_columns(start=pl.col("end") - pl.col("share"))
        .with_columns(
            middle=(pl.col("start") + pl.col("end")) / 2,
            percent=pl.format("{} %", (100 * pl.col("share")).round(0).cast(pl.Int64)),
            on_dark=pl.col("outcome").is_in(ON_DARK),
        )
    )
    y = row_axis()
    scale = alt.Scale(domain=(0, 1), nice=False)
    axis = alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title="answers", grid=False)
    color = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=present, range=[COLORS[outcome] for outcome in present]),
        legend=alt.Legend(
            title=None, orient="bottom", columns=3, symbolType="square", symbolStrokeColor=INK, labelLimit=160
        ),
    )
    bars = (
        alt.Chart(rows)
        .mark_bar(height=BAR, stroke=INK, strokeWidth=0.6, yOffset=OFFSET)
        .encode(y=y, x=alt.X("start:Q", scale=scale, axis=axis), x2="end:Q", color=color)
    )
    shares = (
        alt.Chart(rows.filter(pl.col("share") >= LEAST_LABELLED))
        .mark_text(fontSize=10, yOffset=OFFSET)
        .encode(
            y=y,
            x=alt.X("middle:Q", scale=scale),
            text="percent:N",
            color=alt.condition("datum.on_dark", alt.value("white"), alt.value(INK)),
        )
    )
    height = ROW * max(1, rows["row"].n_unique())
    return finish(alt.layer(bars, shares, row_labels(rows, y)).properties(width=WIDTH, height=height))
