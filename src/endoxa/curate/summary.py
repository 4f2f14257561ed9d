"""A summary of a survey that can be handed on: who said what how often, with small subgroups merged."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import polars as pl

from endoxa.curate.cells import plain_cell, respondents, trimmed
from endoxa.errors import UserError
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.sources.frames import write_table

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


def most_common(cells: Iterable[str | None]) -> str:
    """The most frequent text that is not empty, the first by alphabet among equals; or empty."""
    counts = Counter(cell for cell in cells if cell)
    return min(counts, key=lambda cell: (-counts[cell], cell), default="")


UNSTATED = "(not said)"
ALL_AXES = "(all axes)"

KEYS = ("axis", "identity", "attribute")
"""Columns that name an association."""
Level = tuple[str, ...]
"""What is split: nothing for everybody, an axis, or axis, identity and canonical attribute."""


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


def published(table: pl.DataFrame, column: str, least: int) -> dict[Level, Split]:
    """What may be published of each level of a table of mentions, split by a column.

    A level that would give away another has no split. What is merged in a level is merged in all below it.

    Args:
        table: columns of `MENTION_COLUMNS`, and the column.
        column: name of the column.
        least: smallest count of a subgroup that may be known.
    """
    answered = answers(table, column)
    people: dict[Level, set[str]] = {}
    for person, *key in table.select("person", *KEYS).iter_rows():
        for level in ((), (key[0],), tuple(key)):
            people.setdefault(level, set()).add(person)
    splits: dict[Level, Split] = {}
    merged: dict[Level, Set[str]] = {}
    below: dict[Level, list[Mapping[str, int]]] = defaultdict(list)
    for level, members in sorted(people.items(), key=lambda entry: len(entry[0])):
        above = level[:1] if len(level) > 1 else ()
        hidden = merged.get(above, frozenset())
        splits[level] = answered.split(members, least, hidden)
        merged[level] = hidden | (set(answered.categories) - splits[level].shown.keys())
        if level:
            below[above].append(answered.counts(members))
    for level, rows in below.items():
        if not covered_without_any(rows, answered.counts(people[level])):
            splits[level] = Split({})
    return splits


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
    enough = trimmed(statements, ("respondent",)).select(respondents()).item() >= SMALLEST_CELL
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
    return statements.select(plain_cell(name) != "").to_series()


FREQUENCY_COLUMNS: dict[str, str] = {
    "axis": "social axis",
    "identity": "the group of people",
    "attribute": "the canonical attribute of the group of like attributes",
    "group_id": "the group of like attributes, or empty",
    "respondents": "how many different respondents said it",
    "statements": "how many statements say it",
}
"""Columns of `frequencies.csv`, the most frequent first within an axis."""

COMPOSED_BY = ("language", "country")
"""Columns of the statements that the composition is always split by, where they are there."""

_USED_COLUMNS = frozenset(
    (*STATEMENT_COLUMNS, "source", "said", "group_id", "polarity", "person", "canonical", "answer")
)
_DISTINCT_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of a survey, safe to hand on.

    Attributes:
        frequencies: columns of `FREQUENCY_COLUMNS`.
        frequencies_by: for each column, axis, identity, attribute, the column, respondents.
        composition: per axis and source: respondents, statements, identities, associations.
        composition_by: for each column, axis, the column, respondents.
        notes: what a reader should know, as sentences.
    """

    frequencies: pl.DataFrame
    frequencies_by: Mapping[str, pl.DataFrame]
    composition: pl.DataFrame
    composition_by: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...] = field(default=())


def summarise(table: pl.DataFrame, least: int = SMALLEST_CELL) -> Summary:
    """Count a table of mentions, every respondent once per cell, small subgroups merged.

    It is split by the columns that describe respondents: the country and every column that is not one of ours and has
    one value in all statements of a respondent.

    Args:
        table: columns of `mentions.MENTION_COLUMNS` and those of the statements.
        least: smallest count of a subgroup that may be known.
    """
    columns, notes = _columns(table)
    composed = dict.fromkeys([*columns, *(name for name in COMPOSED_BY if name in table.columns)])
    splits = {name: published(table, name, least) for name in composed}
    frequencies = _frequencies(table)
    said = {tuple(level): total for *level, total in frequencies.select(*KEYS, "respondents").rows()}
    axes = table.group_by("axis").agg(pl.col("person").n_unique()).sort("axis")
    totals: dict[Level, int] = {(axis,): total for axis, total in axes.iter_rows()}
    totals[()] = table["person"].n_unique()
    return Summary(
        frequencies,
        {name: _long(name, splits[name], said, KEYS) for name in columns},
        _composition(table),
        {name: _long(name, splits[name], totals, KEYS[:1]) for name in composed},
        (*notes, *_nested(table, columns)),
    )


