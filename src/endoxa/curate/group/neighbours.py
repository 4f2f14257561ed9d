"""Which vectors lie near each other, found in blocks: the full matrix of similarities never exists."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Vectors

Rows = npt.NDArray[np.int32]

BLOCK_CELLS = 1 << 25
"""Similarities held at a time (float32: 128 MiB)."""
MOST = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""


def neighbours(vectors: Vectors, threshold: float, most: int = MOST) -> list[Rows]:
    """For every row the rows at cosine >= `threshold`, without itself, in ascending order.

    Args:
        vectors: unit vectors, shape (n, d).
        threshold: smallest cosine.
        most: how many a row may name. A row is a neighbour of another one if either names the other, so that the
            relation is symmetric.
    """
    count = len(vectors)
    step = max(1, BLOCK_CELLS // max(count, 1))
    sources, targets = [], []
    for start in range(0, count, step):
        block = vectors[start : start + step] @ vectors.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        source, target = _near(block, threshold, most)
        sources.append(source + np.int32(start))
        targets.append(target)
    return _symmetric(np.concatenate(sources), np.concatenate(targets), count)


def _near(block: Vectors, threshold: float, most: int) -> tuple[Rows, Rows]:
    """Cells of a block at or above the threshold; of a row the `most` nearest, of equally near ones the first."""
    source, target = np.nonzero(block >= threshold)
    found = np.bincount(source, minlength=len(block))
    if found.max(initial=0) > most:
        order = np.lexsort((-block[source, target], source))
        rank = np.arange(len(source)) - np.repeat(np.cumsum(found) - found, found)
        kept = np.sort(order[rank < most])
        source, target = source[kept], target[kept]
    return source.astype(np.int32), target.astype(np.int32)


def _symmetric(source: Rows, target: Rows, count: int) -> list[Rows]:
    pairs = np.concatenate(
        [source.astype(np.int64) * count + target, target.astype(np.int64) * count + source]
    )
    pairs = np.unique(pairs)
    ends = np.searchsorted(pairs, np.arange(1, count, dtype=np.int64) * count)
    return [part.astype(np.int32) for part in np.split(pairs % count, ends)]
