"""Columns of the user's table on their way through a step of `endoxa author`: what came in goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from endoxa.author.kind import folded, row_name
from endoxa.schema.drafts import DRAFT_COLUMNS

NAMING = frozenset({"item_id", "id"})
"""Names of the rows themselves: drafts have names of their own, and `source_ids` links to these."""
OF_AN_ATTRIBUTE = frozenset(
    {
        "association_id",
        "attribute",
        "canonical",
        "group_id",
        "predicate",
        "statement_ids",
        "support",
        "polarity",
    }
)
"""What is known of an attribute and not of a group: it does not hold for other attributes."""


def further_columns(data: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Columns of the user's table that a step does not write itself."""
    written = {*names, *DRAFT_COLUMNS, *NAMING}
    return [name for name in data.columns if name not in written]


def from_row_of_draft(
    data: pl.DataFrame, drafts: pl.DataFrame, without: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """Drafts with the columns of the row that each was made from (`source_ids`); what the step wrote itself stays.

    Args:
        data: the user's table.
        drafts: what was made of its rows, each of one.
        without: columns that do not hold for the drafts.
    """
    names = [name for name in further_columns(data, drafts.columns) if name not in without]
    rows: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(data.iter_rows(named=True), start=1):
        rows.setdefault(row_name(row, number), row)
    sources = [rows.get(name, {}) for name in drafts["source_ids"].fill_null("")]
    return drafts.with_columns(
        pl.Series(name, [row.get(name) for row in sources], dtype=data.schema[name]) for name in names
    )


def from_common_rows(data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """New rows with the columns of the user's table, where all rows of the group, or else of the table, agree.

    Args:
        data: the user's table.
        drafts: rows after its pattern, none of them made from one of its rows.
    """
    names = [name for name in further_columns(data, drafts.columns) if name not in OF_AN_ATTRIBUTE]
    rows = list(data.iter_rows(named=True))
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(folded(str(row.get("identity") or "")), []).append(row)
    of_drafts = [groups.get(folded(str(name or "")), rows) for name in drafts["identity"]]
    return drafts.with_columns(
        pl.Series(name, [_shared(draft, name) for draft in of_drafts], dtype=data.schema[name])
        for name in names
    )


def _shared(rows: Iterable[Mapping[str, Any]], name: str) -> Any:
    values = {row[name] for row in rows}
    return values.pop() if len(values) == 1 else None
