"""Words of offence in a text: `offence.toml` of each language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import regex

from endoxa.words.packs import words_by_language
from endoxa.words.persons.folding import folded_words

_BRACES = regex.compile(r"\{([^}]*)\}")
_ARABIC = regex.compile(r"\p{Arabic}")
_AND = ("و", "ف")
_CLITICS = tuple(
    "".join(parts)
    for parts in product(("", *_AND), ("", "ب", "ك", "ل", "ال", "بال", "كال", "لل"))
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
    return [offence for at in range(len(words)) for offence in _at(words, at)]


def _at(words: Sequence[str], at: int) -> Iterator[Offence]:
    for word, joined in _readings(words[at]):
        for rest, base in _offences().get(word, ()):
            end = at + 1 + len(rest)
            if tuple(words[at + 1 : end]) == rest:
                yield Offence(at, end, base, joined)


def _readings(word: str) -> Iterator[tuple[str, bool]]:
    """A word, and in Arabic what is left of it without clitics, with whether "and" was one of them."""
    yield word, False
    if _ARABIC.match(word):
        for clitic in _CLITICS:
            if word.startswith(clitic):
                yield word.removeprefix(clitic), clitic.startswith(_AND)


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
