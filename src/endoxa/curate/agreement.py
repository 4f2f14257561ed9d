"""Agreement of raters: every coefficient that the votes allow, with intervals.

The coefficients are those of `endoxa.stats.agreement.COEFFICIENTS`. One that is undefined (everybody always votes the
same) is NaN with the reason, never 0 or 1.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.cells import finite
from endoxa.errors import UserError
from endoxa.report.words import percent, plural
from endoxa.sources.frames import read_table
from endoxa.sources.tables import require_columns
from endoxa.stats.agreement import (
    COEFFICIENTS,
    PERCENT,
    Coefficient,
    Level,
    agreeing_pairs,
    agreement_interval,
)
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval

_DECIMAL = re.compile(r"([-+]?\d+)[.,](\d+)")

NO_VOTE = -1
VALUES = ("value", "vote", "decision", "choice", "state")
"""Columns of a long table that can hold the votes, in the order tried; rooms of a campaign have the later ones."""
ITEMS = ("item", "item_id")
RATER, GROUP = "rater", "group"


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
        numbers = [number for category in self.categories if (number := finite(category)) is not None]
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
    ordered = order is not None or all(finite(category) is not None for category in categories)
    return Ballots(tuple(items), tuple(raters), tuple(categories), codes, ordered)


def read_votes(
    path: Path, *, item: str | None, rater: str, value: str | None, raters: Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Votes of a table: long where it has the columns `rater` and `value`, else wide (a column per rater).

    Of a table that `endoxa collect export --task` wrote, judgements that do not count are left out.

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
    if raters is None:  # a long table, where a column of it is named
        require_columns(
            path, columns, [name for name in (value, rater) if name not in (None, RATER, *VALUES)]
        )
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
    if all(finite(vote) is not None for vote in votes):
        return sorted(votes, key=lambda vote: (float(vote), vote))
    return sorted(votes)


def _plain(vote: str) -> str:
    """A vote in one spelling: 3,0 and 3.0, as spreadsheet programs write them, are 3."""
    text = vote.strip()
    decimal = _DECIMAL.fullmatch(text)
    return (
        text if decimal is None else ".".join(part for part in (decimal[1], decimal[2].rstrip("0")) if part)
    )


MOST_APART = 20
"""More raters are not compared two by two: each pair shares too few items, and there are too many pairs."""


AGREEMENT_COLUMNS: dict[str, str] = {
    "name": "percent_agreement, cohen_kappa, fleiss_kappa or krippendorff_alpha",
    "raters": "between whom, separated by '; '",
    "level": "level of measurement; all but alpha take votes as nominal",
    "value": "its value; NaN where it is not defined",
    "low": "lower end of the interval; NaN where there is none",
    "high": "upper end",
    "confidence": "confidence level of the interval",
    "n": "items that it rests on",
    "neutral": "its value where raters agree as chance would have it; NaN for percent agreement, which depends on the "
    "categories",
    "method": "how it was computed, and why it is not defined where it is not",
    "agreed": "share of agreeing pairs of votes on the same items, which chance alone can make high",
    "prevalence": "share of the commonest vote among these",
    "commonest": "that vote",
}
"""Columns of the table of coefficients."""

INTERVALS = "jackknife t interval", "Korn-Graubard interval"
RARE = 0.9
"""Prevalence above which chance-corrected agreement is low although people nearly always agree."""


def agreement(
    ballots: Ballots,
    *,
    level: Level = "nominal",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> pl.DataFrame:
    """Every coefficient of agreement, one row each, with the columns of `AGREEMENT_COLUMNS`.

    Cohen's kappa is there for every two of up to `MOST_APART` raters, over the items that both voted on; Fleiss' kappa
    over the items that all voted on, or with the number of votes that most items have (see `_votes_each`); alpha and
    percent agreement over the items with two votes or more. Intervals generalise to other items of the same raters
    (`endoxa.stats.agreement.agreement_interval`).

    Args:
        ballots: who voted what.
        level: level of measurement, for alpha.
        confidence: confidence level of the intervals.
        resamples: most items that are left out singly, see there.
        seed: of what is drawn where there are more.

    Raises:
        UserError: a level above 'nominal' and votes that are no numbers (for 'ordinal', an order of categories is
            enough), or a confidence level that is none.
    """
    if not 0 < confidence < 1:
        raise UserError(f"The confidence level is {confidence}. Expected a number between 0 and 1.")
    interval_of = partial(agreement_interval, confidence=confidence, parts=resamples, seed=seed)
    rows = [
        _row(replace(coefficient, method=coefficient.method + remark), votes, ballots, level, interval_of)
        | {"raters": "; ".join(raters), "confidence": confidence}
        for coefficient in COEFFICIENTS.all().values()
        for raters, votes, remark in _votes_of(coefficient, ballots)
    ]
    return pl.DataFrame(rows).select(list(AGREEMENT_COLUMNS))


def prevalence_note(agreements: pl.DataFrame) -> list[str]:
    """A sentence where one vote is so common that agreement beyond chance says little.

    Args:
        agreements: columns of `AGREEMENT_COLUMNS`.
    """
    corrected = agreements.filter(pl.col("neutral").is_not_nan(), pl.col("value").is_not_nan())
    low = corrected.filter(pl.col("prevalence") > RARE, pl.col("value") < pl.col("agreed"))
    if low.is_empty():
        return []
    row = low.row(0, named=True)
    return [
        f"One vote is very common ('{row['commonest']}': {percent(row['prevalence'], 0)} of the votes, {row['name']} "
        f"{row['value']:.2f} although {percent(row['agreed'], 0)} of the pairs agree): where it exceeds "
        f"{percent(RARE, 0)}, as in {plural(low.height, 'row')} here, agreement beyond chance can be low even between "
        "people who nearly always agree."
    ]


def _votes_of(
    coefficient: Coefficient, ballots: Ballots
) -> Iterator[tuple[tuple[str, ...], np.ndarray, str]]:
    """Raters, and their votes as the coefficient takes them, one row per item; and what to remark of them."""
    counts = ballots.counts()
    votes = counts.sum(axis=1)
    if coefficient.votes == "pairable":
        yield ballots.raters, counts[votes >= 2], ""
    elif coefficient.votes == "complete":
        number = _votes_each(votes, len(ballots.raters))
        remark = f", items with {number} votes, whoever gave them" if number < len(ballots.raters) else ""
        yield ballots.raters, counts[votes == number], remark
    elif len(ballots.raters) <= MOST_APART:
        for pair in itertools.combinations(range(len(ballots.raters)), 2):
            codes = ballots.codes[:, pair]
            names = tuple(ballots.raters[rater] for rater in pair)
            yield names, codes[(codes != NO_VOTE).all(axis=1)], ""


def _votes_each(votes: np.ndarray, raters: int) -> int:
    """How many votes the items have that Fleiss' kappa rests on.

    Those of all raters; or, where no item has those of all, the number that most items have (Fleiss 1971: the raters of
    one item need not be those of another).
    """
    several = votes[votes >= 2]
    if not len(several) or (votes == raters).any():
        return raters
    return int(np.bincount(several).argmax())


def _domain(ballots: Ballots, level: Level) -> np.ndarray:
    """The categories as alpha's distances need them."""
    numbers = ballots.numbers
    if level == "nominal" or (level == "ordinal" and ballots.ordered):
        return np.arange(len(ballots.categories))
    if numbers is None:
        wanted = "numbers, or ordered categories (--order)" if level == "ordinal" else "numbers"
        raise UserError(
            f"Level '{level}': found the votes {', '.join(ballots.categories)}. Expected {wanted}."
        )
    return numbers


