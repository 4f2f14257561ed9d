"""Tables 1 to 6 of Pelosio et al. (2025, "Obscured but Not Erased") for one's own models, as finished texts.

The paper prints the mean and the standard deviation over seeds. Ours add the interval of the pooled value, and
between which bounds a value could lie had the answers been read that were not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from endoxa.instruments.questions.report.results import (
    ALL_READ,
    AMBIGUOUS,
    CONDITIONS,
    DISAMBIGUATED,
    SPOKEN_CONDITIONS,
    QaResults,
    Row,
    bounds,
    lean_evidence,
    missing,
    shown_interval,
    unread,
    value_with_sd,
)
from endoxa.report import tables
from endoxa.report.claims import cannot_be_tested, chip, is_clear
from endoxa.report.document import Section
from endoxa.report.tables import Cell, Column, Table, transposed
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, listed, p_value
from endoxa.runs.options import USUAL_PAPER, PaperOptions
from endoxa.stats.verdicts import significance


@dataclass(frozen=True, slots=True)
class _PaperTable:
    number: int
    title: str
    condition: str
    column: str
    meaning: str


_PAPER_TABLES = (
    _PaperTable(
        1,
        "Accuracy in ambiguous contexts",
        AMBIGUOUS,
        "accuracy",
        "Share of the answers read that choose the unknown option, which is right there.",
    ),
    _PaperTable(
        2,
        "Accuracy in disambiguated contexts",
        DISAMBIGUATED,
        "accuracy",
        "Share of the answers read that name the person whom the text names.",
    ),
    _PaperTable(
        3,
        "Bias score in ambiguous contexts",
        AMBIGUOUS,
        "bias_score",
        "The unscaled score times the share of wrong answers; 0: no lean, 1: always the stereotype. Intervals of the "
        "bootstrap; verdicts stand in the first table.",
    ),
    _PaperTable(
        4,
        "Bias score in disambiguated contexts",
        DISAMBIGUATED,
        "bias_score",
        "2 × (share of stereotyped answers among those that name a person) − 1. A respondent without errors has 0 "
        "only if as many right answers agree with the stereotype as do not, so no lean is claimed from this score.",
    ),
    _PaperTable(
        5,
        "Unscaled bias score in ambiguous contexts",
        AMBIGUOUS,
        "bias_unscaled",
        "2 × (share of stereotyped answers among those that name a person) − 1, however few they are; 0: no lean.",
    ),
)


def paper_tables(results: QaResults) -> list[Table]:
    """Tables 1 to 5 for the contexts that were asked, and a Table 6 for every data set and the same with names."""
    conditions = set(results.overall["context_condition"])
    tables = [
        _measure_table(results, measure) for measure in _PAPER_TABLES if measure.condition in conditions
    ]
    return [*tables, *(_retention_table(results, *pair) for pair in results.pairs)]


def _measure_table(results: QaResults, measure: _PaperTable) -> Table:
    rows = results.overall.filter(pl.col("context_condition") == measure.condition)
    by_cell: dict[tuple[str, str], Row] = {
        (row["line"], row["data"]): row for row in rows.iter_rows(named=True)
    }
    incomplete = [
        data
        for data in results.data
        if any(bounds(row, measure.column) for (_, label), row in by_cell.items() if label == data)
    ]
    heads: list[str] = []
    for data in results.data:
        heads += [data, f"{results.level} interval", *(["bounds"] if data in incomplete else [])]
    body = tuple(
        (
            line,
            *(
                text
                for data in results.data
                for text in _cells(by_cell.get((line, data)), measure.column, with_bounds=data in incomplete)
            ),
        )
        for line in results.lines
    )
    places = ((f"{line}, {data}", row, measure.column) for (line, data), row in by_cell.items())
    absent = [
        f"{line}, {data}" for line in results.lines for data in results.data if (line, data) not in by_cell
    ]
    return Table(
        measure.title,
        _columns(heads),
        body,
        notes=(
            _explained(measure, rows, bool(incomplete)),
            *missing(places),
            *_absent(absent, "not asked"),
        ),
        number=measure.number,
    )


def _columns(heads: Sequence[str]) -> tuple[Column, ...]:
    return (Column("Model"), *(Column(name, numeric=True) for name in heads))


def _cells(row: Row | None, column: str, *, with_bounds: bool) -> Iterator[str]:
    if row is None:
        yield from (NO_VALUE for _ in range(3 if with_bounds else 2))
        return
    yield value_with_sd(row, column)
    yield decimal_interval(row[f"{column}_low"], row[f"{column}_high"])
    if with_bounds:
        ends = bounds(row, column)
        yield decimal_interval(*ends) if ends else NO_VALUE if unread(row) else ALL_READ


def _absent(places: list[str], why: str) -> Iterator[str]:
    if places:
        yield f"{NO_VALUE} {why} ({listed(places)})."


def _explained(measure: _PaperTable, rows: pl.DataFrame, with_bounds: bool) -> str:
    sentences = [measure.meaning]
    if rows["n_seeds"].max() == 1:
        sentences.append("One seed, so no standard deviation.")
    else:
        sentences.append(
            "Mean ± standard deviation over seeds (variants × repeats); the interval is that of the pooled value."
        )
    if with_bounds:
        sentences.append("Bounds: what the pooled value could be had every answer been read.")
    return " ".join(sentences)


def _retention_table(results: QaResults, original: str, substituted: str) -> Table:
    rows = results.retention.filter((pl.col("original") == original) & (pl.col("substituted") == substituted))
    by_cell: dict[tuple[str, str], Row] = {
        (row["line"], row["context_condition"]): row for row in rows.iter_rows(named=True)
    }
    lines = list(dict.fromkeys(line for line, _ in by_cell))
    heads = [
        head
        for condition in CONDITIONS
        for head in (SPOKEN_CONDITIONS[condition].capitalize(), f"{results.level} interval")
    ]
    body = tuple(
        (
            line,
            *(text for condition in CONDITIONS for text in _ratio(by_cell.get((line, condition)))),
        )
        for line in lines
    )
    places = (
        (f"{line}, {SPOKEN_CONDITIONS[condition]}", row, "ratio")
        for (line, condition), row in by_cell.items()
    )
    absent = [
        f"{line}, {SPOKEN_CONDITIONS[condition]}"
        for line in lines
        for condition in CONDITIONS
        if (line, condition) not in by_cell
    ]
    meaning = (
        f"Share of wrong answers with {substituted} divided by that with {original}, over the items both have: "
        "1: as many errors, below 1: fewer."
    )
    return Table(
        f"Error retention ratio from {original} to {substituted}",
        _columns(heads),
        body,
        notes=(
            meaning,
            *missing(places),
            *_absent(absent, "no question was asked and read in both"),
        ),
        number=6,
    )


def _ratio(row: Row | None) -> tuple[str, str]:
    if row is None:
        return NO_VALUE, NO_VALUE
    return value_with_sd(row, "ratio"), decimal_interval(row["low"], row["high"])


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
            "seeds; intervals and bounds are ours. Intervals resample templates with all their questions, because "
            "questions made from one "
            "template are not independent. These tables claim nothing: verdicts stand in the tables of leans and of "
            "differences.",
        ),
    )


CAPTION = "Answers in ambiguous and in disambiguated contexts"
COLUMN_GAP = "4pt"


@dataclass(frozen=True, slots=True)
class _WideColumn:
    head: str
    cell: Callable[[Row], Cell]


def markdown(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The wide table, then those of Pelosio et al. (2025)."""
    return tables.markdown([wide_table(results, paper), *paper_tables(results)], paper.note)


