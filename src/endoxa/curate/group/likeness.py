"""Which attributes are like which, and which say opposite things: what the group editor of a campaign is given.

The site itself loads no encoder: likeness is computed once, when the task is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from endoxa.curate.encoders import Encoder, load_encoder
from endoxa.curate.group.neighbours import neighbours
from endoxa.curate.group.surface import clean
from endoxa.curate.opposites.concepts import Concept, concepts, flipped
from endoxa.curate.opposites.lexicon import Lexicon
from endoxa.models.encoders.sentence import LIBRARY

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
