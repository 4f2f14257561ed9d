"""Splitting counts of respondents by a column: whole survey, axes, and associations, in one consistent way.

The three levels must not give each other away. So a category that is merged at one level stays merged in every level
below, and the counts of an axis (or of the survey) are only split where they say nothing new about any association
(or axis) below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

import polars as pl

from endoxa.curate.summary.cells import choices
from endoxa.curate.summary.disclosure import Split, covered_without_any, split_several, split_single

NOT_SAID = "(not said)"
ALL_AXES = "(all axes)"

Association = tuple[str, str, str]
"""Axis, identity and canonical attribute."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What respondents answered to one question about themselves.

    Attributes:
        chosen: categories of every respondent, at least one each.
        categories: all categories that occur.
        several: whether anybody chose more than one.
    """

    chosen: Mapping[str, tuple[str, ...]]
    categories: tuple[str, ...]
    several: bool

    def counts(self, people: Set[str]) -> dict[str, int]:
        """Respondents of every category among these people, zeros included."""
        found = Counter(name for one in people for name in self.chosen[one])
        return {name: found[name] for name in self.categories}

    def split(self, people: Set[str], least: int, merged: Set[str] = frozenset()) -> Split:
        """What may be published of these people."""
        counts = self.counts(people)
        if self.several:
            return split_several(counts, len(people), least, merged)
        return split_single(counts, least, merged)


def answers(table: pl.DataFrame, column: str) -> Answers:
    """The answers in a column of a table of mentions: all that a respondent's rows hold, joined."""
    chosen: dict[str, dict[str, None]] = {}
    for person, cell in table.select("person", column).iter_rows():
        chosen.setdefault(person, {}).update(dict.fromkeys(choices(cell)))
    filled = {person: tuple(found) or (NOT_SAID,) for person, found in chosen.items()}
    categories = sorted({name for found in filled.values() for name in found})
    return Answers(filled, tuple(categories), any(len(found) > 1 for found in filled.values()))


@dataclass(frozen=True, slots=True)
class Published:
    """Splits of every level; a level that would give away another has none."""

    associations: Mapping[Association, Split]
    axes: Mapping[str, Split]


def published(table: pl.DataFrame, column: str, least: int) -> Published:
    """What may be published of a table of mentions, split by a column.

    Args:
        table: columns of `MENTION_COLUMNS`, and the column.
        column: name of the column.
        least: smallest count of a subgroup that may be known.
    """
    known = answers(table, column)
    people = people_by_association(table)
    axes: dict[str, set[str]] = {}
    for (axis, _, _), found in people.items():
        axes.setdefault(axis, set()).update(found)
    everybody = set().union(*axes.values())
    whole = known.split(everybody, least)
    merged = {axis: _merged(known, whole) for axis in axes}
    splits = {axis: known.split(found, least, merged[axis]) for axis, found in axes.items()}
    merged = {axis: merged[axis] | _merged(known, split) for axis, split in splits.items()}
    rows = {key: known.split(found, least, merged[key[0]]) for key, found in people.items()}
    below = {axis: [known.counts(found) for key, found in people.items() if key[0] == axis] for axis in axes}
    shown = {
        axis: split if covered_without_any(below[axis], known.counts(axes[axis])) else Split({})
        for axis, split in splits.items()
    }
    apart = covered_without_any([known.counts(found) for found in axes.values()], known.counts(everybody))
    return Published(rows, shown | {ALL_AXES: whole if apart else Split({})})


def people_by_association(table: pl.DataFrame) -> dict[Association, set[str]]:
    """Respondents behind every association, in the order of the table."""
    found: dict[Association, set[str]] = {}
    for axis, identity, attribute, person in table.select(
        "axis", "identity", "attribute", "person"
    ).iter_rows():
        found.setdefault((axis, identity, attribute), set()).add(person)
    return found


def _merged(known: Answers, split: Split) -> frozenset[str]:
    return frozenset(known.categories) - split.shown.keys()
