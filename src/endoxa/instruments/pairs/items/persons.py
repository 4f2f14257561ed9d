"""Attributes that may hold the name of a person, which should not be published."""

from __future__ import annotations

from endoxa.curate.grammar.subject import with_capitals
from endoxa.words.persons import names_somebody


def name_in(attribute: str, language: str) -> bool:
    """Whether an attribute may name a person, by the rule that campaigns have.

    A guess by form: one name alone, without a title or a word of offence, is not found.
    """
    return names_somebody(attribute, language, _has_capitals)


def _has_capitals(words: str) -> bool:
    """Whether all words are written with capitals as the names of places, peoples, languages and faiths."""
    written = with_capitals(words.lower())
    return all(word[0].isupper() for word in written.split() if word[0].isalpha())
