"""Cosines between rows of unit vectors, a block of rows at a time, so that the full matrix never exists.

Each thread multiplies blocks of its own: threads that share one product wait for each other wherever the machine does
something else as well. A row keeps its nearest neighbours only, so memory grows with the number of rows, however many
of them are near alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Vectors

T = TypeVar("T")
Rows = npt.NDArray[np.int32]

TILE = (512, 2048)
"""Rows and columns multiplied at a time: fits the processor's cache (float32: 4 MiB)."""
MOST_NEIGHBOURS = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""


def in_blocks(rows: int, height: int, work: Callable[[int, int], T]) -> Iterator[T]:
    """What `work` makes of each block, from its first row to the one behind its last, in the order of the rows.

    Args:
        rows: number of rows.
        height: rows of a block.
        work: called by several threads at a time.
    """
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    starts = range(0, rows, height)
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, starts, (min(rows, start + height) for start in starts))


def neighbours(
    vectors: Vectors, threshold: float, most: int = MOST_NEIGHBOURS, tile: tuple[int, int] = TILE
) -> list[Rows]:
    """For every row the rows at cosine >= `threshold`, without itself, in ascending order.

    Args:
        vectors: unit vectors, shape (n, d).
        threshold: smallest cosine.
        most: how many a row may name, the nearest and of equally near ones the first. A row is a neighbour of another
            one if either names the other, so that the relation is symmetric.
        tile: rows and columns multiplied at a time.
    """
    from scipy.sparse import coo_array

    height, width = tile

    def named(start: int, stop: int) -> tuple[Rows, Rows]:
        parts = []
        # A new array for each tile would take as long as its product.
        cells = np.empty((stop - start, width), dtype=vectors.dtype)
        for left in range(0, len(vectors), width):
            columns = vectors[left : left + width]
            cosines = np.matmul(vectors[start:stop], columns.T, out=cells[:, : len(columns)])
            row, column = np.divmod(np.flatnonzero(cosines >= threshold), cosines.shape[1])
            other = row + start != column + left
            row, column = row[other], column[other]
            parts.append((row, column + left, cosines[row, column]))
        source, target, similar = (np.concatenate(part) for part in zip(*parts, strict=True))
        sizes = np.bincount(source, minlength=stop - start)
        if sizes.max() > most:
            order = np.lexsort((target, -similar, source))
            rank = np.arange(len(source)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            source, target = source[order[rank < most]], target[order[rank < most]]
        return (source + start).astype(np.int32), target.astype(np.int32)

    count = len(vectors)
    if not count:
        return []
    pairs = zip(*in_blocks(count, height, named), strict=True)
    source, target = map(np.concatenate, pairs)
    graph = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(count, count)).tocsr()
    graph = (graph + graph.T).tocsr()
    graph.sort_indices()
    return np.split(graph.indices.astype(np.int32), graph.indptr[1:-1])
