"""What inhabitants of a country or region are called in English, Spanish and Portuguese.

`demonyms.csv` of each language in `endoxa/words` holds facts of general knowledge. `code` is the ISO 3166 code of a
country, or a word of ours for a region or a people without a state. In the English table `within` names the larger
groups it lies in; `also` further words, of any of the languages, for the same people or place. Names of countries come
from CLDR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from babel import Locale
from babel.core import get_global

from endoxa.curate.normalise import tables
from endoxa.words.packs import rows_of

Gender = Literal["m", "f"]
Forms = Mapping[str, str]
"""A word by gender ('m', 'f'), or under '' where the language has no gender."""

LANGUAGES = ("en", "es", "pt")

_OPENERS = re.compile(
    r"^(?:(?:people|those|gente|personas|pessoas|povo) (?:from|of|del?|da|dos?|das) )?"
    r"(?:(?:the|el|los|las|os|as|la) )?"
)


@dataclass(frozen=True, slots=True)
class Demonym:
    """The people of a place; words that would name another people as well ("Dominican") are left empty.

    Attributes:
        code: name of the row.
        english: adjective ("Spanish").
        spanish: masculine, feminine, plural.
        portuguese: masculine, feminine, plural.
        english_plural: plural noun ("Spaniards").
        within: codes of larger groups, nearest only.
        also: further words for the people, their language's adjective or the place.
    """

    code: str
    english: str
    spanish: tuple[str, str, str]
    portuguese: tuple[str, str, str]
    english_plural: str
    within: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def forms(self, language: str) -> Forms:
        """The adjective that goes with "friend", by gender; nothing where no word is clear.

        Raises:
            KeyError: a language that is none of `LANGUAGES`.
        """
        es, pt = self.spanish, self.portuguese
        by_language: dict[str, Forms] = {
            "en": {"": self.english},
            "es": {"m": es[0], "f": es[1]},
            "pt": {"m": pt[0], "f": pt[1]},
        }
        return {gender: word for gender, word in by_language[language].items() if word}


@dataclass(frozen=True, slots=True)
class People:
    """A people that words stand for.

    Attributes:
        demonym: the people.
        gender: 'f' where the words name its women only ("argentinas", "mexicana"), else empty.
    """

    demonym: Demonym
    gender: Gender | Literal[""] = ""


@cache
def demonyms() -> Mapping[str, Demonym]:
    """Every row of the table, by code."""
    spanish, portuguese = (
        {row["code"]: (row["m"], row["f"], row["plural"]) for row in rows_of(language, "demonyms.csv")}
        for language in ("es", "pt")
    )
    return {
        row["code"]: Demonym(
            row["code"],
            row["name"],
            spanish[row["code"]],
            portuguese[row["code"]],
            row["plural"],
            tuple(filter(None, row["within"].split(";"))),
            tuple(filter(None, row["also"].split(";"))),
        )
        for row in rows_of("en", "demonyms.csv")
    }


def find_demonym(text: str) -> People | None:
    """The people that an identity names, in any of the three languages: plural, singular, place or ISO code."""
    plain = " ".join(text.split())
    if plain.isupper():
        code = (*get_global("territory_aliases").get(plain, ()), plain)[0]
        if code in demonyms():
            return People(demonyms()[code])
    low = _OPENERS.sub("", plain.casefold())
    return _index().get(low) or _index().get(low.removesuffix(" people"))


def is_place(text: str) -> bool:
    """Whether the words are a country, territory or region of CLDR, also one whose people is not in the table."""
    return " ".join(text.split()).casefold() in _places_in_lower_case()


@cache
def _places_in_lower_case() -> frozenset[str]:
    return frozenset(name.casefold() for name, _ in _places())


@cache
def members(code: str) -> frozenset[str]:
    """The codes of all that lies within a people or region, with its own."""
    inside = [demonym.code for demonym in demonyms().values() if code in demonym.within]
    return frozenset({code}).union(*(members(other) for other in inside))


@cache
def _index() -> Mapping[str, People]:
    index: dict[str, People] = {}
    for words, result in _words():
        index.setdefault(words.casefold(), result)
    return index


def _words() -> Iterator[tuple[str, People]]:
    """Words and what they stand for; where two say the same, the first holds: "armenia" is the country, no woman."""
    table = demonyms()
    for place, code in _places():
        if code in table:
            yield place, People(table[code])
    for people in table.values():
        forms = (
            people.english,
            people.english_plural,
            people.english and f"{people.english}s",
            *people.spanish[::2],
            *people.portuguese[::2],
            *people.also,
        )
        yield from ((form, People(people)) for form in forms if form)
    plurals = {people.english_plural.casefold(): people for people in table.values()}
    for place, inhabitants in tables().demonyms.items():
        if inhabitants in plurals:
            yield place, People(plurals[inhabitants])
    for people in table.values():
        for masculine, feminine, _ in (people.spanish, people.portuguese):
            if feminine != masculine:
                yield from ((form, People(people, "f")) for form in (feminine, f"{feminine}s"))


def _places() -> Iterator[tuple[str, str]]:
    for language in LANGUAGES:
        for code, name in Locale.parse(language).territories.items():
            yield name, code
