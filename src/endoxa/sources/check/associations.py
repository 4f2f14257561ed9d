"""Associations as the checks see them, and the checks of a table of associations, such as a campaign's pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel import Locale

from endoxa.errors import UserError
from endoxa.sources.check.characters import invisible_character, line_break
from endoxa.sources.check.problems import Problem, Severity, several_spellings
from endoxa.sources.drafts import no_rows
from endoxa.sources.identities import identity_key
from endoxa.sources.tables import TABLE_SUFFIXES, Row, table_columns, table_rows

REQUIRED = ("association_id", "identity", "attribute")


@dataclass(frozen=True, slots=True)
class Association:
    """A row, as the checks see it."""

    row: Row

    def cell(self, column: str) -> str:
        """Text of a cell; empty where there is none."""
        return self.row.cells.get(column) or ""

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Column and text of what is in words."""
        return ((column, self.cell(column)) for column in ("identity", "attribute"))

    def problem(self, severity: Severity, check: str, column: str, message: str, text: str = "") -> Problem:
        """A problem of this row."""
        return Problem(severity, check, self.cell("association_id"), self.row.number, column, message, text)


def empty_cell(association: Association) -> Iterator[Problem]:
    """No name, nobody it is about, or nothing that is said: nothing can be made of it."""
    for column in REQUIRED:
        if not association.cell(column).strip():
            yield association.problem(
                "error", "empty-cell", column, "is empty: every association needs text here"
            )


def unknown_language(association: Association) -> Iterator[Problem]:
    """A language that CLDR does not name, or none: no sentence can be made in it."""
    language = association.cell("language")
    if (
        "language" in association.row.cells
        and language.replace("_", "-").split("-")[0].lower() not in _languages()
    ):
        message = (
            "is not a language code (ISO 639) such as 'en' or 'sw'"
            if language
            else "is empty: name the language"
        )
        yield association.problem("warning", "unknown-language", "language", message, language)


ROW_CHECKS: tuple[Callable[[Association], Iterator[Problem]], ...] = (
    empty_cell,
    unknown_language,
    line_break,
    invisible_character,
)
"""Checks of one association."""


def number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@cache
def _languages() -> Mapping[str, str]:
    return dict(Locale.parse("en").languages)


ASSOCIATIONS = "associations"
"""What `--format` calls such a table."""

_SENTENCES = {"sent_more", "sent_less"}


def is_associations(path: Path) -> bool:
    """Whether a file is a table with the columns of associations and without sentences."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return False
    columns = set(table_columns(path, REQUIRED))
    return columns.issuperset(REQUIRED) and not columns & _SENTENCES


def check_associations(path: Path) -> list[Problem]:
    """Every problem of a table of associations: those of the whole file first, then by row.

    Raises:
        UserError: the file itself cannot be used (missing, empty, a column lacking, no rows).
    """
    problems: list[Problem] = []
    sound: list[Association] = []
    empty = True
    for row in table_rows(path, REQUIRED):
        empty = False
        association = Association(row)
        problems += [
            association.problem("error", fault.check, fault.column or "", fault.message)
            for fault in row.faults
        ]
        if not row.faults:
            sound.append(association)
            problems += [problem for check in ROW_CHECKS for problem in check(association)]
    if empty:
        raise UserError(no_rows(path))
    problems += [problem for check in TABLE_CHECKS for problem in check(sound)]
    return sorted(problems, key=lambda problem: problem.row)


def duplicate_id(rows: Sequence[Association]) -> Iterator[Problem]:
    """Two associations of one name: what is made from them could not be told apart."""
    first: dict[str, int] = {}
    for row in rows:
        name = row.cell("association_id")
        if name and name in first:
            message = f"is also the id of row {first[name]}; ids must be unique"
            yield row.problem("error", "duplicate-id", "association_id", message)
        first.setdefault(name, row.row.number)


def duplicate_association(rows: Sequence[Association]) -> Iterator[Problem]:
    """The same is said of the same people twice in one language: it is counted twice. Merge the two."""
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        columns = ("identity", "attribute", "axis", "region", "language", "source")
        key = tuple(identity_key(row.cell(name)) for name in columns)
        if key[0] and key[1] and key in first:
            message = f"repeats row {first[key]} and is counted twice"
            yield row.problem("warning", "duplicate-association", "", message)
        first.setdefault(key, row.row.number)


def identity_spellings(rows: Sequence[Association]) -> Iterator[Problem]:
    """One identity is written in several ways: it counts as one in everything made of the table."""
    yield from several_spellings([row.cell("identity") for row in rows], "identity")


def attribute_spellings(rows: Sequence[Association]) -> Iterator[Problem]:
    """One attribute is written in several ways: it counts as one in everything made of the table."""
    yield from several_spellings([row.cell("attribute") for row in rows], "attribute")


def too_few_ratings(rows: Sequence[Association]) -> Iterator[Problem]:
    """Fewer ratings than each association was to get (`k`): its mean says little."""
    counts = [(number(row.cell("ratings")), number(row.cell("k"))) for row in rows]
    planned = [(n, k) for n, k in counts if n is not None and k is not None]
    few = sum(n < k for n, k in planned)
    if few:
        message = f"{few} of {len(planned)} associations have fewer ratings than the planned number k"
        yield Problem("note", "too-few-ratings", "", 0, "ratings", message)


def nobody_said(rows: Sequence[Association]) -> Iterator[Problem]:
    """Nobody said it unprompted: a seed, or words that stayed when their author left. Only its ratings speak for it."""
    silent = sum(number(row.cell("support")) == 0 for row in rows)
    if silent:
        message = f"{silent} of {len(rows)} associations have no unprompted mention (support 0)"
        yield Problem("note", "nobody-said", "", 0, "support", message)


TABLE_CHECKS: tuple[Callable[[Sequence[Association]], Iterator[Problem]], ...] = (
    duplicate_id,
    duplicate_association,
    identity_spellings,
    attribute_spellings,
    too_few_ratings,
    nobody_said,
)
"""Checks of all associations together."""
