"""endoxa's own grouping: surface first, then meaning under what must not be linked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.group.linkage import link
from endoxa.curate.group.neighbours import neighbours
from endoxa.curate.group.swapped import fillings
from endoxa.curate.group.voice import voices
from endoxa.curate.opposites import Concept, Lexicon, concepts, units
from endoxa.curate.opposites.text import plain
from endoxa.curate.polarity import polarity

POLARITY = "%"
"""Scale of the concepts that polarity asserts."""
DENIAL = "not"
"""Scale of the concepts that a denial asserts."""

_DENIED_VERB = re.compile(r"\b(?:\w+n't|cannot|never|(?:do|does|did|can|could|will|would|should|must) not)\b")


def polarity_of(text: str, lexicon: Lexicon) -> str:
    """Polarity of an attribute; 'neutral' in languages that VADER has no word list for."""
    return polarity(text) if lexicon.language == "en" else "neutral"


def asserted(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """What an attribute asserts for the grouping: its concepts, who does it, and its polarity where it has one.

    Neutral asserts nothing: it mostly means that VADER's list lacks the word. A group may so hold neutral terms beside
    good or bad ones, but never good beside bad ones.
    """
    word = polarity_of(text, lexicon)
    found = concepts(text, lexicon) | _denial(text, lexicon) | voices(text, lexicon)
    return found if word == "neutral" else found | {(POLARITY, int(word == "positive"))}


def _denial(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """Whether the attribute denies something of which no opposite is known ("don't believe in hard work").

    Such a denial must not meet anything that denies nothing. Where the opposite is known ("not strong") or is
    the word's own ("untrustworthy"), the concepts decide.
    """
    found = units(text, lexicon)
    clause = len(found) > 1 and _DENIED_VERB.search(plain(text)) is not None
    if clause or any(unit.negated and not lexicon.senses(unit.words) for unit in found):
        return frozenset({(DENIAL, 1)})
    return frozenset() if any(unit.denied for unit in found) else frozenset({(DENIAL, 0)})


def group_texts(
    texts: Sequence[str],
    vectors: Vectors,
    encoder: Encoder,
    lexicon: Lexicon,
    threshold: float,
    *,
    fixed: Sequence[str | None] = (),
) -> list[int]:
    """The group of each text, named by its first row.

    Args:
        texts: terms, in an order that does not depend on the input's (the alphabet).
        vectors: their unit vectors.
        encoder: what made them; is given single words where attributes differ in one.
        lexicon: what are opposites and negations.
        threshold: mean cosine that groups must reach to be merged.
        fixed: for each text the group it is in already, or None. Such groups are kept whole, and apart.
    """
    facts = [
        asserted(text, lexicon) | filled
        for text, filled in zip(texts, fillings(texts, encoder, lexicon), strict=True)
    ]
    together: dict[str, list[int]] = {}
    for row, name in enumerate(fixed):
        if name is not None:
            together.setdefault(name, []).append(row)
    for number, rows in enumerate(together.values()):
        for row in rows:
            facts[row] |= _apart(number, len(together))
    near = neighbours(vectors, threshold)
    return [int(row) for row in link(vectors, facts, near, threshold, together.values())]


def _apart(number: int, count: int) -> frozenset[Concept]:
    """Concepts by which `count` numbered groups exclude each other: the digits of the number, base 2."""
    return frozenset((f"fixed {bit}", number >> bit & 1) for bit in range(count.bit_length()))
