"""The permutation test: the share of random partitions of the targets with a statistic at least as large.

Partitions are counted exactly where possible, without listing them, by meeting in the middle (Horowitz and Sahni
1974). The pool is cut into two halves. The sums of all subsets of a half are sorted, separately for each number of
members; a subset of k members of the whole pool is j members of one half and k - j of the other, so for every j one
binary search per sum of the first half counts the partners that bring it over the bound. 2 x 20 targets have 1.4e11
partitions and 2 x 1,048,576 half sums. Larger pools use partitions drawn without replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import comb, isnan
from typing import Literal

import numpy as np
import polars as pl

from endoxa.instruments.association_tests.estimates.effect_size import UNIT_ROUNDOFF
from endoxa.instruments.association_tests.options import DRAWS
from endoxa.runs.estimates import ASSOCIATION_TESTS, adjusted, decided
from endoxa.stats.signs import blocks
from endoxa.stats.verdicts import UNTESTED, Alternative, significance


@dataclass(frozen=True, slots=True)
class Tails:
    """How many of the subsets have a sum of at most the lower bound, and of at least the upper one."""

    lower: int
    upper: int


def half_sums(n: int, size: int) -> int:
    """How many numbers are held in memory to count the subsets of `size` out of `n`."""
    left = n // 2
    return sum(
        sum(comb(half, members) for members in range(min(size, half) + 1)) for half in (left, n - left)
    )


def count_tails(values: np.ndarray, size: int, *, at_most: float, at_least: float) -> Tails:
    """Count the subsets of `size` values whose sum is <= `at_most`, and those whose sum is >= `at_least`.

    Args:
        values: the pool, shape (n,).
        size: members of a subset, 0 to n.
        at_most: upper end of the lower tail.
        at_least: lower end of the upper tail.

    Returns:
        Exact counts of the sums as they come out in double precision.
    """
    half = len(values) // 2
    left, right = _sums_by_size(values[:half], size), _sums_by_size(values[half:], size)
    lower = upper = 0
    for members, sums in enumerate(left):
        if size - members >= len(right):
            continue
        partners = right[size - members]
        lower += int(np.searchsorted(partners, at_most - sums, side="right").sum())
        upper += partners.size * sums.size
        upper -= int(np.searchsorted(partners, at_least - sums, side="left").sum())
    return Tails(lower=lower, upper=upper)


def _sums_by_size(values: np.ndarray, most: int) -> list[np.ndarray]:
    """Sorted sums of all subsets with 0, 1, ... members, at most `most`."""
    sums = [np.zeros(1)]
    for value in values:
        grown = [sum_ + value for sum_ in sums]
        sums = [
            np.concatenate([part for part in (kept, added) if part is not None])
            for kept, added in zip([*sums, None], [None, *grown], strict=True)
        ][: most + 1]
    for part in sums:
        part.sort()  # sorted sums, so that neighbouring searches touch neighbouring memory
    return sums


def sample_tails(
    values: np.ndarray, size: int, *, at_most: float, at_least: float, draws: int, seed: int
) -> Tails:
    """Count among `draws` different subsets, none of them the first `size` values, as `count_tails` does.

    Args:
        values: the pool, the observed subset first, shape (n,).
        size: members of a subset.
        at_most: upper end of the lower tail.
        at_least: lower end of the upper tail.
        draws: subsets to draw, fewer than there are.
        seed: the subsets follow from it, from n and from `size`: tests of one shape share them.
    """
    subsets = _subsets(len(values), size, draws, seed)
    lower = upper = start = 0
    for _, rows in blocks(len(values), draws):
        members = np.unpackbits(subsets[start : start + rows], axis=1, count=len(values))
        sums = members.astype(float) @ values
        lower += int((sums <= at_most).sum())
        upper += int((sums >= at_least).sum())
        start += rows
    return Tails(lower=lower, upper=upper)


@lru_cache(maxsize=2)
def _subsets(n: int, size: int, draws: int, seed: int) -> np.ndarray:
    """Different subsets as rows of bits, eight to a byte; the first `size` values are not among them."""
    rng = np.random.default_rng([seed, n, size])
    observed = np.packbits(np.arange(n) < size)
    distinct = observed[None, :]
    while len(distinct) <= draws:
        drawn = [distinct]
        drawn.extend(
            np.packbits(_random_members(rng, rows, n, size), axis=1)
            for _, rows in blocks(n, draws + 1 - len(distinct))
        )
        distinct = _first_of_each(np.concatenate(drawn))
    subsets = distinct[1:]
    subsets.flags.writeable = False
    return subsets


def _random_members(rng: np.random.Generator, rows: int, n: int, size: int) -> np.ndarray:
    """A random subset per row: True for its members, shape (rows, n)."""
    members = np.zeros((rows, n), dtype=bool)
    chosen = np.argpartition(rng.random((rows, n)), size - 1, axis=1)[:, :size]
    np.put_along_axis(members, chosen, values=True, axis=1)
    return members


def _first_of_each(rows: np.ndarray) -> np.ndarray:
    """Rows without repetition, in the order they came in: dropping repeats is drawing without replacement."""
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
    return rows[np.sort(np.unique(keys, return_index=True)[1])]


Kind = Literal["exact", "sampled", "undefined"]

MAX_HALF_SUMS = 2**24
"""Exact up to so many half sums: 2 x 23 targets, about half a gigabyte and a few seconds."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """What the permutation test says.

    Attributes:
        p_value: share of partitions that are as extreme as the observed one, ties and itself counted.
        greater: the one-sided p-value that papers print, whatever the alternative.
        two_sided: twice the smaller tail, at most 1, whatever the alternative.
        kind: 'exact' (all partitions counted), 'sampled' or 'undefined'.
        partitions: how many partitions there are.
        draws: how many were drawn where p is sampled, else None.
        upper: the observed partition lies above most others rather than below.
    """

    p_value: float
    greater: float
    two_sided: float
    kind: Kind
    partitions: int
    draws: int | None = None
    upper: bool = True


def permutation_test(
    x: np.ndarray,
    y: np.ndarray,
    *,
    alternative: Alternative = "two-sided",
    error: float = 0.0,
    draws: int = DRAWS,
    seed: int = 0,
    max_half_sums: int = MAX_HALF_SUMS,
) -> PermutationTest:
    """Test whether x is larger than y beyond what a random partition of both would show.

    Every partition of the pool into len(x) and len(y) values is equally likely where the labels mean nothing. The
    difference of means grows with the sum over the first part, so sums are compared. Two sums that are equal in
    exact arithmetic count as equal however they were added up: sums closer than `tie_tolerance` are ties.

    Args:
        x: values of the first set.
        y: values of the second set, of the same or another size.
        alternative: 'two-sided' (twice the smaller tail, at most 1), 'greater' (x above y), or 'less'.
        error: rounding of each value.
        draws: partitions to draw where they are too many to be counted.
        seed: what is drawn follows from it and from both sizes.
        max_half_sums: partitions are counted exactly if no more half sums than this are needed (`half_sums`).

    Returns:
        The p-value, and how it was come by. A sampled p is (1 + as extreme) / (1 + draws), where the observed
        partition is the one that is added: it is never 0, and never too small on average (Phipson and Smyth 2010).
    """
    pool = np.concatenate([x, y])
    partitions = comb(len(pool), len(x))
    if np.ptp(pool) <= 2 * error:
        undefined = float("nan")
        return PermutationTest(undefined, undefined, undefined, "undefined", partitions)
    observed, tolerance = float(x.sum()), tie_tolerance(pool, error)
    bounds = {"at_most": observed + tolerance, "at_least": observed - tolerance}
    if half_sums(len(pool), len(x)) <= max_half_sums or partitions <= draws + 1:
        tails = count_tails(pool, len(x), **bounds)
        shares = tails.lower / partitions, tails.upper / partitions
        return _of_tails(shares, alternative, "exact", partitions)
    tails = sample_tails(pool, len(x), **bounds, draws=draws, seed=seed)
    shares = (tails.lower + 1) / (draws + 1), (tails.upper + 1) / (draws + 1)
    return _of_tails(shares, alternative, "sampled", partitions, draws)


def tie_tolerance(pool: np.ndarray, error: float) -> float:
    """How far two sums over parts of the pool can drift apart by rounding although they are equal.

    Each value may be off by `error`, and adding up n numbers in any order loses at most n u times the sum of
    their sizes, u = 2^-53 (Higham 2002, equation 4.4); two sums are compared.
    """
    return len(pool) * error + 2 * len(pool) * UNIT_ROUNDOFF * float(np.abs(pool).sum())


def _of_tails(
    tails: tuple[float, float],
    alternative: Alternative,
    kind: Kind,
    partitions: int,
    draws: int | None = None,
) -> PermutationTest:
    """The test from the shares of partitions in the lower and the upper tail."""
    lower, upper = tails
    two_sided = min(1.0, 2 * min(lower, upper))
    p_value = {"greater": upper, "less": lower, "two-sided": two_sided}[alternative]
    return PermutationTest(p_value, upper, two_sided, kind, partitions, draws, upper=upper <= lower)


OPPOSED = "effect size and permutation test point in different directions"
NO_EFFECT = "the effect size is undefined"
NO_TEST = "the p-value is undefined"


def judged(tests: pl.DataFrame) -> pl.DataFrame:
    """The tests with `p_adjusted` over all of them, `verdict` and `reason`; rows keep their order.

    Args:
        tests: columns of `TEST_COLUMNS`, of one confidence and one alternative. Rows whose verdict is that they cannot
            be tested stay so.
    """
    tests = tests.with_columns(reason=pl.when(verdict=UNTESTED).then("reason").otherwise(pl.lit("")))
    # The p-value of the permutation test is a published score: it stays, and weighs on no other test.
    tests = tests.with_columns(adjusted(tests, ASSOCIATION_TESTS)["p_adjusted"])
    confidence, alternative = tests.select("confidence", "alternative").row(0)
    return decided(tests, confidence=confidence, alternative=alternative).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def least_p(partitions: int, draws: int | None = None) -> float:
    """The least two-sided p-value that a permutation test can have, ties aside: both tails hold one partition.

    Args:
        partitions: how many there are.
        draws: how many were drawn where not all are counted; the observed one is added to them.
    """
    return min(1.0, 2 / (partitions if draws is None else draws + 1))


def too_small(partitions: int, confidence: float, *, draws: int | None = None, sizes: str = "") -> str:
    """Why a two-sided test cannot reach its level, and what would do; empty where it can.

    It holds for one-sided tests too: three words against three are no evidence, whichever side was asked about.

    Args:
        partitions: how many there are.
        confidence: one minus the level.
        draws: partitions drawn, None where all are counted.
        sizes: '3 against 3 texts', empty where it is not known.
    """
    alpha, least = significance(confidence), least_p(partitions)
    if least > alpha + 1e-12:
        enough = next(n for n in count(1) if least_p(comb(2 * n, n)) <= alpha + 1e-12)
        return (
            f"{sizes or f'{partitions} partitions'}, with a least possible two-sided p-value of {least:.2g}; "
            f"{enough} against {enough} would be enough"
        )
    if draws is not None and least_p(partitions, draws) > alpha + 1e-12:
        needed = next(n for n in count(draws) if 2 / (n + 1) <= alpha + 1e-12)
        return (
            f"{draws} partitions drawn, with a least possible two-sided p-value of "
            f"{least_p(partitions, draws):.2g}; {needed} would be enough"
        )
    return ""


def obstacle(effect: float, test: PermutationTest, sizes: str, confidence: float) -> str:
    """Why a test cannot be made, or nothing.

    A small p-value may belong to the other direction than the effect size: this is taken over texts, the test may
    exchange terms; and the mean of very skewed values can lie beyond the tail that rejects.
    """
    if isnan(effect):
        return NO_EFFECT
    if isnan(test.p_value):
        return NO_TEST
    small = test.p_value <= significance(confidence) + 1e-12
    opposed = small and (effect < 0 if test.upper else effect > 0)
    few = too_small(test.partitions, confidence, draws=test.draws, sizes=sizes)
    return few or (OPPOSED if opposed else "")
