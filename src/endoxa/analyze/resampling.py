"""Inference that resamples identities, not pairs: pairs about one identity are not independent.

Bootstrap of clusters with the expanded percentile interval (Hesterberg 2015, "What Teachers Should Know About
the Bootstrap", The American Statistician 69:4), its correction for small samples taken at the effective
number of clusters (Kish 1965), and the sign-flip test on cluster totals (Fisher 1935; Canay, Romano and
Shaikh 2017). The measured coverage is in the manual (docs/methods.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log2

import numpy as np

from endoxa.analyze.inference import NAN, UNDEFINED, Inference, Interval

IDENTITY_METHOD = "identity bootstrap, cluster sign-flip test"
MIN_IDENTITIES = 5
FLIPS_PER_RESAMPLE = 5
_BLOCK_ENTRIES = 1_000_000


@dataclass(frozen=True, slots=True)
class Clusters:
    """Totals of some columns over the pairs of each identity, identities in the order of their codes.

    Attributes:
        totals: (identities, columns); the first column counts the pairs.
    """

    totals: np.ndarray

    @classmethod
    def of(cls, cluster: np.ndarray, *columns: np.ndarray) -> Clusters:
        """Add up each column (one number per pair) within each cluster code."""
        codes, index = np.unique(cluster, return_inverse=True)
        weights = (None, *columns)
        summed = [np.bincount(index, weights=column, minlength=len(codes)) for column in weights]
        return cls(np.column_stack(summed).astype(float))

    @property
    def count(self) -> int:
        """Number of identities."""
        return len(self.totals)

    @property
    def effective(self) -> float:
        """Kish's effective number of identities: (sum of sizes)^2 / sum of squared sizes."""
        sizes = self.totals[:, 0]
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    def note(self) -> str:
        """What the method's text says about the identities of this cell."""
        pairs = int(self.totals[:, 0].sum())
        if self.count == pairs:
            note = f"no two of the {pairs} pairs share an identity"
        else:
            note = f"{self.count} {'identity' if self.count == 1 else 'identities'} in {pairs} pairs"
        if self.count < MIN_IDENTITIES:
            note += f", fewer than the {MIN_IDENTITIES} an interval needs"
        return note


def mean_of_totals(totals: np.ndarray) -> np.ndarray:
    """Second column over the first: the mean over pairs."""
    return np.asarray(totals[:, 1] / totals[:, 0])


def identity_inference(
    clusters: Clusters,
    combine: Callable[[np.ndarray], np.ndarray],
    flipped: np.ndarray | None,
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> Inference:
    """Interval of the identity bootstrap and p-value of the cluster sign-flip test.

    Args:
        clusters: totals per identity.
        combine: turns totals of resampled identities (resamples, columns) into values of the statistic.
        flipped: a total per identity, symmetric about 0 where the model is unbiased; None for no test.
        confidence: confidence level.
        resamples: bootstrap samples to draw.
        seed: everything drawn follows from it and from the number of identities.
    """
    draws = bootstrap(clusters, combine, resamples, seed)
    return Inference(
        expanded_interval(draws, clusters, confidence),
        NAN if flipped is None else sign_flip_test(flipped, FLIPS_PER_RESAMPLE * resamples, seed),
        f"{IDENTITY_METHOD}; {clusters.note()}",
    )


def bootstrap(
    clusters: Clusters, combine: Callable[[np.ndarray], np.ndarray], resamples: int, seed: int
) -> np.ndarray:
    """The statistic in `resamples` samples of identities drawn with replacement, shape (resamples,).

    Memory is bounded by a block of a million drawn identities, whatever their number.
    """
    if clusters.count < MIN_IDENTITIES:
        return np.full(resamples, NAN)
    blocks = _blocks(clusters.count, resamples)
    return np.concatenate(
        [combine(_drawn(clusters.count, rows, seed, block) @ clusters.totals) for block, rows in blocks]
    )


def expanded_interval(draws: np.ndarray, clusters: Clusters, confidence: float) -> Interval:
    """Percentile interval at levels widened to be as wide as Student's t would make it (Hesterberg 2015).

    The levels are Phi(-+ sqrt(m / (m - 1)) t_{m-1}) with m the effective number of identities. NaN where
    there are too few identities, or where every resample gave the same value: it would claim certainty.
    """
    draws = draws[np.isfinite(draws)]
    if clusters.count < MIN_IDENTITIES or len(draws) == 0 or np.ptp(draws) == 0:
        return UNDEFINED
    from scipy.stats import norm, t

    m = clusters.effective
    tail = norm.cdf(-np.sqrt(m / (m - 1)) * t.ppf((1 + confidence) / 2, m - 1))
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(low), float(high))


