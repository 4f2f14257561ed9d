"""Where models rate harm otherwise than people, and what they write although they call it harmful."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from endoxa.instruments.stories.harm.panel import in_general
from endoxa.instruments.stories.languages.marked import MARKED, RESOLUTION, UNMARKED
from endoxa.instruments.stories.report.raters import models_spoken, rater_label
from endoxa.instruments.stories.report.results import Harm, StoryResults, claim
from endoxa.instruments.stories.report.words import (
    ASSOCIATION,
    P_ADJUSTED,
    attribute_name,
    ends_field,
    side,
    value_field,
)
from endoxa.report.charts import (
    BLUE,
    ORANGE,
    beside,
    defined,
    finish,
    label_width,
    labelled_rows,
    neutral_line,
    notes_beside,
    symmetric_domain,
)
from endoxa.report.claims import VERDICT, cannot_be_tested, chip, clear, corrected, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Table, table_of, text_field
from endoxa.report.words import (
    NOT_DEFINED,
    count,
    decimal,
    decimal_interval,
    language_name,
    listed,
    percent,
    percent_interval,
    plural,
    signed,
)
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

COLUMNS = {
    "row": "label of the row",
    "series": "what the dot is about, where there are several: colour and shape",
    "value": "the difference, or null",
    "low": "lower end of its interval, or null",
    "high": "upper end, or null",
    "filled": "True where the difference is claimed: a filled mark, else a hollow one",
    "note": "written to the right of the row",
}
"""Columns of the frame; rows are drawn in the order given."""

COLORS = (BLUE, ORANGE)
WIDTH = 210
LINE = 14

MOST_SPOTS = 300
"""Blind spots listed; the CSV files of `endoxa analyze harm` have all."""


def differences(results: StoryResults) -> Section | None:
    """Model minus people for each attribute, with intervals and verdicts; None where no person rated."""
    if results.harm is None:
        return None
    rows = _attributes(results.harm).drop_nulls("delta")
    if rows.is_empty():
        return None
    spoken = [
        f"{attribute_name(row['attribute'])} {signed(row['delta'], 2)} "
        f"({decimal_interval(row['delta_low'], row['delta_high'], 2)}, {chip(row)})"
        for row in rows.iter_rows(named=True)
    ]
    return Section(
        anchor="differences",
        title="Models and people on harm, by attribute",
        findings=tuple(_findings(results, rows)),
        figures=(
            Figure(
                name="harm-differences",
                title="Models minus people, by attribute",
                chart=difference_dots(
                    rows.select(
                        row=pl.Series([attribute_name(name) for name in rows["attribute"]], dtype=pl.String),
                        series=pl.lit(""),
                        value="delta",
                        low="delta_low",
                        high="delta_high",
                        filled=clear(),
                        note=pl.col("n").cast(pl.String),
                    ),
                    {"": "circle"},
                    title="difference in rating",
                    step=0.25,
                ),
                alt=(f"Mean rating of models minus that of people: {'; '.join(spoken)}."),
            ),
        ),
        tables=(
            table_of(
                "Ratings and associations made, by attribute",
                results.harm.analysis.by_attribute,
                (
                    text_field("attribute", lambda row: attribute_name(row["attribute"])),
                    text_field("side"),
                    text_field("who", lambda row: rater_label(results, row["rater"])),
                    value_field("rated by both", "n"),
                    value_field("rater", "rater_mean", decimal, 2),
                    value_field("people", "people_mean", decimal, 2),
                    value_field("difference", "delta", signed, 2),
                    ends_field(f"{results.level} interval", "delta_"),
                    VERDICT,
                    P_ADJUSTED,
                    value_field("number of people", "clusters"),
                    value_field("made"),
                    value_field("share of all it makes", "made_share", percent),
                ),
                folded=True,
            ),
        ),
        notes=(
            "An association counts for both of its attributes. Below 0, models call it less harmful than people do. "
            f"{results.level} intervals take people and associations as samples. A filled mark is a claim, corrected "
            "over all attributes and the difference over all associations; an open one is not. The number beside each "
            "row is that of associations rated by both.",
        ),
    )


def blind_spots(results: StoryResults) -> Section | None:
    """Associations that a model makes and itself calls harmful; None where no model both wrote and rated."""
    if results.harm is None:
        return None
    shares = results.harm.analysis.raters.filter(pl.col("made").fill_null(0) > 0)
    if shares.is_empty():
        return None
    spots = results.harm.analysis.blind_spots
    return Section(
        anchor="blind-spots",
        title="What models write although they call it harmful",
        findings=tuple(_spotted(results, row) for row in shares.iter_rows(named=True)),
        tables=(_spots(results, spots),) if spots.height else (),
        notes=(
            f"{results.level} intervals (Wilson) take associations as independent. A model that calls more things "
            "harmful has a larger share: read it beside its mean rating.",
        ),
    )


def _spotted(results: StoryResults, row: Mapping[str, Any]) -> Finding:
    """How many of a model's own associations it calls harmful."""
    counted = {name: row[name] for name in ("made", "blind_spots", "blind_share", "blind_low", "blind_high")}
    ends = percent_interval(row["blind_low"], row["blind_high"])
    called = count(row["blind_spots"]) if row["blind_spots"] else "none"
    return Finding(
        f"{rater_label(results, row['rater'])}: of {plural(row['made'], 'association')} of its own stories that it "
        f"rated, it calls {called} harmful ({percent(row['blind_share'])}; {results.level} interval "
        f"{ends}).",
        ({**counted, "confidence": results.confidence},),
    )


