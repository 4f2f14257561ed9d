"""What an attribute asserts and denies, in a form in which opposites and negations can be compared at once.

An attribute is cut into units: terms of the lexicon (the longest first) and single words. A negator turns the next
unit round, and so does a negative prefix that makes a dictionary word of another ("unkind"). Each unit then asserts
concepts: the poles of the lexicon it stands at, and the word itself; "not strong" asserts the pole of "weak".
Two attributes are opposed where one asserts a concept whose opposite the other asserts. That takes the time of a set
intersection, so a group of attributes is compared like a single one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from endoxa.curate.opposites import english
from endoxa.curate.opposites.lexicon import LONGEST, Lexicon, Sense, load_lexicon

Concept = tuple[str, int]
"""A scale (a row of the lexicon, or a word) and the end of it that is asserted, 0 or 1."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or term of an attribute.

    Attributes:
        words: as it stands.
        base: its base form, without a negative prefix ("kind" for "unkind").
        negated: whether a negator turns it round ("not kind").
        turned: whether its own form does ("unkind").
    """

    words: tuple[str, ...]
    base: str
    negated: bool
    turned: bool

    @property
    def denied(self) -> bool:
        """Whether the base form is denied."""
        return self.negated != self.turned


def units(text: str, lexicon: Lexicon) -> list[Unit]:
    """The words of an attribute that carry meaning, with what is denied marked as such.

    A negator at the end denies the word before it ("trust nobody").
    """
    rules = lexicon.rules
    found: list[Unit] = []
    pending = False
    for piece in _pieces(lexicon.split(text), lexicon):
        word = piece[0]
        plain = len(piece) == 1 and not lexicon.senses(piece)
        if plain and word in rules.negators:
            if rules.negator_follows and found:
                found.append(_negated(found.pop()))
            else:
                pending = not pending
        elif not (plain and (word in rules.degree or word in rules.function)):
            base, turned = _base(piece, lexicon)
            found.append(Unit(piece, base, pending, turned))
            pending = False
    if pending and found:
        found.append(_negated(found.pop()))
    return found


def _negated(unit: Unit) -> Unit:
    return replace(unit, negated=not unit.negated)


def _pieces(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """Cut into terms of the lexicon, longest first, and single words."""
    start = 0
    while start < len(tokens):
        ends = range(min(len(tokens), start + LONGEST), start + 1, -1)
        end = next((end for end in ends if _is_term(tokens[start:end], lexicon)), start + 1)
        yield tuple(tokens[start:end])
        start = end


def _is_term(tokens: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether tokens are one term: of the table, or in English a prefix that stands apart ("under-educated")."""
    if lexicon.senses(tokens):
        return True
    graded = lexicon.language == "en" and len(tokens) == 2 and tokens[0] in english.GRADING_PREFIXES
    return graded and english.graded_base("".join(tokens)) is not None


def _base(piece: tuple[str, ...], lexicon: Lexicon) -> tuple[str, bool]:
    """Base form of a piece, and whether its own form denies that base."""
    joined = "".join(piece)
    if lexicon.language != "en":
        return joined, False
    graded = english.graded_base(joined)
    if graded or len(piece) > 1:
        return graded or (joined, False)
    word = english.lemma(joined)
    base = english.negative_base(word)
    return (english.lemma(base), True) if base else (word, False)


def concepts(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """What an attribute asserts. A scale of which it asserts both ends is left out ("good and bad").

    One who does something asserts that it is done: "not leaders" is opposed to "lead".
    """
    asserted: set[Concept] = set()
    for unit in units(text, lexicon):
        listed = lexicon.senses(unit.words)
        if listed:
            asserted |= _poles(listed, unit.negated)
        if not listed or not unit.turned:
            asserted |= _poles(lexicon.senses((unit.base,)), unit.denied)
        asserted.add((unit.base, int(unit.denied)))
        verb = english.doing(unit.base) if lexicon.language == "en" else None
        if verb:
            asserted |= {(verb, int(unit.denied))} | _poles(lexicon.senses((verb,)), unit.denied)
    return frozenset(asserted - flipped(asserted))


def _poles(senses: Iterable[Sense], turned: bool) -> set[Concept]:
    return {(f"#{sense.row}", sense.pole ^ turned) for sense in senses}


def flipped(asserted: Iterable[Concept]) -> frozenset[Concept]:
    """The concepts at the other ends."""
    return frozenset((scale, 1 - end) for scale, end in asserted)


def are_opposites(one: str, other: str, language: str = "en", lexicon: Lexicon | None = None) -> bool:
    """Whether two attributes say opposite things: "very strong" and "weak", "hard-working" and "lazy".

    True also for a negation ("wise", "not wise"). Any of many opposites counts, and any word of a phrase.
    """
    lexicon = lexicon or load_lexicon(language)
    return not concepts(one, lexicon).isdisjoint(flipped(concepts(other, lexicon)))


def is_negation_of(one: str, other: str, language: str = "en", lexicon: Lexicon | None = None) -> bool:
    """Whether two attributes have the same words, of which one denies what the other asserts ("wise", "not wise")."""
    lexicon = lexicon or load_lexicon(language)
    first, second = units(one, lexicon), units(other, lexicon)
    if Counter(unit.base for unit in first) != Counter(unit.base for unit in second):
        return False
    denied, denied_too = ({unit.base for unit in found if unit.denied} for found in (first, second))
    return denied != denied_too