def expanded_p_value(draws: np.ndarray, clusters: Clusters) -> float:
    """Two-sided p-value against 0, the inversion of `expanded_interval`; draws of 0 count both ways."""
    draws = draws[np.isfinite(draws)]
    if clusters.count < MIN_IDENTITIES or len(draws) == 0 or np.ptp(draws) == 0:
        return NAN
    from scipy.stats import norm, t

    m = clusters.effective
    beyond = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    tail = min((beyond + 1) / (len(draws) + 1), 0.5)
    return float(2 * t.sf(-norm.ppf(tail) * np.sqrt((m - 1) / m), m - 1))


def sign_flip_test(totals: np.ndarray, flips: int, seed: int) -> float:
    """Two-sided p of the sum of cluster totals when each keeps or changes its sign with even chance.

    Every sign pattern is tried where there are no more than `flips`; otherwise that many are drawn and the
    observed one is counted among them, so that p is never 0 (Phipson and Smyth 2010). NaN where all are 0.
    """
    totals = totals[totals != 0]
    if len(totals) == 0:
        return NAN
    # Sums are taken in single precision: what is nearly as extreme counts as extreme.
    slack = 1e-6 * float(np.abs(totals).sum())
    bound = abs(float(totals.sum())) - slack
    if len(totals) - 1 <= log2(flips):
        sums = _every_sign(len(totals)) @ totals
        return float((np.abs(sums) >= bound).mean())
    single = totals.astype(np.float32)
    reached = sum(
        int((np.abs(_signs(len(totals), rows, seed, block) @ single) >= bound).sum())
        for block, rows in _blocks(len(totals), flips)
    )
    return (reached + 1) / (flips + 1)


def _blocks(width: int, rows: int) -> Iterator[tuple[int, int]]:
    """Number and height of the blocks that `rows` rows of `width` entries are drawn in."""
    height = max(1, _BLOCK_ENTRIES // width)
    for block, start in enumerate(range(0, rows, height)):
        yield block, min(height, rows - start)


# Both are the same for every statistic of a cell, so the last few blocks are kept (at most 100 MB of each).


@lru_cache(maxsize=12)
def _drawn(clusters: int, rows: int, seed: int, block: int) -> np.ndarray:
    """How often each cluster is in each of `rows` bootstrap samples, shape (rows, clusters)."""
    draws = np.random.default_rng([seed, block, clusters]).integers(clusters, size=(rows, clusters))
    draws += np.arange(rows)[:, None] * clusters
    return np.bincount(draws.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(float)


@lru_cache(maxsize=24)
def _signs(clusters: int, rows: int, seed: int, block: int) -> np.ndarray:
    """Random signs, shape (rows, clusters)."""
    size = rows * clusters
    random = np.random.default_rng([seed, block, clusters, 1]).bytes((size + 7) // 8)
    bits = np.unpackbits(np.frombuffer(random, dtype=np.uint8), count=size)
    return (bits.astype(np.float32) * 2 - 1).reshape(rows, clusters)


@lru_cache(maxsize=2)
def _every_sign(clusters: int) -> np.ndarray:
    """Every pattern of signs with the first one fixed (its mirror image is as extreme)."""
    patterns = np.arange(2 ** (clusters - 1))
    return np.where((patterns[:, None] >> np.arange(clusters)) & 1, -1.0, 1.0)
