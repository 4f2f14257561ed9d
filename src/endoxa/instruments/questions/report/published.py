"""Tables 1 to 6 of Pelosio et al. (2025, "Obscured but Not Erased") for one's own models, as finished texts.

The paper prints the mean and the standard deviation over seeds. Ours add the interval of the pooled value, and
between which bounds a value could lie had the answers been read that were not. Besides them: one wide table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from endoxa.instruments.questions.headline import unit_notes
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    DISAMBIGUATED,
    OVER,
    SPOKEN_CONDITIONS,
    QaResults,
    reasons,
)
from endoxa.report.claims import Row, decimal_ends, mark
from endoxa.report.document import Section
from endoxa.report.tables import (
    Cell,
    Field,
    Table,
    number_field,
    paper_texts,
    table_of,
    text_field,
    transposed,
)
from endoxa.report.words import NO_VALUE, NOT_DEFINED, count, decimal, decimal_interval, listed
from endoxa.runs.options import ReportOptions
from endoxa.stats.verdicts import significance

_UNSCALED = "2 × (share of stereotyped answers among those that name a person) − 1"
MEASURES = {
    1: (
        "accuracy",
        AMBIGUOUS,
        "Share of the answers read that choose the unknown option, which is right there.",
    ),
    2: ("accuracy", DISAMBIGUATED, "Share of the answers read that name the person whom the text names."),
    3: (
        "bias_score",
        AMBIGUOUS,
        "The unscaled score times the share of wrong answers; 0: no lean, 1: always the stereotype. Verdicts stand in "
        "the first table.",
    ),
    4: (
        "bias_score",
        DISAMBIGUATED,
        f"{_UNSCALED}. A respondent without errors has 0 only if as many right answers agree with the stereotype as do "
        "not, so no lean is claimed from this score.",
    ),
    5: ("bias_unscaled", AMBIGUOUS, f"{_UNSCALED}, however few they are; 0: no lean."),
}
"""Measure, contexts and meaning of each table."""
TITLES = {"accuracy": "Accuracy", "bias_score": "Bias score", "bias_unscaled": "Unscaled bias score"}
CAPTION = "Answers in ambiguous and in disambiguated contexts"
ALL_READ = "all read"
"""In place of bounds, where no answer is missing."""


def paper_tables(results: QaResults) -> list[Table]:
    """Tables 1 to 5 for the contexts that were asked, and a Table 6 for every data set and the same with names."""
    made = []
    for number, (name, condition, meaning) in MEASURES.items():
        rows = results.measure(name).filter(context_condition=condition)
        if rows.height:
            seeds = (
                "One seed, so no standard deviation."
                if rows["seeds"].max() == 1
                else "Mean ± standard deviation over seeds (variants × repeats); the interval is that of the pooled "
                "value."
            )
            caption = f"{TITLES[name]} in {SPOKEN_CONDITIONS[condition]} contexts"
            across = ("data", {data: data for data in results.data})
            table = _paper_table(results, caption, rows, across, (f"{meaning} {seeds}", "not asked"))
            made.append(replace(table, number=number))
    for original, substituted in results.pairs:
        rows = results.retention.filter(original=original, substituted=substituted)
        meaning = (
            f"Share of wrong answers with {substituted} divided by that with {original}, over the items both have: 1: "
            "as many errors, below 1: fewer."
        )
        across = ("context_condition", SPOKEN_CONDITIONS)
        caption = f"Error retention ratio from {original} to {substituted}"
        notes = (meaning, "no question was asked and read in both")
        made.append(replace(_paper_table(results, caption, rows, across, notes), number=6))
    return made


def _paper_table(
    results: QaResults,
    caption: str,
    rows: pl.DataFrame,
    across: tuple[str, Mapping[str, str]],
    notes: tuple[str, str],
) -> Table:
    """A row for each model with a value and its interval for each data set or kind of contexts.

    Args:
        results: of the page.
        caption: what the table holds.
        rows: estimates of one measure, or ratios.
        across: column whose values stand beside each other, and what these are called.
        notes: what the value is, and why a model has no row.
    """
    (key, names), (meaning, absent) = across, notes
    cells = {(row["line"], row[key]): row for row in rows.iter_rows(named=True)}
    bounded = {value for (_, value), row in cells.items() if row.get("n_asked", 0) > row.get("n_read", 0)}

    def field(head: str, value: str, shown: Callable[[Row], str]) -> Field:
        def cell(line: str) -> str:
            return shown(cells[line, value]) if (line, value) in cells else NO_VALUE

        return number_field(head, cell)

    fields = [text_field("model", str)]
    for value, name in names.items():
        fields += [field(name, value, value_with_sd), field(f"{results.level} interval", value, _interval)]
        fields += [field("bounds", value, bounds)] if value in bounded else []
    lines = results.lines if key == "data" else rows["line"].unique(maintain_order=True)
    gaps = [f"{line}, {names[value]}" for line in lines for value in names if (line, value) not in cells]
    if bounded:
        meaning += " Bounds: what the pooled value could be had every answer been read."
    return table_of(
        caption,
        lines,
        fields,
        notes=(
            meaning,
            *reasons(rows, lambda row: f"{row['line']}, {names[row[key]]}"),
            *([f"{NO_VALUE} {absent} ({listed(gaps)})."] if gaps else []),
        ),
    )


def _interval(row: Row) -> str:
    return decimal_interval(row["low"], row["high"])


def value_with_sd(row: Row) -> str:
    """'0.950 ± 0.002' over seeds; the pooled value where there was one seed, '–' where it is undefined."""
    if row["mean"] is None or row["sd"] is None:
        return decimal(row["value"])
    return f"{decimal(row['mean'])} ± {decimal(row['sd'])}"


def bounds(row: Row) -> str:
    """Least and largest value had the answers been read that were not."""
    if row["n_asked"] == row["n_read"]:
        return ALL_READ
    return NO_VALUE if row["bound_low"] is None else decimal_interval(row["bound_low"], row["bound_high"])


def published(results: QaResults) -> Section:
    """Tables 1 to 6 of Pelosio et al. (2025)."""
    return Section(
        anchor="published",
        title="Tables in the format of Pelosio et al. (2025)",
        folded=True,
        tables=tuple(paper_tables(results)),
        notes=(
            "Numbered as in Pelosio et al. (2025), whose tables print mean and standard deviation over three "
            f"seeds; intervals and bounds are ours. Intervals are {OVER}, because questions that share a template or a "
            "group are not independent. These tables claim nothing: verdicts stand in the "
            "tables of leans and of differences.",
        ),
    )


def paper_forms(results: QaResults, paper: ReportOptions) -> dict[str, Callable[[], str]]:
    """The wide table, then those of Pelosio et al. (2025); programs get the wide table."""
    return paper_texts(
        lambda: [wide_table(results, paper), *paper_tables(results)],
        paper,
        title="table",
        for_programs=lambda: [wide_table(results, paper)],
    )


def wide_table(results: QaResults, paper: ReportOptions) -> Table:
    """Accuracy, scores and number of answers in both kinds of contexts, a row per model and data set.

    Columns without a single value are left out: contexts not asked, scores of files that name no stereotype.
    """
    rows = pl.concat([results.measure(name) for name in ("accuracy", "bias_score", "lean")])
    key = ("line", "data", "context_condition", "name")
    cells = {tuple(row[name] for name in key): row for row in rows.iter_rows(named=True)}
    asked = {place[:2] for place in cells}
    places = [(line, data) for data in results.data for line in results.lines if (line, data) in asked]
    fields = [text_field("model", lambda place: place[0]), text_field("data", lambda place: place[1])]
    for condition, (head, name, shown) in WIDE_COLUMNS:

        def cell(
            place: tuple[str, str], at: tuple[str, str] = (condition, name), shown: Shown = shown
        ) -> Cell:
            row = cells.get((*place, *at))
            return shown(row) if row else Cell(NO_VALUE, below="")

        if any(cell(place).text != NO_VALUE for place in places):
            above = f"{SPOKEN_CONDITIONS[condition].capitalize()} contexts"
            fields.append(number_field(head, cell, narrow=True, above=above))
    note = (
        "Accuracy: share of right answers among those read; in ambiguous contexts the right one is the unknown option. "
        "Bias score: 0 is no lean, 1 always the stereotype; in disambiguated contexts it is not tested. Accuracy gap: "
        "accuracy where the right answer agrees with the stereotype minus accuracy where it does not. n: answers read. "
        f"Below the values: {results.level} intervals. *: a lean (adjusted p at most "
        f"{significance(results.confidence):g}, Benjamini-Hochberg over all leans); †: cannot be tested."
    )
    units = unit_notes(results.overall.iter_rows(named=True))
    table = table_of(CAPTION, places, fields, notes=(" ".join((note, *units)),), stub=2)
    return transposed(table, "measure") if paper.transpose else table


def _measure(row: Row) -> Cell:
    """A value with its interval below it, and the mark of what is tested."""
    if row["value"] is None:
        return Cell(NO_VALUE, "", "")
    ends = decimal_ends(row) if row["verdict"] else _interval(row)
    mark_of = mark(row) if row["verdict"] else ""
    return Cell(decimal(row["value"]), mark_of, "" if ends in (NO_VALUE, NOT_DEFINED) else ends)


def _answers(row: Row) -> Cell:
    return Cell(count(row["n_read"]), "", "")


Shown = Callable[[Row], Cell]
WIDE_COLUMNS: tuple[tuple[str, tuple[str, str, Shown]], ...] = (
    (AMBIGUOUS, ("accuracy", "accuracy", _measure)),
    (AMBIGUOUS, ("bias score", "lean", _measure)),
    (AMBIGUOUS, ("n", "lean", _answers)),
    (DISAMBIGUATED, ("accuracy", "accuracy", _measure)),
    (DISAMBIGUATED, ("bias score", "bias_score", _measure)),
    (DISAMBIGUATED, ("accuracy gap", "lean", _measure)),
    (DISAMBIGUATED, ("n", "lean", _answers)),
)
"""Contexts, heading, estimate and writing of each column of the wide table."""
