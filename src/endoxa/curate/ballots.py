"""Votes of several raters on the same items, from a long table, a wide one, or a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.tables import require_columns

_DECIMAL = re.compile(r"([-+]?\d+)[.,](\d+)")

NO_VOTE = -1
VALUES = ("value", "vote", "decision", "choice", "state")
"""Columns of a long table that can hold the votes, in the order tried; rooms of a campaign have the later ones."""
ITEMS = ("item", "item_id")
GROUP = "group"


@dataclass(frozen=True, slots=True)
class Ballots:
    """Who voted what.

    Attributes:
        items: what was voted on, in alphabetical order, so that the order of rows changes nothing.
        raters: who voted, in alphabetical order.
        categories: the votes that occur, in their order: numbers by size, other words by the alphabet.
        codes: (items, raters), place of the vote in `categories`, -1 where there is none.
        ordered: whether the order of the categories means something: they are numbers, or it was given.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    codes: np.ndarray
    ordered: bool

    @property
    def numbers(self) -> np.ndarray | None:
        """The categories as numbers, or None where one is none."""
        numbers = [number for category in self.categories if (number := _number(category)) is not None]
        return np.array(numbers) if len(numbers) == len(self.categories) else None

    def counts(self) -> np.ndarray:
        """Votes per item and category, shape (items, categories)."""
        return np.asarray((self.codes[:, :, None] == np.arange(len(self.categories))).sum(axis=1))


def ballots_from_votes(votes: Iterable[tuple[str, str, str]], order: Sequence[str] | None = None) -> Ballots:
    """Ballots from (item, rater, vote); empty votes are none.

    Args:
        votes: the votes.
        order: the categories in their order, where it is neither that of numbers nor of the alphabet.

    Raises:
        UserError: fewer than two raters, two different votes of one rater on one item, or a vote that is not in
            `order`.
    """
    cast: dict[tuple[str, str], str] = {}
    for item, rater, vote in votes:
        word = _plain(vote)
        if word and cast.setdefault((item, rater), word) != word:
            raise UserError(
                f"Rater '{rater}' voted twice on item '{item}': '{cast[item, rater]}' and '{word}'. Keep one of them."
            )
    raters = sorted({rater for _, rater in cast})
    if len(raters) < 2:
        raise UserError(f"Found votes of {len(raters)} raters. Agreement needs at least two raters.")
    items = sorted({item for item, _ in cast})
    categories = _ordered(set(cast.values()), order)
    codes = np.full((len(items), len(raters)), NO_VOTE)
    of_item, of_rater, of_vote = (
        {name: place for place, name in enumerate(names)} for names in (items, raters, categories)
    )
    for (item, rater), vote in cast.items():
        codes[of_item[item], of_rater[rater]] = of_vote[vote]
    ordered = order is not None or all(_number(category) is not None for category in categories)
    return Ballots(tuple(items), tuple(raters), tuple(categories), codes, ordered)


def read_votes(
    path: Path, *, item: str | None, rater: str, value: str | None, raters: Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Votes of a table: long where it has the columns `rater` and `value`, else wide (a column per rater).

    Of a table that `endoxa collect task export` wrote, judgements that do not count are left out.

    Args:
        path: the table.
        item: the column that names what was voted on; None: one of `ITEMS` in a long table, the first column of a
            wide one.
        rater: the column of a long table that names who voted.
        value: the column of a long table that holds the vote; None: the first of `VALUES` that it has.
        raters: the columns of a wide table that hold votes; None: all but the first.

    Raises:
        UserError: the table cannot be read, lacks a column, or a row of it does not name its item.
    """
    table = read_table(
        path, optional=[name for name in (item, rater, value, *(raters or ()), *ITEMS, *VALUES) if name]
    )
    columns = table.columns
    value = value or next((name for name in VALUES if name in columns), VALUES[0])
    if raters is None and {rater, value} <= set(columns):
        name = item or next((name for name in ITEMS if name in columns), ITEMS[0])
        if "counts" in columns:
            table = table.filter(table["counts"].fill_null("true") != "false")
        require_columns(path, columns, [name])
        rows = table.select(name, rater, value).rows()
    else:
        name = item or columns[0]
        voting = [column for column in columns if column != name] if raters is None else list(raters)
        require_columns(path, columns, [name, *voting])
        rows = [(row[name], column, row[column]) for row in table.iter_rows(named=True) for column in voting]
    for number, (identifier, voter, _) in enumerate(rows, start=1):
        if not identifier or not voter:
            raise UserError(f"{path}, vote {number}: the item or the rater is empty. Fill in both.")
    return [(identifier, voter, vote or "") for identifier, voter, vote in rows]


def read_groups(path: Path, rater: str, group: str | None) -> dict[str, str]:
    """The group of each rater of a long table; nothing where the table names none.

    Args:
        path: the table.
        rater: the column that names who voted.
        group: the column that names their group; None: `GROUP` where there is one.

    Raises:
        UserError: the column asked for is missing, or a rater is in two groups.
    """
    table = read_table(path, optional=[name for name in (rater, group, GROUP) if name])
    if group is not None:
        require_columns(path, table.columns, [rater, group])
    column = group or GROUP
    if not {rater, column} <= set(table.columns):
        return {}
    groups: dict[str, str] = {}
    for voter, name in table.select(rater, column).unique(maintain_order=True).iter_rows():
        if voter and name and groups.setdefault(voter, name) != name:
            raise UserError(
                f"{path}: the rater '{voter}' is in two groups, '{groups[voter]}' and '{name}'. Give each rater one."
            )
    return groups


def _ordered(votes: set[str], order: Sequence[str] | None) -> list[str]:
    if order is not None:
        names = [_plain(name) for name in order]
        unknown = sorted(votes - set(names))
        if unknown:
            raise UserError(f"The vote '{unknown[0]}' is missing from --order ({', '.join(order)}). Add it.")
        return names
    if all(_number(vote) is not None for vote in votes):
        return sorted(votes, key=lambda vote: (float(vote), vote))
    return sorted(votes)


def _plain(vote: str) -> str:
    """A vote in one spelling: 3,0 and 3.0, as spreadsheet programs write them, are 3."""
    text = vote.strip()
    decimal = _DECIMAL.fullmatch(text)
    return (
        text if decimal is None else ".".join(part for part in (decimal[1], decimal[2].rstrip("0")) if part)
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
