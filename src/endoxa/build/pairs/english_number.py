"""A singular noun of a person behind a plural group ("are a thief"), put into the plural ("are thieves").

Nouns of things stay ("are a threat"): what is one thing can be many people. A predicate about persons agrees with
its subject in number (Huddleston and Pullum 2002, ch. 5, section 3.4).
"""

from __future__ import annotations

from endoxa.build.pairs.lists import listed
from endoxa.build.pairs.predicate import UnclearError
from endoxa.curate.english import can_be, inflected, lemma

_ARTICLES = ("a", "an")
_CONJUNCTIONS = ("and", "or", "but", "nor", "who", "that", "which", *_ARTICLES)
_AGENTS = ("er", "or", "ist")
_PERSONS = ("man", "woman", "person", "mate", "lord")


def in_plural(words: list[str]) -> list[str]:
    """The words with their person in the plural, where they begin with "a" or "an"; otherwise as they are.

    Raises:
        UnclearError: another word would have to change with the person ("a man who lies").
    """
    low = [word.lower() for word in words]
    if len(low) < 2 or low[0] not in _ARTICLES:
        return words
    stops = listed("prepositions") | listed("complements") | {*_CONJUNCTIONS, "to"}
    head = next((at for at, word in enumerate(low) if at > 1 and word in stops), len(low)) - 1
    if not _is_person(low[head]):
        return words
    plural = "people" if low[head] == "person" else inflected(low[head], "NNS")
    if set(low[1:]) & set(_CONJUNCTIONS):
        raise UnclearError(f"'{low[head]}' is a singular behind a plural group: write '{plural}'")
    return [*words[1:head], plural, *words[head + 1 :]]


def _is_person(word: str) -> bool:
    """A noun of `people`, one with an ending of persons or in "-ist", or one of doers: a verb with "-er" or "-or"."""
    if not can_be(word, "NOUN"):
        return False
    if inflected(word, "NNS") in listed("people") or word.endswith(_PERSONS):
        return True
    if not word.endswith(_AGENTS) or can_be(word, "VERB"):
        return False
    if word.endswith("ist"):
        return True
    stem = word[:-2]
    stems = {stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem}
    return any(can_be(one, "VERB") and lemma(one, "VERB") == one for one in stems if one)
