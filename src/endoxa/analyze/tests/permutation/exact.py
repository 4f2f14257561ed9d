"""Counting subsets by their sums without listing them: meet in the middle (Horowitz and Sahni 1974).

The pool is cut in two halves. The sums of all subsets of a half are sorted, separately for each number of
members; a subset of k members of the whole pool is j members of one half and k - j of the other, so for every j one
binary search per sum of the first half counts the partners that bring it over the bound. 2 x 20 targets have 1.4e11
partitions and 2 x 1,048,576 half sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np


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
