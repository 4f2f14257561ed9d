"""The wide table of answers to questions for a paper: one row per model and data set, intervals below the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from endoxa.instruments.questions.report.published import paper_tables
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONDITIONS,
    DISAMBIGUATED,
    SPOKEN_CONDITIONS,
    QaResults,
)
from endoxa.instruments.questions.report.values import Row, lean_evidence, shown_interval
from endoxa.report import tables
from endoxa.report.claims import cannot_be_tested, is_clear
from endoxa.report.tables import Cell, Column, Table, transposed
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval
from endoxa.runs.options import USUAL_PAPER, PaperOptions
from endoxa.stats.verdicts import significance

CAPTION = "Answers in ambiguous and in disambiguated contexts"
COLUMN_GAP = "4pt"


@dataclass(frozen=True, slots=True)
class _Measure:
    head: str
    cell: Callable[[Row], Cell]


def markdown(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The wide table, then those of Pelosio et al. (2025)."""
    return tables.markdown([wide_table(results, paper), *paper_tables(results)], paper.note)


def latex(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The same as `table*` environments."""
    found = [wide_table(results, paper), *paper_tables(results)]
    return tables.latex(found, paper.note, column_gap=COLUMN_GAP, caption=paper.caption, label=paper.label)


def csv(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> str:
    """The wide table for programs, intervals in columns of their own."""
    return tables.csv([wide_table(results, paper)], "table")


def wide_table(results: QaResults, paper: PaperOptions = USUAL_PAPER) -> Table:
    """Accuracy, scores and number of answers in both kinds of contexts, a row per model and data set.

    Columns without a single value are left out: contexts not asked, scores of files that name no stereotype.
    """
    found: dict[tuple[str, str, str], Row] = {
        (row["line"], row["data"], row["context_condition"]): row
        for row in results.overall.iter_rows(named=True)
    }
    places = [
        (line, data)
        for data in results.data
        for line in results.lines
        if any((line, data, condition) in found for condition in CONDITIONS)
    ]
    columns: list[tuple[Column, list[Cell]]] = []
    for condition in CONDITIONS:
        rows = [found.get((*place, condition)) for place in places]
        for measure in _MEASURES[condition]:
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
    said = [
        "Accuracy: share of right answers among those read; in ambiguous contexts the right one is the unknown option, "
        "so accuracy is also the rate of unknown answers."
    ]
    if "bias score" in heads:
        said.append("Bias score: 0 is no lean, 1 always the stereotype.")
    if "accuracy gap" in heads:
        said.append(
            "Accuracy gap: accuracy where the right answer agrees with the stereotype minus accuracy where it does not."
        )
    if "unknown" in heads:
        said.append("Unknown: share of unknown answers among those read.")
    untested = ""
    if {"bias score", "accuracy gap"} <= heads:
        untested = " In disambiguated contexts the bias score is not tested."
    said.append(
        f"n: answers read. Below the values: {results.level} intervals. *: a lean (adjusted p at most {level:g}, "
        f"Benjamini-Hochberg over all leans); †: cannot be tested.{untested}"
    )
    return " ".join(said)


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


_MEASURES = {
    AMBIGUOUS: (
        _Measure("accuracy", _plain("accuracy")),
        _Measure("bias score", _lean),
        _Measure("n", _answers),
    ),
    DISAMBIGUATED: (
        _Measure("accuracy", _plain("accuracy")),
        _Measure("bias score", _plain("bias_score")),
        _Measure("accuracy gap", _lean),
        _Measure("unknown", _unknown),
        _Measure("n", _answers),
    ),
}