def _row(
    coefficient: Coefficient,
    votes: np.ndarray,
    ballots: Ballots,
    level: Level,
    interval_of: Callable[..., Interval],
) -> dict[str, Any]:
    """A coefficient of some votes, without the raters."""
    categories, domain = ballots.categories, _domain(ballots, level)
    level = level if coefficient.graded else "nominal"
    value, items = coefficient.value(votes, level, domain), len(votes)
    interval, method = UNDEFINED, coefficient.method
    places = np.arange(len(categories))
    counts = votes if coefficient.votes != "two raters" else (votes[:, :, None] == places).sum(axis=1)
    total = counts.sum(axis=0) if items else np.zeros(len(categories))
    if np.isnan(value):
        method += f"; undefined: {'all votes are the same' if items else 'no item has enough votes'}"
    elif items < FEWEST_CLUSTERS:
        method += f"; no interval: fewer than {FEWEST_CLUSTERS} items"
    else:
        interval = interval_of(coefficient, votes, level, domain)
        method += (
            f"; {INTERVALS[coefficient.name == PERCENT]}, items as units"
            if interval.defined
            else "; no interval: leaving out items changes nothing"
        )
    return {
        "name": coefficient.name,
        "level": level,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "n": items,
        "neutral": coefficient.neutral,
        "method": method,
        "agreed": agreeing_pairs(counts),
        "prevalence": float(total.max() / total.sum()) if total.any() else NAN,
        "commonest": categories[int(total.argmax())] if total.any() else "",
    }
