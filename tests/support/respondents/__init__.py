"""Simulated respondents of the tests: authors, raters of harm and coders of thoughts, as a package would add them.

The entry points stand in `tests/endoxa_test_respondents-0.dist-info`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

PACKAGE = "support.respondents"


@cache
def words_of(topic: str) -> Mapping[str, Any]:
    """What these respondents say (`words.toml`)."""
    words: Mapping[str, Any] = tomllib.loads((files(PACKAGE) / "words.toml").read_text("utf-8"))[topic]
    return words


def wording(topic: str, language: str) -> Mapping[str, Any]:
    """The words of a language; English where there are none."""
    languages: Mapping[str, Mapping[str, Any]] = words_of(topic)["languages"]
    return languages.get(language.split("-", maxsplit=1)[0].lower(), languages["en"])
