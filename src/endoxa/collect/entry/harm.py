"""Words that can belong to a call to harm people, in whichever language they are."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import regex

from endoxa.collect.entry.keys import APOSTROPHE, fold

_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)
_NOUNS_CAPITALISED = frozenset({"de", "lb"})
"""Languages in which a capital says nothing about who is meant."""


@dataclass(frozen=True)
class _Words:
    """Of one language, bare; see `harm.toml`."""

    calls: tuple[str, ...]
    idioms: tuple[str, ...]
    people: tuple[str, ...]


def calls_to_harm(text: str, language: str) -> bool:
    """Whether a text in `language` holds such words; all lists are looked at, as people mix languages."""
    line = bare(text)
    return any(
        _any_in(words.calls, line)
        or (_any_in(words.idioms, line) and _any_in(words.people, line))
        or (language not in _NOUNS_CAPITALISED and _before_a_name(words.idioms, text))
        for words in _lists()
    )


def bare(text: str) -> str:
    """Folded, without accents, words apart by single spaces."""
    spread = _MARKS.sub("", unicodedata.normalize("NFD", fold(text)))
    return " ".join(unicodedata.normalize("NFC", spread).replace(APOSTROPHE, " ").split())


def holds(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words (or groups of words) stands in the text, whole, whatever its case and accents."""
    return _any_in(map(bare, words), bare(text))


def _any_in(words: Iterable[str], line: str) -> bool:
    framed = f" {line} "
    return any(f" {word} " in framed for word in words if word)


def _before_a_name(idioms: Iterable[str], text: str) -> bool:
    pairs = pairwise(text.split())
    return any(after[0].isupper() and not after.isupper() and bare(word) in idioms for word, after in pairs)


@cache
def _lists() -> tuple[_Words, ...]:
    content = files("endoxa.collect.entry").joinpath("harm.toml").read_text(encoding="utf-8")
    return tuple(
        _Words(*(tuple(map(bare, lists[kind])) for kind in ("calls", "idioms", "people")))
        for lists in tomllib.loads(content).values()
    )
