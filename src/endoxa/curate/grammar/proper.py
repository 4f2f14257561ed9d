"""Names of nations, peoples, languages, faiths and places in English texts, written with their capitals.

The word lists of `english.toml`. What each holds is said there.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from babel import Locale
from babel.core import get_global

from endoxa.curate.english import in_dictionary
from endoxa.curate.normalise import tables


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """A class of words."""
    return frozenset(_table()[name].split())


@cache
def mapped(name: str) -> dict[str, str]:
    """Words and what takes their place."""
    return dict(_table()[name])


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_LONGEST = 4
_PEOPLE = ("people", "men", "women")
_UPPER = {"lgbtq": "LGBTQ", "lgbt": "LGBT", "usa": "USA", "uk": "UK"} | {
    f"gen{rest} {letter}": f"Gen{rest} {letter.upper()}" for rest in ("", "eration") for letter in "xyz"
}
_COUNTRIES = re.compile(
    r"^(?:[A-Z][\w'’.-]*|of|the|and|&|do|da|la)(?: (?:[A-Z][\w'’.-]*|of|the|and|&|do|da|la))*$"
)


def with_capitals(text: str) -> str:
    """The text with names written as names: "young nigerian men" -> "young Nigerian men".

    A text that has a capital somewhere is the writer's own and stays as it is. Known are the territories and
    languages of CLDR, the cities of the time zone database, and the peoples and demonyms of the table of groups;
    a language that is also a word of the dictionary ("even") is left alone.
    """
    if text != text.lower():
        return text
    matches = list(_WORD.finditer(text))
    names = _names()
    pieces: list[str] = []
    start = at = 0
    while at < len(matches):
        for end in range(min(len(matches), at + _LONGEST), at, -1):
            span = text[matches[at].start() : matches[end - 1].end()]
            name = names.get(span) or names.get(span.removesuffix("s").removesuffix("'"))
            if name:
                plural = "s" if span not in names else ""
                pieces += [text[start : matches[at].start()], name + plural]
                start = matches[end - 1].end()
                at = end
                break
        else:
            at += 1
    return "".join([*pieces, text[start:]])


@cache
def english_names() -> frozenset[str]:
    """Plural names of groups, in lower case, that are spelt so in English only ("christians", "nigerians").

    They are what terms of other languages are translated to by the table of terms, where no language has them as a
    term too, and names in -ians and -ists.
    """
    entries = tables()
    names = (*entries.demonyms.values(), *(f"{name}s" for name in listed("names")))
    english = {name for name in names if name.endswith(("ians", "ists"))}
    return frozenset(entries.terms.values()) - entries.terms.keys() | english


@cache
def _names() -> dict[str, str]:
    """Names in lower case and as they are written."""
    locale = Locale.parse("en")
    territories = [name for code, name in locale.territories.items() if _COUNTRIES.match(name)]
    languages = [name for name in locale.languages.values() if not in_dictionary(name) and " " not in name]
    cities = [zone.rpartition("/")[2].replace("_", " ") for zone in get_global("zone_territories")]
    peoples = tables()
    nationals = {form for name in peoples.demonyms.values() for form in (name, name.removesuffix("s"))}
    words = [*peoples.collective, *peoples.demonyms, *nationals, *listed("names")]
    unlisted = [word for word in words if not in_dictionary(word)]
    homographs = [f"{word} {who}" for word in peoples.collective - set(unlisted) for who in _PEOPLE]
    places = [name for name in cities if not in_dictionary(name)]
    names = [*unlisted, *peoples.peoples, *homographs]
    written = [*languages, *places, *territories]
    return {name: _titled(name) for name in names} | {name.lower(): name for name in written} | _UPPER


def _titled(name: str) -> str:
    small = ("of", "and", "the", *_PEOPLE)
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in name.split())
