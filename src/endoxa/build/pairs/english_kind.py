"""Whether an English attribute needs "are" or has its own verb, by a dictionary and a few closed classes.

A plural subject makes this easier than tagging: a bare noun after it is a plural ("are cheats") or has an article
("are a threat"), so a word that is both verb and noun and stands in its base form is the verb ("cheat").
"""

from __future__ import annotations

from typing import Literal

from endoxa.build.pairs.lists import listed
from endoxa.build.pairs.predicate import UnclearError
from endoxa.curate.english import can_be, in_dictionary, inflected, is_adverb, is_plural, lemma

Kind = Literal["copula", "verb"]

_AGENTS = ("ers", "ors", "ists", "ians", "men", "women", "mates", "lords")
_BEHIND_NOUNS = ("of", "for", "and", "in", "at", "to")
"""Words after which a form in -s is rather a plural noun ("cheats in business", "cooks and cleaners")."""
_ADJECTIVES = ("ible", "able", "ful", "less", "ous", "ive", "centric", "-minded")
_LIGHT = ("have", "do", "go")


class SingularNounError(UnclearError):
    """A singular noun stands without its article ("threat")."""


def base_form(word: str) -> str | None:
    """The form of a verb that goes with a plural: "love" for "love" and "loves"; None for other forms."""
    if word in _LIGHT or not can_be(word, "VERB"):
        return word if word in _LIGHT else None
    base = lemma(word, "VERB")
    if word == base:
        return word
    return base if word == inflected(base, "VBZ") else None


def kind(words: list[str]) -> Kind:
    """Whether an attribute needs "are" in front of it, or has its own verb.

    Raises:
        UnclearError: the words can be read either way.
    """
    low = [word.lower() for word in words]
    head = next((at for at, word in enumerate(low) if not _is_adverb(word)), 0)
    word, after = low[head], low[head + 1 :]
    if set(low[:head]) & listed("degrees") or word in listed("determiners") | listed("prepositions"):
        return "copula"
    if word in _LIGHT or (word in listed("verbs") and (after or not can_be(word, "ADJ"))):
        return "verb"
    base = base_form(word)
    if base is not None and base != word:
        return _third_person(base, after)
    if word.endswith("ing") or "-" in word:
        return "copula"
    return _by_dictionary(word, after, base)


def _third_person(base: str, after: list[str]) -> Kind:
    """A form in -s: the verb of a singular ("loves money"), or a plural noun ("cooks")."""
    if not after or after[0] in _BEHIND_NOUNS:
        return "copula"
    usual = base in listed("verbs") or base in _LIGHT
    return "verb" if usual or after[0] in listed("followers") else "copula"


def _is_adverb(word: str) -> bool:
    if word in listed("degrees") | listed("adverbs"):
        return True
    return is_adverb(word) and not can_be(word, "ADJ") and word not in ("well", "all", "both", "no", "not")


def _by_dictionary(word: str, after: list[str], base: str | None) -> Kind:
    """Decide an open-class word by the parts of speech that the dictionary lists, and by what follows."""
    if not in_dictionary(word):
        return _compound(word, after)
    adjective, noun = can_be(word, "ADJ"), can_be(word, "NOUN")
    if base is None:
        return _without_verb(word, after, noun=noun and not adjective)
    if adjective:
        compound = bool(after) and _ends_like_adjective(after[-1]) and not can_be(after[-1], "NOUN")
        if not after or after[0] in listed("followers") | {"enough"} or _names_people(after[-1]) or compound:
            return "copula"
        raise UnclearError(f"'{word}' can be an adjective or a verb here")
    if not noun or not after or after[0] in listed("followers"):
        return "verb"
    if _ends_like_adjective(after[-1]) and not can_be(after[-1], "NOUN"):
        return "copula"
    if is_plural(after[-1]):
        raise UnclearError(f"'{word}' can be a verb or the first part of a noun here")
    return "verb"


def _without_verb(word: str, after: list[str], *, noun: bool) -> Kind:
    """Adjectives, participles, adverbs and nouns: "are", unless a singular noun would stand without its article."""
    past = can_be(word, "VERB") and not can_be(word, "ADJ") and not noun
    if past and (word != inflected(lemma(word, "VERB"), "VBN") or _has_object(word, after)):
        raise UnclearError(f"'{word}' is a past form")
    return _compound(word, after) if noun else "copula"


def _has_object(word: str, after: list[str]) -> bool:
    """Whether a form that is past and participle has a noun behind it ("had a hard life", not "called witches")."""
    base = lemma(word, "VERB")
    if not after or base in listed("naming") or word != inflected(base, "VBD"):
        return False
    return after[0] in listed("determiners") or (is_plural(after[0]) and not can_be(after[0], "ADJ"))


def _compound(word: str, after: list[str]) -> Kind:
    """A noun, or a word the dictionary lacks, is a predicate as a plural or as part of an adjective."""
    phrase = [word, *after]
    end = next((at for at, other in enumerate(phrase) if other in listed("prepositions")), len(phrase))
    last = phrase[end - 1]
    if is_plural(last) or last in listed("collectives") or _ends_like_adjective(last):
        return "copula"
    if in_dictionary(word):
        raise SingularNounError(f"'{last}' is a singular noun without an article")
    if after:
        raise UnclearError(f"'{word}' is not in the dictionary, so it may be a verb")
    return "copula"


def _ends_like_adjective(word: str) -> bool:
    """Adjectives and past participles; the dictionary lists a few adjectives as nouns only ("responsible")."""
    participle = can_be(word, "VERB") and word == inflected(lemma(word, "VERB"), "VBN") != lemma(word, "VERB")
    return can_be(word, "ADJ") or participle or word.endswith(_ADJECTIVES)


def _names_people(word: str) -> bool:
    return word in listed("people") or (is_plural(word) and word.endswith(_AGENTS))
