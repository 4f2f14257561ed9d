"""Detect words that may call to harm people, and words that are unkind to hear about oneself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import regex
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from endoxa.words.packs import words_by_language, words_of
from endoxa_collect.entry.keys import APOSTROPHE, fold

_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)
_NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages in which a capital says nothing about who is meant."""

CUT_OFF = -0.3
"""VADER's compound score (Hutto and Gilbert 2014) up to which English words count as negative."""
KIND = 0.05
"""From this score on they count as not negative, as in VADER's own documentation; between the two nobody knows."""

_ARTICLE = {"ar": r"(?:[وف]?ال)?"}
"""What may stand before a word without a space."""
_LETTERS = r"\S*"


@dataclass(frozen=True)
class _Words:
    """Of one language, bare; see `calls.toml`."""

    calls: tuple[str, ...]
    idioms: tuple[str, ...]
    people: tuple[str, ...]


def calls_to_harm(text: str, language: str) -> bool:
    """Whether a text in `language` holds such words; all lists are looked at, as people mix languages."""
    line = bare(text)
    return any(
        _any_in(words.calls, line)
        or (_any_in(words.idioms, line) and _any_in(words.people, line))
        or (language not in _NOUNS_CAPITALISED and _before_a_name(words.idioms, text))
        for words in _harm_lists()
    )


def bare(text: str) -> str:
    """Folded, without accents, words apart by single spaces."""
    spread = _MARKS.sub("", unicodedata.normalize("NFD", fold(text)))
    return " ".join(unicodedata.normalize("NFC", spread).replace(APOSTROPHE, " ").split())


def holds(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words (or groups of words) stands in the text, whole, whatever its case and accents."""
    return _any_in(map(bare, words), bare(text))


def _any_in(words: Iterable[str], line: str) -> bool:
    framed = f" {line} "
    return any(f" {word} " in framed for word in words if word)


def _before_a_name(idioms: Iterable[str], text: str) -> bool:
    pairs = pairwise(text.split())
    return any(after[0].isupper() and not after.isupper() and bare(word) in idioms for word, after in pairs)


@cache
def _harm_lists() -> tuple[_Words, ...]:
    return tuple(
        _Words(*(tuple(map(bare, lists[kind])) for kind in ("calls", "idioms", "people")))
        for lists in words_by_language("calls.toml").values()
    )


def negative(text: str, language: str) -> bool | None:
    """Whether words are negative; None where it is not known.

    English is judged by VADER, which says nothing of words it does not know. All languages have short lists of unkind
    words (`unkind.toml`), which can say yes, never no: nearly all that people say is in no list.
    """
    score = _analyzer().polarity_scores(text)["compound"] if language == "en" else 0.0
    if score <= CUT_OFF:
        return True
    lists = words_of(language, "unkind.toml")
    if lists and _pattern(language).search(bare(text)):
        return None if holds(text, lists["negators"]) else True
    return False if score >= KIND else None


@cache
def _pattern(language: str) -> regex.Pattern[str]:
    words = "|".join(
        _LETTERS.join(map(bare, word.split("*"))) for word in words_of(language, "unkind.toml")["words"]
    )
    return regex.compile(rf"(?<!\S){_ARTICLE.get(language, '')}(?:{words})(?!\S)")


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()