def _attributes(harm: Harm) -> pl.DataFrame:
    """Models in general, attributes of either side, least difference first."""
    _, general = in_general(harm.together)
    rows: pl.DataFrame = harm.analysis.by_attribute.filter(general)
    return rows.sort("delta", nulls_last=True, maintain_order=True)


def _findings(results: StoryResults, rows: pl.DataFrame) -> Iterator[Finding]:
    """Attributes on which models and people differ, those without a claim, and those that cannot be tested."""
    who, verb = models_spoken(results, rows["rater"][0])
    for verdict, more in ((BELOW, "less"), (ABOVE, "more")):
        claims = _claims(rows, verdict)
        if claims:
            text = f"{who} {verb} associations about {_named(claims)} {more} harmful than people do."
            yield Finding(text, claims)
    unclear = _claims(rows, UNCLEAR)
    if unclear:
        yield Finding(
            f"The mean ratings of {who if who != 'Models' else 'models'} and people are not distinguishable on "
            f"associations about {_named(unclear)}.",
            unclear,
        )
    untested = _claims(rows, UNTESTED)
    for reason in dict.fromkeys(row["reason"] for row in untested):
        alike = tuple(row for row in untested if row["reason"] == reason)
        yield Finding(
            f"Differences cannot be tested on associations about {_named(alike)} ({reason}).", alike
        )


def _claims(rows: pl.DataFrame, verdict: str) -> tuple[dict[str, Any], ...]:
    return tuple(claim(row) for row in rows.filter(verdict=verdict).iter_rows(named=True))


def _named(rows: Sequence[Mapping[str, Any]]) -> str:
    return listed([attribute_name(row["attribute"]) for row in rows])


def difference_dots(
    frame: pl.DataFrame, shapes: Mapping[str, str], *, title: str, step: float
) -> alt.TopLevelMixin:
    """Dots with intervals, the line at 0 marked.

    Args:
        frame: columns of `COLUMNS`.
        shapes: Vega shape of every series, at most two.
        title: title of the value axis.
        step: the axis ends at a whole number of steps.
    """
    order = frame["row"].unique(maintain_order=True).to_list()
    series = list(shapes)
    ends = [*frame["value"].drop_nulls(), *frame["low"].drop_nulls(), *frame["high"].drop_nulls()]
    scale = alt.Scale(domain=symmetric_domain(ends, 0.0, step, step), nice=False)
    axis = alt.Axis(
        title=title,
        grid=False,
        format="+.2~f",
        tickCount=5,
        labelExpr="datum.value === 0 ? '0' : datum.label",
    )
    y, offset = labelled_rows("row", order, label_width(order)), beside(series)
    legend = alt.Legend(title=None, orient="top") if len(series) > 1 else None
    color = alt.Color(
        "series:N", scale=alt.Scale(domain=series, range=list(COLORS[: len(series)])), legend=legend
    )
    fill = alt.condition(
        "datum.filled",
        alt.Fill("series:N", scale=alt.Scale(domain=series, range=list(COLORS[: len(series)])), legend=None),
        alt.value("white"),
    )
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=list(shapes.values())), legend=legend)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    chart = alt.layer(
        neutral_line().encode(x=x("neutral")),
        alt.Chart(defined(frame, "low", "high"))
        .mark_rule(strokeWidth=1.6)
        .encode(y=y, yOffset=offset, x=x("low"), x2=alt.X2("high:Q"), color=color),
        alt.Chart(defined(frame, "value"))
        .mark_point(size=44, opacity=1, strokeWidth=1.6)
        .encode(y=y, yOffset=offset, x=x("value"), color=color, shape=shape, fill=fill),
        notes_beside(frame.unique("row", maintain_order=True), y, WIDTH),
    )
    height = (LINE * len(series) + 6) * max(1, len(order))
    return finish(chart.properties(width=WIDTH, height=height))


