"""The word lists of `english.toml`. What each holds is said there."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """A class of words."""
    return frozenset(_table()[name].split())


@cache
def mapped(name: str) -> dict[str, str]:
    """Words and what takes their place."""
    return dict(_table()[name])
