"""The scatter matrix: every two instruments over the associations of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from endoxa.report.charts import (
    BLUE,
    INK,
    MUTED,
    ORANGE,
    either,
    finish,
    neutral_line,
    pointed,
    symmetric_domain,
)
from endoxa.report.document import Figure
from endoxa.report.words import count, signed, slug
from endoxa.stats.verdicts import ABOVE, BELOW
from endoxa.study.convergence.correlations import ends, number, tool

CELL = 128
"""Side of a cell in pixels."""
MOST_POINTS, FEWEST_POINTS = 400, 60
"""Associations drawn in a cell, evenly over the alphabet of their ids."""
MOST_MARKS = 6000
"""Points of all matrices of a page, as far as `FEWEST_POINTS` allows: a browser has to hold them."""
FIGURE_COLUMNS = {
    "association_id": "the association",
    "x": "effect under the instrument of the column",
    "y": "effect under the instrument of the row",
    "kind": "'both' where both claim one direction, 'against' where they contradict, else 'other'",
}
"""Columns of the points of a cell."""

Pairs = Mapping[tuple[str, str], Mapping[str, Any]]


def scatter_matrix(
    model: str, label: str, effects: pl.DataFrame, reliabilities: pl.DataFrame, correlations: pl.DataFrame
) -> Figure | None:
    """Points below the diagonal, corrected correlations above it; None with fewer than two instruments.

    Args:
        model: the model.
        label: how it is called in the figure.
        effects: `schema.convergence.EFFECT_COLUMNS`.
        reliabilities: `RELIABILITY_COLUMNS`.
        correlations: `CORRELATION_COLUMNS`.
    """
    of_model = effects.filter(model=model).drop_nulls("effect")
    tools = of_model["instrument"].unique(maintain_order=True).to_list()
    if len(tools) < 2:
        return None
    pairs = {
        (row["instrument_1"], row["instrument_2"]): row
        for row in correlations.filter(model=model).iter_rows(named=True)
    }
    by_instrument = {
        row["instrument"]: row for row in reliabilities.filter(model=model).iter_rows(named=True)
    }
    most = MOST_MARKS // max(1, len(correlations))
    most = max(FEWEST_POINTS, min(MOST_POINTS, most))
    reach = symmetric_domain(of_model["effect"].to_list(), 0.0, 1.0, 0.5)
    matrix = _Matrix(tools, of_model, by_instrument, pairs, reach, most)
    rows = [matrix.row(k) for k in range(len(tools))]
    chart = finish(alt.vconcat(*rows, spacing=6))
    every = of_model["association_id"].n_unique()
    drawn = min(every, most)
    part = "" if drawn == every else f", {count(drawn)} of {count(every)} associations drawn"
    return Figure(
        name=f"convergence-{slug(label)}",
        title=f"{label}: effects by instrument{part}",
        chart=chart,
        alt=_spoken(label, tools, pairs),
        wide=True,
        rows=of_model.select(
            "model", "association_id", "identity", "instrument", "effect", "low", "high", "verdict"
        ),
    )


@dataclass(frozen=True, slots=True)
class _Matrix:
    """What the cells of a matrix are drawn from.

    Attributes:
        tools: instruments in order.
        effects: effects of the model.
        reliabilities: row of reliabilities by instrument.
        pairs: row of correlations by two instruments.
        reach: range of the axes.
        most: associations drawn in a cell.
    """

    tools: Sequence[str]
    effects: pl.DataFrame
    reliabilities: Mapping[str, Mapping[str, Any]]
    pairs: Pairs
    reach: tuple[float, float]
    most: int

    def row(self, k: int) -> alt.HConcatChart:
        """The cells of one row of the matrix."""
        return alt.hconcat(*(self.cell(k, column) for column in range(len(self.tools))), spacing=6)

    def cell(self, k: int, column: int) -> alt.LayerChart:
        """Points below the diagonal, texts on it and above."""
        name, other = self.tools[column], self.tools[k]
        if column == k:
            return _texts([tool(name), "reliability", number(self.reliabilities[name]["reliability"])])
        if column < k:
            ends_here = k == len(self.tools) - 1
            return _cloud(
                points(self.effects, name, other, self.most),
                (name, other),
                self.reach,
                (column == 0, ends_here),
            )
        row = self.pairs[other, name]
        interval = "" if row["corrected"] is None else "no interval"
        if row["low"] is not None:
            interval = ends(row["low"], row["high"], row["verdict"])
        texts = [number(row["corrected"]), interval, f"raw {number(row['raw'])}"]
        return _texts(texts, strong=row["verdict"] in (ABOVE, BELOW))


def _texts(texts: Sequence[str], *, strong: bool = True) -> alt.LayerChart:
    """Lines of text in the middle of a cell, the first one larger."""
    layers = []
    for place, text in enumerate(texts):
        layers.append(
            alt.Chart(pl.DataFrame({"text": [text]}))
            .mark_text(
                fontSize=11 if place else 14,
                fontWeight="bold" if not place and strong else "normal",
                color=MUTED if place else INK,
                dy=(place - (len(texts) - 1) / 2) * 18,
            )
            .encode(text=alt.Text("text:N"))
        )
    return _sized(layers)


def _sized(layers: Sequence[alt.Chart]) -> alt.LayerChart:
    return alt.LayerChart(layer=list(layers), width=CELL, height=CELL)


def points(of_model: pl.DataFrame, across: str, up: str, most: int = MOST_POINTS) -> pl.DataFrame:
    """The associations that both instruments measured: columns of `FIGURE_COLUMNS` and `tip`."""
    x, y = (
        of_model.filter(instrument=name).select(
            "association_id", pl.col("effect").alias(axis), pl.col("verdict").alias(f"v{axis}")
        )
        for name, axis in ((across, "x"), (up, "y"))
    )
    joined = x.join(y, on="association_id").sort("association_id")
    if len(joined) > most:
        joined = joined.gather([round(k * (len(joined) - 1) / (most - 1)) for k in range(most)])
    claims = pl.col("vx").is_in([ABOVE, BELOW]) & pl.col("vy").is_in([ABOVE, BELOW])
    kind = (
        pl.when(claims & (pl.col("vx") == pl.col("vy")))
        .then(pl.lit("both"))
        .when(claims)
        .then(pl.lit("against"))
        .otherwise(pl.lit("other"))
    )
    tips = [
        f"{row['association_id']}: {tool(across)} {signed(row['x'], 2)}, {tool(up)} {signed(row['y'], 2)}"
        for row in joined.iter_rows(named=True)
    ]
    return joined.select("association_id", "x", "y", kind.alias("kind")).with_columns(
        tip=pl.Series(tips, dtype=pl.String)
    )


def _cloud(
    frame: pl.DataFrame, names: tuple[str, str], reach: tuple[float, float], labelled: tuple[bool, bool]
) -> alt.LayerChart:
    """The points of one cell; `labelled` says whether the axes at the left and at the bottom are written."""
    across, up = names
    left, bottom = labelled

    def axis(name: str, *, shown: bool) -> alt.Axis:
        return alt.Axis(
            title=tool(name) if shown else None, labels=shown, tickCount=3, grid=True, format="~f"
        )

    scale = alt.Scale(domain=reach, nice=False)
    x = alt.X("x:Q", scale=scale, axis=axis(across, shown=bottom))
    y = alt.Y("y:Q", scale=scale, axis=axis(up, shown=left))
    marks = pointed(alt.Chart(frame).mark_point(size=22, strokeWidth=1.2, opacity=0.75), frame).encode(
        x=x,
        y=y,
        stroke=either(alt.StrokeValue, "datum.kind == 'against'", ORANGE, BLUE),
        fill=alt.FillValue(
            "transparent",
            condition=[
                {"test": "datum.kind == 'both'", "value": BLUE},
                {"test": "datum.kind == 'against'", "value": ORANGE},
            ],
        ),
    )
    lines = [
        neutral_line().encode(x=alt.X("neutral:Q", scale=scale)),
        neutral_line().encode(y=alt.Y("neutral:Q", scale=scale)),
    ]
    return _sized([*lines, marks])


def _spoken(label: str, tools: Sequence[str], pairs: Pairs) -> str:
    sentences = "; ".join(
        f"{tool(first)} and {tool(two)}: corrected {number(row['corrected'])}, raw {number(row['raw'])}"
        for (first, two), row in pairs.items()
        if first in tools and two in tools
    )
    return f"Scatter matrix of effects, {label}, one point for each association. Correlations: {sentences}."
