"""The scatter matrix: every two instruments over the associations of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from endoxa.page.charts import BLUE, INK, MUTED, ORANGE, either, finish, neutral_line, pointed, symmetric_domain
from endoxa.page.document import Figure
from endoxa.page.words import count, signed, slug
from endoxa.stats.verdicts import ABOVE, BELOW
from endoxa.study.convergence.words import ends, number, tool

CELL = 128
"""Side of a cell in pixels."""
MOST_POINTS = 400
"""Associations drawn in a cell, evenly over the alphabet of their ids."""
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
    own = effects.filter(model=model).drop_nulls("effect")
    tools = own["instrument"].unique(maintain_order=True).to_list()
    if len(tools) < 2:
        return None
    pairs = {
        (row["instrument_1"], row["instrument_2"]): row
        for row in correlations.filter(model=model).iter_rows(named=True)
    }
    known = {row["instrument"]: row for row in reliabilities.filter(model=model).iter_rows(named=True)}
    reach = symmetric_domain(own["effect"].to_list(), 0.0, 1.0, 0.5)
    rows = [_row(k, tools, own, known, pairs, reach) for k in range(len(tools))]
    chart = finish(alt.vconcat(*rows, spacing=6))
    drawn = min(own["association_id"].n_unique(), MOST_POINTS)
    every = own["association_id"].n_unique()
    part = "" if drawn == every else f", {count(drawn)} of {count(every)} associations drawn"
    return Figure(
        name=f"convergence-{slug(label)}",
        title=f"{label}: effects of every association under every two instruments{part}",
        chart=chart,
        alt=_spoken(label, tools, pairs),
        wide=True,
        rows=own.select("model", "association_id", "identity", "instrument", "effect", "low", "high", "verdict"),
    )


def _row(
    k: int,
    tools: Sequence[str],
    own: pl.DataFrame,
    known: Mapping[str, Mapping[str, Any]],
    pairs: Pairs,
    reach: tuple[float, float],
) -> alt.HConcatChart:
    cells: list[alt.TopLevelMixin] = []
    for column, name in enumerate(tools):
        if column == k:
            told = known[name]["reliability"]
            texts = [tool(name), "reliability", number(told)]
            cells.append(_texts(texts, bold=0))
        elif column < k:
            cells.append(
                _cloud(own, name, tools[k], reach, left=column == 0, bottom=k == len(tools) - 1)
            )
        else:
            row = pairs[tools[k], name]
            told = row["corrected"]
            interval = ends(row["low"], row["high"], row["verdict"]) if row["low"] is not None else ""
            texts = [number(told), interval, f"raw {number(row['raw'])}"]
            cells.append(_texts(texts, bold=0, strong=row["verdict"] in (ABOVE, BELOW)))
    return alt.hconcat(*cells, spacing=6)


def _texts(texts: Sequence[str], *, bold: int, strong: bool = True) -> alt.TopLevelMixin:
    """Lines of text in the middle of a cell, one of them larger."""
    layers = []
    for place, text in enumerate(texts):
        layers.append(
            alt.Chart(pl.DataFrame({"text": [text]}))
            .mark_text(
                fontSize=15 if place == bold else 11,
                fontWeight="bold" if place == bold and strong else "normal",
                color=INK if place == bold else MUTED,
                dy=(place - (len(texts) - 1) / 2) * 18,
            )
            .encode(text=alt.Text("text:N"))
        )
    made: alt.TopLevelMixin = alt.layer(*layers).properties(width=CELL, height=CELL)
    return made


def points(own: pl.DataFrame, across: str, up: str) -> pl.DataFrame:
    """The associations that both instruments measured: columns of `FIGURE_COLUMNS` and `tip`."""
    x, y = (
        own.filter(instrument=name).select("association_id", pl.col("effect").alias(axis), pl.col("verdict").alias(f"v{axis}"))
        for name, axis in ((across, "x"), (up, "y"))
    )
    both = x.join(y, on="association_id").sort("association_id")
    if len(both) > MOST_POINTS:
        both = both.gather([round(k * (len(both) - 1) / (MOST_POINTS - 1)) for k in range(MOST_POINTS)])
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
        for row in both.iter_rows(named=True)
    ]
    return both.select("association_id", "x", "y", kind.alias("kind")).with_columns(
        tip=pl.Series(tips, dtype=pl.String)
    )


def _cloud(
    own: pl.DataFrame, across: str, up: str, reach: tuple[float, float], *, left: bool, bottom: bool
) -> alt.TopLevelMixin:
    frame = points(own, across, up)

    def axis(name: str, *, shown: bool) -> alt.Axis:
        return alt.Axis(
            title=tool(name) if shown else None, labels=shown, tickCount=3, grid=True, format="+.1~f"
        )

    scale = alt.Scale(domain=reach, nice=False)
    x = alt.X("x:Q", scale=scale, axis=axis(across, shown=bottom))
    y = alt.Y("y:Q", scale=scale, axis=axis(up, shown=left))
    marks = pointed(
        alt.Chart(frame).mark_point(size=22, strokeWidth=1.2, opacity=0.75), frame
    ).encode(
        x=x,
        y=y,
        color=either(alt.ColorValue, "datum.kind == 'against'", ORANGE, BLUE),
        fill=either(
            alt.FillValue, "datum.kind == 'other'", "transparent", BLUE
        ),
    )
    lines = [
        neutral_line().encode(x=alt.X("neutral:Q", scale=scale)),
        neutral_line().encode(y=alt.Y("neutral:Q", scale=scale)),
    ]
    made: alt.TopLevelMixin = alt.layer(*lines, marks).properties(width=CELL, height=CELL)
    return made


def _spoken(label: str, tools: Sequence[str], pairs: Pairs) -> str:
    said = "; ".join(
        f"{tool(one)} and {tool(two)}: corrected {number(row['corrected'])}, raw {number(row['raw'])}"
        for (one, two), row in pairs.items()
        if one in tools and two in tools
    )
    return f"Scatter matrix of effects, {label}, one point for each association. Correlations: {said}."
