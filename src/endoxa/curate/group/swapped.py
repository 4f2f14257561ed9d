"""Attributes that differ in one word only, and so look alike to an encoder whatever that word says.

"eat dogs" and "eat beef", "hate their husbands" and "kill their husbands", "unfaithful" and "unemotional" lie near each
other for what they share. Here the words that stand in each other's place are compared on their own, and where they
are not alike the attributes must not meet. The place is what is left of the attribute without the word (its *frame*);
a denial belongs to the frame. Each word goes with a group of words, so an attribute asserts for each of its frames
which group it fills it with, and memory grows with the attributes, not with their pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from endoxa.curate.encoders import Encoder
from endoxa.curate.group.linkage import link
from endoxa.curate.group.neighbours import neighbours
from endoxa.curate.group.surface import surface_of
from endoxa.curate.opposites import Concept, Lexicon, Unit, units
from endoxa.curate.opposites.lexicon import Sense

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


def _frames(found: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[Frame, str]]:
    """Every word of an attribute with the frame it stands in; a word alone, and not denied, stands in none."""
    parts = list(_parts(found, lexicon))
    denials = [DENIED for unit in found if unit.negated]
    for place, (word, base, turned) in enumerate(parts):
        frame = sorted([other for other, _, _ in parts[:place] + parts[place + 1 :]] + denials)
        if frame:
            yield tuple(frame), word if turned else base
        if turned:
            yield tuple(sorted([*frame, DENIED])), base


def _parts(found: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[str, str, bool]]:
    """What may be swapped: a word as it stands, its base form, and whether it denies that by its own form.

    A verb takes its particle along ("wake up"); a term of the table that begins with a verb ("marry late") is words.
    """
    particles = surface_of(lexicon.language).particles
    for place, unit in enumerate(found):
        after = found[place + 1].words[0] if place + 1 < len(found) else ""
        if len(unit.words) > 1 and _is_verb(unit, lexicon):
            skipped = lexicon.rules.function | lexicon.rules.degree
            for word in unit.words:
                if word not in skipped:
                    yield word, word, False
        elif after in particles:
            yield f"{unit.base} {after}", f"{unit.base} {after}", False
        elif not (place and unit.words[0] in particles):
            word = " ".join(unit.words)
            yield word, unit.base if unit.turned or len(unit.words) == 1 else word, unit.turned


def _is_verb(unit: Unit, lexicon: Lexicon) -> bool:
    return all(lexicon.rows[sense.row].part in ("verb", "transitive") for sense in lexicon.senses(unit.words))


def _word_groups(words: Sequence[str], encoder: Encoder, lexicon: Lexicon) -> dict[str, int]:
    """A number for each word: words at one pole of the table, or alike to the encoder, have the same."""
    if not words:
        return {}
    vectors = encoder(words)
    poles: dict[tuple[int, int], list[int]] = {}
    for row, word in enumerate(words):
        senses = sorted(lexicon.senses(word.split()), key=lambda sense: not _takes_object(sense, lexicon))
        for sense in senses[:1]:
            poles.setdefault((sense.row, sense.pole), []).append(row)
    nothing: list[frozenset[Concept]] = [frozenset()] * len(words)
    labels = link(vectors, nothing, neighbours(vectors, ALIKE), ALIKE, poles.values())
    return dict(zip(words, np.asarray(labels).tolist(), strict=True))


def _takes_object(sense: Sense, lexicon: Lexicon) -> bool:
    return lexicon.rows[sense.row].part == "transitive"


def _codes(place: int, words: set[str], groups: dict[str, int]) -> dict[str, frozenset[Concept]]:
    """For each word of a frame the binary digits of its group's number, so that two groups contradict each other."""
    numbers = {group: number for number, group in enumerate(sorted({groups[word] for word in words}))}
    digits = (len(numbers) - 1).bit_length()
    return {
        word: frozenset((f"@{place}.{bit}", numbers[groups[word]] >> bit & 1) for bit in range(digits))
        for word in words
    }
