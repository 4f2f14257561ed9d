"""The bootstrap, for statistics that have no simpler inference: effect sizes, correlations, ratios, agreement.

Statistics of totals draw whole clusters (`bootstrap`), others draw units (`drawn_units`, `times_drawn`) and are
computed anew. The interval of clusters is the expanded percentile interval (Hesterberg 2015, "What
Teachers Should Know About the Bootstrap", The American Statistician 69:4), its correction for small samples taken at
the effective number of clusters (Kish 1965). Shares and means have intervals of their own (`endoxa.stats.intervals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval, effective_number
from endoxa.stats.signs import blocks


@dataclass(frozen=True, slots=True)
class Clusters:
    """Totals of some columns over the observations of each cluster, clusters in the order of their codes.

    Attributes:
        totals: (clusters, columns); the first column counts the observations.
    """

    totals: np.ndarray

    @classmethod
    def of(cls, cluster: np.ndarray, *columns: np.ndarray) -> Clusters:
        """Add up each column (one number per observation) within each cluster code."""
        codes, index = np.unique(cluster, return_inverse=True)
        weights = (None, *columns)
        summed = [np.bincount(index, weights=column, minlength=len(codes)) for column in weights]
        return cls(np.column_stack(summed).astype(float))

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.totals)

    @property
    def sizes(self) -> np.ndarray:
        """Observations in each cluster."""
        return np.asarray(self.totals[:, 0])

    @property
    def effective(self) -> float:
        """Kish's effective number of clusters."""
        return effective_number(self.sizes)


def bootstrap(
    clusters: Clusters, combine: Callable[[np.ndarray], np.ndarray], resamples: int, seed: int
) -> np.ndarray:
    """The statistic in `resamples` samples of clusters drawn with replacement, shape (resamples,).

    Memory is bounded by a block of a million drawn clusters, whatever their number. All NaN with fewer than
    `FEWEST_CLUSTERS` clusters.
    """
    if clusters.count < FEWEST_CLUSTERS:
        return np.full(resamples, NAN)
    return np.concatenate(
        [
            combine(_drawn(clusters.count, rows, seed, block) @ clusters.totals)
            for block, rows in blocks(clusters.count, resamples)
        ]
    )


def drawn_units(units: int, resamples: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Indices of the units in each bootstrap sample, shape (units,), for statistics that need the sample itself."""
    return (random.integers(units, size=units) for _ in range(resamples))


def times_drawn(weights: np.ndarray, resamples: int, random: np.random.Generator) -> np.ndarray:
    """How often each unit, or each of `weights` units of a kind, is in each bootstrap sample, (resamples, kinds)."""
    total = int(weights.sum())
    return np.asarray(random.multinomial(total, weights / total, size=resamples))


def percentile_interval(
    draws: np.ndarray,
    confidence: float,
    *,
    method: Literal["linear", "inverted_cdf"] = "linear",
    constant: bool = False,
) -> Interval:
    """Percentiles of a statistic in bootstrap samples (Efron and Tibshirani 1993, chapter 13).

    Samples that leave the statistic undefined (NaN) are left out. There is no interval where they are more than half,
    nor, unless `constant`, where all samples give one value: it would claim certainty.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined) or 2 * len(defined) < len(draws) or (not constant and np.ptp(defined) == 0):
        return UNDEFINED
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2], method=method)
    return Interval(float(low), float(high))


def expanded_interval(draws: np.ndarray, clusters: Clusters, confidence: float) -> Interval:
    """Percentile interval at levels widened to be as wide as Student's t would make it (Hesterberg 2015).

    The levels are Phi(-+ sqrt(m / (m - 1)) t_{m-1}) with m the effective number of clusters. NaN where
    there are too few clusters, or where every resample gave the same value: it would claim certainty.
    """
    draws = draws[np.isfinite(draws)]
    if clusters.count < FEWEST_CLUSTERS or len(draws) == 0 or np.ptp(draws) == 0:
        return UNDEFINED
    from scipy.stats import norm, t

    m = clusters.effective
    tail = norm.cdf(-np.sqrt(m / (m - 1)) * t.ppf((1 + confidence) / 2, m - 1))
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(low), float(high))


@lru_cache(maxsize=12)  # the same for every statistic of a cell; at most 100 MB
def _drawn(clusters: int, rows: int, seed: int, block: int) -> np.ndarray:
    """How often each cluster is in each of `rows` bootstrap samples, shape (rows, clusters)."""
    draws = np.random.default_rng([seed, block, clusters]).integers(clusters, size=(rows, clusters))
    draws += np.arange(rows)[:, None] * clusters
    return np.bincount(draws.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(float)
