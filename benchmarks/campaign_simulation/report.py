"""Tables and figures of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from campaign_simulation.measures import (
    MOST,
    CellResults,
    Interval,
    by_cell,
    summary_table,
)
from endoxa.sources.spreadsheets import neutralised_table

OURS = "endoxa"
_INK, MUTED, _LINE, ACCENT = "#141716", "#57606a", "#9fb3b1", "#0F5E5A"
_PNG_SCALE = 2

_COMPARED = {
    "valid": "unique valid pairs",
    "complete": "of them with k ratings",
    "tail": "of them beyond rank 50",
    "reached": "share of pairs with k ratings",
    "over": "share of ratings beyond k",
    "near": "share of ratings by near people",
}
_PER_THOUSAND = ("valid", "complete", "tail")


@dataclass(frozen=True)
class Figure:
    """A chart with its file name, its caption, and (`spoken`) what it shows for those who cannot see it."""

    name: str
    caption: str
    spoken: str
    chart: alt.TopLevelMixin


def figures(main: CellResults) -> list[Figure]:
    """The figures of a comparison."""
    charts = []
    for measure, title in _COMPARED.items():
        rows = [{"arm": arm, **interval_row(main.mean(arm, measure))} for arm in main.arms]
        unit = "per 1,000 person-minutes" if measure in _PER_THOUSAND else "share"
        axis = alt.Axis(title=unit, tickCount=4, format=",.0f" if measure in _PER_THOUSAND else ".0%")
        charts.append(points(pl.DataFrame(rows), main.arms, axis, title, None))
    chart = alt.concat(*charts, columns=3, spacing=18)
    caption = f"Arms compared in the main world: means over {main.seeds} seeds with 95 % intervals."
    spoken = "; ".join(f"{arm}: {main.mean(arm, 'valid').value:.0f} unique pairs" for arm in main.arms)
    shares = [
        {
            "arm": arm,
            "ratings": f"{n}+" if n == MOST else str(n),
            "share": main.mean(arm, f"rated_{n}").value,
        }
        for arm in main.arms
        for n in range(MOST + 1)
    ]
    names = [*map(str, range(MOST)), f"{MOST}+"]
    bars = (
        alt.Chart(pl.DataFrame(shares))
        .mark_bar()
        .encode(
            x=alt.X("ratings:N", sort=names, title="ratings", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="share of pairs", axis=alt.Axis(format=".0%", tickCount=3)),
            color=alt.condition(alt.datum.arm == OURS, alt.value(ACCENT), alt.value(_LINE)),
            facet=alt.Facet("arm:N", columns=3, sort=main.arms, title=None),
        )
        .properties(width=190, height=90)
    )
    none = {arm: main.mean(arm, "rated_0").value for arm in main.arms}
    described = "Share of pairs without any rating: " + ", ".join(f"{arm} {v:.0%}" for arm, v in none.items())
    ratings = Figure(
        "ratings", "How many ratings pairs end with, in the main world.", f"{described}.", finished(bars)
    )
    return [Figure("arms", caption, f"{spoken}, per 1,000 person-minutes.", finished(chart)), ratings]


def save(figure: Figure, folder: Path) -> None:
    """Write NAME.svg and NAME.png."""
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(figure.chart.to_dict()))
    (folder / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
    (folder / f"{figure.name}.png").write_bytes(vl_convert.svg_to_png(svg, scale=_PNG_SCALE))


def points(
    frame: pl.DataFrame,
    order: list[str],
    axis: alt.Axis,
    title: str,
    neutral: float | None,
    *,
    labels: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Points with their intervals, an arm a line; `neutral` draws the value at which arms do not differ."""
    frame = frame.fill_nan(None).drop_nulls()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labels=labels, labelLimit=260))
    scale = alt.Scale(zero=neutral is None, nice=True)
    x = alt.X("value:Q", axis=axis, scale=scale)
    ours = alt.condition(alt.datum.arm == OURS, alt.value(ACCENT), alt.value(MUTED))
    base = alt.Chart(frame)
    layers = [
        base.mark_rule(strokeWidth=3, color=_LINE).encode(
            y=y, x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
        ),
        base.mark_point(filled=True, size=50, opacity=1).encode(y=y, x=x, color=ours),
    ]
    if neutral is not None:
        line = alt.Chart(pl.DataFrame({"neutral": [neutral]}))
        layers.insert(0, line.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x="neutral:Q"))
    return alt.layer(*layers).properties(width=150, height=18 * max(1, len(order)), title=title)


def interval_row(interval: Interval) -> dict[str, float]:
    """A row of data for `points`."""
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def finished(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """A chart in the style of the page."""
    styled: alt.TopLevelMixin = chart.configure(
        font="Liberation Sans, Arial, Helvetica, sans-serif",
        background="white",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=_INK,
            titleColor=MUTED,
            gridColor="#e6e8eb",
            domain=False,
            ticks=False,
            labelFlush=False,
            labelPadding=7,
            titleFontWeight="normal",
        ),
        title=alt.TitleConfig(color=_INK, fontSize=12, anchor="start"),
        header=alt.HeaderConfig(labelColor=_INK, labelFontWeight="bold"),
    )
    return styled


HEADS = {
    "valid": "unique valid pairs",
    "complete": "with k ratings",
    "tail": "beyond rank 50",
    "reached": "pairs with k ratings",
    "over": "ratings beyond k",
    "surplus": "not asked for",
    "near": "ratings by near people",
    "near_present": "where there are any",
    "candidates": "candidates",
    "gini": "Gini",
    "duplicates": "duplicates",
    "minutes": "person-minutes",
}
_COUNTS = ("valid", "complete", "tail", "minutes")
_PLAIN = ("gini",)


def write_tables(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write `results.csv`, `results.parquet` and `summary.csv`."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.write_parquet(folder / "results.parquet")
    neutralised_table(frame).write_csv(folder / "results.csv")
    neutralised_table(summary_table(by_cell(rows))).write_csv(folder / "summary.csv")


def table(cell: CellResults) -> list[tuple[str, list[str]]]:
    """The measures of each arm as a page shows them, in the order of `HEADS`."""
    return [(arm, [_shown(name, cell.mean(arm, name)) for name in HEADS]) for arm in cell.arms]


def _shown(name: str, interval: Interval) -> str:
    form = ",.0f" if name in _COUNTS else ".2f" if name in _PLAIN else ".1%"
    return f"{interval.value:{form}} [{interval.low:{form}}, {interval.high:{form}}]"
