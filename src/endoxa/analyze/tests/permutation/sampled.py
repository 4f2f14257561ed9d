"""Partitions drawn without replacement, where there are too many to count them all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from endoxa.analyze.tests.permutation.exact import Tails

_BLOCK_ENTRIES = 2_000_000


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
    lower = upper = 0
    for block in _blocks(_subsets(len(values), size, draws, seed), len(values)):
        sums = block @ values
        lower += int((sums <= at_most).sum())
        upper += int((sums >= at_least).sum())
    return Tails(lower=lower, upper=upper)


@lru_cache(maxsize=2)
def _subsets(n: int, size: int, draws: int, seed: int) -> np.ndarray:
    """Different subsets as rows of bits, eight to a byte; the first `size` values are not among them."""
    rng = np.random.default_rng([seed, n, size])
    observed = np.packbits(np.arange(n) < size)
    found = observed[None, :]
    while len(found) <= draws:
        drawn = [found]
        drawn.extend(
            np.packbits(_random_members(rng, rows, n, size), axis=1)
            for rows in _heights(draws + 1 - len(found), n)
        )
        found = _first_of_each(np.concatenate(drawn))
    subsets = found[1:]
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


def _blocks(subsets: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """The subsets as 0.0 and 1.0, in blocks of bounded size."""
    start = 0
    for rows in _heights(len(subsets), n):
        yield np.unpackbits(subsets[start : start + rows], axis=1, count=n).astype(float)
        start += rows


def _heights(rows: int, width: int) -> Iterator[int]:
    height = max(1, _BLOCK_ENTRIES // width)
    for start in range(0, rows, height):
        yield min(height, rows - start)
