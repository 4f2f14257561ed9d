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
    texts = sorted({text for one in datasets for part in one.parts[first:] for text in part})
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder(texts)
    names = sorted({text for one in datasets for text in one.parts[0]}) if same_identity else []
    number = {name: row for row, name in enumerate(names)}
    return [
        Side(
            tuple(vectors[[place[text] for text in part]] for part in one.parts[first:]),
            np.array([number[text] for text in one.parts[0]], dtype=np.int64) if same_identity else None,
        )
        for one in datasets
    ]


def likeness(one: Side, other: Side) -> Vectors:
    """Cosines of all concepts of one side to all of the other, shape (n, m).

    Two associations are as alike as the less alike of their identities and their attributes: the joined text would
    call 'X are lazy' and 'X are generous' alike for their identity.
    """
    found = one.parts[0] @ other.parts[0].T
    for mine, theirs in zip(one.parts[1:], other.parts[1:], strict=True):
        np.minimum(found, mine @ theirs.T, out=found)
    if one.identity is not None and other.identity is not None:
        found[one.identity[:, None] != other.identity[None, :]] = NOTHING
    return found


def cut(side: Side, start: int, stop: int) -> Side:
    """Some rows of a side."""
    identity = None if side.identity is None else side.identity[start:stop]
    return Side(tuple(part[start:stop] for part in side.parts), identity)


def tiles(one: Side, other: Side, size: Tile = TILE) -> Iterator[tuple[int, int, Vectors]]:
    """First row, first column and likeness of each tile."""
    height, width = size
    for top in range(0, len(one), height):
        rows = cut(one, top, top + height)
        for left in range(0, len(other), width):
            yield top, left, likeness(rows, cut(other, left, left + width))


def nearest(one: Side, other: Side, size: Tile = TILE) -> tuple[Nearest, Nearest]:
    """The nearest concept of the other side for each of the one, and the reverse, from the same tiles."""
    there, back = _Best(len(one)), _Best(len(other))
    for top, left, found in tiles(one, other, size):
        there.take(top, left, found)
        back.take(left, top, found.T)
    return there.found(), back.found()


def reaches(cosine: Vectors, threshold: float) -> npt.NDArray[np.bool_]:
    """Whether cosines are at or above the threshold, exactly there included."""
    return np.asarray(cosine, dtype=np.float64) >= threshold - TOLERANCE


class _Best:
    """The largest value of each row so far, and its column: of equal ones (within rounding) the first."""

    def __init__(self, rows: int) -> None:
        self._cosine = np.full(rows, NOTHING, dtype=np.float32)
        self._column = np.full(rows, -1, dtype=np.int64)

    def take(self, top: int, left: int, found: Vectors) -> None:
        """Take a tile whose first row and column are given."""
        column = found.argmax(axis=1)
        value = found[np.arange(len(found)), column]
        own = slice(top, top + len(found))
        better = value > self._cosine[own]
        self._cosine[own] = np.where(better, value, self._cosine[own])
        self._column[own] = np.where(better, column + left, self._column[own])

    def found(self) -> Nearest:
        """What was found; rounding above 1 is cut off."""
        return Nearest(np.minimum(self._cosine, np.float32(1)), self._column)
