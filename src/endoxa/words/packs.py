"""The words of a language, from its folder `words/LANGUAGE/`; `words/README.md` says what each file holds."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_FOLDER = files(__package__)


@cache
def languages_with(name: str) -> tuple[str, ...]:
    """ISO 639 codes of the languages that have a file, sorted."""
    folders = (entry for entry in _FOLDER.iterdir() if entry.is_dir())
    return tuple(sorted(entry.name for entry in folders if entry.joinpath(name).is_file()))


def file_with(language: str, name: str) -> Traversable:
    """The file of one of `languages_with(name)`.

    Args:
        language: ISO 639 code; empty for a file of all languages at once.
        name: name of the file, with its ending ("pairs.toml").
    """
    return _FOLDER.joinpath(language, name)


def _text(language: str, name: str) -> str:
    """What a file holds; empty where the language, which may be anything that a user typed, has none."""
    if language and language not in languages_with(name):
        return ""
    return file_with(language, name).read_text(encoding="utf-8")


@cache
def words_of(language: str, name: str) -> Mapping[str, Any]:
    """What a TOML file of a language holds, see `file_with`; empty where the language has none."""
    return tomllib.loads(_text(language, name))


@cache
def words_by_language(name: str) -> Mapping[str, Mapping[str, Any]]:
    """What the TOML files of a name hold, by language."""
    return {language: words_of(language, name) for language in languages_with(name)}


@cache
def rows_of(language: str, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table (CSV) of a language, see `file_with`; none where the language has no such table."""
    return tuple(csv.DictReader(_text(language, name).splitlines()))


def language_name(code: str, language: str = "en") -> str:
    """Name of a language ("Hindi" for "hi"), from Unicode's CLDR; its code where that has none.

    Args:
        code: its ISO 639 code.
        language: code of the language in which the name is wanted.
    """
    from babel import Locale, UnknownLocaleError

    try:
        names = Locale.parse(language.replace("-", "_")).languages
    except (UnknownLocaleError, ValueError):
        return code
    return str(names.get(code.replace("-", "_"), code))
