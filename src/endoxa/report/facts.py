"""Reading `run.json` without trusting it: what is missing is called 'not recorded'."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from endoxa.report.inputs import Run
from endoxa.report.words import NOT_RECORDED

SHOWN_DIGITS = 12
"""Characters of a hash or fingerprint that are printed."""


def command(run: Run) -> str:
    """The command that made the run, as one line for a shell, without the folder endoxa is installed in."""
    words = [str(word) for word in items(run.facts.get("command"))]
    return shlex.join([Path(words[0]).name, *words[1:]]) if words else NOT_RECORDED


def items(value: object) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def entries(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list."""
    return (entry for entry in items(value) if isinstance(entry, Mapping))


def text(facts: Mapping[str, Any], key: str) -> str:
    """The value of a key as text."""
    value = facts.get(key)
    return NOT_RECORDED if value is None or value == "" else str(value)


def settings(value: object) -> str:
    """A mapping as 'prefix African, template ...'; 'none' where it says nothing."""
    if value is None:
        return NOT_RECORDED
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None) or "none"
