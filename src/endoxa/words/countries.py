"""The people of a country in each language: written from `countries.toml`, and read backwards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from babel import Locale, UnknownLocaleError

from endoxa.words.packs import languages_with, words_by_language, words_of

_TABLE = "countries.toml"
_SLOT = re.compile(r"\{(?:country|who)\}")


@cache
def territories(language: str) -> Mapping[str, str]:
    """Names of countries, territories and regions by their code, of CLDR; none where it lacks the language."""
    try:
        locale = Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return {}
    return {str(code): str(name) for code, name in locale.territories.items()}


@cache
def country_names(language: str) -> Mapping[str, str]:
    """Names of countries and territories by ISO 3166 code, not of regions; in English where CLDR has none."""
    english, local = territories("en"), territories(language)
    return {code: local.get(code) or english[code] for code in english if code.isalpha()}


def from_country(code: str, language: str) -> str:
    """The name of a country after "from", in a language of the pages: "from the Netherlands", "du Chili".

    Sentences put it after "people"; in Hindi it is the name alone. Other languages have it in English.
    """
    spoken = language if language in languages_with(_TABLE) else "en"
    table, name = words_of(spoken, _TABLE), country_names(spoken).get(code, code)
    for form in table.get("form", ()):
        starts, ends = (tuple(form.get(key, ())) for key in ("starts", "ends"))
        if code in form.get("countries", ()) or name.startswith(starts) or name.endswith(ends):
            return str(form["pattern"].format(country=name))
    return str(table["usual"].format(country=name))


@cache
def people_of(code: str, language: str) -> str:
    """The people of a country (ISO 3166) in a language (ISO 639); in English where the language has no such words."""
    spoken = language if language in languages_with(_TABLE) else "en"
    people: str = words_of(spoken, _TABLE)["people"]
    name = country_names(spoken).get(code, code)
    return people.format(country=name, from_country=from_country(code, spoken))


def country_of_people(text: str) -> str | None:
    """The country whose people a text names just as `people_of` does, in any language; None for other texts."""
    return _countries().get(in_small(text))


@cache
def _countries() -> Mapping[str, str]:
    return {
        in_small(people_of(code, language)): code
        for language in languages_with(_TABLE)
        for code in country_names(language)
    }


def in_small(text: str) -> str:
    """A text in small letters, with single spaces and straight apostrophes."""
    return " ".join(text.casefold().replace("’", "'").split())


def names_in(text: str) -> Iterator[str]:
    """A plain text, then what is left where words of `countries.toml` stand around a name, the most words first."""
    waiting = [in_small(text)]
    for name in waiting:  # grows
        yield name
        for before, after in _around():
            inside = name.removeprefix(before).removesuffix(after)
            if inside and len(inside) == len(name) - len(before) - len(after) and inside not in waiting:
                waiting.append(inside)


@cache
def _around() -> tuple[tuple[str, str], ...]:
    """What stands before and after the name in every way to name a people, the longest first."""
    ways = {
        way.replace("{from_country}", form).casefold().replace("’", "'")
        for table in words_by_language(_TABLE).values()
        for way in (table["people"], *table.get("also", ()))
        for form in (table["usual"], *(each["pattern"] for each in table.get("form", ())))
    }
    split = (_SLOT.split(way) for way in sorted(ways, key=lambda way: (-len(way), way)))
    return tuple((before, after) for before, after in split)
