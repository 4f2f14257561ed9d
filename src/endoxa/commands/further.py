"""Settings that are no words of a command: `--set NAME=VALUE`, and files of settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, get_origin

from endoxa.errors import UserError
from endoxa.runs.options import as_setting, keywords, nearest
from endoxa.schema.options import DATA, OUTPUT, Option, OptionField, options_of

FieldPath = tuple[str, ...]
NOTICE = "notice"
"""What every page of a run says first: `run.json` holds it, and no option gives it."""


@dataclass(frozen=True, slots=True)
class Further:
    """How a command is given the settings that `--help --all` lists.

    Attributes:
        set: Further setting, as --help --all lists them; repeatable.
        settings: Settings by name: TOML, or the run.json of a run. What is typed stands over them.
    """

    set: Annotated[tuple[str, ...], Option(group=OUTPUT, metavar="NAME=VALUE")] = ()
    settings: Annotated[Path | None, Option(group=DATA)] = None


def values_set(owner: Any, further: Further) -> dict[FieldPath, Any]:
    """Values by path: those of the file, and over them what was set.

    Raises:
        UserError: the file cannot be read, or a name or value is none.
    """
    values = dict(_of_file(owner, further.settings)) if further.settings else {}
    several: dict[FieldPath, list[Any]] = {}
    for word in further.set:
        name, sign, text = word.partition("=")
        entry = keywords(owner).get(name.replace("-", "_"))
        if entry is None or not sign:
            raise UserError(
                f"--set {word}: expected NAME=VALUE.{nearest(name, keywords(owner))} --help --all lists the names."
            )
        value = read_value(entry, text)
        several.setdefault(entry.path, []).extend(value if isinstance(value, list) else [value])
    entries = {entry.path: entry for entry in options_of(owner)}
    set_now = {
        path: tuple(given) if get_origin(entries[path].type) is tuple else given[-1]
        for path, given in several.items()
    }
    return values | set_now


def read_value(entry: OptionField, value: Any) -> Any:
    """The value of a field from what was typed.

    Raises:
        UserError: the text cannot be read.
    """
    if isinstance(value, list):
        return tuple(value)
    if entry.option.parse is None:
        return value
    try:
        return entry.option.parse(value)
    except (ValueError, UserError) as problem:
        raise UserError(f"{entry.name}: {problem}") from problem


def _of_file(owner: Any, file: Path) -> Iterator[tuple[FieldPath, Any]]:
    """Settings of a file, by path, without those that say what is written."""
    from endoxa.sources.toml import read_toml

    given = _of_run(owner, file) if file.suffix == ".json" else _of_tables(owner, file, read_toml(file), ())
    outputs = {entry.path for entry in options_of(owner) if _is_written(entry)}
    for path, value in given:
        if path in outputs:
            raise UserError(f"{file}: '{path[-1]}' says what is written, which only the command may say.")
        yield path, value


def _is_written(entry: OptionField) -> bool:
    """Whether the value names a file or folder that is written."""
    return entry.is_path and entry.option.group == OUTPUT


def _of_run(owner: Any, file: Path) -> Iterator[tuple[FieldPath, Any]]:
    """Settings that `run.json` of a run keeps, where they are not the usual ones."""
    from pydantic import TypeAdapter, ValidationError

    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        made = TypeAdapter(owner).validate_python(content["settings"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise UserError(
            f"{file} holds no settings of this command: expected the run.json of a run."
        ) from problem
    for entry in options_of(owner):
        value = reduce(getattr, entry.path, made)
        if value != entry.default and not _is_written(entry):
            yield entry.path, value
    if getattr(made, NOTICE, None):
        yield (NOTICE,), made.notice


def _of_tables(
    owner: Any, file: Path, content: Mapping[str, Any], path: FieldPath
) -> Iterator[tuple[FieldPath, Any]]:
    """Settings of a table and of the tables in it (`[sampling]`)."""
    by_path = {entry.path: entry for entry in options_of(owner)}
    tables = {entry[: len(path) + 1] for entry in by_path if len(entry) > len(path) + 1}
    words = keywords(owner)
    for name, value in content.items():
        here = (*path, name)
        entry = by_path.get(here) or (None if path else words.get(name))
        if here in tables and isinstance(value, Mapping):
            yield from _of_tables(owner, file, value, here)
        elif entry is None:
            raise UserError(f"{file}: there is no setting '{name}'.{nearest(name, words)}")
        else:
            yield entry.path, as_setting(entry, value)
