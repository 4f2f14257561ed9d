"""Confidence intervals of shares and means whose observations come in clusters (identities, templates, raters).

Observations of one cluster are not independent, so variances come from leaving out whole clusters (delete-one
jackknife) and degrees of freedom from the effective number of clusters. Measured coverage: docs/methods/identities.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

NAN = float("nan")
FEWEST_CLUSTERS = 5
"""With fewer clusters no interval is given."""
FEWEST_EFFECTIVE = 2.0
"""With fewer effective clusters, Student's quantile has less than one degree of freedom: a mean without bounds then has
no interval."""

CAUTION = 0.05
"""Part of one more cluster that is counted against a share near 0 or 1, see `clustered_share`."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of a confidence interval; NaN where it is not defined."""

    low: float
    high: float

    @property
    def defined(self) -> bool:
        """Whether both ends are numbers."""
        return isfinite(self.low) and isfinite(self.high)


UNDEFINED = Interval(NAN, NAN)


def wilson(count: float, total: float, confidence: float) -> Interval:
    """Wilson score interval of `count / total` (Wilson 1927; statsmodels); `count` may be a half."""
    if total == 0:
        return UNDEFINED
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, total, alpha=1 - confidence, method="wilson")
    # Without rounding noise at the ends.
    return Interval(float(low) if count else 0.0, float(high) if count < total else 1.0)


