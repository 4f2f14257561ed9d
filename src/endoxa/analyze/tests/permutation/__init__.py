"""The permutation test: how often a random partition of the targets would do as much."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from endoxa.analyze.tests.associations import UNIT_ROUNDOFF
from endoxa.analyze.tests.permutation.exact import Tails, count_tails, half_sums
from endoxa.analyze.tests.permutation.parametric import normal_score
from endoxa.analyze.tests.permutation.sampled import sample_tails

Alternative = Literal["greater", "less", "two-sided"]
Kind = Literal["exact", "sampled", "parametric", "undefined"]

DRAWS = 100_000
MAX_HALF_SUMS = 2**24
"""Exact up to so many half sums: 2 x 23 targets, about half a gigabyte and a few seconds."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """What the permutation test says.

    Attributes:
        p_value: share of partitions that are as extreme as the observed one, ties and itself counted.
        kind: 'exact' (all partitions counted), 'sampled', 'parametric' (normal approximation) or 'undefined'.
        partitions: how many partitions there are.
        draws: how many were drawn where p is sampled, else None.
        upper: the observed partition lies above most others rather than below.
    """

    p_value: float
    kind: Kind
    partitions: int
    draws: int | None = None
    upper: bool = True


def permutation_test(
    x: np.ndarray,
    y: np.ndarray,
    *,
    alternative: Alternative = "greater",
    error: float = 0.0,
    draws: int = DRAWS,
    seed: int = 0,
    parametric: bool = False,
    max_half_sums: int = MAX_HALF_SUMS,
) -> PermutationTest:
    """Test whether x is larger than y beyond what a random partition of both would show.

    Every partition of the pool into len(x) and len(y) values is equally likely where the labels mean nothing. The
    difference of means grows with the sum over the first part, so sums are compared. Two sums that are equal in
    exact arithmetic count as equal however they were added up: sums closer than `tie_tolerance` are ties.

    Args:
        x: values of the first set.
        y: values of the second set, of the same or another size.
        alternative: 'greater' (x above y), 'less', or 'two-sided' (twice the smaller tail, at most 1).
        error: rounding of each value.
        draws: partitions to draw where they are too many to be counted.
        seed: what is drawn follows from it and from both sizes.
        parametric: take the normal approximation instead.
        max_half_sums: partitions are counted exactly if no more half sums than this are needed (`half_sums`).

    Returns:
        The p-value, and how it was come by. A sampled p is (1 + as extreme) / (1 + draws), where the observed
        partition is the one that is added: it is never 0, and never too small on average (Phipson and Smyth 2010).
    """
    pool = np.concatenate([x, y])
    partitions = comb(len(pool), len(x))
    if np.ptp(pool) <= 2 * error:
        return PermutationTest(float("nan"), "undefined", partitions)
    if parametric:
        from scipy.stats import norm

        score = normal_score(x, y)
        return PermutationTest(
            _p_value(float(norm.cdf(score)), float(norm.sf(score)), alternative),
            "parametric",
            partitions,
            upper=score >= 0,
        )
    observed, tolerance = float(x.sum()), tie_tolerance(pool, error)
    bounds = {"at_most": observed + tolerance, "at_least": observed - tolerance}
    if half_sums(len(pool), len(x)) <= max_half_sums or partitions <= draws + 1:
        tails = count_tails(pool, len(x), **bounds)
        return PermutationTest(
            _share(tails, 0, partitions, alternative), "exact", partitions, upper=tails.upper <= tails.lower
        )
    tails = sample_tails(pool, len(x), **bounds, draws=draws, seed=seed)
    return PermutationTest(
        _share(tails, 1, draws + 1, alternative), "sampled", partitions, draws, tails.upper <= tails.lower
    )


def tie_tolerance(pool: np.ndarray, error: float) -> float:
    """How far two sums over parts of the pool can drift apart by rounding although they are equal.

    Each value may be off by `error`, and adding up n numbers in any order loses at most n u times the sum of
    their sizes, u = 2^-53 (Higham 2002, equation 4.4); two sums are compared.
    """
    return len(pool) * error + 2 * len(pool) * UNIT_ROUNDOFF * float(np.abs(pool).sum())


def _share(tails: Tails, added: int, of: int, alternative: Alternative) -> float:
    return _p_value((tails.lower + added) / of, (tails.upper + added) / of, alternative)


def _p_value(lower: float, upper: float, alternative: Alternative) -> float:
    if alternative == "greater":
        return upper
    return lower if alternative == "less" else min(1.0, 2 * min(lower, upper))
