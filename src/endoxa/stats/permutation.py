"""Permutation tests: exchangeable columns within rows, two groups within strata, each group of units against others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from endoxa.stats.signs import FLIPS

DRAWS = 4_999
"""Tables drawn; the observed one is counted among them."""
_BLOCK_ENTRIES = 4_000_000


def exchange_test(
    present: np.ndarray, weights: Sequence[np.ndarray], draws: int = DRAWS, seed: int = 0
) -> np.ndarray:
    """Two-sided p-values of weighted sums over a table; rows are independent.

    All sums are computed from the same random tables. A p-value is never 0 (Phipson and Smyth 2010).

    Args:
        present: the table, shape (rows, columns), true and false.
        weights: for each sum the weights of the entries, of the shape of the table, adding up to 0 in every row.
        draws: random tables.
        seed: seed of what is drawn.

    Returns:
        One p-value for each of `weights`; 1 where nothing could change a sum.
    """
    from scipy.sparse import csr_array

    sums = csr_array(np.array([entries.ravel() for entries in weights]))
    observed = np.abs(sums @ present.ravel().astype(float))
    bound = observed - 1e-9 * np.maximum(1.0, observed)
    random, reached, left = np.random.default_rng(seed), np.zeros(len(observed), dtype=np.int64), draws
    height = max(1, _BLOCK_ENTRIES // max(1, present.size))
    while left:
        tables = np.repeat(present[None], min(height, left), axis=0)
        drawn = random.permuted(tables, axis=2).reshape(len(tables), -1)
        reached += (np.abs(sums @ drawn.T.astype(float)) >= bound[:, None]).sum(axis=1)
        left -= len(tables)
    return np.asarray((reached + 1) / (draws + 1))


def single_column_test(present: np.ndarray, column: int, signs: np.ndarray) -> float:
    """Exact two-sided p-value of one column's signed count against the mean of the others.

    A row with k of n entries has the column's with chance k / n, whatever the others are (Poisson-binomial). The
    p-value is 1 where nothing could change.

    Args:
        present: the table, shape (rows, columns), true and false.
        column: the column.
        signs: 1, -1 or 0 for each row: it counts, counts against, or does not count.
    """
    chance = present.mean(axis=1)
    varied = (signs != 0) & (chance > 0) & (chance < 1)
    sign, chance = signs[varied], chance[varied]
    observed = abs(float((sign * (present[varied, column] - chance)).sum()))
    distribution = np.ones(1)
    for direction, share in zip(sign, chance, strict=True):
        distribution = np.convolve(distribution, (1 - share, share) if direction > 0 else (share, 1 - share))
    least = int((sign < 0).sum())
    apart = np.arange(len(distribution)) - least - float((sign * chance).sum())
    return min(1.0, float(distribution[np.abs(apart) >= observed - 1e-9].sum()))


def movable(present: np.ndarray, weights: np.ndarray) -> int:
    """Rows that say anything about a sum: neither empty nor full, with weights that differ."""
    mixed = present.any(axis=1) & ~present.all(axis=1)
    return int((mixed & (np.ptp(weights, axis=1) > 0)).sum()) if present.size else 0


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
    kept = [
        (first, second)
        for first, second in strata
        if len(first) and len(second) and np.ptp(np.concatenate([first, second]))
    ]
    if not kept:
        return NAN
    expected = sum(
        len(first) * float(first.sum() + second.sum()) / (len(first) + len(second)) for first, second in kept
    )
    observed = float(sum(first.sum() for first, _ in kept))
    extreme = abs(observed - expected) - 1e-6
    if max(float(values.max()) for stratum in kept for values in stratum) == 1:
        chance = _exact(kept)
        return min(1.0, float(chance[np.abs(np.arange(len(chance)) - expected) >= extreme].sum()))
    totals = sum(_drawn(first, second, draws, seed + place) for place, (first, second) in enumerate(kept))
    return (int((np.abs(totals - expected) >= extreme).sum()) + 1) / (draws + 1)


def _exact(strata: Sequence[Stratum]) -> np.ndarray:
    """Chance of each number of successes in all first groups together."""
    chance = np.ones(1)
    for first, second in strata:
        chances = _hypergeometric(len(first) + len(second), int(first.sum() + second.sum()), len(first))
        chance = np.convolve(chance, chances)
    return chance


@lru_cache(maxsize=4096)  # strata of one size are many
def _hypergeometric(number: int, successes: int, first: int) -> np.ndarray:
    """Chance of each number of successes among the first, when `successes` of `number` are successes."""
    from scipy.stats import hypergeom

    return np.asarray(hypergeom.pmf(np.arange(min(successes, first) + 1), number, successes, first))


def _drawn(first: np.ndarray, second: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Totals of the first group when its members are drawn from both."""
    values, counts = np.unique(np.concatenate([first, second]), return_counts=True)
    rng = np.random.default_rng(seed)
    return np.asarray(rng.multivariate_hypergeometric(counts, len(first), size=draws) @ values)


def units_by_group_test(
    values: np.ndarray, group: np.ndarray, draws: int = DRAWS, seed: int = 0
) -> np.ndarray:
    """Two-sided p-value of each group's mean against that of all other units, groups permuted over units.

    The difference is divided by its standard error (Welch 1938), so that the test also holds where groups vary
    differently (Janssen 1997; Chung and Romano 2013). The observed order is counted among the drawn ones.

    Args:
        values: one for each unit.
        group: code of its group, from 0, each at least once.
        draws: orders drawn.
        seed: of these.

    Returns:
        One p-value for each group; NaN for one of fewer than two units, or with fewer than two outside, and where no
        unit differs from another.
    """
    count, sizes = len(values), np.bincount(group)
    if np.ptp(values) <= _EQUAL * max(1.0, float(np.abs(values).max())):
        return np.full(len(sizes), NAN)
    member = np.zeros((count, len(sizes)))
    member[np.arange(count), group] = 1.0

    def studentised(rows: np.ndarray) -> np.ndarray:
        sums, squares = rows @ member, rows**2 @ member
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums / sizes, (rows.sum(axis=1, keepdims=True) - sums) / (count - sizes)
            rest = (rows**2).sum(axis=1, keepdims=True) - squares
            spreads = squares / sizes - means[0] ** 2, rest / (count - sizes) - means[1] ** 2
            error = np.clip(spreads[0], 0, None) / (sizes - 1) + np.clip(spreads[1], 0, None) / (
                count - sizes - 1
            )
            return np.asarray(np.abs(means[0] - means[1]) / np.sqrt(np.maximum(error, _EQUAL**2)))

    observed = studentised(values[None])[0]
    random, reached, left = np.random.default_rng(seed), np.zeros(len(sizes), dtype=np.int64), draws
    height = max(1, _BLOCK_ENTRIES // count)
    while left:
        rows = random.permuted(np.repeat(values[None], min(height, left), axis=0), axis=1)
        reached += (studentised(rows) >= observed * (1 - _EQUAL)).sum(axis=0)
        left -= len(rows)
    tested = (sizes > 1) & (count - sizes > 1)
    return np.where(tested, (reached + 1) / (draws + 1), NAN)


_EQUAL = 1e-9
