"""Figures of shared concepts; each is a tuple, empty where there is nothing to draw."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from endoxa.curate.pages import free_figure, series_rows
from endoxa.report.charts import (
    GRID,
    INK,
    MOST_ARCS,
    MUTED,
    ORANGE,
    Arc,
    chord_figure,
    finish,
    heat_map,
    series_colors,
)
from endoxa.report.document import Figure
from endoxa.report.figures import described
from endoxa.report.words import decimal, percent, percent_interval

WIDTH, HEIGHT = 420, 200
"""Of the plots over the threshold, in pixels."""
NAMED = {"sensitivity": "related pairs found", "specificity": "unrelated pairs kept apart"}


def unique_shares(shares: pl.DataFrame) -> Figure:
    """Share of unique concepts of each data set with its interval, the largest first."""
    ordered = shares.sort("share_unique", descending=True, maintain_order=True)
    spoken = (
        f"{row['dataset']} {percent(row['share_unique'])} ({percent_interval(row['low'], row['high'])})"
        for row in ordered.iter_rows(named=True)
    )
    return free_figure(
        series_rows(ordered, "dataset", pl.lit("share"), "share_unique", percent),
        ["share"],
        "concepts found in no other data set",
        (0.0, 1.0),
        name="unique",
        title="Unique concepts",
        alt=described("Share of unique concepts", spoken),
        rows=ordered,
    )


def chords(shares: pl.DataFrame, shared: pl.DataFrame) -> tuple[Figure, ...]:
    """Arcs of data sets and chords of shared concepts; nothing for more data sets than there are colours."""
    if not 2 <= shares.height <= MOST_ARCS or shared.is_empty():
        return ()
    by_source: dict[str, dict[str, int]] = {}
    for row in shared.iter_rows(named=True):
        by_source.setdefault(row["from_dataset"], {})[row["to_dataset"]] = int(row["n_shared"])
    arcs = [
        Arc(row["dataset"], int(row["n_concepts"]), int(row["n_unique"]), by_source[row["dataset"]])
        for row in shares.iter_rows(named=True)
    ]
    spoken = "; ".join(
        f"{int(row['n_shared'])} of {int(row['n_concepts'])} concepts of {row['from_dataset']} in {row['to_dataset']}"
        for row in shared.iter_rows(named=True)
    )
    chart = chord_figure(arcs, "concepts")
    return (Figure("chords", "Shared concepts", chart, f"Chords between data sets: {spoken}.", rows=shared),)


def shared_map(shares: pl.DataFrame, shared: pl.DataFrame) -> tuple[Figure, ...]:
    """Share of the concepts of each row that are found in each column."""
    if shared.is_empty():
        return ()
    frame = shared.select(row="from_dataset", column="to_dataset", value="share")
    names = shares["dataset"].to_list()
    title = "concepts of the row that are found in the column"
    chart = heat_map(frame, names, domain=(0.0, 1.0), title=title)
    spoken = "; ".join(
        f"{row['row']} in {row['column']} {percent(row['value'])}" for row in frame.iter_rows(named=True)
    )
    alternative = f"Share of concepts found in another data set: {spoken}."
    return (Figure("shared", "Share found in each other data set", chart, alternative, rows=shared),)


def share_curve(curve: pl.DataFrame, threshold: float) -> tuple[Figure, ...]:
    """The share of unique concepts over the threshold, a line for each data set."""
    if curve.is_empty():
        return ()
    parts = {name: part for (name,), part in curve.group_by("dataset", maintain_order=True)}
    spoken = (
        f"{name}: "
        + ", ".join(
            f"{percent(part.filter((pl.col('threshold') - at).abs() < 1e-9)['share_unique'][0], 0)} at {at:g}"
            for at in (0.5, 0.6, 0.7, 0.8, 0.9)
        )
        for name, part in parts.items()
    )
    chart = _over_threshold(
        curve.select("threshold", line="dataset", value="share_unique"),
        list(parts),
        "unique concepts",
        threshold,
        f"used: {decimal(threshold, 2)}",
    )
    return (
        Figure(
            "curve",
            "Unique concepts at other thresholds",
            chart,
            described("Share of unique concepts over the threshold", spoken),
            wide=True,
            rows=curve,
        ),
    )


def cut_curve(cuts: pl.DataFrame, threshold: float) -> tuple[Figure, ...]:
    """Sensitivity and specificity of labelled pairs over the threshold; their sum is largest at the cut."""
    if cuts.is_empty():
        return ()
    lines = cuts.unpivot(list(NAMED), index="threshold", variable_name="line")
    best = cuts.row(int(cuts["youden_j"].to_numpy().argmax()), named=True)
    alternative = (
        f"Sensitivity and specificity over the threshold. At {decimal(threshold, 3)}: "
        f"{percent(best['sensitivity'])} of the related pairs found, {percent(best['specificity'])} of the unrelated "
        "pairs kept apart."
    )
    chart = _over_threshold(
        lines.with_columns(pl.col("line").replace(NAMED)),
        list(NAMED.values()),
        "labelled pairs",
        threshold,
        f"chosen: {decimal(threshold, 3)}",
        interpolate="step-before",
    )
    return (Figure("cuts", "Labelled pairs at every threshold", chart, alternative, wide=True, rows=cuts),)


def _over_threshold(
    frame: pl.DataFrame, names: list[str], title: str, threshold: float, text: str, **line: Any
) -> alt.TopLevelMixin:
    """Shares over the threshold, a line for each name; a dashed line at the threshold says what it is."""
    x = alt.X(
        "threshold:Q",
        title="threshold (least cosine)",
        scale=alt.Scale(domain=(0, 1), nice=False, clamp=True),
        axis=alt.Axis(grid=False, tickCount=10, ticks=True, tickColor=GRID),
    )
    y = alt.Y(
        "value:Q", title=title, scale=alt.Scale(domain=(0, 1)), axis=alt.Axis(format=".0%", tickCount=5)
    )
    color = alt.Color(
        "line:N",
        title=None,
        scale=alt.Scale(domain=names, range=list(series_colors(names).values())),
        legend=alt.Legend(
            orient="bottom", columns=1, labelLimit=360, symbolType="stroke", symbolStrokeWidth=3
        ),
    )
    at = alt.Chart(pl.DataFrame({"threshold": [threshold], "text": [text]}))
    align: Any = {"align": "right", "dx": -4} if threshold > 0.8 else {"align": "left", "dx": 4}
    layers = (
        at.mark_rule(strokeDash=[4, 3], color=ORANGE if "chosen" in text else MUTED).encode(x="threshold:Q"),
        at.mark_text(dy=-4, baseline="bottom", color=INK, fontSize=11, **align).encode(
            x="threshold:Q", y=alt.value(0), text="text:N"
        ),
        alt.Chart(frame).mark_line(strokeWidth=2, **line).encode(x=x, y=y, color=color),
    )
    return finish(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))
