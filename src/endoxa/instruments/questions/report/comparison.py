"""Groups against names, ambiguous against disambiguated contexts: sentences, figures and tables of differences.

The scatter plots have a numbered mark for every model, as Figures 5 to 8 of Pelosio et al. (2025).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONTEXTS,
    CONTEXTS_FIELD,
    DISAMBIGUATED,
    P_FIELD,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    UNITS_FIELD,
    QaResults,
    Row,
    evidence,
    missing,
    side_by_side,
    spoken_interval,
    verdict_finding,
)
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
from endoxa.report.claims import VERDICT, chip, clear, verdict_counts
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, series_figure
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, listed, plural, slug
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

MEASURES = {"accuracy": "accuracy", "bias_score": "bias score"}
SPOKEN_MEASURES = {**MEASURES, "bias_unscaled": "unscaled bias", "accuracy_gap": "accuracy gap"}
TESTED = {"lean": list(SPOKEN_LEANS), "accuracy": ["accuracy"]}
"""Measures that are drawn of many models."""

DIFFERENCES = (
    "Differences are the value with the groups minus that with names, so right of (and above) 0 there was more with "
    "the groups. They rest on the items that were read in both data sets, paired, so that unlike questions cannot make "
    "a difference. Verdicts are corrected over all differences."
)

ORIGINAL, SUBSTITUTED, OTHERS = "square", "circle", ("diamond", "triangle-up", "triangle-down", "cross")

SIZE = 290
MARK = 230
MARGIN = 1.15
"""Room for the marks at the edges."""


def conditions_compared(results: QaResults) -> Section | None:
    """Scatter plots of the values, and of the differences between a data set and the same with names.

    None where no model has values in both kinds of contexts, and for one model with one data set: a single mark.
    """
    if len(results.lines) == len(results.data) == 1:
        return None
    many = len(results.names) > MOST_SERIES
    figures = tuple(difference_dots(results) if many else scatter_plots(results))
    if not figures:
        return None
    title, notes = "Groups against names", []
    if many:
        notes.append(f"{DIFFERENCES} A filled dot is a difference that is significant after correction.")
    else:
        title = "Ambiguous against disambiguated contexts"
        notes.append(
            f"The number in a mark is the model's. Lines are {results.level} intervals; a dotted line joins the data "
            "sets of one model. The bias score of disambiguated contexts is the published one; no lean is claimed from "
            "it, but from the accuracy gap (see the first table)."
        )
        if results.pairs:
            notes.append(
                f"Squares: the data set with the groups; circles: the same with names. {DIFFERENCES} Unscaled scores "
                "and the disambiguated bias score are shown without a verdict: their denominators differ between the "
                "two, so they have no exact test."
            )
    tables = tuple(difference_tables(results))
    return Section("conditions", title, figures=figures, tables=tables, notes=tuple(notes))


def difference_dots(results: QaResults) -> Iterator[Figure]:
    """Of many models: the differences of each, one dot for each kind of contexts, the greatest first."""
    tested = results.main(results.differences).drop_nulls("difference").filter(pl.col("verdict") != "")
    for original, substituted in results.pairs:
        for spoken, measures in TESTED.items():
            rows = tested.filter(
                pl.col("measure").is_in(measures), original=original, substituted=substituted
            )
            if rows.is_empty():
                continue
            frame = rows.with_columns(
                series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
                note=side_by_side("difference", "line"),
                first=pl.col("difference").first().over("line"),
            ).sort(-pl.col("first"), "line", "series", maintain_order=True)
            texts = (
                f"{row['line']}, {row['series']}: {decimal(row['difference'])}, {chip(row)}"
                for row in frame.iter_rows(named=True)
            )
            title = f"Difference in {spoken}: {original} minus {substituted}"
            yield series_figure(
                frame.select(
                    "series", "note", "low", "high", label="line", value="difference", filled=clear()
                ),
                Measure(f"{original} minus {substituted}", 0.0, "+.2~f", 0.1, 0.1),
                [name for name in SPOKEN_CONDITIONS.values() if name in set(frame["series"])],
                name=f"difference-{spoken}",
                title=title,
                alt=described(f"{title}, no difference: 0", texts),
            )


def difference_tables(results: QaResults) -> Iterator[Table]:
    """Every difference with its interval, a table for each pair of data sets."""
    for original, substituted in results.pairs:
        rows = results.differences.filter(original=original, substituted=substituted)
        places = (
            (
                f"{row['line']}, {SPOKEN_CONDITIONS[row['context_condition']]}, {SPOKEN_MEASURES[row['measure']]}",
                row,
                "difference",
            )
            for row in rows.iter_rows(named=True)
        )
        reasons = rows.filter(verdict=UNTESTED)["verdict_reason"].unique(maintain_order=True)
        yield table_of(
            f"Differences: {original} minus {substituted}",
            rows,
            (
                text_field("model", "line"),
                CONTEXTS_FIELD,
                text_field("measure", shown=SPOKEN_MEASURES.__getitem__),
                number_field(original, "original_value", decimal),
                number_field(substituted, "substituted_value", decimal),
                number_field("difference", shown=decimal),
                results.interval_field(),
                P_FIELD,
                number_field("shared items", "n_items"),
                number_field("left out", "n_left_out"),
                UNITS_FIELD,
                VERDICT,
            ),
            most_open=40,
            notes=(
                *missing(places),
                f"{NO_VALUE} as a verdict: of this measure nothing is claimed.",
                *(f"Cannot be tested: {reason}." for reason in reasons),
            ),
        )


_SIDES = {
    ABOVE: "is higher for {n}",
    BELOW: "is lower for {n}",
    UNCLEAR: "is not distinguishable for {n}",
    UNTESTED: "cannot be tested for {n}",
}


def names_summed_up(results: QaResults, condition: str) -> Iterator[Finding]:
    """Of many models, for how many the lean in these contexts differs between groups and names."""
    rows = results.main(results.differences).filter(context_condition=condition).drop_nulls(["difference"])
    leans = rows.filter(pl.col("measure").is_in(list(SPOKEN_LEANS)), pl.col("verdict") != "")
    for original, substituted in results.pairs:
        of_pair = leans.filter(original=original, substituted=substituted)
        facts = [evidence(row, "difference") for row in of_pair.iter_rows(named=True)]
        if facts:
            numbers = verdict_counts(facts)
            parts = [
                words.format(
                    n=f"all {numbers[verdict]}" if numbers[verdict] == len(facts) > 1 else numbers[verdict]
                )
                for verdict, words in _SIDES.items()
                if numbers[verdict]
            ]
            yield Finding(
                f"{CONTEXTS[condition]} with {original} compared with {substituted}, of "
                f"{plural(len(facts), 'model')} the {SPOKEN_LEANS[facts[0]['measure']]} {listed(parts)}.",
                tuple(facts),
            )


def names_compared(results: QaResults, rows: Sequence[Row], *, ratios: bool) -> Iterator[Finding]:
    """Of one model in one kind of context: the difference of its leans, and the ratio of its errors.

    Args:
        results: of the page.
        rows: estimates of the model in this kind of context, one for each data set.
        ratios: whether error retention gets a sentence.
    """
    if not rows:
        return
    cell = {name: rows[0][name] for name in ("model", "protocol", "context_condition")}
    where = CONTEXTS[cell["context_condition"]]
    for row in results.differences.filter(**cell, measure=rows[0]["lean_name"]).iter_rows(named=True):
        if row["difference"] is not None:
            facts, items, lean = evidence(row, "difference"), _items(row), SPOKEN_LEANS[row["measure"]]
            names = f"with {row['original']} than with {row['substituted']}"
            value = f"difference {decimal(row['difference'])}"
            scores = f"the {lean}s of {row['line']} with {row['original']} and with {row['substituted']}"
            yield verdict_finding(
                facts,
                claim=(
                    f"{where} the {lean} of {row['line']} is higher {names}",
                    f"{where} the {lean} of {row['line']} is lower {names}",
                ),
                unclear=f"{where} {scores} are not distinguishable",
                untested=f"{where} a difference between {scores}",
                numbers=f"{value} ({spoken_interval(facts, results.level)}; no difference: 0; {items})",
                value=f"{value} ({items})",
            )
    for row in results.retention.filter(**cell).iter_rows(named=True) if ratios else ():
        if row["ratio"] is not None:
            facts, items, ratio = evidence(row, "ratio"), _items(row), decimal(row["ratio"])
            names = f"with {row['substituted']} than with {row['original']}"
            interval = f"({spoken_interval(facts, results.level)}; equal: 1; {items})"
            rates = f"the error rates of {row['line']} with {row['original']} and with {row['substituted']}"
            less = f"with {row['substituted']} it is " if row["verdict"] == UNCLEAR else ""
            yield verdict_finding(
                facts,
                claim=(
                    f"{where} the error rate of {row['line']} is higher {names}",
                    f"{where} the error rate of {row['line']} is lower {names}",
                ),
                unclear=f"{where} {rates} are not distinguishable",
                untested=f"{where} a difference between {rates}",
                numbers=f"{less}{ratio} times as high {interval}",
                value=f"ratio {ratio} ({items})",
            )


def _items(row: Row) -> str:
    """'770 shared items, 12 items read in one of them only left out'."""
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return f"{plural(row['n_items'], 'shared item')}{lonely}"


def scatter_plots(results: QaResults) -> Iterator[Figure]:
    """Values in ambiguous against values in disambiguated contexts, then the differences that names make."""
    values = results.main(results.overall).with_columns(series="data")
    for column, spoken in MEASURES.items():
        rows = _sides(results, values, column, f"{column}_low", f"{column}_high")
        share = column == "accuracy"
        if rows.height:
            yield Figure(
                f"scatter-{slug(spoken)}",
                f"{spoken.capitalize()}: ambiguous against disambiguated",
                conditions(
                    rows,
                    series_shapes(results),
                    titles=(f"{spoken}, ambiguous", f"{spoken}, disambiguated"),
                    domains=[
                        share_domain(ends) if share else symmetric_domain(ends, 0.0, 0.1, 0.1)
                        for ends in _ends(rows)
                    ],
                    share=share,
                ),
                _alt(f"{spoken.capitalize()} in ambiguous and disambiguated contexts", rows),
            )
    differences = results.main(results.differences).with_columns(series=pl.lit("difference"))
    for original, substituted in results.pairs:
        title = f"{original} minus {substituted}"
        of_pair = differences.filter(original=original, substituted=substituted)
        for column, spoken in MEASURES.items():
            rows = _sides(results, of_pair.filter(measure=column), "difference", "low", "high")
            if rows.height:
                yield Figure(
                    f"difference-{slug(spoken)}",
                    f"Difference in {spoken}: {title}",
                    conditions(
                        rows,
                        {"difference": SUBSTITUTED},
                        titles=(f"{title}, ambiguous", f"{title}, disambiguated"),
                        domains=[symmetric_domain(MARGIN * ends, 0.0, 0.02, 0.02) for ends in _ends(rows)],
                    ),
                    _alt(f"Difference in {spoken}, {title}", rows),
                )


def _sides(results: QaResults, rows: pl.DataFrame, value: str, low: str, high: str) -> pl.DataFrame:
    """Columns of `PLANE_COLUMNS`; models and series without a value in both kinds of contexts are left out."""
    numbers = {model: str(place) for place, model in enumerate(results.names, 1)}

    def side(condition: str, axis: str) -> pl.DataFrame:
        ends = {axis: value, f"{axis}_low": low, f"{axis}_high": high}
        return rows.filter(context_condition=condition).select("model", "line", "series", **ends)

    ambiguous, disambiguated = side(AMBIGUOUS, "x"), side(DISAMBIGUATED, "y").drop("line")
    sides = ambiguous.join(disambiguated, on=["model", "series"], maintain_order="left").drop_nulls(
        ["x", "y"]
    )
    number = pl.col("model").replace_strict(numbers, return_dtype=pl.String)
    return sides.with_columns(entry=pl.format("{}  {}", number, "line"), number=number)


def _ends(rows: pl.DataFrame) -> Iterator[pl.Series]:
    """What the horizontal axis must hold, and what the vertical one."""
    for axis in "xy":
        yield pl.concat([rows[axis], rows[f"{axis}_low"], rows[f"{axis}_high"]]).drop_nulls()


def share_domain(ends: pl.Series) -> tuple[float, float]:
    """The range that holds shares and their intervals, within 0 and 1."""
    low, high = float(ends.min()), float(ends.max())  # type: ignore[arg-type]
    return max(0.0, math.floor(10 * low - 0.2) / 10), min(1.0, math.ceil(10 * high + 0.2) / 10)


def _alt(title: str, rows: pl.DataFrame) -> str:
    texts = (
        f"{row['line']}, {row['series']}: {decimal(row['x'])} ambiguous, {decimal(row['y'])} disambiguated"
        for row in rows.iter_rows(named=True)
    )
    return described(title, texts)


PLANE_COLUMNS = {
    "number": "number of the model, written in its mark",
    "entry": "number and label of the model, in the legend",
    "series": "what the mark is about (a data set): its shape",
    "x": "value in ambiguous contexts",
    "x_low": "lower end of its interval, or null",
    "x_high": "upper end of its interval, or null",
    "y": "value in disambiguated contexts",
    "y_low": "lower end of its interval, or null",
    "y_high": "upper end of its interval, or null",
}
"""Columns of the frame of `conditions`; models and series are drawn in the order given."""


def conditions(
    frame: pl.DataFrame,
    shapes: Mapping[str, str],
    *,
    titles: tuple[str, str],
    domains: Sequence[tuple[float, float]],
    share: bool = False,
) -> alt.TopLevelMixin:
    """Marks with their intervals; the marks of one model are joined by a thin line.

    Args:
        frame: columns of `PLANE_COLUMNS`.
        shapes: Vega shape of every series.
        titles: of the horizontal axis, and of the vertical one.
        domains: their ranges.
        share: True for shares; of anything else dashed lines mark 0 (no lean, no difference).
    """
    entries = frame["entry"].unique(maintain_order=True).to_list()
    legend = partial(alt.Legend, title=None, orient="bottom")
    color = alt.Color(
        "entry:N",
        scale=alt.Scale(domain=entries, range=list(series_colors(entries).values())),
        legend=legend(columns=1, labelLimit=SIZE, symbolType="circle", symbolOpacity=1),
    )
    shape = alt.Shape(
        "series:N",
        scale=alt.Scale(domain=list(shapes), range=list(shapes.values())),
        legend=legend(columns=3, symbolFillColor=MUTED) if len(shapes) > 1 else None,
    )

    def at(axis: str, field: str = "") -> alt.X | alt.Y:
        """A field on one of the axes."""
        vertical = axis == "y"
        return (alt.Y if vertical else alt.X)(
            f"{field or axis}:Q",
            scale=alt.Scale(domain=domains[vertical], nice=False, clamp=True),
            axis=alt.Axis(
                format=".0%" if share else "+.2f",
                tickCount=5,
                title=titles[vertical],
                gridColor=GRID,
                labelOverlap=True,
                labelSeparation=8,
            ),
        )

    zero = [] if share else [neutral_line().encode(at(axis, "neutral")) for axis in "xy"]
    intervals = [
        alt.Chart(defined(frame, f"{axis}_low", f"{axis}_high"))
        .mark_rule(strokeWidth=1.4, opacity=0.7)
        .encode(at(axis, f"{axis}_low"), end(f"{axis}_high:Q"), at(other), color)
        for axis, other, end in (("x", "y", alt.X2), ("y", "x", alt.Y2))
    ]
    base = alt.Chart(frame).encode(at("x"), at("y"))
    layers = (
        *zero,
        base.mark_line(strokeWidth=1, strokeDash=[2, 2]).encode(alt.Detail("entry:N"), color),
        *intervals,
        base.mark_point(size=MARK, filled=True, opacity=1, stroke="white", strokeWidth=1).encode(
            color, shape
        ),
        base.mark_text(color="white", fontSize=11, fontWeight="bold").encode(alt.Text("number:N")),
    )
    chart = alt.layer(*layers).resolve_scale(color="shared", shape="shared")
    return finish(chart.properties(width=SIZE, height=SIZE * 0.8))


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
