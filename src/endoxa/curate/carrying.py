"""Columns of a table of statements that no step knows, on their way to rows that stand for several respondents.

What all respondents of such a row share says of each of them that it is theirs, and that nobody else is among them: a
count of 0 is as small as one of 3 (`endoxa.curate.disclosure`). So a value goes on only where the whole table has no
other one and holds enough respondents; it then says nothing about any row. Other columns are named, not dropped in
silence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from endoxa.schema import STATEMENT_COLUMNS
from endoxa.schema.associations import SMALLEST_CELL


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
        if enough and _filled(statements, name).all() and statements[name].n_unique() == 1
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
