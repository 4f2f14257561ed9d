"""Whether harmful associations move to other groups with the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.instruments.stories.languages.groups import MARKED, UNMARKED
from endoxa.instruments.stories.languages.marked import RESOLUTION
from endoxa.instruments.stories.report.differences import difference_dots
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.words import attribute_name, value_name
from endoxa.report.claims import cannot_be_tested, chip, clear, corrected, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import (
    NO_VALUE,
    NOT_DEFINED,
    count,
    decimal,
    decimal_interval,
    language_name,
    p_value,
    signed,
)
from endoxa.schema import ALL
from endoxa.stats.verdicts import BELOW

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
        findings=tuple(_findings(results, shift)),
        figures=(_figure(shown),),
        tables=(_table(results, shift),),
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


def _findings(results: StoryResults, shift: pl.DataFrame) -> Iterator[Finding]:
    overall = (pl.col("language") == ALL) & pl.col("group").is_in(list(SHAPES))
    for row in shift.filter(overall).drop_nulls("difference").iter_rows(named=True):
        yield _finding(results, {**row, "resolution": RESOLUTION})


def _finding(results: StoryResults, row: Mapping[str, Any]) -> Finding:
    """Whether languages add harmful associations with the groups that are marked (or not) where they are spoken."""
    number = f"The number of harmful associations with {SPOKEN[row['group']]}"
    apart = f"{signed(row['difference'], 1)} on average"
    if cannot_be_tested(row):
        found = (
            f"In these stories the difference from the other languages is {apart}."
            if row["n"]
            else "These stories have no harmful association with them in any language."
        )
        text = (
            f"Whether languages add harmful associations with {SPOKEN[row['group']]} cannot be tested "
            f"({row['reason']}). {found}"
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


def _figure(shown: pl.DataFrame) -> Figure:
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
    said = [
        f"{row['row']}, {row['series']}: {signed(row['value'], 1)} ({decimal_interval(row['low'], row['high'], 1)}, "
        f"{chip(row)})"
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
            chip(row),
            NO_VALUE if row["p_adjusted"] is None else p_value(row["p_adjusted"]),
            count(row["n"]),
        )
        for row in shift.iter_rows(named=True)
    )
    numbers = ("here", "elsewhere", "difference", f"{results.level} interval")
    return Table(
        "Harmful associations with every group",
        (
            *(Column(name) for name in ("language", "kind", "group")),
            *(Column(name, numeric=True) for name in numbers),
            Column("verdict"),
            *(Column(name, numeric=True) for name in ("p adjusted", "associations")),
        ),
        rows,
        folded=True,
    )
