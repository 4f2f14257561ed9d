"""Permutation test of two groups within strata."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from endoxa.stats.signs import FLIPS

NAN = float("nan")
Stratum = tuple[np.ndarray, np.ndarray]
"""Values of the first group and of the second."""


def stratified_permutation_test(strata: Sequence[Stratum], draws: int = FLIPS, seed: int = 0) -> float:
    """Two-sided p of the total of the first groups when the values of each stratum are dealt out anew.

    With values of 0 and 1 this is the exact conditional test of Mantel and Haenszel (1959), whose statistic is the sum
    over strata of observed minus expected (convolution of hypergeometric distributions). Else `draws` patterns
    are drawn and the observed one is counted among them (Phipson and Smyth 2010).

    Args:
        strata: whole values, not negative.
        draws: patterns drawn where p is not exact.
        seed: seed of what is drawn.

    Returns:
        NaN where in no stratum the groups could have differed.
    """
    kept = [(one, two) for one, two in strata if len(one) and len(two) and np.ptp(np.concatenate([one, two]))]
    if not kept:
        return NAN
    expected = sum(len(one) * float(one.sum() + two.sum()) / (len(one) + len(two)) for one, two in kept)
    observed = float(sum(one.sum() for one, _ in kept))
    extreme = abs(observed - expected) - 1e-6
    if max(float(values.max()) for stratum in kept for values in stratum) == 1:
        chance = _exact(kept)
        return min(1.0, float(chance[np.abs(np.arange(len(chance)) - expected) >= extreme].sum()))
    totals = sum(_drawn(one, two, draws, seed + place) for place, (one, two) in enumerate(kept))
    return (int((np.abs(totals - expected) >= extreme).sum()) + 1) / (draws + 1)


def _exact(strata: Sequence[Stratum]) -> np.ndarray:
    """Chance of each number of ones in all first groups together."""
    chance = np.ones(1)
    for one, two in strata:
        own = _hypergeometric(len(one) + len(two), int(one.sum() + two.sum()), len(one))
        chance = np.convolve(chance, own)
    return chance


@lru_cache(maxsize=4096)  # strata of one size are many
def _hypergeometric(number: int, ones: int, first: int) -> np.ndarray:
    """Chance of each number of ones among the first, when `ones` of `number` are ones."""
    from scipy.stats import hypergeom

    return np.asarray(hypergeom.pmf(np.arange(min(ones, first) + 1), number, ones, first))


def _drawn(one: np.ndarray, two: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Totals of the first group when its members are drawn from both."""
    values, counts = np.unique(np.concatenate([one, two]), return_counts=True)
    rng = np.random.default_rng(seed)
    return np.asarray(rng.multivariate_hypergeometric(counts, len(one), size=draws) @ values)
