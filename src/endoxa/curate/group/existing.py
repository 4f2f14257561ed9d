"""A grouping that people have worked on, and which is to stay as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import regex

from endoxa.datasets.frames import read_table
from endoxa.errors import UserError

ID = regex.compile(r"g(\d+)")


@dataclass(frozen=True, slots=True)
class Existing:
    """The rows of an earlier grouping.

    Attributes:
        table: all rows and columns, as they stand.
        groups: group id by attribute.
        canonical: canonical term by group id.
        polarity: polarity by group id, where the table says it.
    """

    table: pl.DataFrame
    groups: dict[str, str]
    canonical: dict[str, str]
    polarity: dict[str, str]

    def next_number(self) -> int:
        """First number of a group id that is not taken."""
        numbers = [int(match[1]) for name in self.canonical if (match := ID.fullmatch(name))]
        return max(numbers, default=0) + 1


def read_existing(path: Path) -> Existing:
    """Read a grouping: columns attribute, group_id and canonical; others are kept.

    Raises:
        UserError: a column or cell is missing, an attribute is in two groups, or a group has two canonical terms.
    """
    table = read_table(path, ("attribute", "group_id", "canonical"))
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        for column in ("attribute", "group_id", "canonical"):
            if not (row[column] or "").strip():
                raise UserError(f"{path}, row {number}: the column '{column}' is empty.")
    twice = [name for name, times in Counter(table["attribute"].to_list()).items() if times > 1]
    if twice:
        raise UserError(f"{path} has the attribute '{twice[0]}' in two rows: leave it in one group.")
    canonical: dict[str, str] = {}
    for group, term in table.select("group_id", "canonical").iter_rows():
        if canonical.setdefault(group, term) != term:
            raise UserError(
                f"{path}: group '{group}' has two canonical terms, '{canonical[group]}' and '{term}': choose one."
            )
    polarity: dict[str, str] = {}
    if "polarity" in table.columns:
        polarity = {group: word for group, word in table.select("group_id", "polarity").iter_rows() if word}
    return Existing(table, dict(table.select("attribute", "group_id").iter_rows()), canonical, polarity)
