"""How many rows there are of each kind: the tables of a data card."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from endoxa.export.material import Kind, Material

COUNTED: dict[Kind, tuple[str, ...]] = {
    "pairs": ("language", "axis", "region", "direction", "how", "review_decision", "identity"),
    "associations": ("language", "axis", "region", "polarity", "source", "review_decision", "identity"),
    "statements": ("language", "axis", "question", "rule", "omit", "flag", "review_decision", "identity"),
}
"""Columns whose values are counted, by kind of table."""

MOST = 20
"""Values that are listed one by one; the others are summed up."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows by the value of a column.

    Attributes:
        column: the column.
        rows: (value, rows), the most frequent first, at most `MOST`.
        others: (values, rows) beyond those.
        empty: rows without a value.
    """

    column: str
    rows: tuple[tuple[str, int], ...]
    others: tuple[int, int]
    empty: int


def composition(material: Material) -> list[Counts]:
    """Counts of every column of `COUNTED` that says anything; ties in the order of the values."""
    there = [name for name in COUNTED[material.kind] if name in material.table.columns]
    counts = [_count(material.table, name) for name in there]
    return [count for count in counts if count.rows]


def _count(table: pl.DataFrame, column: str) -> Counts:
    filled = table.filter(pl.col(column).fill_null("") != "")
    found = filled.group_by(column).len().sort(["len", column], descending=[True, False])
    rest = found.slice(MOST)
    return Counts(
        column,
        tuple(found.head(MOST).iter_rows()),
        (rest.height, int(rest["len"].sum())),
        table.height - filled.height,
    )
