"""JSON objects in the answers of chat models: bare, in a code fence, between sentences or inside another object.

Structured output is asked for where a provider has it, but not every server does, and nothing here relies on it.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

MOST_DEPTH = 4
"""Objects inside objects that are looked at."""
MOST_STARTS = 200
"""Braces at which an object is looked for; a text of nothing but braces must not take forever."""
MOST_LENGTH = 20_000
"""Characters of an object that is no JSON and may be mended."""
_BRACE = re.compile(r"[{}]")
_TRAILING = re.compile(r",(?=\s*[}\]])")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_WORD = re.compile(r"\b(?:true|false|null)\b")


def outer_objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in the text that stand in no other one, in order.

    A comma too many and single quotes are forgiven.
    """
    decoder = json.JSONDecoder()
    place = text.find("{")
    for _ in range(MOST_STARTS):
        if place < 0:
            return
        try:
            parsed, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = _closing(text, place)
            parsed = _mended(text[place:end]) if end else None
            end = end if parsed else place + 1
        if parsed:
            yield parsed
        place = text.find("{", end)


def nested(value: Any, depth: int = MOST_DEPTH) -> Iterator[dict[str, Any]]:
    """An object and those inside it, outer ones first."""
    if isinstance(value, dict) and depth:
        yield value
        for inside in value.values():
            yield from nested(inside, depth - 1)


def _closing(text: str, place: int) -> int:
    """Where the object ends that opens at `place`, braces in quotes being counted too; 0 where it does not."""
    depth = 0
    for brace in _BRACE.finditer(text, place, place + MOST_LENGTH):
        depth += 1 if brace.group() == "{" else -1
        if not depth:
            return brace.end()
    return 0


def _mended(text: str) -> dict[str, Any] | None:
    """An object with a comma too many, or written as Python writes it."""
    try:
        parsed = json.loads(_TRAILING.sub("", text))
    except (ValueError, RecursionError):
        parsed = _as_python(_WORD.sub(lambda word: _WORDS[word.group()], text))
    return parsed if isinstance(parsed, dict) else None


def _as_python(text: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash that means nothing
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None
