"""Every test with its interval: forest plots, a row for each test, a mark for each model, a column for each pooling."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import altair as alt
import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.report.charts import (
    LABEL_LIMIT,
    SERIES_COLORS,
    beside,
    defined,
    finish,
    fixed,
    label_width,
    labelled_rows,
    neutral_line,
    symmetric_domain,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.words import language_name, plural, slug
from endoxa.stats.verdicts import CLEAR

COLUMNS = {
    "block": "heading of the block of rows (an attribute pair)",
    "row": "the row's label (the two groups); may have several lines",
    "series": "the model: colour and shape",
    "column": "heading of the panel (a pooling)",
    "value": "effect size, null where it is undefined",
    "low": "lower end of its interval, or null",
    "high": "upper end of its interval, or null",
    "filled": "True where a difference is claimed: a filled mark, else a hollow one",
}
"""Columns of the frame; blocks, rows, series and columns are drawn in the order given."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
LINE = 11
LEAST_WIDTH, MOST_WIDTH, ALL_WIDTH = 130, 340, 440

NEUTRAL = 0.0
ROW = ("language", "axis", "a", "b", "test")
"""What a row is about; every model and pooling is a mark in it."""

MOST_MARKS = 72
"""Marks of one figure below one another: more would not fit on a printed page."""

MOST_ROWS = 108
"""Rows drawn in all; of more tests, those with the largest effect size."""


def forest_plots(results: Associations) -> Section:
    """Forest plots by language, tests about one attribute pair together, largest mean effect size first."""
    rows = _rows(results.estimates)
    drawn = rows.sort("size", descending=True, maintain_order=True).head(MOST_ROWS).select(ROW)
    left_out = (
        (
            Finding(
                f"Drawn are the {MOST_ROWS} of {rows.height:,} tests with the largest effect size of any "
                "encoder; the table of all tests holds the others.",
                ({"drawn": MOST_ROWS, "tests": rows.height},),
            ),
        )
        if rows.height > MOST_ROWS
        else ()
    )
    shown = results.estimates.join(drawn, on=ROW, how="semi", maintain_order="left")
    return Section(
        anchor="forest",
        title="Every test with its interval",
        findings=left_out,
        figures=tuple(_figures(shown, rows, list(results.labels.values()))),
        notes=(_note(results),),
    )


def _note(results: Associations) -> str:
    levels = results.estimates["confidence"].drop_nulls().unique().sort()
    spoken = " or ".join(f"{100 * level:g}\u00a0%" for level in levels) or "recorded"
    return (
        "Marks right of the dashed line: the first group lies nearer to the first attribute, rather than the second, "
        "than the second group does; left of it: the second group does. Filled marks: the groups differ (adjusted "
        f"permutation p-value at most {results.level}). Lines are {spoken} intervals, which draw the words of the two "
        "groups anew, not the attributes, the sentences around them or the encoder. A line that excludes zero beside a "
        "hollow mark is not a claim."
    )


