"""The closed word classes of `rules.toml`, by language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Rules:
    """How a language negates and grades.

    Attributes:
        negators: words that turn a neighbouring word round ("not", "without").
        degree: words that only grade ("very").
        function: words without a meaning of their own ("the", "are").
        whole: adjectives that only seem to deny another one by a prefix or suffix ("infamous").
        negator_follows: whether the negator stands behind what it negates (Hindi).
        splits_at_apostrophe: whether an apostrophe ends a word (French).
    """

    negators: frozenset[str] = frozenset()
    degree: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    negator_follows: bool = False
    splits_at_apostrophe: bool = False


@lru_cache
def rules_of(language: str) -> Rules:
    """The rules of a language; empty ones where `rules.toml` has none."""
    table = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    entry = table.get(language, {})
    return Rules(
        negators=frozenset(entry.get("negators", "").split()),
        degree=frozenset(entry.get("degree", "").split()),
        function=frozenset(entry.get("function", "").split()),
        whole=frozenset(entry.get("whole", "").split()),
        negator_follows=entry.get("negator_follows", False),
        splits_at_apostrophe=entry.get("splits_at_apostrophe", False),
    )
