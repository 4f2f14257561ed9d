"""First names, folded: of the bank that questions are built with, of Faker and our own."""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from importlib.resources import files

import regex

from endoxa.words.packs import words_by_language
from endoxa.words.persons.folding import folded

_BANK = "names.csv"
_SHORT = 3
"""First names of no more letters are too often words."""
_ARABIC = regex.compile(r"\p{Arabic}")
_CLITICS = "وفبلك"
"""What Arabic writes together with a name: and, so, with, for, like."""
_AND = "و"


def is_name(word: str) -> bool:
    """Whether a folded word is a first name and hardly ever a word."""
    return word in _names() or (_joined(word, _CLITICS) and word[1:] in _names())


def is_also_a_word(word: str) -> bool:
    """Whether a folded word is a first name and an ordinary word."""
    return word in _words() or (_joined(word, _AND) and word[1:] in _words())


def _joined(word: str, clitics: str) -> bool:
    return len(word) > _SHORT and word[0] in clitics and bool(_ARABIC.match(word))


@cache
def listed(table: str) -> dict[str, frozenset[str]]:
    """Words under a key of `first_names.toml`, folded, by language."""
    return {
        language: frozenset(map(folded, lists[table].split()))
        for language, lists in words_by_language("first_names.toml").items()
        if table in lists
    }


@cache
def in_any_language(table: str) -> frozenset[str]:
    """Words under a key of `first_names.toml` in all languages, as people mix them."""
    return frozenset[str]().union(*listed(table).values())


@cache
def _faker() -> dict[str, frozenset[str]]:
    text = files(__package__).joinpath("faker.toml").read_text(encoding="utf-8")
    return {kind: frozenset(names.split()) for kind, names in tomllib.loads(text).items()}


@cache
def _names() -> frozenset[str]:
    text = files("endoxa.words").joinpath(_BANK).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    latin = {folded(row["name"]) for row in rows if len(row["name"]) > _SHORT}
    native = {folded(row["native"]) for row in rows if row["native"] and " " not in row["native"]}
    return frozenset(latin | native | _faker()["certain"] | in_any_language("names")) - in_any_language(
        "words"
    )


@cache
def _words() -> frozenset[str]:
    return in_any_language("words") | (_faker()["words"] - _names())
