"""Average linkage under cannot-link constraints, on a sparse graph of neighbours.

Two clusters have the similarity s(A, B) = S_A . S_B / (n_A n_B), the exact mean of the cosines between their members,
where S is the sum of a cluster's unit vectors. Clusters whose concepts contradict each other are never merged. Merging
the most similar pair until none reaches the threshold is the usual agglomeration (Sokal and Michener 1958). A mean
reaches the threshold only where one of its terms does, so pairs without neighbours between them are skipped, and with
all neighbours given the result is exact. Pairs are merged in the order of the nearest-neighbour chain (Benzecri 1982;
Muellner 2011, section 3), which gives the same clusters because merging never brings two clusters nearer to a third
(the mean of two similarities is at most the larger one, and constraints only add up).

No library at hand does average linkage with cannot-link constraints without the full matrix of similarities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Vectors
from endoxa.curate.group.neighbours import Rows
from endoxa.curate.opposites import Concept, flipped

TIE = 1e-5
"""Similarities closer than this are equal; the earlier row wins."""


@dataclass(slots=True)
class _Clusters:
    """Clusters by the row of their first member; merged ones live on in the earlier row.

    Attributes:
        sums: sum of unit vectors, shape (n, d); rows of merged clusters are stale.
        sizes: members by row; 0 where merged into another one.
        near: rows that were neighbours of a member (may name merged rows: see `home`).
        home: the cluster that a row belongs to now.
        members: rows by cluster; empty where merged into another one.
        asserted: concepts of all members.
        forbidden: the concepts that these exclude.
    """

    sums: Vectors
    sizes: npt.NDArray[np.int64]
    near: list[Rows]
    home: Rows
    members: list[list[int]]
    asserted: list[frozenset[Concept]]
    forbidden: list[frozenset[Concept]]

    def candidates(self, row: int) -> Rows:
        """Living clusters near `row`, ascending, without itself."""
        rows: Rows = self.home[self.near[row]]
        rows.sort()
        kept = rows != row
        kept[1:] &= rows[1:] != rows[:-1]
        rows = rows[kept]
        self.near[row] = rows
        return rows

    def nearest(self, row: int, threshold: float) -> tuple[int, float]:
        """The most similar cluster that may join `row`, and its similarity; of equal ones the earliest row.

        (-1, -inf) where none reaches the threshold.
        """
        rows = self.candidates(row)
        if not rows.size:
            return -1, -np.inf
        similar = self.sums[rows] @ self.sums[row] / (self.sizes[rows] * self.sizes[row])
        places = np.flatnonzero(similar >= threshold - 2 * TIE)
        order = np.argsort(-np.round(similar[places] / TIE), kind="stable")
        forbidden = self.forbidden[row]
        for place in places[order].tolist():
            if similar[place] < threshold:
                break
            if forbidden.isdisjoint(self.asserted[rows[place]]):
                return int(rows[place]), float(similar[place])
        return -1, -np.inf

    def similarity(self, first: int, second: int) -> float:
        """Mean cosine between the members of two clusters."""
        return float(self.sums[first] @ self.sums[second] / (self.sizes[first] * self.sizes[second]))

    def merge(self, first: int, second: int) -> None:
        """Join two clusters under the earlier row."""
        into, gone = sorted((first, second))
        self.sums[into] += self.sums[gone]
        self.sizes[into] += self.sizes[gone]
        self.sizes[gone] = 0
        self.near[into] = np.concatenate([self.near[into], self.near[gone]])
        self.near[gone] = self.near[gone][:0]
        self.home[self.members[gone]] = into
        self.members[into] += self.members[gone]
        self.members[gone] = []
        self.asserted[into] |= self.asserted[gone]
        self.forbidden[into] |= self.forbidden[gone]


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
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    count = len(vectors)
    clusters = _Clusters(
        sums=vectors.copy(),
        sizes=np.ones(count, dtype=np.int64),
        near=list(near),
        home=np.arange(count, dtype=np.int32),
        members=[[row] for row in range(count)],
        asserted=list(asserted),
        forbidden=[flipped(facts) for facts in asserted],
    )
    for group in together:
        first, *others = sorted(group)
        for other in others:
            clusters.merge(first, other)
    with threadpool_limits(
        1, user_api="blas"
    ):  # products of a hundred rows: threads would wait for each other
        for first in range(count):
            _follow_chain(clusters, first, threshold)
    return clusters.home


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