def _rows(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per test: its mean effect size over encoders, and the largest without its sign."""
    return estimates.group_by(ROW, maintain_order=True).agg(
        mean=pl.col("effect_size").mean(), size=pl.col("effect_size").abs().max().fill_null(-1)
    )


def _figures(shown: pl.DataFrame, rows: pl.DataFrame, series: list[str]) -> Iterator[Figure]:
    ends = pl.concat([shown["low"], shown["high"], shown["effect_size"]]).drop_nulls()
    domain = symmetric_domain(ends, NEUTRAL, 1.0, 0.5)
    rows_each = max(4, min(18, MOST_MARKS // len(series)))
    ordered = shown.join(rows, on=ROW, maintain_order="left")
    for (language,), tests in ordered.group_by(["language"], maintain_order=True):
        blocks = tests.select("axis", "a", "b").unique(maintain_order=True).with_row_index("block_number")
        sorted_tests = (
            tests.join(blocks, on=["axis", "a", "b"], maintain_order="left")
            .sort("block_number", "mean", descending=[False, True], nulls_last=True, maintain_order=True)
            .with_columns(place=pl.struct("block_number", "test").rle_id())
        )
        number = 1 + max(sorted_tests["place"].to_list())
        parts = math.ceil(number / rows_each)
        even = math.ceil(number / parts)
        spoken = language_name(str(language)) if language else "Language not stated"
        for part in range(parts):
            own = sorted_tests.filter(pl.col("place") // even == part)
            yield Figure(
                name=f"forest-{slug(str(language) or 'tests')}",
                title=spoken if parts == 1 else f"{spoken}, part {part + 1} of {parts}",
                chart=association_forest(_marks(own), series, neutral=NEUTRAL, domain=domain),
                alt=_alt(own),
                wide=True,
            )


def _marks(tests: pl.DataFrame) -> pl.DataFrame:
    alike = tests.select("language", "axis", "a", "b", "x", "y", "model", "pooling").is_duplicated().any()
    label = pl.col("test") if alike else pl.format("{}\nvs {}", "x", "y")
    block = pl.format("{} (+) rather than {} (−)", "a", "b")
    axes = tests["axis"].n_unique() > 1
    return tests.select(
        block=pl.format("{} ({})", block, "axis") if axes else block,
        row=label,
        series="label",
        column=pl.when(pl.col("pooling") == "").then(pl.lit(" ")).otherwise("pooling"),
        value="effect_size",
        low="low",
        high="high",
        filled=pl.col("verdict").is_in(CLEAR),
    )


def _alt(tests: pl.DataFrame) -> str:
    known = tests.drop_nulls("effect_size")
    words = (
        f"Effect sizes with intervals of {plural(tests['test'].n_unique(), 'test')} for "
        f"{plural(tests['encoder'].n_unique(), 'encoder')}."
    )
    if known.is_empty():
        return f"{words} All are undefined."
    top = known.row(int(known["effect_size"].arg_max() or 0), named=True)
    return (
        f"{words} The largest is {top['effect_size']:+.2f} ({top['x']} against {top['y']}, {top['encoder']}); "
        f"in {int(tests['verdict'].is_in(CLEAR).sum())} of {plural(tests.height, 'result')} the groups differ."
    )


def association_forest(
    frame: pl.DataFrame, series: Sequence[str], *, neutral: float, domain: tuple[float, float]
) -> alt.TopLevelMixin:
    """Marks with their intervals, the dashed line at the neutral value; 'undefined' where there is no value.

    Args:
        frame: columns of `COLUMNS`.
        series: every model of the report, so that each keeps its colour and shape in all figures.
        neutral: effect size of an encoder without the association.
        domain: range of the value axis, the same for all panels that are to be compared.
    """
    columns = frame["column"].unique(maintain_order=True).to_list()
    blocks = frame["block"].unique(maintain_order=True).to_list()
    width = max(LEAST_WIDTH, min(MOST_WIDTH, ALL_WIDTH // len(columns)))
    charts = []
    for block in blocks:
        rows = frame.filter(pl.col("block") == block)
        panels = [
            _panel(
                rows,
                column,
                series,
                neutral=neutral,
                domain=domain,
                width=width,
                first=column == columns[0],
                last=block == blocks[-1],
            ).properties(title=alt.TitleParams(block if column == columns[0] else " ", subtitle=column))
            for column in columns
        ]
        charts.append(alt.hconcat(*panels, spacing=26, bounds="flush"))
    return finish(alt.vconcat(*charts, spacing=10))


def _panel(
    rows: pl.DataFrame,
    column: str,
    series: Sequence[str],
    *,
    neutral: float,
    domain: tuple[float, float],
    width: int,
    first: bool,
    last: bool,
) -> alt.LayerChart | alt.FacetChart:
    order = rows["row"].unique(maintain_order=True).to_list()
    present = [name for name in series if name in set(rows["series"])]
    height = max(LINE * len(present) + 12, 14 * max(1 + row.count("\n") for row in order) + 4)
    own = rows.filter(pl.col("column") == column)
    y = labelled_rows(
        "row",
        order,
        label_width(order) if first else 0,
        labels=first,
        labelExpr="split(datum.label, '\\n')",
        labelLimit=LABEL_LIMIT,
        labelOffset=-6 * max(row.count("\n") for row in order),
        tickBand="extent",
    )
    offset = beside(present)
    axis = alt.Axis(
        values=list(range(math.ceil(domain[0]), math.floor(domain[1]) + 1)),
        format="+d",
        grid=False,
        title="effect size" if last else None,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    colors = alt.Scale(
        domain=list(series), range=[SERIES_COLORS[k % len(SERIES_COLORS)] for k in range(len(series))]
    )
    shapes = alt.Scale(domain=list(series), range=[SHAPES[k % len(SHAPES)] for k in range(len(series))])
    legend = alt.Legend(title=None, orient="bottom", columns=3, labelLimit=220, symbolStrokeWidth=1.8)
    color = alt.Color("series:N", scale=colors, legend=legend)
    base = alt.Chart(defined(own, "value")).encode(y=y, yOffset=offset)
    bars = alt.Chart(defined(own, "low", "high")).encode(y=y, yOffset=offset)
    undefined = alt.Chart(own.filter(pl.col("value").is_null())).encode(y=y, yOffset=offset)
    return alt.layer(
        neutral_line(neutral).encode(x=x("neutral")),
        bars.mark_rule(strokeWidth=1.6).encode(x=x("low"), x2=alt.X2("high:Q"), color=color),
        base.mark_point(size=44, strokeWidth=1.6, opacity=1).encode(
            x=x("value"),
            color=color,
            shape=alt.Shape("series:N", scale=shapes, legend=legend),
            fill=alt.condition(
                "datum.filled", alt.Fill("series:N", scale=colors, legend=None), alt.value("white")
            ),
        ),
        undefined.mark_text(fontSize=11, fontStyle="italic", align="left").encode(
            x=fixed(alt.XValue, 4), color=color, text=fixed(alt.TextValue, "undefined")
        ),
    ).properties(width=width, height=height * len(order))
