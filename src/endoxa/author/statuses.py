"""Whether people took a draft: tables of drafts by status, and what may be used of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema.drafts import STATUSES
from endoxa.sources.frames import read_table


def read_drafts(path: Path) -> pl.DataFrame:
    """A table of drafts.

    Raises:
        UserError: a column is missing, a name is there twice, or a status is unknown.
    """
    table = read_table(path, ("draft_id", "status"), respect_statuses=False)
    for number, status in enumerate(table["status"], start=1):
        if status not in STATUSES:
            raise UserError(
                f"{path}, row {number}: the status '{status}' is unknown. Expected one of {', '.join(STATUSES)}."
            )
    twice = table.filter(pl.col("draft_id").is_duplicated())
    if not twice.is_empty():
        raise UserError(f"{path}: the name '{twice['draft_id'][0]}' is there twice. Names must be unique.")
    return table


def with_association_ids(table: pl.DataFrame) -> pl.DataFrame:
    """A table of associations; approved drafts are named by their `draft_id` where the table names no association."""
    if "draft_id" not in table.columns or "association_id" in table.columns:
        return table
    return table.with_columns(association_id=pl.col("draft_id"))


def counted(drafts: pl.DataFrame) -> dict[str, int]:
    """Drafts by status."""
    counts = dict(drafts.group_by("status").len().iter_rows())
    return {status: counts.get(status, 0) for status in STATUSES}
