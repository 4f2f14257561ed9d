"""TOML files that users write: read, and checked against a pydantic model; every fault is one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from endoxa.errors import UserError
from endoxa.sources.files import require_file

M = TypeVar("M")
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_FAULTS = dict.fromkeys(_UNKNOWN, "it is not known") | {
    "missing": "it is missing",
    "string_type": "expected a text, found {!r}",
    "dict_type": "expected a table, found {!r}",
    "dataclass_type": "expected a table, found {!r}",
    "tuple_type": "expected a list, found {!r}",
}
"""What pydantic's commonest errors mean for a file, by their type."""


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file.

    Raises:
        UserError: the file cannot be read, or is not TOML.
    """
    require_file(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not valid TOML: {problem}.") from problem


def validated(model: type[M], content: object, where: str, expected: str) -> M:
    """What a file holds, as the model that describes it.

    Args:
        model: a pydantic model or a dataclass.
        content: tables, as they were read.
        where: name of the file, or of the place in it.
        expected: a sentence on what stands there, or where an example is.

    Raises:
        UserError: a key is missing, unknown, or has a value of another kind.
    """
    try:
        return TypeAdapter(model).validate_python(content)
    except ValidationError as problem:
        # A misspelt key before the one that it seems to leave out.
        first = min(problem.errors(), key=lambda error: error["type"] not in _UNKNOWN)
        place = ".".join(str(step + 1 if isinstance(step, int) else step) for step in first["loc"])
        fault_words = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
        fault = _FAULTS[first["type"]].format(first["input"]) if first["type"] in _FAULTS else fault_words
        raise UserError(f"{': '.join(filter(None, (where, place, fault)))}. {expected}") from problem
