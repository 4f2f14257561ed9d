"""Whether words may name a private person: what people type is put before a moderator, built pairs get a remark.

A guess by form. A name is looked for where scripts have capitals (two capitalised words in a row), after a title, or
beside a word of offence ("stole", `offence.toml`): there one capitalised word counts, or a first name in small letters
(`first_names.toml`, `faker.toml`, `names.csv`). First names that are ordinary words or towns too ("rosa", "hope",
"santiago") count where the offence is said of them. One name alone is not found; countries and their people are left
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias

import regex

from endoxa.words.countries import territories
from endoxa.words.packs import rows_of, words_by_language, words_of
from endoxa.words.people import folded

NotAPerson: TypeAlias = Callable[[str], bool]
"""Whether words that may be a name are known to be something else, such as a town."""

_LANGUAGES = ("en", "es", "fr", "pt", "ar", "hi", "sw")
"""In which countries are known by their names, beside the language of the text."""
_NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages whose nouns all have capitals."""
_CAPITALISED = regex.compile(
    r"\b\p{Lu}[\p{Ll}'\u2019-]+(?:\s+(?:de|da|do|dos|del|la|van|von|bin|al)){0,2}\s+\p{Lu}\p{Ll}+"
)
_TITLED = regex.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Dra|Don|Doña|Dom|Dona|Mme|Mlle|Bw|Bi|Mzee)\.?\s+\p{Lu}\p{Ll}+"
    r"|(?:السيد|السيدة|الدكتور|الشيخ|श्री|श्रीमती|डॉ)\.?\s+\p{L})"
)
_WORD = regex.compile(r"[\p{L}\p{M}'\u2019-]+")
_BEGINNING = 4
_BETWEEN = 6
"""Most words between a name that is a word and what is said of it."""
_SURNAME = 3


def names_somebody(text: str, language: str, not_a_person: NotAPerson) -> bool:
    """Whether a text may name a person.

    Args:
        text: the words.
        language: code of their language.
        not_a_person: of two capitalised words, one capitalised word or a first name: whether it is something else.
    """
    if _TITLED.search(text) or _accuses_somebody(text, language, not_a_person):
        return True
    if language in _NOUNS_CAPITALISED:
        return False
    candidates = (match.group() for match in _CAPITALISED.finditer(text))
    return any(folded(words) not in _countries(language) and not not_a_person(words) for words in candidates)


def _accuses_somebody(text: str, language: str, not_a_person: NotAPerson) -> bool:
    """Whether a name of one word stands beside a word of offence, in any language of the lists."""
    words = folded_words(text)
    offences = find_offences(words)
    if not offences:
        return False
    inside = {at for offence in offences for at in range(offence.start, offence.end)}
    for at, word in enumerate(words):
        titled = at > 0 and word not in listed("between") and words[at - 1] in listed("titles", language)
        certain, perhaps = is_name(word), is_also_a_word(word) or titled
        if at in inside or not (certain or perhaps) or word in _countries(language):
            continue
        if (certain and not not_a_person(word)) or _accused(at, words, offences, language):
            return True
    return language not in _NOUNS_CAPITALISED and any(
        word[0].isupper()
        and not word.isupper()
        and not _names_a_group(folded(word), language)
        and not not_a_person(word)
        for word in _WORD.findall(text)[1:]
    )


def accuses_neighbours(text: str) -> bool:
    """Whether an offence is said of people of one's own surroundings: "our neighbour steals", "my boss is corrupt"."""
    words = folded_words(text)
    known = listed("neighbours")
    near = any(reading in known for word in words for reading, _ in _readings(word))
    return near and bool(find_offences(words))


def accuses(text: str) -> bool:
    """Whether a text holds a word of offence, whoever is meant."""
    return bool(find_offences(folded_words(text)))


def _accused(at: int, words: Sequence[str], offences: Sequence[Offence], language: str) -> bool:
    """Whether an offence is said of what may be a name: "rosa roba", "peter and paul are thieves", "steal like tom"."""
    before = words[at - 1] if at else ""
    if before in listed("before", language):
        return False
    if before in listed("like") and at == len(words) - 1:
        return not words[at].endswith("s")
    if _offence_follows(at + 1, words, offences):
        return True
    surname = words[at + 1] if at + 1 < len(words) else ""
    return (
        at == 0
        and len(surname) >= _SURNAME
        and not surname.endswith("s")
        and surname not in listed("nobody")
        and at + 2 < len(words)
        and words[at + 2] in listed("between")
        and _offence_follows(at + 2, words, offences)
    )


def _offence_follows(start: int, words: Sequence[str], offences: Sequence[Offence]) -> bool:
    """Whether an offence follows, after words such as "is a" or further names."""
    several = False
    for at in range(start, min(start + _BETWEEN + 1, len(words))):
        here = [offence for offence in offences if offence.start == at]
        if here:
            return any((several or not offence.base) and not offence.joined for offence in here)
        if words[at] in listed("joining") and at + 1 < len(words):
            several = is_name(words[at + 1]) or is_also_a_word(words[at + 1])
        elif is_name(words[at]) or is_also_a_word(words[at]):
            continue
        elif words[at] not in listed("between"):
            return False
    return False


