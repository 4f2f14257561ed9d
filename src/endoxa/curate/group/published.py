"""The grouping of AfriStereo (section 3.3.2 and its published code), to reproduce and to compare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from endoxa.curate.encoders import Vectors
from endoxa.curate.polarity import published

BLOCK = 256
"""Attributes compared at a time with the first members of all earlier groups."""


def first_members(vectors: Vectors, threshold: float) -> list[int]:
    """For each row the first row of its group: the first earlier one at cosine >= threshold, else itself.

    Only rows that opened a group are compared with, so the result depends on the order of the rows.
    """
    openers: list[int] = []
    found: list[int] = []
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        earlier = (
            block @ vectors[openers].T >= threshold if openers else np.zeros((len(block), 0), dtype=bool)
        )
        inside = block @ block.T >= threshold
        known = len(openers)
        for place in range(len(block)):
            hits = np.flatnonzero(earlier[place])
            row = openers[hits[0]] if hits.size else _first_inside(inside[place], openers[known:], start)
            if row is None:
                row = start + place
                openers.append(row)
            found.append(row)
    return found


def _first_inside(near: np.ndarray, openers: Sequence[int], start: int) -> int | None:
    return next((row for row in openers if near[row - start]), None)


def afristereo(attributes: Sequence[str], vectors: Vectors, threshold: float) -> list[tuple[int, str]]:
    """The group of each attribute: its first member's row, and its VADER polarity by which groups are split."""
    return [
        (row, published(attribute))
        for row, attribute in zip(first_members(vectors, threshold), attributes, strict=True)
    ]
