"""Rows of a table under review: their names, and whether they are still what a reviewer saw."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from endoxa.curate.review.form import ROW_KEY, Kind
from endoxa.errors import UserError

Row = dict[str, str]
"""A row of a table; an empty cell is an empty string."""


def rows_of(table: pl.DataFrame) -> list[Row]:
    """The rows of a table of text, nulls as empty strings."""
    return [{name: value or "" for name, value in row.items()} for row in table.iter_rows(named=True)]


def with_row_keys(rows: Sequence[Row], kind: Kind, source: Path) -> list[Row]:
    """The rows with the column `review_row`: the one they have, else '<id>#<n>' for the n-th row of the id.

    Raises:
        UserError: a row without an id, or two rows of one name.
    """
    seen: Counter[str] = Counter()
    named: dict[str, Row] = {}
    for number, row in enumerate(rows, start=1):
        identifier = row.get(kind.key, "")
        if not identifier.strip():
            raise UserError(
                f"{source}, row {number}, column '{kind.key}': is empty; a row needs a name to be reviewed."
            )
        seen[identifier] += 1
        if seen[identifier] > 1 and not kind.several_rows:
            raise UserError(
                f"{source}, row {number}, column '{kind.key}': '{identifier}' stands in an earlier row too; "
                f"{kind.name} need unique names to be reviewed."
            )
        key = row.get(ROW_KEY) or f"{identifier}#{seen[identifier]}"
        if key in named:
            raise UserError(
                f"{source}, row {number}, column '{ROW_KEY}': '{key}' stands in an earlier row too."
            )
        named[key] = {**row, ROW_KEY: key}
    return list(named.values())


def fingerprint(row: Mapping[str, str], columns: Sequence[str]) -> str:
    """A short hash of what the row says in these columns: equal while nothing in them was changed."""
    words = json.dumps([[name, row.get(name, "")] for name in columns])
    return hashlib.sha256(words.encode()).hexdigest()[:16]
