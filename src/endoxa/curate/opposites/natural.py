"""One natural opposite of an attribute, for a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.curate.opposites import english
from endoxa.curate.opposites.forms import forms
from endoxa.curate.opposites.lexicon import LONGEST, Lexicon, Sense, load_lexicon
from endoxa.curate.opposites.text import plain

HAVE = {"lack": "have", "lacks": "has", "lacking": "having", "without": "with"}


def antonym(term: str, language: str = "en", lexicon: Lexicon | None = None) -> str | None:
    """The natural opposite of an attribute in the form of the attribute, or None where there is none.

    In this order: the table of opposites ("providers": "dependents"); the term without its negation ("not wise":
    "wise"); the one adjective, or verb before an object, that the table has an opposite for, in its phrase ("good
    cooks": "bad cooks", "very strong": "very weak", "love money": "hate money"); in English a word that a prefix or
    suffix makes, where the dictionary has it ("patient": "impatient", "harmless": "harmful"). A phrase with several
    candidates has no single opposite.

    Args:
        term: an attribute without its copula.
        language: ISO 639 code.
        lexicon: a lexicon with rows of the user's own, in place of ours.
    """
    lexicon = lexicon or load_lexicon(language)
    text = plain(term)
    tokens = lexicon.split(text)
    return (
        _listed(tokens, lexicon)
        or _without_negation(tokens, text, lexicon)
        or _in_phrase(tokens, lexicon)
        or _by_form(tokens, lexicon)
    )


def _listed(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    senses = lexicon.senses(tokens)
    return _opposite(_main(senses), lexicon) if senses else None


def _main(senses: Sequence[Sense]) -> Sense:
    """The first sense in which the term leads its pole, else the first one."""
    return next((sense for sense in senses if sense.leads), senses[0])


def _opposite(sense: Sense, lexicon: Lexicon) -> str:
    """First term of the other pole, in the form of `sense`."""
    row = lexicon.rows[sense.row]
    term = row.poles[1 - sense.pole][0]
    found = forms(term, row.part, lexicon.language)
    if sense.feature in found:
        return found[sense.feature]
    grade = {"JJR": "more ", "JJS": "most "}.get(sense.feature, "")
    return grade + found[""]


def _without_negation(tokens: tuple[str, ...], text: str, lexicon: Lexicon) -> str | None:
    """What a negated English attribute denies: "not wise", "don't work hard", "lack patience"."""
    if lexicon.language != "en" or len(tokens) < 2:
        return None
    first, rest = tokens[0], text.split()
    if first in ("do", "does") and tokens[1] == "not":
        after = rest[2:] if rest[0] == first else rest[1:]
        return " ".join(after) or None
    if first == "not":
        return " ".join(rest[1:])
    if first in HAVE:
        return " ".join([HAVE[first], *(rest[2:] if rest[1] == "of" else rest[1:])])
    if first in ("more", "less"):
        return " ".join(["less" if first == "more" else "more", *rest[1:]])
    return None


def _in_phrase(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """Turn the only word or term of a longer phrase that can be turned."""
    negated = any(word in lexicon.rules.negators and not lexicon.senses((word,)) for word in tokens)
    if len(tokens) < 2 or negated or set(tokens) & {"and", "or", "but"}:
        return None
    candidates: list[tuple[int, int, str]] = []
    start = 0
    while start < len(tokens):
        for end in range(min(len(tokens), start + LONGEST), start, -1):
            opposite = _turned(tokens, start, end, lexicon)
            if opposite:
                candidates.append((start, end, opposite))
                break
        start = end
    if len(candidates) != 1:
        return None
    start, end, opposite = candidates[0]
    return " ".join([*tokens[:start], opposite, *tokens[end:]])


def _turned(tokens: tuple[str, ...], start: int, end: int, lexicon: Lexicon) -> str | None:
    """Opposite of tokens[start:end] where it is an adjective, or a transitive verb at the beginning.

    An adjective before a noun that is an adjective too only says of what kind ("religious fanatics").
    """
    sorts = lexicon.language == "en" and end < len(tokens) and _says_how(tokens[end], lexicon)
    turns = (set() if sorts else {"adj"}) | ({"transitive"} if start == 0 else set())
    senses = [sense for sense in lexicon.senses(tokens[start:end]) if lexicon.rows[sense.row].part in turns]
    if senses:
        return _opposite(_main(senses), lexicon)
    if end == len(tokens) and end - start == 1:
        return _by_form(tokens[start:end], lexicon)
    return None


def _says_how(word: str, lexicon: Lexicon) -> bool:
    """Whether an English noun of the table stands among its adjectives too: "fanatics", not "leaders"."""
    parts = {
        lexicon.rows[sense.row].part
        for form in (word, english.lemma(word))
        for sense in lexicon.senses((form,))
    }
    return {"noun", "adj"} <= parts


def _by_form(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """An English adjective with or without its negative prefix or suffix."""
    if lexicon.language != "en" or len(tokens) != 1:
        return None
    return english.negative_base(tokens[0]) or english.negative_of(tokens[0])
