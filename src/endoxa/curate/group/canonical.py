"""The term that stands for a group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from endoxa.curate.encoders import Vectors
from endoxa.curate.group.terms import Term

DIGITS = 4
"""Similarities are compared to so many digits, so that rounding in the encoder decides nothing."""


def canonical(terms: Sequence[Term], vectors: Vectors) -> str:
    """The term of most respondents; of several the most central (cosine to the mean), then the shortest.

    Args:
        terms: members of the group.
        vectors: their unit vectors, in the same order.
    """
    central = np.round(vectors @ vectors.mean(axis=0), DIGITS)
    order = sorted(
        range(len(terms)),
        key=lambda row: (-terms[row].count, -central[row], len(terms[row].text), terms[row].text),
    )
    return terms[order[0]].text
