"""endoxa's own grouping: surface forms first, then meaning under cannot-link constraints.

Attributes that differ in one word only look alike to an encoder whatever that word means: "eat dogs" and "eat beef",
"hate their husbands" and "kill their husbands", "unfaithful" and "unemotional". Here the words that replace each other
are compared on their own, and where they are not similar the attributes must not be linked. The attribute without the
word is its *frame*; a negation belongs to the frame. Each word belongs to a group of words, so an attribute asserts
for each of its frames which group fills it, and memory grows with the number of attributes, not of their pairs.

Agents and patients of a verb are kept apart as well: "oppressors" and "oppressed", "beat their wives" and "beaten by
them".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.group.linkage import link
from endoxa.curate.group.neighbours import neighbours
from endoxa.curate.group.surface import surface_of
from endoxa.curate.opposites import Concept, Lexicon, Unit, concepts, english, units
from endoxa.curate.opposites.lexicon import plain
from endoxa.curate.polarity import polarity

ALIKE = 0.65
"""Least mean cosine of words that may stand in each other's place. Above the threshold of whole attributes, since two
words of one field reach that too ("beef", "pork": 0.57; "great", "good": 0.73)."""
DENIED = "not"

Frame = tuple[str, ...]


def fillings(texts: Sequence[str], encoder: Encoder, lexicon: Lexicon) -> list[frozenset[Concept]]:
    """For each attribute the concepts by which it excludes others that differ in one word of another group.

    Nothing in languages of which no function words are known, where "is" and "are" would count as words that differ.

    Args:
        texts: attributes without copula.
        encoder: texts to unit vectors; is given single words.
        lexicon: words, opposites and function words of the language.
    """
    if not lexicon.rules.function:
        return [frozenset() for _ in texts]
    filled = [tuple(_frames(units(text, lexicon), lexicon)) for text in texts]
    by_frame: dict[Frame, set[str]] = {}
    for pairs in filled:
        for frame, word in pairs:
            by_frame.setdefault(frame, set()).add(word)
    contested = {frame: words for frame, words in by_frame.items() if len(words) > 1}
    groups = _word_groups(sorted(set().union(*contested.values())), encoder, lexicon)
    codes = {
        (frame, word): code
        for place, frame in enumerate(sorted(contested))
        for word, code in _codes(place, contested[frame], groups).items()
    }
    return [frozenset().union(*(codes.get(pair, ()) for pair in pairs)) for pairs in filled]


def _frames(text_units: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[Frame, str]]:
    """Every word of an attribute with the frame it stands in; a word alone, and not denied, stands in none."""
    parts = list(_parts(text_units, lexicon))
    denials = [DENIED for unit in text_units if unit.negated]
    for place, (word, base, turned) in enumerate(parts):
        frame = sorted([other for other, _, _ in parts[:place] + parts[place + 1 :]] + denials)
        if frame:
            yield tuple(frame), word if turned else base
        if turned:
            yield tuple(sorted([*frame, DENIED])), base


def _parts(text_units: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[str, str, bool]]:
    """What may be swapped: a word as it stands, its base form, and whether it denies that by its own form.

    A verb takes its particle along ("wake up"); a term of the table that begins with a verb ("marry late") is words.
    """
    particles = surface_of(lexicon.language).particles
    for place, unit in enumerate(text_units):
        after = text_units[place + 1].words[0] if place + 1 < len(text_units) else ""
        if len(unit.words) > 1 and all(
            lexicon.rows[sense.row].part in ("verb", "transitive") for sense in lexicon.senses(unit.words)
        ):
            skipped = lexicon.rules.function | lexicon.rules.degree
            for word in unit.words:
                if word not in skipped:
                    yield word, word, False
        elif after in particles:
            yield f"{unit.base} {after}", f"{unit.base} {after}", False
        elif not (place and unit.words[0] in particles):
            word = " ".join(unit.words)
            yield word, unit.base if unit.turned or len(unit.words) == 1 else word, unit.turned


def _word_groups(words: Sequence[str], encoder: Encoder, lexicon: Lexicon) -> dict[str, int]:
    """A number for each word: words at one pole of the table, or alike to the encoder, have the same."""
    if not words:
        return {}
    vectors = encoder(words)
    poles: dict[tuple[int, int], list[int]] = {}
    for row, word in enumerate(words):
        senses = sorted(
            lexicon.senses(word.split()), key=lambda sense: lexicon.rows[sense.row].part != "transitive"
        )
        for sense in senses[:1]:
            poles.setdefault((sense.row, sense.pole), []).append(row)
    nothing: list[frozenset[Concept]] = [frozenset()] * len(words)
    labels = link(vectors, nothing, neighbours(vectors, ALIKE), ALIKE, poles.values())
    return dict(zip(words, np.asarray(labels).tolist(), strict=True))


def _codes(place: int, words: set[str], groups: dict[str, int]) -> dict[str, frozenset[Concept]]:
    """For each word of a frame the binary digits of its group's number, so that two groups contradict each other."""
    numbers = {group: number for number, group in enumerate(sorted({groups[word] for word in words}))}
    digits = (len(numbers) - 1).bit_length()
    return {
        word: frozenset((f"@{place}.{bit}", numbers[groups[word]] >> bit & 1) for bit in range(digits))
        for word in words
    }


DOER, AGENT = "doer", "by"
"""Scales: a doer's name against a participle, and a verb in the active against a participle with "by"."""


def voices(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """The ends of the scales above that an English attribute asserts, for each of its verbs.

    A participle is passive where "by" follows it, or where it is all there is: "retired early" and "dressed well"
    are no more passive than "retire early" is.
    """
    if lexicon.language != "en":
        return frozenset()
    words = lexicon.split(text)
    alone = len(units(text, lexicon)) == 1
    concepts_out: set[Concept] = set()
    for word, after in zip(words, (*words[1:], ""), strict=True):
        doer, verb = english.doing(word), english.lemmas(word).get("VERB")
        if doer:
            concepts_out |= {(f"{DOER} {doer}", 0), (f"{AGENT} {doer}", 0)}
        elif verb and not english.is_participle(word):
            concepts_out.add((f"{AGENT} {verb}", 0))
        elif verb and after == "by":
            concepts_out |= {(f"{DOER} {verb}", 1), (f"{AGENT} {verb}", 1)}
        elif verb and alone:
            concepts_out.add((f"{DOER} {verb}", 1))
    return frozenset(concepts_out)


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
    concepts_out = concepts(text, lexicon) | _denial(text, lexicon) | voices(text, lexicon)
    return concepts_out if word == "neutral" else concepts_out | {(POLARITY, int(word == "positive"))}


def _denial(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """Whether the attribute denies something of which no opposite is known ("don't believe in hard work").

    Such a denial must not meet anything that denies nothing. Where the opposite is known ("not strong") or is
    the word's own ("untrustworthy"), the concepts decide.
    """
    text_units = units(text, lexicon)
    clause = len(text_units) > 1 and _DENIED_VERB.search(plain(text)) is not None
    if clause or any(unit.negated and not lexicon.senses(unit.words) for unit in text_units):
        return frozenset({(DENIAL, 1)})
    return frozenset() if any(unit.denied for unit in text_units) else frozenset({(DENIAL, 0)})


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
            count = len(together)
            facts[row] |= frozenset((f"fixed {bit}", number >> bit & 1) for bit in range(count.bit_length()))
    near = neighbours(vectors, threshold)
    return [int(row) for row in link(vectors, facts, near, threshold, together.values())]
