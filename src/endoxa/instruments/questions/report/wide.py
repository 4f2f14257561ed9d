"""One wide table of all answers for a paper: models against kinds of context, with intervals and marks."""

from __future__ import annotations

from collections.abc import Iterator

from endoxa.instruments.questions.report.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.instruments.questions.report.values import (
    SPOKEN_LEANS,
    Row,
    lean_evidence,
    missing,
    shown_interval,
)
from endoxa.page.claims import cannot_be_tested, is_clear
from endoxa.page.tables import Cell, Column, Table
from endoxa.page.words import NO_VALUE, count, decimal, decimal_interval
from endoxa.stats.verdicts import significance


def wide_table(results: QaResults) -> Table:
    """A row for each model (and data set, protocol); for each kind of context accuracy, lean and answers read."""
    found = {
        (row["line"], row["data"], row["context_condition"]): row
        for row in results.overall.iter_rows(named=True)
    }
    asked = [one for one in CONDITIONS if any(condition == one for _, _, condition in found)]
    several = len(results.data) > 1
    columns = [Column("model"), *([Column("data")] if several else [])]
    leans = {condition: row["lean_name"] for (_, _, condition), row in found.items()}
    for condition in asked:
        heads = ("accuracy", SPOKEN_LEANS[leans[condition]], "answers read")
        above = f"{SPOKEN_CONDITIONS[condition].capitalize()} contexts"
        columns += [Column(name, numeric=True, narrow=True, above=above) for name in heads]
    rows = []
    for line in results.lines:
        for data in results.data:
            own = [found.get((line, data, condition)) for condition in asked]
            if any(row is not None for row in own):
                cells = (cell for row in own for cell in _cells(row))
                rows.append((line, *([data] if several else []), *cells))
    undefined = [(f"{line}, {data}", row, "accuracy") for (line, data, _), row in found.items()]
    return Table(
        "Accuracy and leans in each kind of context",
        tuple(columns),
        tuple(rows),
        notes=(_note(results), *missing(undefined)),
        stub=1 + several,
    )


def _cells(row: Row | None) -> Iterator[Cell]:
    """Accuracy, lean and number of answers with their intervals; gaps where it was not asked."""
    if row is None:
        yield from (Cell(NO_VALUE, below="") for _ in range(3))
        return
    ends = (row["accuracy_low"], row["accuracy_high"])
    yield Cell(decimal(row["accuracy"]), below="" if None in ends else decimal_interval(*ends))
    lean = lean_evidence(row)
    shown = shown_interval(lean)
    mark = "*" if is_clear(lean) else "†" if cannot_be_tested(lean) else ""
    yield Cell(decimal(row["lean"]), mark, None if shown == NO_VALUE else shown)
    yield Cell(count(row["n_read"]), below="")


def _note(results: QaResults) -> str:
    level = significance(results.confidence)
    return (
        "Accuracy: share of the answers read that are right. Leans are 0 without one and above 0 towards the "
        f"stereotype; {results.level} intervals. An asterisk marks a lean that differs from 0 (adjusted "
        f"p ≤ {level:g}), a dagger one that cannot be tested."
    )
