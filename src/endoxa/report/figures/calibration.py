"""Raw against identity-calibrated preference, and the differences behind them."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from endoxa.report.figures.intervals import DOT_HEIGHT, LINE_HEIGHT, PLOT_WIDTH
from endoxa.report.figures.style import BLUE, MUTED, ORANGE, finish

DUMBBELL_COLUMNS = {
    "label": "model and rule, written above the row",
    "raw": "share of pairs in which the stereotypical sentence is preferred",
    "calibrated": "the same after subtracting the difference with neutral identities",
    "note": "the numbers, written to the right",
}
SCATTER_COLUMNS = {
    "neutral": "difference of the pair with neutral identities",
    "raw": "difference of the pair as published",
}

BINS = 22
SIDE = 250


def dumbbell(frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float]) -> alt.TopLevelMixin:
    """A hollow square for the raw preference joined to a filled dot for the calibrated one."""
    row_height = DOT_HEIGHT + LINE_HEIGHT
    offset = row_height / 2 - DOT_HEIGHT / 2
    rows = frame.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64), neutral=pl.lit(neutral))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    axis = alt.Axis(
        format=".0%",
        tickCount=5,
        grid=False,
        ticks=True,
        tickColor=MUTED,
        title="pairs with the stereotypical sentence preferred",
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    base = alt.Chart(rows).encode(y=y)
    chart = alt.layer(
        base.mark_tick(orient="vertical", size=22, thickness=1.5, color=MUTED, yOffset=offset).encode(
            x=x("neutral")
        ),
        base.mark_rule(strokeWidth=2, color=MUTED, yOffset=offset).encode(x=x("raw"), x2="calibrated:Q"),
        base.mark_point(
            shape="square", size=60, strokeWidth=2, color=ORANGE, fill="white", opacity=1, yOffset=offset
        ).encode(x=x("raw")),
        base.mark_point(size=60, color=BLUE, fill=BLUE, opacity=1, yOffset=offset).encode(x=x("calibrated")),
        base.mark_text(align="left", baseline="top", dy=4 - row_height / 2, fontWeight="bold").encode(
            x=alt.value(0), text="label:N"
        ),
        base.mark_text(align="left", baseline="middle", yOffset=offset).encode(
            x=alt.value(PLOT_WIDTH + 10), text="note:N"
        ),
    )
    return finish(chart.properties(width=PLOT_WIDTH, height=row_height * max(1, rows.height)))


def scatter(frame: pl.DataFrame, *, reach: float, unit: str) -> alt.TopLevelMixin:
    """Pairs by their difference with neutral identities (across) and as published (up), in square bins.

    Args:
        frame: columns of `SCATTER_COLUMNS`, one row per pair.
        reach: both axes run from -reach to reach; pairs outside are drawn at the edge.
        unit: unit of the differences.
    """
    edges = np.linspace(-reach, reach, BINS + 1)
    counts, _, _ = np.histogram2d(
        frame["neutral"].to_numpy().clip(-reach, reach),
        frame["raw"].to_numpy().clip(-reach, reach),
        bins=(edges, edges),
    )
    centres = (edges[:-1] + edges[1:]) / 2
    across, up = np.nonzero(counts)
    bins = pl.DataFrame({"neutral": centres[across], "raw": centres[up], "pairs": counts[across, up]})
    scale = alt.Scale(domain=(-reach, reach), nice=False)
    x = alt.X(
        "neutral:Q",
        scale=scale,
        axis=alt.Axis(title=f"with neutral identities ({unit})", tickCount=5, grid=False),
    )
    y = alt.Y("raw:Q", scale=scale, axis=alt.Axis(title=f"as published ({unit})", tickCount=5, grid=False))
    diagonal = pl.DataFrame({"neutral": [-reach, reach], "raw": [-reach, reach]})
    zero = pl.DataFrame({"zero": [0.0]})
    chart = alt.layer(
        alt.Chart(zero).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(y=alt.Y("zero:Q", scale=scale)),
        alt.Chart(zero).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.X("zero:Q", scale=scale)),
        alt.Chart(diagonal).mark_line(color=ORANGE, strokeWidth=1.4).encode(x=x, y=y),
        alt.Chart(bins)
        .mark_circle(color=BLUE, opacity=0.8)
        .encode(
            x=x,
            y=y,
            size=alt.Size(
                "pairs:Q",
                scale=alt.Scale(domain=[0, float(counts.max())], range=[0, (SIDE / BINS) ** 2]),
                legend=None,
            ),
        ),
    )
    return finish(chart.properties(width=SIDE, height=SIDE))
