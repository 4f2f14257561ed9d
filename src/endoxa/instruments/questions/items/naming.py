"""How languages name the people of a country, read backwards: "los habitantes de Chile" is "chile"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from endoxa.words.packs import words_by_language

_SLOT = re.compile(r"\{(?:country|who)\}")
_MARKS = re.compile(r"[\u0300-\u036f\u0640\u064b-\u0655\u0670\u093c]")
"""Accents of Latin letters, vowel and hamza signs of Arabic, the dot below of Devanagari."""
_SPELLINGS = str.maketrans({"ى": "ي", "ة": "ه", "ँ": "ं"})


def plain(text: str) -> str:
    """A text in small letters, with single spaces and straight apostrophes."""
    return " ".join(text.casefold().replace("’", "'").split())


@cache
def bare(text: str) -> str:
    """A text without what many people do not type (accents, vowel signs), and without articles joined to a word."""
    letters = _MARKS.sub("", unicodedata.normalize("NFD", plain(text))).translate(_SPELLINGS)
    articles = tuple(before for before, _ in _around() if before.isalpha())
    return " ".join(
        next((word.removeprefix(article) for article in articles if word.startswith(article)), word)
        for word in letters.split()
    )


def names_in(text: str) -> Iterator[str]:
    """A plain text, then what is left where words of `countries.toml` stand around a name, the most words first."""
    waiting = [plain(text)]
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
        for table in words_by_language("countries.toml").values()
        for way in (table["people"], *table.get("also", ()))
        for form in (table["usual"], *(each["pattern"] for each in table.get("form", ())))
    }
    split = (_SLOT.split(way) for way in sorted(ways, key=lambda way: (-len(way), way)))
    return tuple((before, after) for before, after in split)
