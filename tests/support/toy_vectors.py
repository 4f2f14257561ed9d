"""Vectors written by hand, so that every cosine is known."""

from __future__ import annotations

import numpy as np

from endoxa.curate.novelty import Concepts


class ToyEncoder:
    """Texts to unit vectors: the angles given, in degrees, of a plane; every other text has an axis of its own."""

    def __init__(self, angles=None, width=64):
        self.angles = angles or {}
        self.width = width
        self.asked = []

    def __call__(self, texts):
        self.asked += list(texts)
        found = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, text in enumerate(texts):
            if text in self.angles:
                angle = np.deg2rad(self.angles[text])
                found[row, :2] = np.cos(angle), np.sin(angle)
            else:
                # Another axis for every other text: cosine 0 to all.
                found[row, 2 + self._axis(text)] = 1
        return found

    def _axis(self, text):
        if not hasattr(self, "known"):
            self.known = {}
        return self.known.setdefault(text, len(self.known))


class TableEncoder:
    """Texts to the vectors of a table."""

    def __init__(self, table):
        self.table = {text: np.asarray(vector, dtype=np.float32) for text, vector in table.items()}

    def __call__(self, texts):
        return np.stack([self.table[text] for text in texts])


def attributes(name, texts, identities=None):
    """A data set of attributes."""
    return Concepts(
        dataset=name,
        format="toy",
        parts=(tuple(texts),),
        identities=tuple(identities or [()] * len(texts)),
        rows=len(texts),
    )


def associations(name, pairs):
    """A data set of identities and attributes."""
    return Concepts(
        dataset=name,
        format="toy",
        parts=tuple(zip(*pairs, strict=True)),
        identities=tuple((identity,) for identity, _ in pairs),
        rows=len(pairs),
    )


def cos(degrees):
    """Cosine of an angle in degrees."""
    return float(np.cos(np.deg2rad(degrees)))
