"""Where the lean comes from: unscaled bias in ambiguous contexts for every stereotyped identity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.conditions import series_shapes
from endoxa.instruments.questions.report.results import QaResults
from endoxa.report.charts import (
    SERIES_COLORS,
    beside,
    defined,
    finish,
    labelled_rows,
    neutral_line,
    notes_beside,
    series_colors,
    series_dots,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, decimal, decimal_interval, listed, slug

COLUMNS = {
    "identity": "the row's label",
    "series": "what the dot is about (a data set): its shape and colour",
    "value": "unscaled bias, null where nobody was named",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "small": "True where too few questions are behind it: drawn grey",
    "note": "questions behind the row's dots, written to the right",
}
"""Columns of the frame; identities are drawn in the order given."""

COLORS = SERIES_COLORS[:4]
GREY = "#a9b1ba"
WIDTH = 170
LABEL_WIDTH = 105
LINE = 13

LEAST_QUESTIONS = 20
"""With fewer questions in which a person was named, a dot is grey."""

FEW = 3
"""Models that get a figure each; more share one for each data set, with all models in the row of an identity."""

MOST_FIGURES = 6
"""Data sets that get such a figure; the table holds all."""


def identities(results: QaResults) -> Section | None:
    """Dots per identity, and the table behind them; None where the data name no identities."""
    anchor, title = "identities", "By stereotyped identity, ambiguous contexts"
    rows = results.main(results.identities)
    if rows.is_empty():
        return None
    few = rows["model"].n_unique() <= FEW
    data = [name for name in results.data if name in set(rows["data"])]
    drawn = len(data) if few else min(len(data), MOST_FIGURES)
    findings = (
        (
            Finding(
                f"The figures show the first {drawn} of {len(data)} data sets; the table holds all of them.",
                ({"data": len(data), "shown": drawn},),
            ),
        )
        if drawn < len(data)
        else ()
    )
    return Section(
        anchor,
        title,
        findings=findings,
        figures=tuple(_figures(results, rows) if few else _shared(results, rows, data[:drawn])),
        tables=(_table(results, rows),),
        notes=(
            "Of the answers that name a person: −1 if never the one the stereotype is about, 0 if as often as "
            f"the other, +1 if always. {_reading(results) if few else READING_MANY} Nothing is tested here and nothing "
            "is claimed: among many identities some lie far from 0 by chance; each meets its own few templates, so a "
            "dot says as much about these as about the identity.",
        ),
    )


READING_MANY = (
    "A dot is a model; the numbers at the right are the lowest and the highest value. Hollow dots rest on fewer than "
    f"{LEAST_QUESTIONS} questions in which a person was named. Intervals are in the table."
)


def _reading(results: QaResults) -> str:
    return (
        f"Lines are {results.level} Wilson intervals in which every question counts once, however often it was asked. "
        "The numbers at the right are the questions in which a person was named, by data set "
        f"({listed(list(results.data))}); grey dots rest on fewer than {LEAST_QUESTIONS}."
    )


def _shared(results: QaResults, rows: pl.DataFrame, data: Sequence[str]) -> Iterator[Figure]:
    """A figure for each data set, with the dots of all models in the row of an identity."""
    colors = series_colors(results.lines)
    for name in data:
        of_data = rows.filter(data=name).drop_nulls("value")
        if of_data.is_empty():
            continue
        ends = of_data.group_by("identity", maintain_order=True).agg(
            mean=pl.col("value").mean(), low=pl.col("value").min(), high=pl.col("value").max()
        )
        order = ends.sort("mean", descending=True, maintain_order=True).with_columns(
            note=pl.struct("low", "high").map_elements(
                lambda row: decimal_interval(row["low"], row["high"], 2), return_dtype=pl.String
            )
        )
        frame = order.select("identity", "note").join(of_data, on="identity", maintain_order="left")
        spoken = "; ".join(
            f"{identity} {decimal(mean, 2)}"
            for identity, mean in order.select("identity", "mean").iter_rows()
        )
        yield Figure(
            name=f"identities-{slug(name)}",
            title=f"Unscaled bias by identity, {name}",
            chart=series_dots(
                frame.select(
                    "note",
                    "value",
                    label="identity",
                    series="line",
                    low=pl.lit(None, dtype=pl.Float64),
                    high=pl.lit(None, dtype=pl.Float64),
                    filled=~_small(),
                ),
                {line: color for line, color in colors.items() if line in set(frame["line"])},
                neutral=0.0,
                domain=(-1.0, 1.0),
                title="unscaled bias score",
                axis_format="+.1f",
            ),
            alt=f"Unscaled bias of {of_data['model'].n_unique()} models, ambiguous contexts; means by "
            f"identity: {spoken}.",
            wide=True,
        )


def _figures(results: QaResults, rows: pl.DataFrame) -> Iterator[Figure]:
    shapes = series_shapes(results)
    for (line,), of_line in rows.group_by(["line"], maintain_order=True):
        order = (
            of_line.group_by("identity", maintain_order=True)
            .agg(
                mean=pl.col("value").mean(),
                note=pl.col("questions").cast(pl.String).str.join(" · "),
            )
            .sort("mean", descending=True, nulls_last=True, maintain_order=True)
        )
        frame = order.join(of_line, on="identity", maintain_order="left").select(
            "identity", "value", "low", "high", "note", series="data", small=_small()
        )
        present = set(frame["series"])
        yield Figure(
            name=f"identities-{slug(str(line))}",
            title=str(line),
            chart=identity_dots(frame, {data: shape for data, shape in shapes.items() if data in present}),
            alt=_alt(str(line), of_line),
        )


def identity_dots(frame: pl.DataFrame, shapes: Mapping[str, str]) -> alt.TopLevelMixin:
    """A row per identity from -1 (never the stereotype) to 1 (always), the dashed line at 0.

    Args:
        frame: columns of `COLUMNS`.
        shapes: Vega shape of every series.
    """
    order = frame["identity"].unique(maintain_order=True).to_list()
    series = list(shapes)
    y, offset = labelled_rows("identity", order, LABEL_WIDTH), beside(series)
    scale = alt.Scale(domain=(-1, 1), nice=False)
    axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1], format="+.1f", grid=False, title="unscaled bias score")
    colors = alt.Scale(domain=series, range=[COLORS[k % len(COLORS)] for k in range(len(series))])
    legend = alt.Legend(title=None, orient="top") if len(series) > 1 else None
    color = alt.condition("datum.small", alt.value(GREY), alt.Color("series:N", scale=colors, legend=legend))
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=list(shapes.values())), legend=legend)
    drawn = defined(frame, "value")
    chart = alt.layer(
        neutral_line().encode(x=alt.X("neutral:Q", scale=scale, axis=axis)),
        alt.Chart(defined(drawn, "low", "high"))
        .mark_rule(strokeWidth=1.4)
        .encode(
            y=y, yOffset=offset, x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"), color=color
        ),
        alt.Chart(drawn)
        .mark_point(size=36, filled=True, opacity=1)
        .encode(y=y, yOffset=offset, x=alt.X("value:Q", scale=scale, axis=axis), color=color, shape=shape),
        notes_beside(frame.unique("identity", maintain_order=True), y, WIDTH),
    )
    height = (LINE * len(series) + 6) * max(1, len(order))
    return finish(chart.properties(width=WIDTH, height=height))


def _small() -> pl.Expr:
    return pl.col("questions") < LEAST_QUESTIONS


def _alt(line: str, rows: pl.DataFrame) -> str:
    sure = rows.filter(~_small()).drop_nulls("value").sort("value", descending=True, maintain_order=True)
    words = f"Unscaled bias of {line} in ambiguous contexts for {rows['identity'].n_unique()} identities."
    if sure.is_empty():
        return f"{words} None of them rests on {LEAST_QUESTIONS} questions or more."
    ends = [sure.row(0, named=True), sure.row(-1, named=True)]
    spoken = listed([f"{row['identity']} ({row['data']}) {decimal(row['value'])}" for row in ends])
    return f"{words} Highest and lowest of those with {LEAST_QUESTIONS} questions or more: {spoken}."


def _table(results: QaResults, rows: pl.DataFrame) -> Table:
    columns = (
        Column("model"),
        Column("data"),
        Column("identity"),
        Column("unscaled bias", numeric=True),
        Column(f"{results.level} interval", numeric=True),
        Column("stereotyped answers", numeric=True),
        Column("answers naming a person", numeric=True),
        Column("questions", numeric=True),
    )
    body = tuple(
        (
            row["line"],
            row["data"],
            row["identity"],
            decimal(row["value"]),
            decimal_interval(row["low"], row["high"]),
            count(row["n_biased"]),
            count(row["n"]),
            count(row["questions"]),
        )
        for row in rows.iter_rows(named=True)
    )
    return Table(
        "Unscaled bias in ambiguous contexts by identity (no tests, no verdicts)",
        columns,
        body,
        folded=True,
        notes=("–: no answer names a person.",) if rows["value"].null_count() else (),
    )
