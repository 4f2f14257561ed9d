"""The median of people's ratings, how sure it is, and the verdict that follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from endoxa.analyze.harm.names import BENIGN, HARMFUL, UNDECIDED
from endoxa.stats.intervals import NAN, UNDEFINED, Interval


@dataclass(frozen=True, slots=True)
class Verdict:
    """What people's ratings of one association say.

    Attributes:
        median: their median.
        interval: its interval; NaN where there are too few ratings for one.
        at_threshold: share of ratings at the threshold or above.
        p_harmful: probability that more than half of the population would rate it so.
        word: `HARMFUL`, `BENIGN` or `UNDECIDED`.
    """

    median: float
    interval: Interval
    at_threshold: float
    p_harmful: float
    word: str


def verdict(ratings: np.ndarray, threshold: float, confidence: float) -> Verdict:
    """The verdict of one or more ratings."""
    interval = median_interval(ratings, confidence)
    above = int((ratings >= threshold).sum())
    word = UNDECIDED
    if interval.low >= threshold:
        word = HARMFUL
    elif interval.high < threshold:
        word = BENIGN
    return Verdict(
        median=float(np.median(ratings)),
        interval=interval,
        at_threshold=above / len(ratings),
        p_harmful=majority_probability(above, len(ratings)),
        word=word,
    )


def median_interval(values: np.ndarray, confidence: float) -> Interval:
    """Interval of the median between two order statistics, whose ranks are binomial with chance 1/2.

    It needs no assumption on the distribution and covers at least as often as it says, more where ratings tie (David
    and Nagaraja 2003, "Order Statistics", section 7.1). NaN where even the smallest and the largest value together do
    not reach the confidence: fewer than 6 ratings at 95 %.
    """
    rank = lowest_rank(len(values), confidence)
    if rank < 1:
        return UNDEFINED
    ordered = np.sort(values)
    return Interval(float(ordered[rank - 1]), float(ordered[len(ordered) - rank]))


@cache
def lowest_rank(count: int, confidence: float) -> int:
    """Rank of the lower end among `count` values; 0 where there is none."""
    from scipy.stats import binom

    below = binom.cdf(np.arange(count + 1), count, 0.5)
    return int(np.searchsorted(below, (1 - confidence) / 2, side="right"))


@cache
def majority_probability(above: int, count: int) -> float:
    """Probability that the share behind `above` of `count` is over one half, under Jeffreys' prior Beta(1/2, 1/2)."""
    if count == 0:
        return NAN
    from scipy.stats import beta

    return float(beta.sf(0.5, above + 0.5, count - above + 0.5))
