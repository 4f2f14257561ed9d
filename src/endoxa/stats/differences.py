"""Confidence intervals of differences of two shares that were observed in the same clusters.

Method of variance estimates recovery (Zou and Donner 2008, Statistics in Medicine 27; Newcombe 1998 for two
proportions): the distances between each share and the ends of its own interval are combined like standard errors, with
the correlation of the two shares over clusters. The ends are those of `clustered_share`, so that the interval is
skewed where a share is near 0 or 1, and defined at both. Measured coverage: docs/methods/question-tests.md.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from endoxa.stats.intervals import UNDEFINED, Interval, clustered_share

CAUTION = 0.02
"""Part of one more cluster that is counted against each of the two shares, see `clustered_share`: both have their own,
so each needs less than a share that stands alone. With 0.01 coverage falls to 0.90 where few clusters deviate."""


def difference_of_shares(
    sizes: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    spreads: tuple[float, float],
    confidence: float,
) -> Interval:
    """Interval of (sum of `first` - sum of `second`) / sum of `sizes`, over clusters.

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
        clustered_share(sizes, sums, spread, confidence, CAUTION)
        for sums, spread in zip((first, second), spreads, strict=True)
    )
    if not (ends.defined and other_ends.defined):
        return UNDEFINED
    share, other_share = float(first.sum()) / total, float(second.sum()) / total
    alike = _correlation(sizes, first, second)
    below = _combined(share - ends.low, other_ends.high - other_share, alike)
    above = _combined(ends.high - share, other_share - other_ends.low, alike)
    difference = share - other_share
    return Interval(max(difference - below, -1.0), min(difference + above, 1.0))


def _combined(first: float, second: float, correlation: float) -> float:
    return sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0))


def _correlation(sizes: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Correlation of the two shares when whole clusters are left out in turn; 0 where one of them never changes."""
    left, right = ((sums.sum() - sums) / (sizes.sum() - sizes) for sums in (first, second))
    left, right = left - left.mean(), right - right.mean()
    scale = sqrt(float(left @ left) * float(right @ right))
    return float(left @ right) / scale if scale > 1e-15 else 0.0
