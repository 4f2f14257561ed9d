"""Pairs of vectors above a cosine, found in tiles, so that the full matrix of similarities never exists.

A tile fits the processor's cache, and each pair of rows is computed once. Each thread multiplies tiles of its own:
threads that share one product wait for each other wherever the machine does something else as well. A row keeps its
nearest neighbours only, so memory grows with the number of rows, however many of them are near alike.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from endoxa.curate.encoders import Encoder, Vectors, load_encoder
from endoxa.curate.group.surface import clean
from endoxa.curate.opposites.concepts import Concept, concepts, flipped
from endoxa.curate.opposites.lexicon import Lexicon
from endoxa.models.encoders.sentence import LIBRARY

Rows = npt.NDArray[np.int32]
Pairs = tuple[Rows, Rows, Vectors]
"""Rows, columns and their similarities."""

TILE = (512, 2048)
"""Rows and columns compared at a time (float32: 4 MiB)."""
MOST_NEIGHBOURS = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""
WAITING = 1 << 20
"""Least number of pairs that are collected before all but the nearest are dropped."""


def neighbours(vectors: Vectors, threshold: float, most: int = MOST_NEIGHBOURS) -> list[Rows]:
    """For every row the rows at cosine >= `threshold`, without itself, in ascending order.

    Args:
        vectors: unit vectors, shape (n, d).
        threshold: smallest cosine.
        most: how many a row may name. A row is a neighbour of another one if either names the other, so that the
            relation is symmetric.
    """
    nearest = _Nearest(len(vectors), most)
    for rows, columns, similar in _near(vectors, threshold):
        nearest.add(rows, columns, similar)
    return nearest.lists()


def _near(vectors: Vectors, threshold: float) -> Iterator[Pairs]:
    """The pairs of each tile on and above the diagonal, a row of tiles after the other."""
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    height, width = TILE
    workers = os.cpu_count() or 1
    local = threading.local()

    def tile(top: int, left: int) -> Pairs:
        if not hasattr(local, "cells"):
            local.cells = np.empty(height * width, dtype=np.float32)
        rows, columns = vectors[top : top + height], vectors[left : left + width]
        cells = local.cells[: len(rows) * len(columns)]
        np.matmul(rows, columns.T, out=cells.reshape(len(rows), len(columns)))
        cells_above = np.flatnonzero(cells >= threshold)
        row, column = np.divmod(cells_above, len(columns))
        above = column + left > row + top
        row, column, cells_above = row[above] + top, column[above] + left, cells_above[above]
        return row.astype(np.int32), column.astype(np.int32), cells[cells_above]

    ahead: deque[Future[Pairs]] = deque()
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        for top in range(0, len(vectors), height):
            for left in range(top, len(vectors), width):
                ahead.append(pool.submit(tile, top, left))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


class _Nearest:
    """The nearest neighbours of each row, of equally near ones the first, while pairs come in by tiles.

    The tiles come in such an order that a row meets its neighbours from the first to the last.
    """

    def __init__(self, count: int, most: int) -> None:
        self._count, self._most = count, most
        self._parts: list[Pairs] = []
        self._waiting = 0
        self._limit = max(WAITING, 2 * count * most)
        self._farthest = np.full(count, -np.inf, dtype=np.float32)
        """What a further neighbour of a row must surpass."""
        self._crowded = False

    def add(self, rows: Rows, columns: Rows, similar: Vectors) -> None:
        """Take pairs of rows and their similarities, each for both rows."""
        for source, target in ((rows, columns), (columns, rows)):
            nearer = similar > self._farthest[source]
            self._parts.append((source[nearer], target[nearer], similar[nearer]))
            self._waiting += len(self._parts[-1][0])
        if self._waiting > self._limit:
            kept = self._kept()
            source = np.repeat(np.arange(self._count, dtype=np.int32), np.diff(kept.indptr))
            self._parts = [(source, kept.indices, kept.data)]
            self._waiting = len(source)

    def _kept(self) -> csr_array:
        """The similarities of all rows to their nearest, in ascending order of the neighbours."""
        source, target, similar = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        graph = coo_array((similar, (source, target)), shape=(self._count, self._count)).tocsr()
        crowded = np.flatnonzero(np.diff(graph.indptr) > self._most)
        if not len(crowded):
            return graph
        self._crowded = True
        kept = np.ones(graph.nnz, dtype=bool)
        for row in crowded.tolist():
            start, end = graph.indptr[row], graph.indptr[row + 1]
            order = np.argsort(-graph.data[start:end], kind="stable")
            kept[start + order[self._most :]] = False
        sizes = np.minimum(np.diff(graph.indptr), self._most)
        ends = np.concatenate([[0], np.cumsum(sizes)])
        chosen = csr_array((graph.data[kept], graph.indices[kept], ends), shape=graph.shape)
        full = np.flatnonzero(sizes == self._most)
        self._farthest[full] = np.minimum.reduceat(chosen.data, ends[:-1][full]) if len(full) else ()
        return chosen

    def lists(self) -> list[Rows]:
        """For each row its neighbours, and those that it is a neighbour of, in ascending order."""
        if not self._parts:
            return [np.empty(0, dtype=np.int32)] * self._count
        graph = self._kept()
        if self._crowded:
            graph.data = np.ones_like(graph.data)
            graph = (graph + graph.T).tocsr()
            graph.sort_indices()
        return np.split(graph.indices.astype(np.int32), graph.indptr[1:-1])


LEAST, MOST = 0.5, 10
"""Least likeness that is kept, and how many neighbours an attribute keeps."""
DIGITS = 4


def with_likeness(
    rows: Sequence[Mapping[str, Any]], lexicon: Lexicon, encoder: Encoder | None = None
) -> list[dict[str, Any]]:
    """The rows of a groups file with `near` ([[number of a row from 1, likeness]]) and `opposites` (numbers of rows).

    Args:
        rows: with the column `attribute`.
        lexicon: opposites and words of degree of their language.
        encoder: texts to unit vectors; None takes letters in common (rapidfuzz), which knows no meaning.
    """
    texts = [clean(str(row["attribute"]), lexicon) for row in rows]
    near = _by_meaning(texts, encoder) if encoder is not None else _by_letters(texts)
    against = _opposites(texts, lexicon)
    return [
        {**row, "near": [[other + 1, score] for other, score in near[place]], "opposites": against[place]}
        for place, row in enumerate(rows)
    ]


def usual_encoder() -> Encoder | None:
    """The usual encoder; None where the extra that brings it is not installed."""
    return load_encoder() if find_spec(LIBRARY) is not None else None


def _by_meaning(texts: Sequence[str], encoder: Encoder) -> list[list[tuple[int, float]]]:
    vectors = encoder(texts)
    likenesses = []
    for place, others in enumerate(neighbours(vectors, LEAST, MOST)):
        scores = vectors[others] @ vectors[place]
        pairs = zip(others.tolist(), scores.tolist(), strict=True)
        likenesses.append([(other, round(min(score, 1.0), DIGITS)) for other, score in pairs])
    return likenesses


def _by_letters(texts: Sequence[str]) -> list[list[tuple[int, float]]]:
    from rapidfuzz import fuzz, process

    likenesses = []
    for place, text in enumerate(texts):
        best = process.extract(
            text, texts, scorer=fuzz.token_sort_ratio, limit=MOST + 1, score_cutoff=100 * LEAST
        )
        likenesses.append([(other, round(score / 100, DIGITS)) for _, score, other in best if other != place])
    return likenesses


def _opposites(texts: Sequence[str], lexicon: Lexicon) -> list[list[int]]:
    """For each text the numbers (from 1) of those that say the opposite."""
    asserted = [concepts(text, lexicon) for text in texts]
    by_concept: dict[Concept, set[int]] = {}
    for place, concepts_here in enumerate(asserted):
        for concept in concepts_here:
            by_concept.setdefault(concept, set()).add(place)
    return [
        sorted(
            other + 1
            for other in set().union(
                *(by_concept.get(turned_concept, set()) for turned_concept in flipped(concepts_here))
            )
        )
        for concepts_here in asserted
    ]
