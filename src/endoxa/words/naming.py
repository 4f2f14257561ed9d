"""How languages name the people of a country, read backwards: "los habitantes de Chile" is "chile"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from endoxa.words.packs import words_by_language

_SLOT = re.compile(r"\{(?:country|who)\}")


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
        for table in words_by_language("countries.toml").values()
        for way in (table["people"], *table.get("also", ()))
        for form in (table["usual"], *(each["pattern"] for each in table.get("form", ())))
    }
    split = (_SLOT.split(way) for way in sorted(ways, key=lambda way: (-len(way), way)))
    return tuple((before, after) for before, after in split)
