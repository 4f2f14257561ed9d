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
    ALL_READ,
    AMBIGUOUS,
    CONDITIONS,
    DISAMBIGUATED,
    OVER,
    SPOKEN_CONDITIONS,
    QaResults,
    Row,
    bounds,
    missing,
    unread,
    value_with_sd,
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


def paper_tables(results: QaResults) -> list[Table]:
    """Tables 1 to 5 for the contexts that were asked, and a Table 6 for every data set and the same with names."""
    overall, made = results.overall, []
    for number, title, condition, column, meaning in MEASURES:
        rows = overall.filter(context_condition=condition)
        seeds = (
            "One seed, so no standard deviation."
            if rows["n_seeds"].max() == 1
            else "Mean ± standard deviation over seeds (variants × repeats); the interval is that of the pooled value."
        )
        if rows.height:
            table = _paper_table(
                *(results, rows, column, results.lines),
                across=("data", {data: data for data in results.data}),
                meaning=f"{meaning} {seeds}",
                absent="not asked",
            )
            made.append(replace(table, caption=title, number=number))
    for original, substituted in results.pairs:
        rows = results.retention.filter(original=original, substituted=substituted)
        table = _paper_table(
            *(results, rows.rename({"low": "ratio_low", "high": "ratio_high"}), "ratio"),
            rows["line"].unique(maintain_order=True),
            across=("context_condition", SPOKEN_CONDITIONS),
            meaning=f"Share of wrong answers with {substituted} divided by that with {original}, over the items both "
            "have: 1: as many errors, below 1: fewer.",
            absent="no question was asked and read in both",
        )
        caption = f"Error retention ratio from {original} to {substituted}"
        made.append(replace(table, caption=caption, number=6))
    return made


def _paper_table(
    results: QaResults,
    rows: pl.DataFrame,
    column: str,
    lines: Iterable[str],
    *,
    across: tuple[str, Mapping[str, str]],
    meaning: str,
    absent: str,
) -> Table:
    """A row for each model with a value and its interval for each data set or kind of contexts.

    Args:
        results: of the page.
        rows: estimates or ratios.
        column: of the value.
        lines: every model and protocol.
        across: column whose values stand beside each other, and what these are called.
        meaning: what the value is.
        absent: why a model has no row.
    """
    key, names = across
    cells = {(row["line"], row[key]): row for row in rows.iter_rows(named=True)}
    ratio = column == "ratio"
    bounded = {value for (_, value), row in cells.items() if not ratio and bounds(row, column)}

    def texts(row: Row | None, *, with_bounds: bool) -> Iterator[str]:
        if row is None:
            yield from [NO_VALUE] * (2 + with_bounds)
            return
        yield value_with_sd(row, column)
        yield decimal_interval(row[f"{column}_low"], row[f"{column}_high"])
        if with_bounds:
            ends = bounds(row, column)
            yield decimal_interval(*ends) if ends else NO_VALUE if unread(row) else ALL_READ

    heads = []
    for value, name in names.items():
        heads += [name.capitalize() if ratio else name, f"{results.level} interval"]
        heads += ["bounds"] * (value in bounded)
    body = tuple(
        (
            line,
            *(
                text
                for value in names
                for text in texts(cells.get((line, value)), with_bounds=value in bounded)
            ),
        )
        for line in lines
    )
    places = ((f"{line}, {names[value]}", row, column) for (line, value), row in cells.items())
    gaps = [f"{line}, {names[value]}" for line in lines for value in names if (line, value) not in cells]
    if bounded:
        meaning += " Bounds: what the pooled value could be had every answer been read."
    return Table(
        "",
        (Column("Model"), *(Column(head, numeric=True) for head in heads)),
        body,
        notes=(meaning, *missing(places), *([f"{NO_VALUE} {absent} ({listed(gaps)})."] if gaps else [])),
    )


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
    cells = {
        (row["line"], row["data"], row["context_condition"]): row
        for row in results.overall.iter_rows(named=True)
    }
    places = [
        (line, data)
        for data in results.data
        for line in results.lines
        if any((line, data, condition) in cells for condition in CONDITIONS)
    ]
    columns: list[tuple[Column, list[Cell]]] = []
    for condition in CONDITIONS:
        rows = [cells.get((*place, condition)) for place in places]
        for head, cell in WIDE_COLUMNS[condition].items():
            texts = [cell(row) if row else Cell(NO_VALUE, below="") for row in rows]
            if any(text.text != NO_VALUE for text in texts):
                above = f"{SPOKEN_CONDITIONS[condition].capitalize()} contexts"
                columns.append((Column(head, numeric=True, narrow=True, above=above), texts))
    stub = ("model", "data")[: 1 + (len(results.data) > 1)]
    heads = {column.name for column, _ in columns}
    sentences = {
        "accuracy": "Accuracy: share of right answers among those read; in ambiguous contexts the right one is the "
        "unknown option, so accuracy is also the rate of unknown answers.",
        "bias score": "Bias score: 0 is no lean, 1 always the stereotype.",
        "accuracy gap": "Accuracy gap: accuracy where the right answer agrees with the stereotype minus accuracy where "
        "it does not.",
        "unknown": "Unknown: share of unknown answers among those read.",
    }
    note = " ".join(words for head, words in sentences.items() if head in {"accuracy", *heads})
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


def _value(text: str, ends: str = "", marked: str = "") -> Cell:
    """A cell whose interval is empty where it has none."""
    return Cell(text, marked, "" if ends in (NO_VALUE, NOT_DEFINED) else ends)


def _measure(column: str) -> Callable[[Row], Cell]:
    """A measure that nothing is claimed from."""
    return lambda row: _value(
        decimal(row[column]), decimal_interval(row[f"{column}_low"], row[f"{column}_high"])
    )


def _lean(row: Row) -> Cell:
    """What the verdict is about, with its mark."""
    if row["value"] is None:
        return _value(NO_VALUE)
    return _value(decimal(row["value"]), decimal_ends(row), mark(row))


def _unknown(row: Row) -> Cell:
    return _value(decimal(1 - row["n_persons"] / row["n_read"]) if row["n_read"] else NO_VALUE)


def _answers(row: Row) -> Cell:
    return _value(count(row["n_read"]))


WIDE_COLUMNS: Mapping[str, Mapping[str, Callable[[Row], Cell]]] = {
    AMBIGUOUS: {"accuracy": _measure("accuracy"), "bias score": _lean, "n": _answers},
    DISAMBIGUATED: {
        "accuracy": _measure("accuracy"),
        "bias score": _measure("bias_score"),
        "accuracy gap": _lean,
        "unknown": _unknown,
        "n": _answers,
    },
}