def _names_a_group(low: str, language: str) -> bool:
    """Whether a folded word begins as a faith or the name of a country does: "chileans"."""
    return low.startswith(tuple(listed("groups"))) or (
        len(low) >= _BEGINNING and any(name.startswith(low[:_BEGINNING]) for name in _countries(language))
    )


@cache
def _countries(language: str) -> frozenset[str]:
    """Names of the countries (ISO 3166) in the languages of the lists and one more, folded."""
    every = (place for each in (*_LANGUAGES, language) for place in territories(each).items())
    return frozenset(folded(name) for code, name in every if code.isalpha())


# --- first names: of the bank that questions are built with, of Faker and our own ---

_SHORT = 3
"""First names of no more letters are too often words."""
_ARABIC = regex.compile(r"\p{Arabic}")
_AND = "و"
_BEFORE_A_NAME = "وفبلك"
"""What Arabic writes together with a name: and, so, with, for, like."""


def is_name(word: str) -> bool:
    """Whether a folded word is a first name and hardly ever a word."""
    return word in first_names() or (_joined(word, _BEFORE_A_NAME) and word[1:] in first_names())


def is_also_a_word(word: str) -> bool:
    """Whether a folded word is a first name and an ordinary word."""
    return word in _names_and_words() or (_joined(word, _AND) and word[1:] in _names_and_words())


def _joined(word: str, clitics: str) -> bool:
    return len(word) > _SHORT and word[0] in clitics and bool(_ARABIC.match(word))


@cache
def listed(key: str, language: str | None = None) -> frozenset[str]:
    """Words under a key of `first_names.toml`, folded: in a language, or in all of them, as people mix them."""
    lists = words_by_language("first_names.toml")
    words = (lists.get(code, {}).get(key, "") for code in (lists if language is None else [language]))
    return frozenset(folded(" ".join(words)).split())


@cache
def first_names() -> frozenset[str]:
    """Given names of any language that are no words, folded."""
    rows = rows_of("", "names.csv")
    latin = {folded(row["name"]) for row in rows if len(row["name"]) > _SHORT}
    native = {folded(row["native"]) for row in rows if row["native"] and " " not in row["native"]}
    certain = folded(words_of("", "faker.toml")["certain"]).split()
    return frozenset((*latin, *native, *certain, *listed("names"))) - listed("words")


@cache
def _names_and_words() -> frozenset[str]:
    return listed("words") | (frozenset(folded(words_of("", "faker.toml")["words"]).split()) - first_names())


# --- words of offence: `offence.toml` of each language ---

_BRACES = regex.compile(r"\{([^}]*)\}")
_BEFORE_A_WORD = tuple(
    "".join(parts)
    for parts in product(("", _AND, "ف"), ("", "ب", "ك", "ل", "ال", "بال", "كال", "لل"))
    if any(parts)
)
"""What Arabic writes together with a word: and, so, with, like, for, the."""


@dataclass(frozen=True, slots=True)
class Offence:
    """Where words of offence stand.

    Attributes:
        start: place of the first word.
        end: place after the last word.
        base: a form that needs another verb before it ("steal").
        joined: an "and" is written together with it, in Arabic.
    """

    start: int
    end: int
    base: bool
    joined: bool


def find_offences(words: Sequence[str]) -> list[Offence]:
    """Every word of offence, or group of such words, in the folded words of a text."""
    return [
        Offence(at, at + 1 + len(rest), base, joined)
        for at in range(len(words))
        for word, joined in _readings(words[at])
        for rest, base in _offences().get(word, ())
        if tuple(words[at + 1 : at + 1 + len(rest)]) == rest
    ]


def _readings(word: str) -> Iterator[tuple[str, bool]]:
    """A word, and in Arabic what is left of it without clitics, with whether "and" was one of them."""
    yield word, False
    if _ARABIC.match(word):
        for clitic in _BEFORE_A_WORD:
            if word.startswith(clitic):
                yield word.removeprefix(clitic), clitic[0] in (_AND, "ف")


@cache
def _offences() -> dict[str, list[tuple[tuple[str, ...], bool]]]:
    """By their first word: the words that follow, and whether it is a base form."""
    by_first_word: dict[str, list[tuple[tuple[str, ...], bool]]] = {}
    for lists in words_by_language("offence.toml").values():
        for kind, entries in lists.items():
            for form in (form for entry in entries for form in expand(entry)):
                first, *rest = folded_words(form)
                by_first_word.setdefault(first, []).append((tuple(rest), kind == "base"))
    return by_first_word


def expand(entry: str) -> list[str]:
    """All forms of an entry: "rob{s,bed}" is "robs" and "robbed"."""
    parts = _BRACES.split(entry)
    choices = [part.split(",") if place % 2 else [part] for place, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


# --- words as they are compared ---

_LETTERS_AND_DIGITS = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def folded_words(text: str) -> list[str]:
    """The words of a text, folded; apostrophes and hyphens part them."""
    return list(_LETTERS_AND_DIGITS.findall(folded(text)))
