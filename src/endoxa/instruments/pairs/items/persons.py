"""Attributes that may hold the name of a person, which should not be published."""

from __future__ import annotations

import regex

from endoxa.curate.grammar.proper import with_capitals

_TWO = regex.compile(
    r"\b\p{Lu}[\p{Ll}'\u2019-]+(?:\s+(?:de|da|do|dos|del|la|van|von|bin|al)){0,2}\s+\p{Lu}\p{Ll}+"
)
_TITLED = regex.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Dra|Don|Doña|Dom|Dona|Mme|Mlle|Bw|Bi|Mzee)\.?\s+\p{Lu}\p{Ll}+"
)


def name_in(attribute: str, language: str) -> bool:
    """Whether an attribute may name a person: a title and a name, or two capitalised words that are no known place.

    A guess by form: one name alone, in small letters or in a script without capitals is not found.
    """
    if _TITLED.search(attribute):
        return True
    found = (match.group() for match in _TWO.finditer(attribute))
    return language != "de" and any(with_capitals(words.lower()) != words for words in found)
