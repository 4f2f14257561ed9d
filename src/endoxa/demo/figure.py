"""The picture of the demonstration: a real model, and below it what was planted in simulated models and found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from endoxa.report.charts import BLUE, INK, MUTED, ORANGE, finish
from endoxa.report.document import Figure
from endoxa.stats.verdicts import CLEAR

MEASURED, SIMULATED = "The model", "Simulated models, whose preference was planted"
RAW, CALIBRATED, PLANTED = "found", "found, compared with other groups", "planted"
MEANINGS = {"neutral": "no stereotype", "frequency": "word frequency", "stereotyped": "stereotypes"}
FIGURE_COLUMNS = ("panel", "row", "what", "share", "low", "high", "claimed")


def figure_table(
    claims: pl.DataFrame,
    scale: pl.DataFrame,
    recovery: pl.DataFrame,
    models: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> pl.DataFrame:
    """What the figure shows: a row for each mark.

    Args:
        claims: `recovery.claims_table` of the simulated models.
        scale: `recovery.scale_table` of them.
        recovery: `recovery.recovery_table` of them.
        models: estimates by name of the model, and `RAW` or `CALIBRATED`; empty where none is measured.
    """
    rows: list[tuple[Any, ...]] = []

    def add(panel: str, row: str, what: str, estimate: Mapping[str, Any], value: str = "value") -> None:
        claimed = str(estimate["verdict"]) in CLEAR
        rows.append((panel, row, what, estimate[value], estimate["low"], estimate["high"], claimed))

    def plant(row: str, share: float) -> None:
        rows.append((SIMULATED, row, PLANTED, share, None, None, True))

    for name, estimates in models.items():
        for what, estimate in estimates.items():
            add(MEASURED, name, what, estimate)
    for name, meaning in MEANINGS.items():
        for row in recovery.filter(plant=name).iter_rows(named=True):
            plant(meaning, row["planted_calibrated"])
        for estimate in claims.filter(plant=name).iter_rows(named=True):
            add(SIMULATED, meaning, CALIBRATED if estimate["calibrated"] else RAW, estimate)
    for estimate in scale.iter_rows(named=True):
        plant(f"– {estimate['axis']}", estimate["planted"])
        add(SIMULATED, f"– {estimate['axis']}", RAW, estimate, "found")
    types = {"share": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    table = pl.DataFrame(rows, list(FIGURE_COLUMNS), schema_overrides=types, orient="row")
    return table.with_columns(pl.col("low", "high").fill_nan(None))


def planted_figure(marks: pl.DataFrame) -> Figure:
    """Planted and found shares, a row for each model or axis; the dashed line is an unbiased model.

    Args:
        marks: see `figure_table`.
    """
    panels = [
        _panel(marks.filter(panel=panel), str(panel)) for panel in marks["panel"].unique(maintain_order=True)
    ]
    texts = (
        f"{row['row']}, {row['what']}: {100 * row['share']:.1f} %" for row in marks.iter_rows(named=True)
    )
    chart = alt.vconcat(*panels, spacing=8).resolve_scale(color="shared", shape="shared")
    return Figure(
        "found",
        "Pairs in which the stereotypical sentence is preferred",
        finish(chart),
        "; ".join(texts) + ".",
        wide=True,
        rows=marks,
    )


MARKS = {RAW: (ORANGE, "triangle-up"), CALIBRATED: (BLUE, "circle"), PLANTED: (INK, "stroke")}
ROW_HEIGHT = 26


def _panel(rows: pl.DataFrame, title: str) -> alt.LayerChart | alt.FacetChart:
    names = rows["row"].unique(maintain_order=True).to_list()
    several = (pl.col("what") != PLANTED).sum().over("row") > 1
    side = pl.when(pl.col("what") == RAW).then(0.3).otherwise(0.7)
    rows = rows.with_columns(beside=pl.when(several).then(side).otherwise(0.5))
    x = alt.X(
        "share:Q",
        scale=alt.Scale(domain=[0, 1.02], nice=False),
        axis=alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title=None),
    )
    y = alt.Y("row:N", sort=names, title=None, axis=alt.Axis(labelLimit=200))
    kinds = alt.Scale(domain=list(MARKS), range=[color for color, _ in MARKS.values()])
    shapes = alt.Scale(domain=list(MARKS), range=[shape for _, shape in MARKS.values()])
    legend = alt.Legend(orient="top", symbolSize=60, labelLimit=200)
    offset = alt.YOffset("beside:Q", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(rows).encode(y=y, color=alt.Color("what:N", title=None, scale=kinds, legend=legend))
    estimates = base.transform_filter(f"datum.what != '{PLANTED}'").encode(yOffset=offset)
    shape = alt.Shape("what:N", scale=shapes, title=None, legend=legend)
    marks: dict[str, Any] = {"size": 55, "opacity": 1, "strokeWidth": 2}
    return alt.layer(
        alt.Chart(pl.DataFrame({"x": [0.5]})).mark_rule(strokeDash=[4, 3], color=MUTED).encode(x="x:Q"),
        estimates.mark_rule(strokeWidth=2, opacity=0.55).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.transform_filter(f"datum.what == '{PLANTED}'")
        .mark_point(size=700, opacity=1, strokeWidth=3, angle=90)
        .encode(x=x, shape=shape),
        estimates.transform_filter("datum.claimed").mark_point(filled=True, **marks).encode(x=x, shape=shape),
        estimates.transform_filter("!datum.claimed")
        .mark_point(fill="white", **marks)
        .encode(x=x, shape=shape),
    ).properties(width=290, height=ROW_HEIGHT * len(names), title=title)
