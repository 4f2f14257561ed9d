"""Checks of a table of associations, such as the pairs that a campaign collected."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from endoxa.datasets.check.association import REQUIRED, ROW_CHECKS, Association, number
from endoxa.datasets.check.problem import Problem
from endoxa.datasets.drafts import no_rows
from endoxa.datasets.tables import TABLE_SUFFIXES, table_columns, table_rows
from endoxa.errors import UserError

ASSOCIATIONS = "associations"
"""What `--format` calls such a table."""

_SENTENCES = {"sent_more", "sent_less"}


def is_associations(path: Path) -> bool:
    """Whether a file is a table with the columns of associations and without sentences."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return False
    found = set(table_columns(path))
    return found.issuperset(REQUIRED) and not found & _SENTENCES


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
        one = Association(row)
        problems += [
            one.problem("error", fault.check, fault.column or "", fault.message) for fault in row.faults
        ]
        if not row.faults:
            sound.append(one)
            problems += [problem for check in ROW_CHECKS for problem in check(one)]
    if empty:
        raise UserError(no_rows(path))
    problems += [problem for check in TABLE_CHECKS for problem in check(sound)]
    return sorted(problems, key=lambda problem: problem.row)


def duplicate_id(rows: Sequence[Association]) -> Iterator[Problem]:
    """Two associations of one name: what is made from them could not be told apart."""
    first: dict[str, int] = {}
    for one in rows:
        name = one.cell("association_id")
        if name and name in first:
            message = f"is also the id of row {first[name]}; every association needs its own"
            yield one.problem("error", "duplicate-id", "association_id", message)
        first.setdefault(name, one.row.number)


def duplicate_association(rows: Sequence[Association]) -> Iterator[Problem]:
    """The same is said of the same people twice in one language: it is counted twice. Merge the two."""
    first: dict[tuple[str, ...], int] = {}
    for one in rows:
        columns = ("identity", "attribute", "axis", "region", "language", "source")
        key = tuple(_folded(one.cell(name)) for name in columns)
        if key[0] and key[1] and key in first:
            message = f"says the same as row {first[key]}: it is counted twice"
            yield one.problem("warning", "duplicate-association", "", message)
        first.setdefault(key, one.row.number)


def too_few_ratings(rows: Sequence[Association]) -> Iterator[Problem]:
    """Fewer ratings than each association was to get (`k`): its mean says little."""
    asked = [(number(one.cell("ratings")), number(one.cell("k"))) for one in rows]
    known = [(n, k) for n, k in asked if n is not None and k is not None]
    few = sum(n < k for n, k in known)
    if few:
        message = f"{few} of {len(known)} associations have fewer ratings than the k they were to get"
        yield Problem("note", "too-few-ratings", "", 0, "ratings", message)


def nobody_said(rows: Sequence[Association]) -> Iterator[Problem]:
    """Nobody said it unprompted: a seed, or words that stayed when their author left. Only its ratings speak for it."""
    silent = sum(number(one.cell("support")) == 0 for one in rows)
    if silent:
        message = f"{silent} of {len(rows)} associations were said by nobody unprompted (support 0)"
        yield Problem("note", "nobody-said", "", 0, "support", message)


def one_counter(rows: Sequence[Association]) -> Iterator[Problem]:
    """Mentions (said unprompted) and ratings (shown, then judged) are the same number everywhere: were they mixed?"""
    both = [(one.cell("support"), one.cell("ratings")) for one in rows if one.cell("ratings")]
    filled = [(said, rated) for said, rated in both if said != "0" or rated != "0"]
    if len(filled) > 1 and all(said == rated for said, rated in filled):
        message = "support equals ratings in every row: mentions and ratings must be counted apart"
        yield Problem("warning", "one-counter", "", 0, "support", message)


TABLE_CHECKS: tuple[Callable[[Sequence[Association]], Iterator[Problem]], ...] = (
    duplicate_id,
    duplicate_association,
    too_few_ratings,
    nobody_said,
    one_counter,
)
"""Checks of all associations together."""


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
