"""Whether harmful associations move to other groups with the language."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.analyze.specificity.groups import MARKED, UNMARKED
from endoxa.report.document import Column, Figure, Finding, Section, Table
from endoxa.report.stories.figures.difference_dots import difference_dots
from endoxa.report.stories.results import StoryResults
from endoxa.report.stories.words import attribute_name, claim, value_name
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, language_name, signed
from endoxa.schema import ALL

SHAPES = {MARKED: "square", UNMARKED: "circle"}
SPOKEN = {
    MARKED: "groups set apart where the language is spoken (marked)",
    UNMARKED: "groups that are usual there (unmarked)",
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
        findings=tuple(_findings(shift)),
        figures=(_figure(shown),),
        tables=(_table(results, shift),),
        notes=(
            "Which groups are usual and which are set apart where a language is spoken is a judgement, kept in a "
            "file that can "
            "be changed (endoxa analyze overlap --groups). Above 0, the language has more harmful associations "
            "with these "
            f"groups than the other languages have on average. {results.level} intervals draw associations anew.",
        ),
    )


def _findings(shift: pl.DataFrame) -> Iterator[Finding]:
    overall = shift.filter((pl.col("language") == ALL) & pl.col("group").is_in(list(SHAPES)))
    for row in overall.iter_rows(named=True):
        if row["difference"] is None:
            continue
        interval = "" if row["low"] is None else f" ({decimal_interval(row['low'], row['high'], 1)})"
        yield Finding(
            f"For {SPOKEN[row['group']]}: on average {signed(row['difference'], 1)}{interval} harmful associations in "
            f"the language, against the other languages{claim(row)}.",
            (row,),
        )


def _figure(shown: pl.DataFrame) -> Figure:
    frame = shown.select(
        row=pl.Series([language_name(code) for code in shown["language"]], dtype=pl.String),
        series="group",
        value="difference",
        low="low",
        high="high",
        note=pl.lit(""),
    )
    said = [
        f"{row['row']}, {row['series']}: {signed(row['value'], 1)} ({decimal_interval(row['low'], row['high'], 1)})"
        for row in frame.iter_rows(named=True)
    ]
    return Figure(
        name="groups-moved",
        title="In the language minus elsewhere",
        chart=difference_dots(frame, SHAPES, title="harmful associations", step=1.0),
        alt=f"Harmful associations in a language minus the mean of the others. {'; '.join(said)}.",
    )


def _table(results: StoryResults, shift: pl.DataFrame) -> Table:
    rows = tuple(
        (
            language_name(row["language"]),
            row["group"],
            "all"
            if row["attribute"] == ALL
            else f"{attribute_name(row['attribute'])}: {value_name(row['value'])}",
            decimal(row["here"], 1),
            decimal(row["elsewhere"], 1),
            NO_VALUE if row["difference"] is None else signed(row["difference"], 1),
            decimal_interval(row["low"], row["high"], 1),
            count(row["n"]),
        )
        for row in shift.iter_rows(named=True)
    )
    numbers = ("here", "elsewhere", "difference", f"{results.level} interval", "associations")
    return Table(
        "Harmful associations with every group",
        (
            *(Column(name) for name in ("language", "kind", "group")),
            *(Column(name, numeric=True) for name in numbers),
        ),
        rows,
        folded=True,
    )
