"""Checks of a table of associations, such as a campaign's pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.check.characters import invisible_character, line_break
from endoxa.sources.check.problems import (
    Checked,
    Problem,
    Trace,
    attribute_spellings,
    duplicate_id,
    identity_spellings,
)
from endoxa.sources.drafts import no_rows
from endoxa.sources.identities import identity_key
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns, table_rows

REQUIRED = ("association_id", "identity", "attribute")
ASSOCIATIONS = "associations"
"""What `--format` calls such a table."""
_KEY = ("identity", "attribute", "axis", "region", "language", "source")


def is_associations(path: Path) -> bool:
    """Whether a file is a table with the columns of associations and without sentences."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return False
    columns = set(table_columns(path, REQUIRED))
    return columns.issuperset(REQUIRED) and not columns & {"sent_more", "sent_less"}


def check_associations(path: Path) -> list[Problem]:
    """Every problem of a table of associations: those of the whole file first, then by row.

    Raises:
        UserError: the file itself cannot be used (missing, empty, a column lacking, no rows).
    """
    problems: list[Problem] = []
    traces: list[Trace] = []
    empty = True
    for row in table_rows(path, REQUIRED):
        empty = False
        name, *texts = ((column, row.cells.get(column) or "") for column in REQUIRED)
        association = Checked(name[1], row.number, tuple(texts))
        problems += [
            association.problem("error", fault.check, fault.column or "", fault.message)
            for fault in row.faults
        ]
        if row.faults:
            continue
        problems += [
            association.problem("error", "empty-cell", column, "is empty: every association needs text here")
            for column, text in (name, *texts)
            if not text.strip()
        ]
        problems += [*line_break(association), *invisible_character(association)]
        key = tuple(identity_key(row.cells.get(column) or "") for column in _KEY)
        (_, identity), (_, attribute) = texts
        traces.append(Trace(name[1], row.number, REQUIRED[0], key, identity, attribute))
    if empty:
        raise UserError(no_rows(path))
    problems += [problem for check in TABLE_CHECKS for problem in check(traces)]
    return sorted(problems, key=lambda problem: problem.row)


def duplicate_association(traces: Sequence[Trace]) -> Iterator[Problem]:
    """The same is said of the same people twice in one language: it is counted twice. Merge the two."""
    first: dict[tuple[object, ...], int] = {}
    for trace in traces:
        if all(trace.key[:2]) and trace.key in first:
            message = f"repeats row {first[trace.key]} and is counted twice"
            yield Problem("warning", "duplicate-association", trace.item_id, trace.row, "", message)
        first.setdefault(trace.key, trace.row)


TABLE_CHECKS: tuple[Callable[[Sequence[Trace]], Iterator[Problem]], ...] = (
    duplicate_id,
    duplicate_association,
    identity_spellings,
    attribute_spellings,
)
"""Checks of all associations together."""
