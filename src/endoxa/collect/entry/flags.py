"""Why a moderator should look at words before or after others see them. A flag never refuses anything.

Each is a guess by form. The name of a person is looked for only where scripts have capitals (two capitalised words in
a row) or after a title; one name alone, or written small, is not found, and places or titles of songs are found too.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

import regex

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.entry.keys import fold

SERIOUS = frozenset({"name", "email", "phone", "handle", "link", "watch_word", "harm"})
"""Flags that keep a pair from others until a moderator has passed it, whatever the campaign says."""

_LONG = 60
_MANY_WORDS = 10
_SHOUTED = 6

_EMAIL = regex.compile(r"[^\s@]+@[^\s@]+\.\p{L}{2,}")
_HANDLE = regex.compile(r"(?<![\w.])@\w{3,}")
_LINK = regex.compile(
    r"(?i)(?:https?://|www\.)\S|\b[\p{L}\d-]+\.(?:com|org|net|info|io|me|app|[a-z]{2}(?=/))\b"
)
_DIGITS = regex.compile(r"\+?\p{Nd}(?:[\s().\-/]{0,2}\p{Nd}){6,}")
_YEARS = regex.compile(r"(?:1[0-9]|20)\d\d\s?[-/]\s?(?:1[0-9]|20)\d\d")
_CAPITALISED = regex.compile(
    r"\b\p{Lu}[\p{Ll}'\u2019-]+(?:\s+(?:de|da|do|dos|del|la|van|von|bin|al)){0,2}\s+\p{Lu}\p{Ll}+"
)
_TITLED = regex.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Dra|Don|Doña|Dom|Dona|Mme|Mlle|Bw|Bi|Mzee)\.?\s+\p{Lu}\p{Ll}+"
    r"|(?:السيد|السيدة|الدكتور|الشيخ|श्री|श्रीमती|डॉ)\.?\s+\p{L})"
)
_NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages whose nouns all have capitals."""


def flags(text: str, language: str, settings: CampaignSettings) -> list[str]:
    """Names of the flags of a cleaned text, in the order in which moderators read them."""
    checks: Mapping[str, Callable[[], bool]] = {
        "name": lambda: _names_somebody(text, language),
        "email": lambda: bool(_EMAIL.search(text)),
        "phone": lambda: _holds_number(text),
        "handle": lambda: bool(_HANDLE.search(text)),
        "link": lambda: bool(_LINK.search(text)),
        "watch_word": lambda: _holds(text, settings.watch_words),
        "harm": lambda: _holds(text, _harm().get(language, ())),
        "long": lambda: len(text) > _LONG or len(text.split()) > _MANY_WORDS,
        "shouting": lambda: _shouts(text),
    }
    return [name for name, found in checks.items() if found()]


def _names_somebody(text: str, language: str) -> bool:
    if _TITLED.search(text):
        return True
    if language in _NOUNS_CAPITALISED:
        return False
    countries = frozenset(geography.names(language).values())
    return any(match.group() not in countries for match in _CAPITALISED.finditer(text))


def _holds_number(text: str) -> bool:
    return any(not _YEARS.fullmatch(match.group()) for match in _DIGITS.finditer(text))


def _holds(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words (or groups of words) stands in the text, whole, whatever its case and accents."""
    line = f" {_bare(text)} "
    return any(f" {bare} " in line for bare in map(_bare, words) if bare)


def _bare(text: str) -> str:
    spread = unicodedata.normalize("NFD", fold(text))
    return unicodedata.normalize("NFC", regex.sub(r"[\u0300-\u036f\u0653-\u0655]", "", spread))


def _shouts(text: str) -> bool:
    cased = [letter for letter in text if letter.isupper() or letter.islower()]
    return len(cased) >= _SHOUTED and sum(letter.isupper() for letter in cased) >= 0.8 * len(cased)


@cache
def _harm() -> Mapping[str, tuple[str, ...]]:
    """Words of calls to harm, by language."""
    content = files("endoxa.collect.entry").joinpath("harm.toml").read_text(encoding="utf-8")
    return {language: tuple(words) for language, words in tomllib.loads(content).items()}
