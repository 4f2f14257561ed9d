"""Tables 1 to 6 of Pelosio et al. (2025, "Obscured but Not Erased") for one's own models, as finished texts.

The paper prints the mean and the standard deviation over seeds. Ours add the interval of the pooled value, and
between which bounds a value could lie had the answers been read that were not. Besides them: one wide table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import polars as pl

from endoxa.instruments.questions.headline import unit_notes
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONDITIONS,
    DISAMBIGUATED,
    OVER,
    SPOKEN_CONDITIONS,
    QaResults,
    Row,
    reasons,
)
from endoxa.report.claims import decimal_ends, mark
from endoxa.report.document import Section
from endoxa.report.tables import (
    Cell,
    Column,
    Table,
    paper_texts,
    transposed,
)
from endoxa.report.words import NO_VALUE, NOT_DEFINED, count, decimal, decimal_interval, listed
from endoxa.runs.options import USUAL_PAPER, PaperOptions
from endoxa.stats.verdicts import significance

MEASURES = (
    (
        *(1, "Accuracy in ambiguous contexts", AMBIGUOUS, "accuracy"),
        "Share of the answers read that choose the unknown option, which is right there.",
    ),
    (
        *(2, "Accuracy in disambiguated contexts", DISAMBIGUATED, "accuracy"),
        "Share of the answers read that name the person whom the text names.",
    ),
    (
        *(3, "Bias score in ambiguous contexts", AMBIGUOUS, "bias_score"),
        "The unscaled score times the share of wrong answers; 0: no lean, 1: always the stereotype. "
        "Verdicts stand in the first table.",
    ),
    (
        *(4, "Bias score in disambiguated contexts", DISAMBIGUATED, "bias_score"),
        "2 × (share of stereotyped answers among those that name a person) − 1. A respondent without errors has 0 "
        "only if as many right answers agree with the stereotype as do not, so no lean is claimed from this score.",
    ),
    (
        *(5, "Unscaled bias score in ambiguous contexts", AMBIGUOUS, "bias_unscaled"),
        "2 × (share of stereotyped answers among those that name a person) − 1, however few they are; 0: no lean.",
    ),
)
"""Number, title, contexts, column of the estimates and meaning of a table."""

CAPTION = "Answers in ambiguous and in disambiguated contexts"
COLUMN_GAP = "4pt"
ALL_READ = "all read"
"""In place of bounds, where no answer is missing."""


def paper_tables(results: QaResults) -> list[Table]:
    """Tables 1 to 5 for the contexts that were asked, and a Table 6 for every data set and the same with names."""
    made = []
    for number, title, condition, name, meaning in MEASURES:
        rows = results.measure(name).filter(context_condition=condition)
        if rows.is_empty():
            continue
        seeds = (
            "One seed, so no standard deviation."
            if rows["seeds"].max() == 1
            else "Mean ± standard deviation over seeds (variants × repeats); the interval is that of the pooled value."
        )
        table = _paper_table(
            results,
            rows,
            results.lines,
            across=("data", {data: data for data in results.data}),
            notes=(f"{meaning} {seeds}", "not asked"),
        )
        made.append(replace(table, caption=title, number=number))
    for original, substituted in results.pairs:
        rows = results.retention.filter(original=original, substituted=substituted)
        spoken = {condition: name.capitalize() for condition, name in SPOKEN_CONDITIONS.items()}
        table = _paper_table(
            results,
            rows,
            rows["line"].unique(maintain_order=True),
            across=("context_condition", spoken),
            notes=(
                f"Share of wrong answers with {substituted} divided by that with {original}, over the items both have: "
                "1: as many errors, below 1: fewer.",
                "no question was asked and read in both",
            ),
        )
        caption = f"Error retention ratio from {original} to {substituted}"
        made.append(replace(table, caption=caption, number=6))
    return made


def _paper_table(
    results: QaResults,
    rows: pl.DataFrame,
    lines: Iterable[str],
    *,
    across: tuple[str, Mapping[str, str]],
    notes: tuple[str, str],
) -> Table:
    """A row for each model with a value and its interval for each data set or kind of contexts.

    Args:
        results: of the page.
        rows: estimates of one measure, or ratios.
        lines: every model and protocol.
        across: column whose values stand beside each other, and what these are called.
        notes: what the value is, and why a model has no row.
    """
    key, names = across
    cells = {(row["line"], row[key]): row for row in rows.iter_rows(named=True)}
    bounded = {value for (_, value), row in cells.items() if row.get("n_asked", 0) > row.get("n_read", 0)}

    def texts(row: Row | None, value: str) -> Iterator[str]:
        yield NO_VALUE if row is None else value_with_sd(row)
        yield NO_VALUE if row is None else decimal_interval(row["low"], row["high"])
        if value in bounded:
            yield NO_VALUE if row is None else bounds(row)

    heads = [
        head
        for value, name in names.items()
        for head in (name, f"{results.level} interval", *(["bounds"] if value in bounded else ()))
    ]
    body = tuple(
        (line, *(text for value in names for text in texts(cells.get((line, value)), value)))
        for line in lines
    )
    gaps = [f"{line}, {names[value]}" for line in lines for value in names if (line, value) not in cells]
    meaning, absent = notes
    if bounded:
        meaning += " Bounds: what the pooled value could be had every answer been read."
    return Table(
        "",
        (Column("Model"), *(Column(head, numeric=True) for head in heads)),
        body,
        notes=(
            meaning,
            *reasons(rows, lambda row: f"{row['line']}, {names[row[key]]}"),
            *([f"{NO_VALUE} {absent} ({listed(gaps)})."] if gaps else []),
        ),
    )


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
        tables=tuple(
            replace(table, columns=(Column("model"), *table.columns[1:])) for table in paper_tables(results)
        ),
        notes=(
            "Numbered as in Pelosio et al. (2025), whose tables print mean and standard deviation over three "
            f"seeds; intervals and bounds are ours. Intervals are {OVER}, because questions that share a template or a "
            "group are not independent. These tables claim nothing: verdicts stand in the "
            "tables of leans and of differences.",
        ),
    )


def paper_forms(results: QaResults, paper: PaperOptions) -> dict[str, Callable[[], str]]:
    """The wide table, then those of Pelosio et al. (2025); programs get the wide table."""

    def wide() -> list[Table]:
        return [wide_table(results, paper)]

    return paper_texts(
        lambda: [*wide(), *paper_tables(results)],
        paper,
        title="table",
        column_gap=COLUMN_GAP,
        for_programs=wide,
    )


def wide_table(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> Table:
    """Accuracy, scores and number of answers in both kinds of contexts, a row per model and data set.

    Columns without a single value are left out: contexts not asked, scores of files that name no stereotype.
    """
    over_all = pl.concat([results.measure(name) for name in ("accuracy", "bias_score", "lean")])
    cells = {
        (row["line"], row["data"], row["context_condition"], row["name"]): row
        for row in over_all.iter_rows(named=True)
    }
    places = [
        (line, data)
        for data in results.data
        for line in results.lines
        if any((line, data, condition, "lean") in cells for condition in CONDITIONS)
    ]
    columns: list[tuple[Column, list[Cell]]] = []
    for condition in CONDITIONS:
        for head, (name, cell) in WIDE_COLUMNS[condition].items():
            rows = [cells.get((*place, condition, name)) for place in places]
            texts = [cell(row) if row else Cell(NO_VALUE, below="") for row in rows]
            if any(text.text != NO_VALUE for text in texts):
                above = f"{SPOKEN_CONDITIONS[condition].capitalize()} contexts"
                columns.append((Column(head, numeric=True, narrow=True, above=above), texts))
    stub = ("model", "data")[: 1 + (len(results.data) > 1)]
    heads = {column.name for column, _ in columns}
    note = " ".join(words for head, words in WIDE_NOTES.items() if head in {"accuracy", *heads})
    note += (
        f" n: answers read. Below the values: {results.level} intervals. *: a lean (adjusted p at most "
        f"{significance(results.confidence):g}, Benjamini-Hochberg over all leans); †: cannot be tested."
    )
    note += "".join(f" {units}" for units in unit_notes(results.overall.iter_rows(named=True)))
    if {"bias score", "accuracy gap"} <= heads:
        note += " In disambiguated contexts the bias score is not tested."
    table = Table(
        CAPTION,
        (*map(Column, stub), *(column for column, _ in columns)),
        tuple(
            (*place[: len(stub)], *(texts[row] for _, texts in columns)) for row, place in enumerate(places)
        ),
        notes=(note,),
        stub=len(stub),
    )
    return transposed(table, "measure") if paper.transpose else table


def _measure(row: Row) -> Cell:
    """A value with its interval below it, and the mark of what is tested."""
    if row["value"] is None:
        return Cell(NO_VALUE, "", "")
    tested = row["verdict"] != ""
    ends = decimal_ends(row) if tested else decimal_interval(row["low"], row["high"])
    return Cell(
        decimal(row["value"]), mark(row) if tested else "", "" if ends in (NO_VALUE, NOT_DEFINED) else ends
    )


def _unknown(row: Row) -> Cell:
    return Cell(decimal(1 - row["n_persons"] / row["n_read"]) if row["n_read"] else NO_VALUE, "", "")


def _answers(row: Row) -> Cell:
    return Cell(count(row["n_read"]), "", "")


WIDE_COLUMNS: Mapping[str, Mapping[str, tuple[str, Callable[[Row], Cell]]]] = {
    AMBIGUOUS: {
        "accuracy": ("accuracy", _measure),
        "bias score": ("lean", _measure),
        "n": ("lean", _answers),
    },
    DISAMBIGUATED: {
        "accuracy": ("accuracy", _measure),
        "bias score": ("bias_score", _measure),
        "accuracy gap": ("lean", _measure),
        "unknown": ("lean", _unknown),
        "n": ("lean", _answers),
    },
}
"""Columns of the wide table: the estimate they are made from, and how."""
WIDE_NOTES = {
    "accuracy": "Accuracy: share of right answers among those read; in ambiguous contexts the right one is the "
    "unknown option, so accuracy is also the rate of unknown answers.",
    "bias score": "Bias score: 0 is no lean, 1 always the stereotype.",
    "accuracy gap": "Accuracy gap: accuracy where the right answer agrees with the stereotype minus accuracy where "
    "it does not.",
    "unknown": "Unknown: share of unknown answers among those read.",
}
