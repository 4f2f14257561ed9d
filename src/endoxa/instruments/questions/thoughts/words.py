"""What thoughts are read by in each language: `thoughts.toml` of `endoxa/words`, compiled."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import regex

from endoxa.runs.answers.language import ENGLISH
from endoxa.words.packs import file_with, languages_with

FILE = "thoughts.toml"
TRAITS = "traits"


@dataclass(frozen=True, slots=True)
class ThoughtWords:
    """Patterns of a language and of English, in which models think as well.

    The fields are explained in `words/en/thoughts.toml`; patterns are over folded text (`endoxa.runs.answers.text`).
    """

    considering: regex.Pattern[str]
    generalising: regex.Pattern[str]
    stereotype: regex.Pattern[str]
    rejecting: regex.Pattern[str]
    rejects: regex.Pattern[str]
    because_of: regex.Pattern[str]
    evidence: regex.Pattern[str]
    missing: regex.Pattern[str]
    traits: frozenset[str]


def has_rules(code: str) -> bool:
    """Whether thoughts in a language (ISO 639 code, "es-AR" counts as "es") can be read by rules."""
    return all(_base(code) in languages_with(name) for name in (FILE, "answers.toml"))


@cache
def thought_words(code: str) -> ThoughtWords:
    """The words of a language, with English; English alone where there are none."""
    codes = [each for each in dict.fromkeys((_base(code), ENGLISH)) if each in languages_with(FILE)]
    tables = [_table(each) for each in codes]
    patterns = {
        field.name: _either(pattern for table in tables for pattern in table[field.name])
        for field in fields(ThoughtWords)
        if field.name != TRAITS
    }
    return ThoughtWords(**patterns, traits=frozenset(word for table in tables for word in table[TRAITS]))


def _base(code: str) -> str:
    return code.split("-", maxsplit=1)[0].lower()


def _table(code: str) -> dict[str, Any]:
    return tomllib.loads(unicodedata.normalize("NFKC", file_with(code, FILE).read_text(encoding="utf-8")))


def _either(patterns: Iterable[str]) -> regex.Pattern[str]:
    return regex.compile("|".join(f"(?:{pattern})" for pattern in patterns))
