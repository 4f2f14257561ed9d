"""A statement cut into clauses, and a predicate into the several things it says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from endoxa.curate.english import can_be, is_adverb, is_plain_verb, is_plural, lemma, tokens, words
from endoxa.curate.extract.subject import find_split
from endoxa.curate.normalise import is_group

_BETWEEN = re.compile(r"\s*(?:;|,?\s+(?:and|while|whereas|but)\s+|,\s+)", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|neither|nor|cannot)\b|n't\b")


def has_subject(text: str) -> bool:
    """Whether a piece of text opens with a subject of its own: a group or a plural, then a finite verb."""
    parts = tokens(text)
    split = find_split(parts)
    if split is None or split.rule == "apposition" or split.end > 8:
        return False
    subject = [part.lower() for part in parts[: split.end]]
    if {"and", "or"} & set(subject):
        return False
    return any(is_plural(part) or is_group(part) for part in subject) or subject[0] in words(
        "singular_determiners"
    )


def clauses(text: str) -> list[str]:
    """Cut where a new subject begins ("Ibos trade and Hausas farm" -> two); else the text as it is."""
    found: list[str] = []
    start = 0
    for mark in _BETWEEN.finditer(text):
        left, right = text[start : mark.start()], text[mark.end() :]
        always = mark.group().strip() == ";"
        new = has_subject(right) or _takes_up(right)
        if left.strip() and right.strip() and (always or (has_subject(left) and new)):
            found.append(left)
            start = mark.end()
    return [*found, text[start:]]


def _takes_up(text: str) -> bool:
    """Whether the words take up the last subject with a pronoun ("they are also noisy")."""
    parts = text.lower().split()
    closed = words("copulas") | words("modals") | words("auxiliaries")
    return len(parts) > 2 and parts[0] in {"they", "he", "she"} and parts[1] in closed


def predicates(text: str) -> list[str]:
    """The several things that a predicate says, each fit to stand behind the subject.

    Adjectives and plural nouns that a copula joins are taken apart ("smart and rich", "liars and cheats"),
    and so are verb phrases ("like money and are loud"). Objects of one verb stay together ("love money and
    fame"): what is said may need both. So does anything that is negated or compared as a whole.
    """
    parts = _outside_brackets(text)
    if len(parts) < 2:
        return _alternatives(text)
    closed = all(_is_closed(part) for part in parts[1:])
    plain = all(_is_verb_phrase(part) and _is_base_form(part) for part in parts[1:])
    if closed or (plain and _is_verb_phrase(parts[0])):
        return parts
    head, first = _copula_and_rest(parts[0])
    if head is None or _NEGATION.search(text.lower()) or " than " in text.lower():
        return [text]
    kinds = {_kind(first), *(_kind(part) for part in parts[1:])}
    return [first, *parts[1:]] if kinds in ({"adjective"}, {"noun"}, {"adjective", "noun"}) else [text]


def _outside_brackets(text: str) -> list[str]:
    """Cut at conjunctions that stand outside brackets and quotation marks."""
    found, start = [], 0
    for mark in _CONJUNCTION.finditer(text):
        before = text[: mark.start()]
        if before.count("(") == before.count(")") and before.count('"') % 2 == 0:
            found.append(text[start : mark.start()])
            start = mark.end()
    return [part.strip() for part in (*found, text[start:]) if part.strip()]


def _is_verb_phrase(text: str) -> bool:
    parts = [part.lower() for part in tokens(text)]
    while len(parts) > 1 and is_adverb(parts[0]):
        del parts[0]
    if not parts:
        return False
    first = parts[0]
    if first in words("copulas") or first in words("modals") or first in words("auxiliaries"):
        return len(parts) > 1
    return (
        is_plain_verb(first) and len(parts) > 1 and not can_be(first, "ADJ") and not can_be(parts[-1], "ADV")
    )


def _is_closed(text: str) -> bool:
    """Whether the words begin with a copula, modal or auxiliary, which only a verb phrase does."""
    first = text.split(maxsplit=1)[0].lower()
    return first in words("copulas") | words("modals") | words("auxiliaries")


def _is_base_form(text: str) -> bool:
    """Whether the verb is no participle ("show their strength", not "told to wait")."""
    first = next(word for word in tokens(text.lower()) if not is_adverb(word) or _is_closed(word))
    return _is_closed(first) or lemma(first, "VERB") == first


def _alternatives(text: str) -> list[str]:
    """Take alternatives apart: "are neat/jolly" -> two; "very quick/loud" stays one."""
    copula, rest = _copula_and_rest(text)
    words_between = rest.split("/")
    plain = copula is not None and len(words_between) > 1 and all(map(_is_one_adjective, words_between))
    return words_between if plain else [text]


def _is_one_adjective(text: str) -> bool:
    return len(text.split()) == 1 and _kind(text) == "adjective"


def _copula_and_rest(text: str) -> tuple[str | None, str]:
    """The copula in front and what follows; no copula is as good as one (an answer without its subject)."""
    first, _, rest = text.strip().partition(" ")
    if first.lower() in words("copulas"):
        return first, rest.strip()
    verbal = (
        first.lower() in words("modals") or first.lower() in words("auxiliaries") or _is_verb_phrase(text)
    )
    return (None if verbal else ""), text.strip()


def _kind(text: str) -> str:
    """'adjective', 'noun' or 'other', by the first and last word."""
    parts: Sequence[str] = [part.lower() for part in tokens(text)]
    while len(parts) > 1 and is_adverb(parts[0]):
        parts = parts[1:]
    if not parts or len(parts) > 4:
        return "other"
    if is_group(" ".join(parts)):
        return "noun"
    participle = len(parts) == 2 and can_be(parts[0], "ADJ") and parts[1].endswith(("ed", "ing"))
    if participle or (_is_adjective(parts[0]) and (len(parts) == 1 or parts[1] in _COMPLEMENTS)):
        return "adjective"
    modified = len(parts) == 1 or (len(parts) == 2 and not is_plain_verb(parts[0]))
    return "noun" if modified and is_plural(parts[-1]) else "other"


def _is_adjective(word: str) -> bool:
    return can_be(word, "ADJ") or word.endswith(("ed", "ing")) or "-" in word


_COMPLEMENTS = frozenset({"about", "of", "in", "with", "at", "on", "for"})
