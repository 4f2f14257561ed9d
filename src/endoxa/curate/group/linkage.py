"""Average linkage under cannot-link constraints, on a sparse graph of neighbours.

Two clusters have the similarity s(A, B) = S_A . S_B / (n_A n_B), the exact mean of the cosines between their members,
where S is the sum of a cluster's unit vectors. Clusters whose concepts contradict each other are never merged. Merging
the most similar pair until none reaches the threshold is the usual agglomeration (Sokal and Michener 1958). A mean
reaches the threshold only where one of its terms does, so pairs without neighbours between them are skipped, and with
all neighbours given the result is exact. Pairs are merged in the order of the nearest-neighbour chain (Benzecri 1982;
Muellner 2011, section 3), which gives the same clusters because merging never brings two clusters nearer to a third
(the mean of two similarities is at most the larger one, and constraints only add up).

Neighbours are found in blocks, so the full matrix of similarities never exists. No library at hand does average
linkage with cannot-link constraints without that matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Vectors
from endoxa.curate.opposites import Concept, flipped

Rows = npt.NDArray[np.int32]

BLOCK_CELLS = 1 << 25
"""Similarities held at a time (float32: 128 MiB)."""
MOST_NEIGHBOURS = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""


def neighbours(vectors: Vectors, threshold: float, most: int = MOST_NEIGHBOURS) -> list[Rows]:
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


TIE = 1e-5
"""Similarities closer than this are equal; the earlier row wins."""


@dataclass(slots=True)
class _Clusters:
    """Clusters by the row of their first member; merged ones live on in the earlier row.

    Attributes:
        sums: sum of unit vectors, shape (n, d); rows of merged clusters are stale.
        sizes: members by row; 0 where merged into another one.
        near: rows that were neighbours of a member (may name merged rows: see `parent`).
        parent: row a merged cluster went to, else itself.
        asserted: concepts of all members.
    """

    sums: Vectors
    sizes: npt.NDArray[np.int64]
    near: list[Rows]
    parent: Rows
    asserted: list[frozenset[Concept]]

    def candidates(self, row: int) -> Rows:
        """Living clusters near `row`, ascending, without itself."""
        found = self.roots(self.near[row])
        found = np.unique(found[found != row])
        self.near[row] = found
        return found

    def roots(self, rows: Rows) -> Rows:
        """The clusters that rows belong to now."""
        found = self.parent[rows]
        while True:
            above = self.parent[found]
            if np.array_equal(above, found):
                return found
            found = above

    def nearest(self, row: int, threshold: float) -> tuple[int, float]:
        """The most similar cluster that may join `row`, and its similarity; of equal ones the earliest row.

        (-1, -inf) where none reaches the threshold.
        """
        rows = self.candidates(row)
        if not rows.size:
            return -1, -np.inf
        similar = self.sums[rows] @ self.sums[row] / (self.sizes[rows] * self.sizes[row])
        forbidden = flipped(self.asserted[row])
        for place in np.lexsort((rows, -np.round(similar / TIE))):
            if similar[place] < threshold:
                break
            if forbidden.isdisjoint(self.asserted[rows[place]]):
                return int(rows[place]), float(similar[place])
        return -1, -np.inf

    def similarity(self, one: int, other: int) -> float:
        """Mean cosine between the members of two clusters."""
        return float(self.sums[one] @ self.sums[other] / (self.sizes[one] * self.sizes[other]))

    def merge(self, one: int, other: int) -> None:
        """Join two clusters under the earlier row."""
        into, gone = sorted((one, other))
        self.sums[into] += self.sums[gone]
        self.sizes[into] += self.sizes[gone]
        self.sizes[gone] = 0
        self.near[into] = np.concatenate([self.near[into], self.near[gone]])
        self.near[gone] = self.near[gone][:0]
        self.parent[gone] = into
        self.asserted[into] |= self.asserted[gone]


def link(
    vectors: Vectors,
    asserted: Sequence[frozenset[Concept]],
    near: Sequence[Rows],
    threshold: float,
    together: Iterable[Sequence[int]] = (),
) -> Rows:
    """Clusters of rows: for every row, the first row of its cluster.

    Args:
        vectors: unit vectors, shape (n, d).
        asserted: concepts that a row asserts; clusters that assert opposite ends are not merged.
        near: for each row the rows to compare it with (`neighbours`).
        threshold: mean cosine that two clusters must reach.
        together: rows that are one cluster from the start, whatever they assert.
    """
    count = len(vectors)
    rows = np.arange(count, dtype=np.int32)
    clusters = _Clusters(
        vectors.copy(), np.ones(count, dtype=np.int64), list(near), rows.copy(), list(asserted)
    )
    for group in together:
        first, *others = sorted(group)
        for other in others:
            clusters.merge(first, other)
    for first in range(count):
        _follow_chain(clusters, first, threshold)
    return clusters.roots(rows)


def _follow_chain(clusters: _Clusters, first: int, threshold: float) -> None:
    """Go from cluster to nearest cluster; where two are each other's nearest, merge them; until the chain is empty."""
    chain = [first] if clusters.sizes[first] else []
    while chain:
        last, before = chain[-1], chain[-2] if len(chain) > 1 else -1
        nearest, similar = clusters.nearest(last, threshold)
        # Rounding may let one way reach the threshold, or be nearer, and not the other.
        if before >= 0 and (nearest < 0 or clusters.similarity(last, before) >= similar - TIE):
            nearest = before
        if nearest < 0:
            chain.pop()
        elif nearest == before:
            del chain[-2:]
            clusters.merge(last, before)
            chain = chain or [min(last, before)]
        else:
            chain.append(nearest)
