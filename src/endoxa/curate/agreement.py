"""Agreement of raters: every coefficient that the votes allow, with intervals.

The coefficients are those of `endoxa.stats.agreement.COEFFICIENTS`. One that is undefined (everybody always votes the
same) is NaN with the reason, never 0 or 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from endoxa.curate.ballots import NO_VOTE, Ballots
from endoxa.errors import UserError
from endoxa.stats.agreement import COEFFICIENTS, LEVELS, Coefficient, Level
from endoxa.stats.intervals import FEWEST_CLUSTERS, UNDEFINED
from endoxa.stats.resampling import drawn_units, percentile_interval

MOST_APART = 20
"""More raters are not compared two by two: each pair shares too few items, and there are too many pairs."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement.

    Attributes:
        name: percent_agreement, cohen_kappa, fleiss_kappa or krippendorff_alpha.
        raters: between whom, separated by '; '.
        level: level of measurement; all but alpha take votes as nominal.
        value: its value; NaN where it is not defined.
        low: lower end of the interval; NaN where there is none.
        high: upper end.
        confidence: confidence level of the interval.
        n: items that it rests on.
        neutral: its value where raters agree as chance would have it; NaN for percent agreement, which depends
            on the categories.
        method: how it was computed, and why it is not defined where it is not.
    """

    name: str
    raters: str
    level: Level
    value: float
    low: float
    high: float
    confidence: float
    n: int
    neutral: float
    method: str


def agreement(
    ballots: Ballots,
    *,
    level: Level = "nominal",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> pl.DataFrame:
    """Every coefficient of agreement, one row each, with the columns of `Agreement`.

    Cohen's kappa is there for every two of up to `MOST_APART` raters, over the items that both voted on; Fleiss' kappa
    over the items that all voted on, or with the number of votes that most items have (see `_votes_each`); alpha and
    percent agreement over the items with two votes or more. Intervals are percentiles of `resamples` bootstrap samples
    of items (Efron and Tibshirani 1993, chapter 13).

    Raises:
        UserError: a level above 'nominal' and votes that are no numbers (for 'ordinal', an order of categories is
            enough), or a confidence level that is none.
    """
    if not 0 < confidence < 1:
        raise UserError(f"The confidence level is {confidence}. Expected a number between 0 and 1.")
    domain = _domain(ballots, level)
    rows = [
        _row(
            coefficient,
            raters,
            votes,
            domain,
            level,
            remark=remark,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        for coefficient in COEFFICIENTS.all().values()
        for raters, votes, remark in _votes_of(coefficient, ballots)
    ]
    return pl.DataFrame([asdict(row) for row in rows])


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
    if level not in LEVELS:
        raise UserError(f"Unknown level of measurement '{level}'. Expected one of: {', '.join(LEVELS)}.")
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
    raters: tuple[str, ...],
    votes: np.ndarray,
    domain: np.ndarray,
    level: Level,
    *,
    remark: str,
    confidence: float,
    resamples: int,
    seed: int,
) -> Agreement:
    level = level if coefficient.graded else "nominal"
    value, items = coefficient.value(votes, level, domain), len(votes)
    interval, method = UNDEFINED, coefficient.method + remark
    if np.isnan(value):
        method += f"; undefined: {'all votes are the same' if items else 'no item has enough votes'}"
    elif items < FEWEST_CLUSTERS:
        method += f"; no interval: fewer than {FEWEST_CLUSTERS} items"
    else:
        samples = drawn_units(items, resamples, np.random.default_rng(seed))
        draws = np.array([coefficient.value(votes[sample], level, domain) for sample in samples])
        interval, undefined = percentile_interval(draws, confidence), int(np.isnan(draws).sum())
        if interval.defined:
            method += f"; percentile bootstrap of items, {resamples} samples"
            method += f" ({undefined} of them undefined and left out)" if undefined else ""
        elif 2 * undefined > resamples:
            method += "; no interval: more than half of the bootstrap samples leave it undefined"
        else:
            method += "; no interval: every bootstrap sample gives the same value"
    return Agreement(
        name=coefficient.name,
        raters="; ".join(raters),
        level=level,
        value=value,
        low=interval.low,
        high=interval.high,
        confidence=confidence,
        n=items,
        neutral=coefficient.neutral,
        method=method,
    )