def _columns(table: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The columns to split by, and a sentence for each that was passed over."""
    candidates = ["country"] if "country" in table.columns else []
    candidates += [
        name for name in table.columns if name not in _USED_COLUMNS and not name.startswith("review")
    ]
    people = table["person"].n_unique()
    kept, notes, varying = [], [], []
    for name in candidates:
        values = len({choice for cell in table[name] for choice in choices(cell)})
        if table.select("person", pl.col(name).fill_null("")).unique()["person"].is_duplicated().any():
            varying.append(name)
        elif values > 1 and values > people * _DISTINCT_SHARE:
            notes.append(f"Column '{name}' has {values} values for {people} respondents: not split by it.")
        elif values:
            kept.append(name)
    if varying:
        notes.append(f"Not split by {', '.join(varying)}: statements of one respondent differ there.")
    return kept, notes


def _frequencies(table: pl.DataFrame) -> pl.DataFrame:
    return (
        table.group_by(KEYS)
        .agg(
            group_id=pl.col("group_id").min(),
            respondents=pl.col("person").n_unique().cast(pl.Int64),
            statements=pl.len().cast(pl.Int64),
        )
        .select(*FREQUENCY_COLUMNS)
        .sort(["axis", "respondents", "identity", "attribute"], descending=[False, True, False, False])
    )


def _composition(table: pl.DataFrame) -> pl.DataFrame:
    measures = (
        pl.col("person").n_unique().alias("respondents"),
        pl.len().alias("statements"),
        pl.col("identity").n_unique().alias("identities"),
        pl.struct("identity", "attribute").n_unique().alias("associations"),
    )
    axes = table.group_by("axis", "source").agg(*measures).sort("axis", "source")
    by_source = table.group_by("source").agg(*measures).sort("source")
    return pl.concat([axes, by_source.select(pl.lit(ALL_AXES).alias("axis"), pl.all())]).select(axes.columns)


def _long(
    column: str, splits: Mapping[Level, Split], totals: Mapping[Level, int], keys: Sequence[str]
) -> pl.DataFrame:
    """One row per level and label."""
    rows = [
        (*(level or (ALL_AXES,)), label, n)
        for level, total in totals.items()
        for label, n in splits[level].cells(total).items()
    ]
    schema = {**dict.fromkeys((*keys, column), pl.String), "respondents": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _nested(table: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """A sentence for each pair of columns of which one follows from the other (country and continent)."""
    sentences = []
    for column, other in permutations(columns, 2):
        pairs = table.select(column, other).unique()
        if 1 < pairs[other].n_unique() <= pairs[column].n_unique() == pairs.height:
            sentences.append(
                f"'{other}' follows from '{column}': counts of one could be subtracted from the other. "
                "Hand on the tables of one of them only."
            )
    return sentences


def write_summary(summary: Summary, folder: Path) -> list[Path]:
    """Write the tables of a summary as CSV and return their paths.

    `frequencies.csv`, `composition.csv`, and for every column `frequencies_by_COLUMN.csv` and
    `composition_by_COLUMN.csv`, where characters of the name that are no letters become '_'.

    Raises:
        UserError: two columns would have the same file, or the folder cannot be written.
    """
    tables = {"frequencies": summary.frequencies, "composition": summary.composition}
    for kind, parts in (("frequencies", summary.frequencies_by), ("composition", summary.composition_by)):
        for column, table in parts.items():
            name = f"{kind}_by_{_stem(column)}"
            if name in tables:
                raise UserError(
                    f"Two columns would be written to the same file '{name}.csv'. Rename the column '{column}'."
                )
            tables[name] = table
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, table in tables.items():
        write_table(table, paths[name])
    return list(paths.values())


def _stem(column: str) -> str:
    return re.sub(r"\W+", "_", column.strip().lower()).strip("_") or "column"
