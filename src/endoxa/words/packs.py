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
    """ISO 639 codes of the languages that have a file, sorted.

    Args:
        name: name of the file, with its ending ("pairs.toml").
    """
    folders = (entry for entry in _FOLDER.iterdir() if entry.is_dir())
    return tuple(sorted(entry.name for entry in folders if entry.joinpath(name).is_file()))


def file_with(language: str, name: str) -> Traversable:
    """The file of a language; one that does not exist where the language has none."""
    return _FOLDER.joinpath(language, name)


@cache
def words_of(language: str, name: str) -> Mapping[str, Any]:
    """What a TOML file of a language holds; empty where the language has none.

    Args:
        language: ISO 639 code.
        name: name of the file, with its ending.
    """
    file = file_with(language, name)
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


@cache
def words_by_language(name: str) -> Mapping[str, Mapping[str, Any]]:
    """What the TOML files of a name hold, by language."""
    return {language: words_of(language, name) for language in languages_with(name)}


@cache
def rows_of(language: str, name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table (CSV) of a language; none where the language has no such table.

    Args:
        language: ISO 639 code.
        name: name of the file, with its ending.
    """
    file = file_with(language, name)
    return tuple(csv.DictReader(file.read_text(encoding="utf-8").splitlines())) if file.is_file() else ()
