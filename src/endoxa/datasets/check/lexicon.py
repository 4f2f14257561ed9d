"""The word lists of `lexicon.toml`, under names. What each holds, and from where, is said there."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_LISTS = tomllib.loads(files("endoxa.datasets.check").joinpath("lexicon.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _by_language(name: str) -> dict[str, frozenset[str]]:
    return {language: frozenset(listed.split()) for language, listed in _LISTS[name].items()}


MASCULINE_PRONOUNS = _words("masculine_pronouns")
FEMININE_PRONOUNS = _words("feminine_pronouns")
PRONOUNS = MASCULINE_PRONOUNS | FEMININE_PRONOUNS
MASCULINE = MASCULINE_PRONOUNS | _words("masculine_nouns")
FEMININE = FEMININE_PRONOUNS | _words("feminine_nouns")
GENDERED = MASCULINE | FEMININE
AGREEMENT = PRONOUNS | _words("agreement")
FUNCTION_WORDS = _words("agreement") | _words("function_words")
CASE_OPTIONAL = _words("case_optional")
DOUBLED_ALLOWED = _words("doubled_allowed")
VOWEL_SOUND = tuple(_LISTS["vowel_sound"].split())
CONSONANT_SOUND = tuple(_LISTS["consonant_sound"].split())
LETTERS_AN = _words("letters_an")
NEGATIONS = _by_language("negations")
COMPANIONS = _by_language("companions")
