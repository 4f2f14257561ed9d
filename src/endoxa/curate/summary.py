"""A summary of a survey that can be handed on: who said what how often; and the columns that a table carries along."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import polars as pl

from endoxa.schema import STATEMENT_COLUMNS
from endoxa.schema.associations import SMALLEST_CELL

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


ALL_AXES = "(all axes)"

FREQUENCY_COLUMNS: dict[str, str] = {
    "axis": "social axis",
    "identity": "the group of people",
    "attribute": "the canonical attribute of the group of like attributes",
    "group_id": "the group of like attributes, or empty",
    "respondents": "how many different respondents said it",
    "statements": "how many statements say it",
}
"""Columns of `frequencies.csv`, the most frequent first within an axis."""


def summarise(table: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """A summary of a survey by the names of its tables, every respondent counted once per cell.

    `frequencies` has the columns of `FREQUENCY_COLUMNS`; `composition` has respondents, statements, identities and
    associations for each axis and source, and for each source. Neither splits respondents by anything.

    Args:
        table: columns of `associations.MENTION_COLUMNS`.
    """
    return {"frequencies": _frequencies(table), "composition": _composition(table)}


def _frequencies(table: pl.DataFrame) -> pl.DataFrame:
    keys = ["axis", "identity", "attribute"]
    return (
        table.group_by(keys)
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
