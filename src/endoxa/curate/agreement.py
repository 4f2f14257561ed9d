"""Agreement of raters: every coefficient that the votes allow, with intervals.

Cohen's kappa (Cohen 1960) and Fleiss' kappa (Fleiss 1971) come from statsmodels, percent agreement and Krippendorff's
alpha from `endoxa.stats.agreement`. A coefficient that is undefined (everybody always votes the same) is NaN with the
reason, never 0 or 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from endoxa.curate.ballots import NO_VOTE, Ballots
from endoxa.errors import UserError
from endoxa.stats.agreement import LEVELS, Level, agreeing_pairs, alpha

NAN = float("nan")


def cohen_kappa(codes: np.ndarray) -> float:
    """Cohen's kappa of two raters, unweighted; NaN where all votes are the same, or there are none.

    Args:
        codes: number of the category that each rater chose, shape (items, 2), no vote missing.
    """
    categories, places = np.unique(codes, return_inverse=True)
    if len(categories) < 2:
        return NAN
    from statsmodels.stats.inter_rater import cohens_kappa

    size = len(categories)
    first, second = places.reshape(codes.shape).T
    table = np.bincount(first * size + second, minlength=size**2).reshape(size, size)
    return float(cohens_kappa(table, return_results=False))


def fleiss_kappa(counts: np.ndarray) -> float:
    """Fleiss' kappa; NaN where all votes are the same, or there are none.

    Args:
        counts: votes per item and category, shape (items, categories), as many votes on every item.
    """
    if int((counts.sum(axis=0) > 0).sum()) < 2:
        return NAN
    from statsmodels.stats import inter_rater

    return float(inter_rater.fleiss_kappa(counts))


MOST_APART = 20
"""More raters are not compared two by two: each pair shares too few items, and there are too many pairs."""
MIN_ITEMS = 5
"""Fewer items give no interval."""


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


@dataclass(frozen=True, slots=True)
class _Coefficient:
    """A coefficient before it is computed: `value` of the rows of `data`, one row per item."""

    name: str
    raters: tuple[str, ...]
    level: Level
    data: np.ndarray
    value: Callable[[np.ndarray], float]
    method: str
    neutral: float = 0.0


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
    rows = [
        _computed(coefficient, confidence, resamples, seed) for coefficient in _coefficients(ballots, level)
    ]
    return pl.DataFrame([asdict(row) for row in rows])


def _coefficients(ballots: Ballots, level: Level) -> Iterator[_Coefficient]:
    counts = ballots.counts()
    votes = counts.sum(axis=1)
    pairable = counts[votes >= 2]
    yield _Coefficient(
        "percent_agreement",
        ballots.raters,
        "nominal",
        pairable,
        agreeing_pairs,
        "share of agreeing pairs",
        NAN,
    )
    apart = range(len(ballots.raters)) if len(ballots.raters) <= MOST_APART else ()
    for first, second in itertools.combinations(apart, 2):
        pair_codes = ballots.codes[:, [first, second]]
        names = (ballots.raters[first], ballots.raters[second])
        pair_codes = pair_codes[(pair_codes != NO_VOTE).all(axis=1)]
        yield _Coefficient(
            "cohen_kappa", names, "nominal", pair_codes, cohen_kappa, "statsmodels cohens_kappa"
        )
    number = _votes_each(votes, len(ballots.raters))
    method = "statsmodels fleiss_kappa"
    if number < len(ballots.raters):
        method += f", items with {number} votes, whoever gave them"
    complete = counts[votes == number]
    yield _Coefficient("fleiss_kappa", ballots.raters, "nominal", complete, fleiss_kappa, method)
    domain = _domain(ballots, level)
    yield _Coefficient(
        "krippendorff_alpha",
        ballots.raters,
        level,
        pairable,
        lambda rows: alpha(rows, level, domain),
        "Krippendorff's alpha",
    )


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


def _computed(coefficient: _Coefficient, confidence: float, resamples: int, seed: int) -> Agreement:
    value = coefficient.value(coefficient.data)
    low, high, method = NAN, NAN, coefficient.method
    if np.isnan(value):
        why = "no item has enough votes" if not len(coefficient.data) else "all votes are the same"
        method += f"; undefined: {why}"
    elif len(coefficient.data) < MIN_ITEMS:
        method += f"; no interval: fewer than {MIN_ITEMS} items"
    else:
        random, items = np.random.default_rng(seed), len(coefficient.data)
        draws = np.array(
            [
                coefficient.value(coefficient.data[random.integers(items, size=items)])
                for _ in range(resamples)
            ]
        )
        low, high, remark = _percentiles(draws, confidence)
        method += f"; {remark}"
    return Agreement(
        name=coefficient.name,
        raters="; ".join(coefficient.raters),
        level=coefficient.level,
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        n=len(coefficient.data),
        neutral=coefficient.neutral,
        method=method,
    )


def _percentiles(draws: np.ndarray, confidence: float) -> tuple[float, float, str]:
    """Both ends of the interval, and how it came about."""
    defined = draws[~np.isnan(draws)]
    if not len(defined) or np.ptp(defined) == 0:
        return NAN, NAN, "no interval: every bootstrap sample gives the same value"
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    remark = f"percentile bootstrap of items, {len(draws)} samples"
    if len(defined) < len(draws):
        remark += f" ({len(draws) - len(defined)} of them undefined and left out)"
    return float(low), float(high), remark
