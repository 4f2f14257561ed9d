"""Many points by two values, in square bins."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from endoxa.report.charts.dots import neutral_line
from endoxa.report.charts.style import BLUE, ORANGE, finish

SCATTER_COLUMNS = {"x": "value across", "y": "value up"}

BINS = 22
SIDE = 250


def binned_scatter(frame: pl.DataFrame, *, reach: float, across: str, up: str) -> alt.TopLevelMixin:
    """Points in square bins, whose dots are as large as the number in them, with the line on which both values agree.

    Args:
        frame: columns of `SCATTER_COLUMNS`, one row per point.
        reach: both axes run from -reach to reach; points outside are drawn at the edge.
        across: title of the horizontal axis, with the unit.
        up: title of the vertical axis.
    """
    edges = np.linspace(-reach, reach, BINS + 1)
    counts, _, _ = np.histogram2d(
        frame["x"].to_numpy().clip(-reach, reach),
        frame["y"].to_numpy().clip(-reach, reach),
        bins=(edges, edges),
    )
    centres = (edges[:-1] + edges[1:]) / 2
    columns, rows = np.nonzero(counts)
    bins = pl.DataFrame({"neutral": centres[columns], "raw": centres[rows], "pairs": counts[columns, rows]})
    scale = alt.Scale(domain=(-reach, reach), nice=False)
    x = alt.X(
        "neutral:Q",
        scale=scale,
        axis=alt.Axis(title=across, tickCount=5, grid=False),
    )
    y = alt.Y("raw:Q", scale=scale, axis=alt.Axis(title=up, tickCount=5, grid=False))
    diagonal = pl.DataFrame({"neutral": [-reach, reach], "raw": [-reach, reach]})
    chart = alt.layer(
        neutral_line().encode(y=alt.Y("neutral:Q", scale=scale)),
        neutral_line().encode(x=alt.X("neutral:Q", scale=scale)),
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
