"""Exact tests of symmetry about zero: the sign test of single observations and the sign-flip test of cluster totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import ceil, log2

import numpy as np

NAN = float("nan")
FLIPS = 10_000
"""Sign patterns that are drawn where there are too many to try them all."""
_BLOCK_ENTRIES = 1_000_000
_LONGEST = 200_000
"""Largest sum of whole totals whose distribution is computed exactly."""
_DIRECT = 4_000_000
"""Products up to which two distributions are convolved directly, in some milliseconds."""


def fewest_units(alpha: float) -> int:
    """Fewest clusters with which a two-sided sign-flip test can reach `alpha`: its least p-value is 2 / 2^units."""
    return ceil(log2(2 / alpha) - 1e-9)


@lru_cache(maxsize=4096)  # many statistics ask about the same counts
def sign_test(favouring: int, opposing: int) -> float:
    """Exact two-sided p of the sign test (scipy's binomtest); NaN where there is nothing on either side."""
    if favouring + opposing == 0:
        return NAN
    from scipy.stats import binomtest

    return float(binomtest(favouring, favouring + opposing).pvalue)


def sign_flip_test(totals: np.ndarray, flips: int = FLIPS, seed: int = 0) -> float:
    """Two-sided p of the sum of cluster totals when each keeps or changes its sign with even chance.

    Exact for whole totals (convolution of their distributions) and for others with up to log2(flips) + 1 clusters
    (every sign pattern); else `flips` patterns are drawn and the observed one is counted among them, so that p is
    never 0 (Phipson and Smyth 2010). Source: Fisher 1935; Canay, Romano and Shaikh 2017.

    Args:
        totals: a total for each cluster, symmetric about 0 under the hypothesis; zeros say nothing.
        flips: patterns drawn where p is not exact.
        seed: seed of what is drawn.

    Returns:
        NaN where all totals are 0.
    """
    totals = np.asarray(totals, dtype=float)
    totals = totals[totals != 0]
    if len(totals) == 0:
        return NAN
    if (totals == np.round(totals)).all() and np.abs(totals).sum() <= _LONGEST:
        return _integer_totals(np.abs(totals).astype(np.int64), int(abs(totals.sum())))
    # Sums are taken in single precision: what is nearly as extreme counts as extreme.
    bound = abs(float(totals.sum())) - 1e-6 * float(np.abs(totals).sum())
    single = totals.astype(np.float32)
    return share_of_flips(lambda signs: np.abs(signs @ single) >= bound, len(totals), flips, seed)


def share_of_flips(
    reached: Callable[[np.ndarray], np.ndarray], clusters: int, flips: int, seed: int, width: int = 0
) -> float:
    """Share of sign patterns that are as extreme as the observed one, which counts among those that are drawn.

    Args:
        reached: whether each pattern is, from signs of shape (patterns, clusters).
        clusters: number of signs of a pattern.
        flips: patterns that are drawn where there are more of them.
        seed: of these.
        width: entries that `reached` needs for a pattern, where they are more than its signs.
    """
    if clusters - 1 <= log2(flips):
        return float(reached(_every_sign(clusters)).mean())
    drawn = (_signs(clusters, rows, seed, block) for block, rows in blocks(max(clusters, width), flips))
    return (sum(int(reached(signs).sum()) for signs in drawn) + 1) / (flips + 1)


def _integer_totals(sizes: np.ndarray, observed: int) -> float:
    """P(|sum of +-size| >= observed), from the distribution of the sum of the sizes that keep their sign."""
    unit = int(np.gcd.reduce(sizes))
    distinct, counts = np.unique(sizes // unit, return_counts=True)
    chance = np.ones(1)
    for size, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        kept = np.zeros(size * count + 1)
        kept[::size] = _heads(count)
        chance = _convolved(chance, kept)
    # The sum of signed sizes is 2 kept - total, and symmetric about 0.
    total = len(chance) - 1
    least = (total + ceil(observed / unit) + 1) // 2
    tail = float(chance[least:].clip(min=0.0).sum())
    return min(1.0, max(2 * tail, 2.0 ** (1 - len(sizes)))) if observed else 1.0


def _convolved(chance: np.ndarray, other: np.ndarray) -> np.ndarray:
    if len(chance) * len(other) <= _DIRECT:
        return np.convolve(chance, other)
    from scipy.signal import convolve  # takes 0.3 s to import, and saves as much in long ones only

    return np.asarray(convolve(chance, other))


@lru_cache(maxsize=4096)  # the same for every statistic with as many clusters
def _heads(coins: int) -> np.ndarray:
    """Chance of each number of heads."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(coins + 1), coins, 0.5))


def blocks(width: int, rows: int) -> Iterator[tuple[int, int]]:
    """Number and height of the blocks that `rows` rows of `width` entries are drawn in."""
    height = max(1, _BLOCK_ENTRIES // width)
    for block, start in enumerate(range(0, rows, height)):
        yield block, min(height, rows - start)


@lru_cache(maxsize=24)  # the same for every statistic of a cell
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
