"""Cells of tables as texts, numbers and answers."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from pathlib import Path

import polars as pl

from endoxa.errors import UserError


def plain_cell(column: str) -> pl.Expr:
    """A cell as text without blanks around it; nothing is an empty text."""
    return pl.col(column).cast(pl.String).fill_null("").str.strip_chars()


def trimmed(table: pl.DataFrame, columns: Collection[str]) -> pl.DataFrame:
    """Columns as texts without blanks at their ends; empty where the table has none of that name."""
    absent = [pl.lit("").alias(name) for name in columns if name not in table.columns]
    return table.with_columns(absent).select(map(plain_cell, columns))


def finite(cell: str | None) -> float | None:
    """The finite number that a cell holds, or None."""
    try:
        number = float(cell or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


def respondents() -> pl.Expr:
    """Different respondents; a row without one counts as a respondent of its own."""
    names = plain_cell("respondent")
    return names.filter(names != "").n_unique() + (names == "").sum()


def yes_or_no(cells: pl.Series, path: Path, yes: Collection[str], no: Collection[str]) -> pl.Series:
    """What the trimmed cells of a column of `path` answer, null where they are empty.

    Args:
        cells: the column.
        path: the table, for messages.
        yes: what the column may say for yes, in lower case.
        no: what it may say for no.

    Raises:
        UserError: a cell is neither yes nor no.
    """
    words = cells.str.to_lowercase().str.strip_suffix(".0")
    answered = dict.fromkeys(yes, True) | dict.fromkeys(no, False)
    answers = words.replace_strict(answered, default=None, return_dtype=pl.Boolean)
    if (wrong := (answers.is_null() & (cells != "")).arg_true()).len():
        raise UserError(
            f"{path}, row {wrong[0] + 1}, column '{cells.name}': '{cells[wrong[0]]}' is neither yes nor no. Correct "
            "it, or leave it empty."
        )
    return answers
