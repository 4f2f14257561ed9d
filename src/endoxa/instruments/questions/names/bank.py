"""Banks of first names that indicate a group: reading and validating the bundled one or a user's table.

Names that a reader or a program could confuse are errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path
from typing import Literal

import regex

from endoxa.errors import UserError
from endoxa.sources.frames import read_table

Gender = Literal["female", "male"]

GENDERS: tuple[Gender, ...] = ("female", "male")
"""Genders of the names, as the paper draws them (Pelosio et al. 2025, appendix A)."""


@dataclass(frozen=True, slots=True)
class Name:
    """One first name.

    Attributes:
        group: the group it points to, as the items write it ("Nigerian").
        gender: who usually bears it there.
        name: in the letters of the items' language.
        ambiguous: other groups of the bank in which the same name is common.
        source: where it is from ("census 2021"), or empty.
    """

    group: str
    gender: Gender
    name: str
    ambiguous: frozenset[str] = frozenset()
    source: str = ""


@dataclass(frozen=True)
class NameBank:
    """Names by group, at least one for each gender of every group.

    Attributes:
        label: what the bank is called: "built-in" or the name of its file.
        entries: the names, in the order of the file.
        group_forms: by group, further words for it and its members ("Spaniards").
    """

    label: str
    entries: tuple[Name, ...]
    group_forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups, in the order of the file."""
        return tuple(dict.fromkeys(entry.group for entry in self.entries))

    @cached_property
    def _by_group(self) -> Mapping[tuple[str, Gender | None], list[Name]]:
        by_group: dict[tuple[str, Gender | None], list[Name]] = defaultdict(list)
        for entry in self.entries:
            by_group[entry.group, entry.gender].append(entry)
            by_group[entry.group, None].append(entry)
        return dict(by_group)

    def names(self, group: str, gender: Gender | None = None) -> list[Name]:
        """Names of a group, in the order of the file, of one gender where it is given.

        Raises:
            KeyError: the bank does not have the group.
        """
        return self._by_group[group, gender]

    def words(self, group: str) -> tuple[str, ...]:
        """The words for a group and its members, longest first: what must not be left beside its names."""
        return tuple(sorted({group, *self.group_forms.get(group, ())}, key=lambda word: (-len(word), word)))


BUNDLED = "names.csv"
"""The bank of the package, in `endoxa/words`: the 68 nationalities of BBQ, five female and five male names each."""

_REQUIRED = ("group", "gender", "name")


def read_bank(path: Path | None = None) -> NameBank:
    """Read a bank of names.

    Columns: `group`, `gender` ("female" or "male") and `name`; also `ambiguous` (groups) and `forms` (further words for
    the group, on one of its rows or all), both separated by ';', and `source`. Any others are notes for people.

    Args:
        path: the table; the bank of the package where None.

    Raises:
        UserError: the file cannot be read, lacks a column, leaves a cell empty, has a gender that is neither, gives a
            group one name twice, or has no name for a gender of a group.
    """
    return _bundled() if path is None else _read(path, path.name)


@cache
def _bundled() -> NameBank:
    with as_file(files("endoxa.words").joinpath(BUNDLED)) as path:
        return _read(path, "built-in")


def _read(path: Path, label: str) -> NameBank:
    entries: list[Name] = []
    forms: dict[str, set[str]] = defaultdict(set)
    seen: dict[tuple[str, str], int] = {}
    for number, cells in enumerate(read_table(path, _REQUIRED).iter_rows(named=True), 1):
        row = {column: (cell or "").strip() for column, cell in cells.items()}
        entry = _entry(row, f"{path}, row {number}")
        first = seen.setdefault((entry.group, entry.name.casefold()), number)
        if first != number:
            raise UserError(
                f"{path}, row {number}: '{entry.name}' of '{entry.group}' also appears in row {first}. Remove one."
            )
        entries.append(entry)
        forms[entry.group].update(_listed(row.get("forms", "")))
    bank = NameBank(label, tuple(entries), {group: tuple(sorted(words)) for group, words in forms.items()})
    there = {(entry.group, entry.gender) for entry in entries}
    for group, gender in product(bank.groups, GENDERS):
        if (group, gender) not in there:
            raise UserError(f"{path}: '{group}' has no {gender} name. Expected at least one per group.")
    return bank


def _entry(row: Mapping[str, str], place: str) -> Name:
    for column in _REQUIRED:
        if not row[column]:
            raise UserError(
                f"{place}, column '{column}': empty. Expected {', '.join(_REQUIRED)} for every name."
            )
    gender = row["gender"].lower()
    if gender not in GENDERS:
        raise UserError(
            f"{place}, column 'gender': '{row['gender']}' is invalid. Expected one of: {', '.join(GENDERS)}."
        )
    ambiguous = frozenset(_listed(row.get("ambiguous", "")))
    return Name(row["group"], gender, row["name"], ambiguous, row.get("source", ""))


def _listed(cell: str) -> list[str]:
    return [part for piece in cell.split(";") if (part := piece.strip())]


_CAPITALISED = regex.compile(r"\p{Lu}[\p{Ll}\p{M}]+")


@dataclass(frozen=True, slots=True)
class BankProblem:
    """Something to mend in a bank.

    Attributes:
        group: the group of the name.
        name: the name it is about.
        message: what was found and what to do.
    """

    group: str
    name: str
    message: str


def check_bank(bank: NameBank) -> list[BankProblem]:
    """Names that would make a text ambiguous, in the order of the bank; none for a sound bank.

    Those are names of several groups that are not flagged, flags that say nothing, names that are words for a group,
    and names that are not one capitalised word.
    """
    words = {word.casefold() for group in bank.groups for word in bank.words(group)}
    bearers: dict[str, set[str]] = defaultdict(set)
    for entry in bank.entries:
        bearers[entry.name.casefold()].add(entry.group)
    problems = []
    for entry in bank.entries:
        messages = [
            f"stands under '{group}' too: name it in the column 'ambiguous', or choose another name"
            for group in sorted(bearers[entry.name.casefold()] - {entry.group} - entry.ambiguous)
        ]
        messages += [
            f"is flagged as shared with '{group}', which is no other group of this bank: correct the column 'ambiguous'"
            for group in sorted(entry.ambiguous - set(bank.groups) | entry.ambiguous & {entry.group})
        ]
        if not _CAPITALISED.fullmatch(entry.name):
            messages.append(
                "is not one word of letters with a capital in front: a text with it may be misread"
            )
        if entry.name.casefold() in words:
            messages.append("is also a word for a group of this bank: choose another name")
        problems += [BankProblem(entry.group, entry.name, message) for message in messages]
    return problems
