"""Opposites and negations of attributes, from editable tables; used by the grouping and by `build pairs`."""

from endoxa.curate.opposites.concepts import (
    Concept,
    Unit,
    antonym,
    are_opposites,
    concepts,
    flipped,
    is_negation_of,
    units,
)
from endoxa.curate.opposites.lexicon import Lexicon, languages, load_lexicon

__all__ = [
    "Concept",
    "Lexicon",
    "Unit",
    "antonym",
    "are_opposites",
    "concepts",
    "flipped",
    "is_negation_of",
    "languages",
    "load_lexicon",
    "units",
]
