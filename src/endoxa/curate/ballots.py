"""Votes of several raters on the same items, from a long table, a wide one, or a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from endoxa.datasets.frames import read_table, require_columns
from endoxa.errors import UserError

NO_VOTE = -1


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
        found = [number for category in self.categories if (number := _number(category)) is not None]
        return np.array(found) if len(found) == len(self.categories) else None

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
        word = vote.strip()
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
    path: Path, *, item: str | None, rater: str, value: str, raters: Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Votes of a table: long where it has the columns `rater` and `value`, else wide (a column per rater).

    Args:
        path: the table.
        item: the column that names what was voted on; None: 'item' in a long table, the first column of a wide one.
        rater: the column of a long table that names who voted.
        value: the column of a long table that holds the vote.
        raters: the columns of a wide table that hold votes; None: all but the first.

    Raises:
        UserError: the table cannot be read, lacks a column, or a row of it does not name its item.
    """
    table = read_table(path)
    columns = table.columns
    if raters is None and {rater, value} <= set(columns):
        name = item or "item"
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


def _ordered(found: set[str], order: Sequence[str] | None) -> list[str]:
    if order is not None:
        unknown = sorted(found - set(order))
        if unknown:
            raise UserError(f"The vote '{unknown[0]}' is missing from --order ({', '.join(order)}). Add it.")
        return list(order)
    if all(_number(vote) is not None for vote in found):
        return sorted(found, key=lambda vote: (float(vote), vote))
    return sorted(found)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