def clopper_pearson(share: float, total: float, confidence: float) -> Interval:
    """Exact binomial interval (Clopper and Pearson 1934) of a share of `total` observations (may be fractional)."""
    from scipy.special import betaincinv

    tail, count = (1 - confidence) / 2, share * total
    low = float(betaincinv(count, total - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return Interval(low, high)


def effective_number(sizes: np.ndarray) -> float:
    """Kish's (1965) effective number of clusters: (sum of sizes)^2 / sum of squared sizes; 0 where all are 0."""
    squares = float((np.asarray(sizes, dtype=float) ** 2).sum())
    return float(np.sum(sizes)) ** 2 / squares if squares else 0.0


def jackknife_variance(sizes: np.ndarray, sums: np.ndarray) -> float:
    """Variance of a mean over all observations when whole clusters are left out in turn (Wolter 2007, section 4.2).

    Args:
        sizes: observations in each cluster, at least two clusters, shape (clusters,).
        sums: total of each cluster, shape (clusters,).
    """
    count, total = len(sizes), float(sizes.sum())
    mean = float(sums.sum()) / total
    without = (sums.sum() - sums) / (total - sizes)
    return float((count - 1) / count * ((without - mean) ** 2).sum())


def clustered_share(
    sizes: np.ndarray, sums: np.ndarray, spread: float, confidence: float, caution: float = CAUTION
) -> Interval:
    """Interval of a share (or of a mean between 0 and 1) over clusters, defined at 0 and 1 too.

    Korn and Graubard (1998): the exact binomial interval at the effective number of observations, share (1 - share) /
    jackknife variance, reduced by (z / t)^2 with the clusters' degrees of freedom. Where all observations are alike the
    effective number of clusters takes its place, and it is never less. Departures: the number of observations is at
    most what independent ones with this `spread` would give, not `sum(sizes)`, so that ties (one half) are not counted
    as coins; and near 0 and 1, where a few deviating clusters decide the variance, `CAUTION` of one more
    cluster that is all on the other side is added to it. Without that, coverage falls to 0.89
    (docs/methods/identities.md).

    Args:
        sizes: observations in each cluster.
        sums: total of each cluster, each observation lying between 0 and 1.
        spread: variance of the single observations, share (1 - share) where all are 0 or 1.
        confidence: confidence level.
        caution: part of one more cluster that is counted against a share near 0 or 1.

    Returns:
        NaN with fewer than `FEWEST_CLUSTERS` clusters.
    """
    from scipy.special import ndtri, stdtrit  # what scipy.stats calls, ten times slower

    if len(sizes) < FEWEST_CLUSTERS:
        return UNDEFINED
    total, clusters = float(sizes.sum()), effective_number(sizes)
    share = min(max(float(sums.sum()) / total, 0.0), 1.0)
    variance = share * (1 - share)
    if variance <= 0 or spread <= 1e-12:
        return alike(share, clusters, (0.0, 1.0), confidence)
    deviating = caution * max(share, 1 - share) ** 2 / clusters**2
    number = variance / (jackknife_variance(sizes, sums) + deviating)
    quantile = float(stdtrit(clusters - 1, (1 + confidence) / 2)) if clusters > 1 else np.inf
    reduced = min(number, total * variance / spread) * (float(ndtri((1 + confidence) / 2)) / quantile) ** 2
    return clopper_pearson(share, max(reduced, clusters), confidence)


def clustered_or_wilson(
    weight: np.ndarray, held: np.ndarray, unit: np.ndarray, confidence: float
) -> tuple[Interval, int]:
    """Interval of a share over units, and how many have a name; Wilson's where these are fewer than `FEWEST_CLUSTERS`.

    Args:
        weight: of each observation.
        held: whether each is counted.
        unit: name of the unit of each; empty for one that is a unit of its own.
        confidence: confidence level.
    """
    weight, sums = np.asarray(weight, float), np.asarray(weight * held, float)
    named = len({*unit.tolist()} - {""})
    if named < FEWEST_CLUSTERS:
        return wilson(float(sums.sum()), float(weight.sum()), confidence), named
    names = [name or f"\0{row}" for row, name in enumerate(unit.tolist())]
    code = np.unique(names, return_inverse=True)[1]
    share = float(sums.sum() / weight.sum())
    sizes, totals = np.bincount(code, weight), np.bincount(code, sums)
    return clustered_share(sizes, totals, share * (1 - share), confidence), named


def clustered_mean(
    sizes: np.ndarray, sums: np.ndarray, confidence: float, bounds: tuple[float, float] | None = None
) -> Interval:
    """Jackknife t interval of a mean over clusters; degrees of freedom: effective number of clusters less one.

    Args:
        sizes: observations in each cluster.
        sums: total of each cluster.
        confidence: confidence level.
        bounds: least and largest possible observation, where there are such: the interval stays within them, and
            where no cluster differs from another it is that of `alike`.

    Returns:
        NaN with fewer than `FEWEST_CLUSTERS` clusters, or where the clusters do not differ and nothing bounds the mean.
        The same where one cluster has nearly everything (fewer than two effective ones): an unbounded interval from -85
        thousand to 85 thousand is none.
    """
    from scipy.stats import t

    if len(sizes) < FEWEST_CLUSTERS:
        return UNDEFINED
    clusters, mean = effective_number(sizes), float(sums.sum() / sizes.sum())
    error = sqrt(jackknife_variance(sizes, sums))
    if error <= 1e-12 * max(1.0, abs(mean)):
        return UNDEFINED if bounds is None else alike(mean, clusters, bounds, confidence)
    if bounds is None and clusters < FEWEST_EFFECTIVE:
        return UNDEFINED
    reach = float(t.ppf((1 + confidence) / 2, clusters - 1)) * error if clusters > 1 else np.inf
    low, high = mean - reach, mean + reach
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return Interval(low, high)


def alike(value: float, clusters: float, bounds: tuple[float, float], confidence: float) -> Interval:
    """Interval of a mean when every cluster has this same value: the others may lie anywhere within the bounds.

    By Clopper and Pearson at most a share of 1 - (alpha / 2)^(1 / clusters) of all clusters differ from those seen.
    """
    others = 1 - ((1 - confidence) / 2) ** (1 / clusters)
    low, high = bounds
    return Interval(value - others * (value - low), value + others * (high - value))


def agreeing(interval: Interval, value: float, neutral: float, p_value: float, confidence: float) -> Interval:
    """The interval made to agree with an exact test of the neutral value: it holds that value if and only if p > alpha.

    Where the test rejects, the neutral value becomes the (open) end of the interval on its side; where it does not, the
    interval is extended to it. The neutral value itself is thus covered as often as the exact test says; other
    values lose at most the chance that the test rejects in the wrong direction.
    """
    if not interval.defined or not isfinite(p_value):
        return interval
    if p_value > 1 - confidence + 1e-12:
        return Interval(min(interval.low, neutral), max(interval.high, neutral))
    return (
        Interval(max(interval.low, neutral), interval.high)
        if value > neutral
        else Interval(interval.low, min(interval.high, neutral))
    )


CAUTION_OF_TWO = 0.02
"""Part of one more cluster that is counted against each of the two shares, see `clustered_share`: both have their own,
so each needs less than a share that stands alone. With 0.01 coverage falls to 0.90 where few clusters deviate."""


def difference_of_shares(
    sizes: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    spreads: tuple[float, float],
    confidence: float,
) -> Interval:
    """Interval of (sum of `first` - sum of `second`) / sum of `sizes`, over clusters that have both shares.

    Method of variance estimates recovery (Zou and Donner 2008, Statistics in Medicine 27; Newcombe 1998 for two
    proportions): the distances between each share and the ends of its own interval are combined like standard errors,
    with the correlation of the two shares over clusters. The ends are those of `clustered_share`, so that the interval
    is skewed where a share is near 0 or 1, and defined at both. Measured coverage: docs/methods/question-tests.md.

    Args:
        sizes: weight of each cluster, positive, shape (clusters,).
        first: total of each cluster for the first share, between 0 and its size.
        second: the same for the second share.
        spreads: variance of the single observations behind each share.
        confidence: confidence level.

    Returns:
        NaN with fewer clusters than `clustered_share` needs.
    """
    total = float(sizes.sum())
    ends, other_ends = (
        clustered_share(sizes, sums, spread, confidence, CAUTION_OF_TWO)
        for sums, spread in zip((first, second), spreads, strict=True)
    )
    if not (ends.defined and other_ends.defined):
        return UNDEFINED
    share, other_share = float(first.sum()) / total, float(second.sum()) / total
    # Correlation of the two shares when whole clusters are left out in turn; 0 where one of them never changes.
    left, right = ((sums.sum() - sums) / (sizes.sum() - sizes) for sums in (first, second))
    left, right = left - left.mean(), right - right.mean()
    scale = sqrt(float(left @ left) * float(right @ right))
    correlation = float(left @ right) / scale if scale > 1e-15 else 0.0
    below = _combined_distance(share - ends.low, other_ends.high - other_share, correlation)
    above = _combined_distance(ends.high - share, other_share - other_ends.low, correlation)
    difference = share - other_share
    return Interval(max(difference - below, -1.0), min(difference + above, 1.0))


def _combined_distance(first: float, second: float, correlation: float) -> float:
    return sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0))
