"""Ambiguous against disambiguated contexts: a numbered mark for every model (Pelosio et al. 2025, Figures 5 to 8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.differences import DIFFERENCES, difference_dots, difference_tables
from endoxa.instruments.questions.report.results import AMBIGUOUS, DISAMBIGUATED, QaResults
from endoxa.report.charts import (
    GRID,
    MOST_SERIES,
    MUTED,
    defined,
    finish,
    neutral_line,
    series_colors,
    symmetric_domain,
)
from endoxa.report.document import Figure, Section
from endoxa.report.words import decimal, slug

COLUMNS = {
    "number": "number of the model, written in its mark",
    "model": "its label, in the legend behind the number",
    "series": "what the mark is about (a data set): its shape",
    "x": "value in ambiguous contexts",
    "x_low": "lower end of its interval, or null",
    "x_high": "upper end of its interval, or null",
    "y": "value in disambiguated contexts",
    "y_low": "lower end of its interval, or null",
    "y_high": "upper end of its interval, or null",
}
"""Columns of the frame; models and series are drawn in the order given."""

SIZE = 290
MARK = 230

ORIGINAL, SUBSTITUTED, OTHERS = "square", "circle", ("diamond", "triangle-up", "triangle-down", "cross")
MARGIN = 1.15
"""Room for the marks at the edges."""

MEASURES = {"accuracy": "accuracy", "bias_score": "bias score"}


@dataclass(frozen=True, slots=True)
class Plane:
    """The two axes.

    Attributes:
        x_domain: range of the horizontal axis.
        y_domain: range of the vertical axis.
        x_title: its title.
        y_title: its title.
        axis_format: d3 format of the labels.
        zero: True where dashed lines mark 0 (no lean, no difference).
    """

    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    x_title: str
    y_title: str
    axis_format: str
    zero: bool


def conditions(frame: pl.DataFrame, shapes: Mapping[str, str], plane: Plane) -> alt.TopLevelMixin:
    """Marks with their intervals; the marks of one model are joined by a thin line.

    Args:
        frame: columns of `COLUMNS`.
        shapes: Vega shape of every series.
        plane: what the axes show.
    """
    drawn = defined(frame, "x", "y").with_columns(entry=pl.format("{}  {}", "number", "model"))
    entries = drawn["entry"].unique(maintain_order=True).to_list()
    color = alt.Color(
        "entry:N",
        scale=alt.Scale(domain=entries, range=list(series_colors(entries).values())),
        legend=alt.Legend(
            title=None, orient="bottom", columns=1, labelLimit=SIZE, symbolType="circle", symbolOpacity=1
        ),
    )
    shape = alt.Shape(
        "series:N",
        scale=alt.Scale(domain=list(shapes), range=list(shapes.values())),
        legend=alt.Legend(title=None, orient="bottom", columns=3, symbolFillColor=MUTED)
        if len(shapes) > 1
        else None,
    )
    x, y = _x(plane, "x"), _y(plane, "y")
    base = alt.Chart(drawn)
    layers = [
        *_zero_lines(plane),
        base.mark_line(strokeWidth=1, strokeDash=[2, 2]).encode(
            x=x, y=y, detail=alt.Detail("entry:N"), color=color
        ),
        alt.Chart(defined(drawn, "x_low", "x_high"))
        .mark_rule(strokeWidth=1.4, opacity=0.7)
        .encode(x=_x(plane, "x_low"), x2=alt.X2("x_high:Q"), y=y, color=color),
        alt.Chart(defined(drawn, "y_low", "y_high"))
        .mark_rule(strokeWidth=1.4, opacity=0.7)
        .encode(y=_y(plane, "y_low"), y2=alt.Y2("y_high:Q"), x=x, color=color),
        base.mark_point(size=MARK, filled=True, opacity=1, stroke="white", strokeWidth=1).encode(
            x=x, y=y, color=color, shape=shape
        ),
        base.mark_text(color="white", fontSize=11, fontWeight="bold").encode(
            x=x, y=y, text=alt.Text("number:N")
        ),
    ]
    chart = alt.layer(*layers).resolve_scale(color="shared", shape="shared")
    return finish(chart.properties(width=SIZE, height=SIZE * 0.8))


def _zero_lines(plane: Plane) -> list[alt.Chart]:
    if not plane.zero:
        return []
    return [
        neutral_line().encode(x=_x(plane, "neutral")),
        neutral_line().encode(y=_y(plane, "neutral")),
    ]


def _x(plane: Plane, field: str) -> alt.X:
    scale = alt.Scale(domain=plane.x_domain, nice=False, clamp=True)
    return alt.X(f"{field}:Q", scale=scale, axis=_axis(plane.x_title, plane))


def _y(plane: Plane, field: str) -> alt.Y:
    scale = alt.Scale(domain=plane.y_domain, nice=False, clamp=True)
    return alt.Y(f"{field}:Q", scale=scale, axis=_axis(plane.y_title, plane))


def _axis(title: str, plane: Plane) -> alt.Axis:
    return alt.Axis(
        format=plane.axis_format,
        tickCount=5,
        title=title,
        gridColor=GRID,
        labelOverlap=True,
        labelSeparation=8,
    )


def conditions_compared(results: QaResults) -> Section | None:
    """Scatter plots of the values, and of the differences between a data set and the same with names.

    None where no model has values in both kinds of contexts.
    """
    many = len(results.names) > MOST_SERIES
    figures = [*difference_dots(results)] if many else [*_scatters(results), *_differences(results)]
    if not figures:
        return None
    if many:
        return Section(
            anchor="conditions",
            title="Groups against names",
            figures=tuple(figures),
            tables=tuple(difference_tables(results)),
            notes=(f"{DIFFERENCES} A filled dot is a difference that is significant after correction.",),
        )
    notes = [
        "The number in a mark is the model's. Lines are "
        f"{results.level} intervals; a dotted line joins the data sets of one model. The bias score of disambiguated "
        "contexts is the published one; no lean is claimed from it, but from the accuracy gap (see the first table)."
    ]
    if results.pairs:
        notes.append(
            f"Squares: the data set with the groups; circles: the same with names. {DIFFERENCES} Unscaled scores and "
            "the disambiguated bias score are shown without a verdict: their denominators differ between the two, so "
            "they have no exact test."
        )
    return Section(
        anchor="conditions",
        title="Ambiguous against disambiguated contexts",
        figures=tuple(figures),
        tables=tuple(difference_tables(results)),
        notes=tuple(notes),
    )


def series_shapes(results: QaResults) -> dict[str, str]:
    """Shape of every data set: squares with groups, circles with names, others for what has no partner."""
    originals = {original for original, _ in results.pairs}
    substituted = {name for _, name in results.pairs}
    spare = iter(OTHERS * (1 + len(results.data) // len(OTHERS)))
    if not results.pairs:
        spare = iter((SUBSTITUTED, ORIGINAL, *OTHERS * len(results.data)))
    return {
        data: ORIGINAL if data in originals else SUBSTITUTED if data in substituted else next(spare)
        for data in results.data
    }


def paired_conditions(results: QaResults, column: str) -> pl.DataFrame:
    """One row per model and data set with `x` (ambiguous) and `y` (disambiguated), and their intervals.

    Columns: `model, line, data, x, x_low, x_high, y, y_low, y_high`; rows without a value in both are left out.
    """
    rows = results.main(results.overall)
    names = {"": column, "_low": f"{column}_low", "_high": f"{column}_high"}
    return _sides(rows.rename({name: f"value{end}" for end, name in names.items()}), "data")


def _sides(rows: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """`value`, `value_low` and `value_high` in ambiguous contexts as x, in disambiguated ones as y."""

    def side(condition: str, axis: str) -> pl.DataFrame:
        ends = {f"{axis}{end}": f"value{end}" for end in ("", "_low", "_high")}
        return rows.filter(pl.col("context_condition") == condition).select("model", "line", *keys, **ends)

    sides = side(AMBIGUOUS, "x").join(
        side(DISAMBIGUATED, "y").drop("line"), on=["model", *keys], maintain_order="left"
    )
    return sides.drop_nulls(["x", "y"])


def _numbered(results: QaResults, rows: pl.DataFrame, series: str) -> pl.DataFrame:
    numbers = {model: str(place) for place, model in enumerate(results.names, 1)}
    return rows.with_columns(
        number=pl.col("model").replace_strict(numbers, return_dtype=pl.String),
        model="line",
        series=series,
    )


def _scatters(results: QaResults) -> Iterator[Figure]:
    for column in MEASURES:
        rows = paired_conditions(results, column)
        if not rows.is_empty():
            yield _scatter(results, rows, column)


def _scatter(results: QaResults, rows: pl.DataFrame, column: str) -> Figure:
    spoken = MEASURES[column]
    plane = Plane(
        x_domain=_domain(rows, "x", column),
        y_domain=_domain(rows, "y", column),
        x_title=f"{spoken}, ambiguous",
        y_title=f"{spoken}, disambiguated",
        axis_format=".0%" if column == "accuracy" else "+.2f",
        zero=column != "accuracy",
    )
    return Figure(
        name=f"scatter-{slug(spoken)}",
        title=f"{spoken.capitalize()}: ambiguous against disambiguated",
        chart=conditions(_numbered(results, rows, "data"), series_shapes(results), plane),
        alt=_alt(f"{spoken.capitalize()} in ambiguous and disambiguated contexts", rows, "data"),
    )


def _differences(results: QaResults) -> Iterator[Figure]:
    for original, substituted in results.pairs:
        for column, spoken in MEASURES.items():
            rows = _difference(results, column, original, substituted)
            if rows.is_empty():
                continue
            plane = Plane(
                x_domain=_around_zero(rows, "x"),
                y_domain=_around_zero(rows, "y"),
                x_title=f"{original} minus {substituted}, ambiguous",
                y_title=f"{original} minus {substituted}, disambiguated",
                axis_format="+.2f",
                zero=True,
            )
            yield Figure(
                name=f"difference-{slug(spoken)}",
                title=f"Difference in {spoken}: {original} minus {substituted}",
                chart=conditions(_numbered(results, rows, "series"), {"difference": SUBSTITUTED}, plane),
                alt=_alt(f"Difference in {spoken}, {original} minus {substituted}", rows, "series"),
            )


def _difference(results: QaResults, column: str, original: str, substituted: str) -> pl.DataFrame:
    """Value with the groups minus value with names, and its interval, where a model has both."""
    rows = results.main(results.differences).filter(
        measure=column, original=original, substituted=substituted
    )
    ends = {"difference": "value", "low": "value_low", "high": "value_high"}
    return _sides(rows.rename(ends)).with_columns(series=pl.lit("difference"))


def _around_zero(rows: pl.DataFrame, axis: str) -> tuple[float, float]:
    ends = pl.concat([rows[axis], rows[f"{axis}_low"], rows[f"{axis}_high"]]).drop_nulls()
    return symmetric_domain(MARGIN * ends, 0.0, 0.02, 0.02)


def _domain(rows: pl.DataFrame, axis: str, column: str) -> tuple[float, float]:
    """The range that holds values and intervals; accuracy stays between 0 and 1."""
    ends = pl.concat([rows[axis], rows[f"{axis}_low"], rows[f"{axis}_high"]]).drop_nulls()
    if column != "accuracy":
        return symmetric_domain(ends, 0.0, 0.1, 0.1)
    low, high = (float(ends.min() or 0), float(ends.max() or 1)) if len(ends) else (0.0, 1.0)  # type: ignore[arg-type]
    return max(0.0, math.floor(10 * low - 0.2) / 10), min(1.0, math.ceil(10 * high + 0.2) / 10)


def _alt(title: str, rows: pl.DataFrame, series: str) -> str:
    marks = [
        f"{row['line']}, {row[series]}: {decimal(row['x'])} ambiguous, {decimal(row['y'])} disambiguated"
        for row in rows.iter_rows(named=True)
    ]
    return f"{title}. {'; '.join(marks)}."
