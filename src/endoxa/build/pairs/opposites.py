"""The opposite of an attribute that can take its place in a sentence."""

from __future__ import annotations

from endoxa.build.pairs.english_kind import Kind
from endoxa.build.pairs.english_kind import kind as english_kind
from endoxa.build.pairs.predicate import Predicate, UnclearError
from endoxa.build.pairs.proper import with_capitals
from endoxa.curate.english import can_be, is_plural, lemma
from endoxa.curate.opposites import Lexicon, antonym
from endoxa.curate.opposites.forms import forms
from endoxa.datasets.spans import differing_spans, words

_GENDERED = ("fr", "es", "pt", "hi")
_EXCESS = ("too", "overly", "trop", "demasiado", "demais")
_ANYWHERE = {"good", "bad", "better", "worse", "best", "worst", "kind", "rude", "friendly", "hostile"}
LONGEST = 5
"""Words of the longest attribute that one turned word is the opposite of."""
_GRADES = ("more", "less", "always", "never")
PLURAL = {"m": ("p",), "f": ("fp", "f")}
"""Features of `forms` that a plural of each gender has, the first that there is."""


def opposite(predicate: Predicate, lexicon: Lexicon, gender: str = "") -> str | None:
    """A predicate with the natural opposite of the attribute in its place, or None where there is none.

    None also where the opposite would not agree (another number or part of speech in English, a gender that is not
    known elsewhere), for long attributes and those with marks in them, and for excess ("too emotional").
    """
    core = predicate.core
    if not core or core.split()[0].lower() in _EXCESS:
        return None
    if len(core.split()) > LONGEST or any(mark in core for mark in "()&%+'"):
        return None
    found = antonym(core.lower(), lexicon.language, lexicon)
    if not found or found.lower() == core.lower():
        return None
    if lexicon.language == "en":
        kind: Kind = "verb" if predicate.frame == "{}" else "copula"
        return predicate.frame.format(with_capitals(found)) if _natural(core.lower(), found, kind) else None
    if not lexicon.senses(lexicon.split(core.lower())):
        return None  # one adjective of a phrase: whether its opposite fits there is only known for English
    agreeing = _agreeing(found, lexicon, gender) if lexicon.language in _GENDERED else found
    return predicate.frame.format(agreeing) if agreeing else None


def _natural(core: str, found: str, kind: Kind) -> bool:
    """Whether an English opposite can stand where the attribute stood.

    It must be of the same kind and number, and where only a word of a phrase was turned, what follows must go with
    it: a plural noun ("poor families"), or anything after "good" and "bad" or a prefix ("unable to", not "full of").
    """
    one, other = core.split(), found.split()
    try:
        if one[0] == "being" or english_kind(other) != kind:
            return False
    except UnclearError:
        return False
    adjective = can_be(other[-1], "ADJ") and lemma(other[-1], "ADJ") == other[-1]
    singular = can_be(other[-1], "NOUN") and not adjective and not is_plural(other[-1])
    if _plural_noun(one[-1]) and singular:
        return False
    return _fits(one, other, kind)


def _fits(one: list[str], other: list[str], kind: Kind) -> bool:
    """Whether what follows the turned word goes with its opposite, and an adverb was turned into an adverb."""
    spans = differing_spans(words(" ".join(one)), words(" ".join(other)))
    if len(spans) != 1:
        return True
    end = spans[0].end_more
    old, new = (
        " ".join(one[spans[0].start_more : end]),
        " ".join(other[spans[0].start_less : spans[0].end_less]),
    )
    if kind == "verb":
        return not (spans[0].start_more and can_be(old, "ADV") and not can_be(new, "ADV"))
    if "-" in old and " " in new and new.split()[0] in old.split("-"):
        return False
    if end == len(one) or is_plural(one[end]) or old in _GRADES:
        return True
    return {old, new} <= _ANYWHERE or old.endswith(new) or new.endswith(old)


def _plural_noun(word: str) -> bool:
    return can_be(word, "NOUN") and lemma(word, "NOUN") != word


def _agreeing(found: str, lexicon: Lexicon, gender: str) -> str | None:
    """The opposite in the plural of the gender; None where its gender matters and is not known."""
    key = lexicon.split(found)
    for sense in lexicon.senses(key):
        row = lexicon.rows[sense.row]
        for term in row.poles[sense.pole]:
            known = forms(term, row.part, lexicon.language)
            if found in known.values():
                masculine, feminine = (_plural(known, one) for one in ("m", "f"))
                return feminine if gender == "f" or masculine == feminine else (masculine if gender else None)
    return found if gender else None


def _plural(known: dict[str, str], gender: str) -> str:
    return next((known[feature] for feature in PLURAL[gender] if feature in known), known[""])


def gender_shown(attribute: str, lexicon: Lexicon | None) -> str:
    """'f' or 'm' where only one gender has the attribute in this form ("fuertes" has both); empty otherwise."""
    if lexicon is None or not attribute:
        return ""
    shown = set()
    for sense in lexicon.senses(lexicon.split(attribute.lower())):
        row = lexicon.rows[sense.row]
        for term in row.poles[sense.pole]:
            known = forms(term, row.part, lexicon.language)
            if attribute.lower() in known.values():
                shown |= {gender for gender in PLURAL if _plural(known, gender) == attribute.lower()}
    return shown.pop() if len(shown) == 1 else ""
