"""The rule: see the package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

import regex
from babel import Locale, UnknownLocaleError

from endoxa.words.persons.first_names import in_any_language, is_also_a_word, is_name, listed
from endoxa.words.persons.folding import folded, folded_words
from endoxa.words.persons.offences import Offence, find_offences

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
    return any(not _is_country(words, language) and not not_a_person(words) for words in candidates)


def _accuses_somebody(text: str, language: str, not_a_person: NotAPerson) -> bool:
    """Whether a name of one word stands beside a word of offence, in any language of the lists."""
    words = folded_words(text)
    offences = find_offences(words)
    if not offences:
        return False
    inside = {at for offence in offences for at in range(offence.start, offence.end)}
    for at, word in enumerate(words):
        titled = (
            at > 0
            and word not in in_any_language("between")
            and words[at - 1] in _entries("titles", language)
        )
        certain, perhaps = is_name(word), is_also_a_word(word) or titled
        if at in inside or not (certain or perhaps) or _is_country(word, language):
            continue
        if (certain and not not_a_person(word)) or _accused(at, words, offences, language):
            return True
    return language not in _NOUNS_CAPITALISED and any(
        word[0].isupper()
        and not word.isupper()
        and not _names_a_group(word, language)
        and not not_a_person(word)
        for word in _WORD.findall(text)[1:]
    )


def _accused(at: int, words: Sequence[str], offences: Sequence[Offence], language: str) -> bool:
    """Whether an offence is said of what may be a name: "rosa roba", "peter and paul are thieves", "steal like tom"."""
    before = words[at - 1] if at else ""
    if before in _entries("before", language):
        return False
    if before in in_any_language("like") and at == len(words) - 1:
        return not words[at].endswith("s")
    if _offence_follows(at + 1, words, offences):
        return True
    surname = words[at + 1] if at + 1 < len(words) else ""
    return (
        at == 0
        and len(surname) >= _SURNAME
        and not surname.endswith("s")
        and surname not in in_any_language("nobody")
        and at + 2 < len(words)
        and words[at + 2] in in_any_language("between")
        and _offence_follows(at + 2, words, offences)
    )


def _offence_follows(start: int, words: Sequence[str], offences: Sequence[Offence]) -> bool:
    """Whether an offence follows, after words such as "is a" or further names."""
    several = False
    for at in range(start, min(start + _BETWEEN + 1, len(words))):
        here = [offence for offence in offences if offence.start == at]
        if here:
            return any((several or not offence.base) and not offence.joined for offence in here)
        if words[at] in in_any_language("joining") and at + 1 < len(words):
            several = is_name(words[at + 1]) or is_also_a_word(words[at + 1])
        elif is_name(words[at]) or is_also_a_word(words[at]):
            continue
        elif words[at] not in in_any_language("between"):
            return False
    return False


def _entries(table: str, language: str) -> frozenset[str]:
    return listed(table).get(language, frozenset())


def _is_country(words: str, language: str) -> bool:
    return folded(words) in _countries(language)


def _names_a_group(word: str, language: str) -> bool:
    """Whether a word begins as a faith or the name of a country does: "Chileans"."""
    low = folded(word)
    return low.startswith(tuple(in_any_language("groups"))) or (
        len(low) >= _BEGINNING and any(name.startswith(low[:_BEGINNING]) for name in _countries(language))
    )


@cache
def _countries(language: str) -> frozenset[str]:
    """Names of the countries (ISO 3166) in the languages of the lists and one more, folded."""
    return frozenset(
        folded(str(name))
        for each in dict.fromkeys((*_LANGUAGES, language))
        for code, name in _territories(each).items()
        if code.isalpha()
    )


def _territories(language: str) -> dict[str, str]:
    try:
        return dict(Locale.parse(language, sep="-" if "-" in language else "_").territories)
    except (UnknownLocaleError, ValueError):
        return {}