def _spots(results: StoryResults, spots: pl.DataFrame) -> Table:
    left = spots.height - MOST_SPOTS
    return table_of(
        "Associations a model makes and itself calls harmful",
        spots.head(MOST_SPOTS),
        (
            text_field("model", lambda row: rater_label(results, row["rater"])),
            ASSOCIATION,
            value_field("its median rating", "median", decimal, 1),
            value_field("people's", "people_median", decimal, 1),
            text_field(
                "found in",
                lambda row: ", ".join(language_name(code) for code in str(row["aggregations"]).split("; ")),
            ),
        ),
        folded=True,
        notes=(f"{count(left)} more are in the files of endoxa analyze harm.",) if left > 0 else (),
    )


SHAPES = {MARKED: "square", UNMARKED: "circle"}
SPOKEN = {
    MARKED: "groups set apart where a language is spoken (marked)",
    UNMARKED: "groups that are usual where a language is spoken (unmarked)",
}


def groups_moved(results: StoryResults) -> Section | None:
    """Marked and unmarked groups in each language against the others; None where it cannot be said."""
    shift = None if results.by_language is None else results.by_language.shift
    if shift is None or shift.is_empty():
        return None
    shown = shift.filter((pl.col("attribute") == ALL) & pl.col("group").is_in(list(SHAPES)))
    return Section(
        anchor="groups",
        title="Whom harmful associations are about, by language",
        findings=tuple(_moved_findings(results, shift)),
        figures=(_moved_figure(shown),),
        tables=(_moved_table(results, shift),),
        notes=(
            "Which groups are usual and which are set apart where a language is spoken is a judgement, kept in a file "
            "that can be changed (endoxa analyze languages --groups). Above 0, the language has more harmful "
            "associations with these groups than the other languages have on average; a language with more stories "
            "has more of all.",
            f"{results.level} intervals draw associations anew. Verdicts come from exchanging the languages of each "
            "association at random; a filled mark is a claim. Tests over all languages, of single languages and of "
            "single groups are corrected apart.",
        ),
    )


def _moved_findings(results: StoryResults, shift: pl.DataFrame) -> Iterator[Finding]:
    overall = (pl.col("language") == ALL) & pl.col("group").is_in(list(SHAPES))
    for row in shift.filter(overall).drop_nulls("difference").iter_rows(named=True):
        yield _moved_finding(results, {**row, "resolution": RESOLUTION})


def _moved_finding(results: StoryResults, row: Mapping[str, Any]) -> Finding:
    """Whether languages add harmful associations with the groups that are marked (or not) where they are spoken."""
    number = f"The number of harmful associations with {SPOKEN[row['group']]}"
    apart = f"{signed(row['difference'], 1)} on average"
    if cannot_be_tested(row):
        observed = (
            f"In these stories the difference from the other languages is {apart}."
            if row["n"]
            else "These stories have no harmful association with them in any language."
        )
        text = (
            f"Whether languages add harmful associations with {SPOKEN[row['group']]} cannot be tested "
            f"({row['reason']}). {observed}"
        )
        return Finding(text, (row,))
    words = "is higher than in the other languages"
    if row["verdict"] == BELOW:
        words = "is lower than in the other languages"
    elif not is_clear(row):
        words = "is not distinguishable from that in the other languages"
    ends = signed_ends(row, digits=1)
    between = "" if ends == NOT_DEFINED else f" ({results.level} interval {ends})"
    return Finding(f"{number} {words}: {apart}{between}.{corrected(row)}", (row,))


def _moved_figure(shown: pl.DataFrame) -> Figure:
    frame = shown.select(
        row=pl.Series([language_name(code) for code in shown["language"]], dtype=pl.String),
        series="group",
        value="difference",
        low="low",
        high="high",
        filled=clear(),
        note=pl.lit(""),
        verdict="verdict",
    )
    spoken = [
        f"{row['row']}, {row['series']}: {signed(row['value'], 1)} ({decimal_interval(row['low'], row['high'], 1)}, "
        f"{chip(row)})"
        for row in frame.iter_rows(named=True)
    ]
    return Figure(
        name="groups-moved",
        title="In the language minus elsewhere",
        chart=difference_dots(frame, SHAPES, title="harmful associations", step=1.0),
        alt=f"Harmful associations in a language minus the mean of the others. {'; '.join(spoken)}.",
    )


def _moved_table(results: StoryResults, shift: pl.DataFrame) -> Table:
    def group(row: Mapping[str, Any]) -> str:
        return "all" if row["attribute"] == ALL else side(row["attribute"], row["value"])

    return table_of(
        "Harmful associations with every group",
        shift,
        (
            text_field("language", lambda row: language_name(row["language"])),
            text_field("kind", "group"),
            text_field("group", group),
            value_field("here", "here", decimal, 1),
            value_field("elsewhere", "elsewhere", decimal, 1),
            value_field("difference", "difference", signed, 1),
            ends_field(f"{results.level} interval", digits=1),
            VERDICT,
            P_ADJUSTED,
            value_field("associations", "n"),
        ),
        folded=True,
    )
