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

    People who move an attribute to another group seldom mend its canonical term: of several in a group, the one in
    most rows is the group's.

    Raises:
        UserError: a column is missing, a row has no attribute or no group, or an attribute is in two groups.
    """
    table = read_table(path, ("attribute", "group_id", "canonical"))
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        for column in ("attribute", "group_id"):
            if not (row[column] or "").strip():
                raise UserError(f"{path}, row {number}: the column '{column}' is empty.")
    twice = [name for name, times in Counter(table["attribute"].to_list()).items() if times > 1]
    if twice:
        raise UserError(f"{path} has the attribute '{twice[0]}' in two rows: leave it in one group.")
    groups: dict[str, str] = dict(table.select("attribute", "group_id").iter_rows())
    first = {name: attribute for attribute, name in reversed(groups.items())}
    polarity = _most_common(table, "polarity") if "polarity" in table.columns else {}
    return Existing(table, groups, first | _most_common(table, "canonical"), polarity)


def _most_common(table: pl.DataFrame, column: str) -> dict[str, str]:
    """The value in most rows of each group, of equals the first in the alphabet; groups without any are left out."""
    values: dict[str, Counter[str]] = {}
    for name, value in table.select("group_id", column).iter_rows():
        if value:
            values.setdefault(name, Counter())[value] += 1
    return {name: min(found, key=lambda value: (-found[value], value)) for name, found in values.items()}
