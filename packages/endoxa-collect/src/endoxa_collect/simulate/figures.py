"""Four figures of a comparison: arms, grid, ratings per pair, and the effect of weights on mean ratings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl

from endoxa.schema.characters import xml_texts
from endoxa_collect.simulate.measures import MOST, CellResults, Interval
from endoxa_collect.simulate.settings import MAIN, GridCell

OURS = "endoxa"
_INK, _MUTED, _LINE, _ACCENT, _ORANGE = "#141716", "#57606a", "#9fb3b1", "#0F5E5A", "#b3500b"
_PNG_SCALE = 2

_COMPARED = {
    "valid": "unique valid pairs",
    "complete": "of them with k ratings",
    "tail": "of them beyond rank 50",
    "reached": "share of pairs with k ratings",
    "over": "share of ratings beyond k",
    "near": "share of ratings by near people",
}
_RIVALS = ("static-tuned", "static-proximity", "static-ticks", "laces-lease")
"""Arms that the grid is drawn for: the best of each kind."""

_PER_THOUSAND = ("valid", "complete", "tail")


@dataclass(frozen=True)
class Figure:
    """A chart with its file name, its caption, and (`spoken`) what it shows for those who cannot see it."""

    name: str
    caption: str
    spoken: str
    chart: alt.TopLevelMixin


def figures(cells: dict[str, CellResults], grid: list[GridCell]) -> list[Figure]:
    """The figures for which there are results."""
    main = cells[MAIN]
    made = [_arms(main), _ratings(main), _weighting(main)]
    others = [arm for arm in main.arms if arm in _RIVALS]
    if len(cells) > 1 and OURS in main.arms and others:
        made.insert(1, _grid(cells, grid, others))
    return made


def save(figure: Figure, folder: Path) -> str:
    """Write NAME.svg and NAME.png; gives the SVG."""
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(xml_texts(figure.chart.to_dict())))
    (folder / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
    (folder / f"{figure.name}.png").write_bytes(vl_convert.svg_to_png(svg, scale=_PNG_SCALE))
    return svg


def _arms(main: CellResults) -> Figure:
    charts = []
    for measure, title in _COMPARED.items():
        rows = [{"arm": arm, **_row(main.mean(arm, measure))} for arm in main.arms]
        unit = "per 1,000 person-minutes" if measure in _PER_THOUSAND else "share"
        axis = alt.Axis(title=unit, tickCount=4, format=",.0f" if measure in _PER_THOUSAND else ".0%")
        charts.append(_points(pl.DataFrame(rows), main.arms, axis, title, None))
    chart = alt.concat(*charts, columns=3, spacing=18)
    caption = f"Arms compared in the main world: means over {main.seeds} seeds with 95 % intervals."
    spoken = "; ".join(f"{arm}: {main.mean(arm, 'valid').value:.0f} unique pairs" for arm in main.arms)
    return Figure("arms", caption, f"{spoken}, per 1,000 person-minutes.", _finish(chart))


def _grid(cells: dict[str, CellResults], grid: list[GridCell], others: list[str]) -> Figure:
    order = [cell.text for cell in grid if cell.name in cells]
    charts = []
    for other in others:
        rows = [
            {"cell": cell.text, **_row(cells[cell.name].ratio(OURS, other, "complete"))}
            for cell in grid
            if cell.name in cells and other in cells[cell.name].arms
        ]
        frame = pl.DataFrame(rows).rename({"cell": "arm"})
        axis = alt.Axis(title="ratio", tickCount=4)
        charts.append(_points(frame, order, axis, f"ours / {other}", 1.0, labels=other == others[0]))
    caption = (
        "Pairs with k ratings per 1,000 person-minutes, ours over each other arm, in every world of the grid."
    )
    worst = min(cells[name].ratio(OURS, others[0], "complete").value for name in cells)
    spoken = f"The smallest ratio to {others[0]} over the grid is {worst:.2f}."
    return Figure("grid", caption, spoken, _finish(alt.hconcat(*charts, spacing=14)))


def _ratings(main: CellResults) -> Figure:
    rows = [
        {
            "arm": arm,
            "ratings": f"{n}+" if n == MOST else str(n),
            "share": main.mean(arm, f"rated_{n}").value,
        }
        for arm in main.arms
        for n in range(MOST + 1)
    ]
    names = [*map(str, range(MOST)), f"{MOST}+"]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar()
        .encode(
            x=alt.X("ratings:N", sort=names, title="ratings", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="share of pairs", axis=alt.Axis(format=".0%", tickCount=3)),
            color=alt.condition(alt.datum.arm == OURS, alt.value(_ACCENT), alt.value(_LINE)),
            facet=alt.Facet("arm:N", columns=3, sort=main.arms, title=None),
        )
        .properties(width=190, height=90)
    )
    none = {arm: main.mean(arm, "rated_0").value for arm in main.arms}
    spoken = "Share of pairs without any rating: " + ", ".join(f"{arm} {v:.0%}" for arm, v in none.items())
    return Figure(
        "ratings", "How many ratings pairs end with, in the main world.", f"{spoken}.", _finish(chart)
    )


def _weighting(main: CellResults) -> Figure:
    names = {
        "raw_error": "as given",
        "weighted_error": "by 1 / propensity",
        "population_error": "by post-stratification",
    }
    rows = [
        {"arm": arm, "mean": text, **_row(main.mean(arm, measure))}
        for arm in main.arms
        for measure, text in names.items()
    ]
    frame = pl.DataFrame(rows)
    y = alt.Y("arm:N", sort=main.arms, title=None)
    shift = alt.YOffset("mean:N", sort=list(names.values()))
    base = alt.Chart(frame.fill_nan(None).drop_nulls())
    shape = alt.Shape(
        "mean:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=["circle", "triangle", "diamond"]),
    )
    colour = alt.Color(
        "mean:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=[_MUTED, _ORANGE, _ACCENT]),
    )
    zero = (
        alt.Chart(pl.DataFrame({"zero": [0.0]})).mark_rule(color=_MUTED, strokeDash=[4, 3]).encode(x="zero:Q")
    )
    x = alt.X("value:Q", title="mean rating less true mean")
    chart = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2).encode(y=y, yOffset=shift, x="low:Q", x2="high:Q", color=colour),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=y, yOffset=shift, x=x, color=colour, shape=shape
        ),
    ).properties(width=380, height=26 * len(main.arms))
    caption = (
        "How far the mean rating is from what all people would give to all pairs, with and without weights."
    )
    spoken = "; ".join(
        f"{arm}: {main.mean(arm, 'raw_error').value:+.2f} as given, "
        f"{main.mean(arm, 'weighted_error').value:+.2f} by 1 / propensity, "
        f"{main.mean(arm, 'population_error').value:+.2f} by post-stratification"
        for arm in main.arms
    )
    return Figure("weighting", caption, f"{spoken}.", _finish(chart))


def _points(
    frame: pl.DataFrame,
    order: list[str],
    axis: alt.Axis,
    title: str,
    neutral: float | None,
    *,
    labels: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    frame = frame.fill_nan(None).drop_nulls()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labels=labels, labelLimit=260))
    scale = alt.Scale(zero=neutral is None, nice=True)
    x = alt.X("value:Q", axis=axis, scale=scale)
    ours = alt.condition(alt.datum.arm == OURS, alt.value(_ACCENT), alt.value(_MUTED))
    base = alt.Chart(frame)
    layers = [
        base.mark_rule(strokeWidth=3, color=_LINE).encode(
            y=y, x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
        ),
        base.mark_point(filled=True, size=50, opacity=1).encode(y=y, x=x, color=ours),
    ]
    if neutral is not None:
        line = alt.Chart(pl.DataFrame({"neutral": [neutral]}))
        layers.insert(0, line.mark_rule(color=_MUTED, strokeDash=[4, 3]).encode(x="neutral:Q"))
    return alt.layer(*layers).properties(width=150, height=18 * max(1, len(order)), title=title)


def _row(found: Interval) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}


def _finish(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    styled: alt.TopLevelMixin = chart.configure(
        font="Liberation Sans, Arial, Helvetica, sans-serif",
        background="white",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=_INK,
            titleColor=_MUTED,
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
