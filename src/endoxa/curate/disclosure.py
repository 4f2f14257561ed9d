"""Disclosure control: small counts of subgroups are merged, so that they can be neither read nor subtracted.

A count of fewer than `least` respondents of a subgroup can identify a person. Suppressing that cell alone is not
enough: the total minus the other cells gives it away (Willenborg and de Waal 2001, Elements of Statistical Disclosure
Control, ch. 1 and 4, on secondary suppression). A count of 0 is as small as one of 3.

Respondents with one answer each: the small categories of a row become one rest. While that rest is smaller than
`least`, the next larger category joins it. The published counts partition the row into parts of at least `least`;
inside the rest, only its size is known.

Respondents with several answers (a column in which anybody ticked more than one): counts overlap, and a rest would let
overlaps be computed. Only categories are published that both hold and leave out at least `least` respondents, and
never all of them unless their overlaps add up to `least` too.

Counts exist at three levels: the whole survey, axes, and associations. A category that is merged at one level stays
merged in every level below, and the counts of an axis (or of the survey) are split only where they disclose nothing
new about any association (or axis) below.

Columns of a table of statements that no step knows, on their way to rows that stand for several respondents.

What all respondents of such a row share says of each of them that it is theirs, and that nobody else is among them: a
count of 0 is as small as one of 3 (`endoxa.curate.disclosure`). So a value goes on only where the whole table has no
other one and holds enough respondents; it then says nothing about any row. Other columns are named, not dropped in
silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

import polars as pl

from endoxa.schema import STATEMENT_COLUMNS
from endoxa.schema.associations import SMALLEST_CELL

REST = "(rest)"
"""All categories of a column that a row does not list."""

EVERYBODY = "(all)"
"""A row that cannot be split without showing a small count."""


@dataclass(frozen=True, slots=True)
class Split:
    """What may be published of a row.

    Attributes:
        shown: respondents of each category that stands for itself.
        rest: respondents of all other categories together; None where that is not published.
    """

    shown: Mapping[str, int]
    rest: int | None = None

    def cells(self, total: int) -> dict[str, int]:
        """Labels and counts as they are written; a row without any split has its total."""
        if not self.shown:
            return {EVERYBODY: total}
        return dict(self.shown) | ({REST: self.rest} if self.rest is not None else {})


def split_single(counts: Mapping[str, int], least: int, merged: Collection[str] = ()) -> Split:
    """Split a row of respondents with one answer each.

    Args:
        counts: respondents of every category that the column has anywhere, zeros included.
        least: smallest count that may be known.
        merged: categories that are part of the rest in any case.
    """
    shown = {name: n for name, n in counts.items() if n >= least and name not in merged}
    rest = sum(counts.values()) - sum(shown.values())
    apart = len(counts) > len(shown)
    while apart and rest < least and shown:
        smallest = min(shown, key=lambda name: (shown[name], name))
        rest += shown.pop(smallest)
    return Split(_by_size(shown), rest if shown and apart else None)


def split_several(counts: Mapping[str, int], total: int, least: int, merged: Collection[str] = ()) -> Split:
    """Split a row of respondents who may have several answers each.

    Args:
        counts: respondents of every category that the column has anywhere; their sum may exceed the total.
        total: respondents of the row.
        least: smallest count that may be known.
        merged: categories that are not shown in any case.
    """
    shown = {name: n for name, n in counts.items() if least <= n <= total - least and name not in merged}
    overlap = sum(counts.values()) - total
    if shown and len(shown) == len(counts) and overlap < least:
        shown.pop(min(shown, key=lambda name: (shown[name], name)))
    return Split(_by_size(shown))


def _by_size(shown: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(shown.items(), key=lambda cell: (-cell[1], cell[0])))


def covered_without_any(rows: Collection[Mapping[str, int]], union: Mapping[str, int]) -> bool:
    """Whether the counts of a union say nothing new about any one of the rows it is made of.

    A union holds at most as many respondents of a category as its rows together. Where the other rows already
    account for all of them, nothing follows for the row that is left; where they do not, it must hold the
    difference, and its rest could be taken apart.
    """
    return all(
        sum(row.get(name, 0) for row in rows) - max((row.get(name, 0) for row in rows), default=0) >= n
        for name, n in union.items()
    )


_MARKS = re.compile(r"\s+\*(?=\s|$)|;|\n")


def choices(cell: str | None) -> tuple[str, ...]:
    """The choices of a cell, each once, in their order: 'A  * B *' and 'A; B' both hold A and B.

    The first form is that of survey tools that end every ticked item with an asterisk.
    """
    parts = (" ".join(part.split()) for part in _MARKS.split(cell or ""))
    return tuple(dict.fromkeys(part for part in parts if part))


UNSTATED = "(not said)"
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
        counter = Counter(name for person in people for name in self.chosen[person])
        return {name: counter[name] for name in self.categories}

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
    filled = {person: tuple(values) or (UNSTATED,) for person, values in chosen.items()}
    categories = sorted({name for values in filled.values() for name in values})
    return Answers(filled, tuple(categories), any(len(values) > 1 for values in filled.values()))


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
    column_answers = answers(table, column)
    people = people_by_association(table)
    axes: dict[str, set[str]] = {}
    for (axis, _, _), members in people.items():
        axes.setdefault(axis, set()).update(members)
    everybody = set().union(*axes.values())
    overall = column_answers.split(everybody, least)
    merged = {axis: _merged(column_answers, overall) for axis in axes}
    splits = {axis: column_answers.split(members, least, merged[axis]) for axis, members in axes.items()}
    merged = {axis: merged[axis] | _merged(column_answers, split) for axis, split in splits.items()}
    rows = {key: column_answers.split(members, least, merged[key[0]]) for key, members in people.items()}
    below = {
        axis: [column_answers.counts(members) for key, members in people.items() if key[0] == axis]
        for axis in axes
    }
    shown = {
        axis: split if covered_without_any(below[axis], column_answers.counts(axes[axis])) else Split({})
        for axis, split in splits.items()
    }
    apart = covered_without_any(
        [column_answers.counts(members) for members in axes.values()], column_answers.counts(everybody)
    )
    return Published(rows, shown | {ALL_AXES: overall if apart else Split({})})


def people_by_association(table: pl.DataFrame) -> dict[Association, set[str]]:
    """Respondents behind every association, in the order of the table."""
    people: dict[Association, set[str]] = {}
    for axis, identity, attribute, person in table.select(
        "axis", "identity", "attribute", "person"
    ).iter_rows():
        people.setdefault((axis, identity, attribute), set()).add(person)
    return people


def _merged(column_answers: Answers, split: Split) -> frozenset[str]:
    return frozenset(column_answers.categories) - split.shown.keys()


NAMES_OF_PEOPLE = ("reviewed_by",)
"""Columns that name people who worked on the table; they do not go into tables that are published."""


def further_columns(statements: pl.DataFrame, written: Collection[str]) -> list[str]:
    """Columns that hold anything and are neither of `STATEMENT_COLUMNS` nor written by the step itself."""
    return [
        name
        for name in statements.columns
        if name not in STATEMENT_COLUMNS and name not in written and _filled(statements, name).any()
    ]


def with_common_columns(
    made: pl.DataFrame, statements: pl.DataFrame, names: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The rows made of statements with those columns in which all statements agree; and the names of the others.

    Args:
        made: rows that stand for several respondents.
        statements: all rows of the table that they were made of.
        names: columns of it.
    """
    enough = _respondents(statements) >= SMALLEST_CELL
    common = [
        name
        for name in names
        if name not in NAMES_OF_PEOPLE
        and enough
        and _filled(statements, name).all()
        and statements[name].n_unique() == 1
    ]
    columns = (pl.lit(statements[name][0], statements.schema[name]).alias(name) for name in common)
    return made.with_columns(columns), [name for name in names if name not in common]


def not_carried(names: Sequence[str], place: str) -> list[str]:
    """A sentence that names columns which do not go on, and says why; nothing where there are none."""
    if not names:
        return []
    return [
        f"Not carried into the {place}: {', '.join(names)}. A row there stands for several respondents, and these "
        "columns could show what a single one is or said."
    ]


def _filled(statements: pl.DataFrame, name: str) -> pl.Series:
    return statements[name].cast(pl.String).fill_null("").str.strip_chars() != ""


def _respondents(statements: pl.DataFrame) -> int:
    """Different respondents; a row without one counts as a respondent of its own."""
    if "respondent" not in statements.columns:
        return statements.height
    named = _filled(statements, "respondent")
    return statements.filter(named)["respondent"].n_unique() + statements.height - int(named.sum())