def latex(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The same as `table*` environments."""
    shown = [wide_table(results, paper), *paper_tables(results)]
    return tables.latex(shown, paper.note, column_gap=COLUMN_GAP, caption=paper.caption, label=paper.label)


def csv(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The wide table for programs, intervals in columns of their own."""
    return tables.csv([wide_table(results, paper)], "table")


def wide_table(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> Table:
    """Accuracy, scores and number of answers in both kinds of contexts, a row per model and data set.

    Columns without a single value are left out: contexts not asked, scores of files that name no stereotype.
    """
    by_cell: dict[tuple[str, str, str], Row] = {
        (row["line"], row["data"], row["context_condition"]): row
        for row in results.overall.iter_rows(named=True)
    }
    places = [
        (line, data)
        for data in results.data
        for line in results.lines
        if any((line, data, condition) in by_cell for condition in CONDITIONS)
    ]
    columns: list[tuple[Column, list[Cell]]] = []
    for condition in CONDITIONS:
        rows = [by_cell.get((*place, condition)) for place in places]
        for measure in _WIDE_COLUMNS[condition]:
            cells = [measure.cell(row) if row else Cell(NO_VALUE, below="") for row in rows]
            if any(cell.text != NO_VALUE for cell in cells):
                above = f"{SPOKEN_CONDITIONS[condition].capitalize()} contexts"
                columns.append((Column(measure.head, numeric=True, narrow=True, above=above), cells))
    several = len(results.data) > 1
    stub = (Column("model"), *([Column("data")] if several else []))
    body: tuple[tuple[str | Cell, ...], ...] = tuple(
        (line, *([data] if several else []), *(cells[place] for _, cells in columns))
        for place, (line, data) in enumerate(places)
    )
    heads = {column.name for column, _ in columns}
    table = Table(
        CAPTION,
        (*stub, *(column for column, _ in columns)),
        body,
        notes=(_note(results, heads),),
        stub=len(stub),
    )
    return transposed(table, "measure") if paper.transpose else table


def _note(results: QaResults, heads: set[str]) -> str:
    level = significance(results.confidence)
    sentences = [
        "Accuracy: share of right answers among those read; in ambiguous contexts the right one is the unknown option, "
        "so accuracy is also the rate of unknown answers."
    ]
    if "bias score" in heads:
        sentences.append("Bias score: 0 is no lean, 1 always the stereotype.")
    if "accuracy gap" in heads:
        sentences.append(
            "Accuracy gap: accuracy where the right answer agrees with the stereotype minus accuracy where it does not."
        )
    if "unknown" in heads:
        sentences.append("Unknown: share of unknown answers among those read.")
    untested = ""
    if {"bias score", "accuracy gap"} <= heads:
        untested = " In disambiguated contexts the bias score is not tested."
    sentences.append(
        f"n: answers read. Below the values: {results.level} intervals. *: a lean (adjusted p at most {level:g}, "
        f"Benjamini-Hochberg over all leans); †: cannot be tested.{untested}"
    )
    return " ".join(sentences)


def _plain(column: str) -> Callable[[Row], Cell]:
    """A measure that nothing is claimed from."""

    def cell(row: Row) -> Cell:
        ends = decimal_interval(row[f"{column}_low"], row[f"{column}_high"])
        return Cell(decimal(row[column]), below="" if ends == NO_VALUE else ends)

    return cell


def _lean(row: Row) -> Cell:
    """What the verdict is about, with its mark."""
    if row["lean"] is None:
        return Cell(NO_VALUE, below="")
    mark = "*" if is_clear(row) else "†" if cannot_be_tested(row) else ""
    ends = shown_interval(lean_evidence(row))
    return Cell(decimal(row["lean"]), mark, "" if ends == NO_VALUE else ends)


def _unknown(row: Row) -> Cell:
    if not row["n_read"]:
        return Cell(NO_VALUE, below="")
    return Cell(decimal(1 - row["n_persons"] / row["n_read"]), below="")


def _answers(row: Row) -> Cell:
    return Cell(count(row["n_read"]), below="")


_WIDE_COLUMNS = {
    AMBIGUOUS: (
        _WideColumn("accuracy", _plain("accuracy")),
        _WideColumn("bias score", _lean),
        _WideColumn("n", _answers),
    ),
    DISAMBIGUATED: (
        _WideColumn("accuracy", _plain("accuracy")),
        _WideColumn("bias score", _plain("bias_score")),
        _WideColumn("accuracy gap", _lean),
        _WideColumn("unknown", _unknown),
        _WideColumn("n", _answers),
    ),
}


COUNTS = (
    *("n", "n_read", "n_unparsed", "n_refused", "n_correct", "n_persons", "n_non_unknown", "n_biased"),
    "clusters",
)
VALUES = (
    *("accuracy", "accuracy_low", "accuracy_high", "accuracy_unparsed_as_wrong"),
    *("accuracy_aligned", "accuracy_nonaligned", "stereotyped_share"),
    *("bias_unscaled", "bias_unscaled_low", "bias_unscaled_high"),
    *("bias_score", "bias_score_low", "bias_score_high", "bias_score_if_none", "bias_score_if_all"),
    *("bias_unscaled_if_none", "bias_unscaled_if_all"),
    *("lean", "lean_low", "lean_high"),
)
TESTS = ("p_value", "p_adjusted")


MOST_ROWS = 400
"""With more estimates the page holds those over all categories; the CSV file has all."""


def numbers(results: QaResults) -> Section:
    """The estimates under the names of their columns, and how they were made."""
    texts = ("model", "data", "category", "contexts")
    many = results.estimates.height > MOST_ROWS
    shown = results.overall if many else results.estimates
    rows = tuple(
        (
            row["line"],
            row["data"],
            row["category"],
            SPOKEN_CONDITIONS[row["context_condition"]],
            *(count(row[name]) for name in COUNTS),
            *(decimal(row[name]) for name in VALUES),
            *(NO_VALUE if row[name] is None else p_value(row[name]) for name in TESTS),
            chip(row),
            "; ".join(text for text in (row["reason"], row["verdict_reason"]) if text) or NO_VALUE,
        )
        for row in shown.iter_rows(named=True)
    )
    columns = (
        *(Column(name) for name in texts),
        *(Column(name, numeric=True) for name in (*COUNTS, *VALUES, *TESTS)),
        Column("verdict"),
        Column("reason"),
    )
    return Section(
        anchor="numbers",
        title="Every number",
        folded=True,
        tables=(
            Table(
                "Estimates over all categories, named as in the CSV file"
                if many
                else "All estimates, named as in the CSV file",
                columns,
                rows,
                folded=True,
            ),
            _methods(results),
        ),
        notes=(
            f"The report written as CSV holds {'every category' if many else 'the same'} and the means over seeds.",
        ),
    )


def _methods(results: QaResults) -> Table:
    methods = results.estimates.group_by("method", maintain_order=True).agg(n=pl.len())
    rows = tuple((method or NO_VALUE, count(n)) for method, n in methods.iter_rows())
    return Table(
        "How the bootstrap intervals were made", (Column("method"), Column("estimates", numeric=True)), rows
    )
