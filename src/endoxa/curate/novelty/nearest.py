"""The largest cosine of every concept of one data set to those of another, in tiles.

The full matrix of similarities never exists: memory grows with the sum of the sizes, not with their product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.novelty.concepts import Concepts

Rows = npt.NDArray[np.int64]
Tile = tuple[int, int]

TILE: Tile = (1024, 4096)
"""Concepts of either side compared at a time (float32: 16 MiB)."""
TOLERANCE = 1e-6
"""Rounding of a cosine in float32: two equal texts have 0.9999999 as often as 1."""
NOTHING = -np.inf
"""Likeness to concepts that may not be compared (other identities)."""


@dataclass(frozen=True, slots=True)
class Side:
    """Concepts as vectors.

    Attributes:
        parts: unit vectors, one array of shape (n, d) for each part of a concept.
        identity: number of the identity of each concept where only equal ones may match, else None.
    """

    parts: tuple[Vectors, ...]
    identity: Rows | None = None

    def __len__(self) -> int:
        """Number of concepts."""
        return len(self.parts[0])


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each concept the largest cosine (-inf where nothing may be compared), and the row that has it (the first)."""

    cosine: Vectors
    row: Rows


def encoded(datasets: Sequence[Concepts], encoder: Encoder, *, same_identity: bool = False) -> list[Side]:
    """The vectors of all data sets; each different text is encoded once.

    Args:
        datasets: all with the same kind of concept.
        encoder: texts to unit vectors.
        same_identity: of associations: compare only those of equal identities; their vectors are then of the
            attributes alone.
    """
    first = 1 if same_identity else 0
    texts = sorted({text for dataset in datasets for part in dataset.parts[first:] for text in part})
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder(texts)
    names = sorted({text for dataset in datasets for text in dataset.parts[0]}) if same_identity else []
    number = {name: row for row, name in enumerate(names)}
    return [
        Side(
            tuple(vectors[[place[text] for text in part]] for part in dataset.parts[first:]),
            np.array([number[text] for text in dataset.parts[0]], dtype=np.int64) if same_identity else None,
        )
        for dataset in datasets
    ]


def likeness(first: Side, second: Side) -> Vectors:
    """Cosines of all concepts of one side to all of the other, shape (n, m).

    Two associations are as alike as the less alike of their identities and their attributes: the joined text would
    call 'X are lazy' and 'X are generous' alike for their identity.
    """
    cosines = first.parts[0] @ second.parts[0].T
    for mine, theirs in zip(first.parts[1:], second.parts[1:], strict=True):
        np.minimum(cosines, mine @ theirs.T, out=cosines)
    if first.identity is not None and second.identity is not None:
        cosines[first.identity[:, None] != second.identity[None, :]] = NOTHING
    return cosines


def cut(side: Side, start: int, stop: int) -> Side:
    """Some rows of a side."""
    identity = None if side.identity is None else side.identity[start:stop]
    return Side(tuple(part[start:stop] for part in side.parts), identity)


def tiles(first: Side, second: Side, size: Tile = TILE) -> Iterator[tuple[int, int, Vectors]]:
    """First row, first column and likeness of each tile."""
    height, width = size
    for top in range(0, len(first), height):
        rows = cut(first, top, top + height)
        for left in range(0, len(second), width):
            yield top, left, likeness(rows, cut(second, left, left + width))


def nearest(first: Side, second: Side, size: Tile = TILE) -> tuple[Nearest, Nearest]:
    """The nearest concept of the other side for each of the one, and the reverse, from the same tiles."""
    there, back = _Best(len(first)), _Best(len(second))
    for top, left, cosines in tiles(first, second, size):
        there.take(top, left, cosines)
        back.take(left, top, cosines.T)
    return there.result(), back.result()


def reaches(cosine: Vectors, threshold: float) -> npt.NDArray[np.bool_]:
    """Whether cosines are at or above the threshold, exactly there included."""
    return np.asarray(cosine, dtype=np.float64) >= threshold - TOLERANCE


class _Best:
    """The largest value of each row so far, and its column: of equal ones (within rounding) the first."""

    def __init__(self, rows: int) -> None:
        self._cosine = np.full(rows, NOTHING, dtype=np.float32)
        self._column = np.full(rows, -1, dtype=np.int64)

    def take(self, top: int, left: int, cosines: Vectors) -> None:
        """Take a tile whose first row and column are given."""
        column = cosines.argmax(axis=1)
        value = cosines[np.arange(len(cosines)), column]
        rows = slice(top, top + len(cosines))
        better = value > self._cosine[rows]
        self._cosine[rows] = np.where(better, value, self._cosine[rows])
        self._column[rows] = np.where(better, column + left, self._column[rows])

    def result(self) -> Nearest:
        """What was found; rounding above 1 is cut off."""
        return Nearest(np.minimum(self._cosine, np.float32(1)), self._column)
