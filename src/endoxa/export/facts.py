"""Facts that only the makers of a data set know, from a TOML file of their own.

    [about]
    title = "Sayings about trades"
    authors = ["A Community Lab"]
    contact = "data@example.org"
    version = "1.0.0"

    [motivation]
    purpose = "To measure ..."

`[about]` holds the keys of `ABOUT`; the other tables answer the questions of the data sheet (`datasheet.toml`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from endoxa.datasets.files import require_file
from endoxa.errors import UserError
from endoxa.export.datasheet import question_keys

ABOUT: dict[str, str] = {
    "title": "name of the data set",
    "authors": "list of names, of people or organisations",
    "rights_holder": "who holds the rights, where that is not the authors",
    "contact": "an address for questions",
    "version": "version of the data",
}
"""Keys of the table `[about]`, with what they mean."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file of facts says.

    Attributes:
        about: the keys of `ABOUT` but `authors`.
        authors: names.
        answers: answers by the key of their question ('motivation.purpose').
    """

    about: Mapping[str, str] = field(default_factory=dict)
    authors: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def read_facts(path: Path | None) -> Facts:
    """The facts of a file; none without one. An empty answer is none.

    Raises:
        UserError: the file cannot be read as TOML, has a key that asks nothing, or a value that is no text.
    """
    if path is None:
        return Facts()
    require_file(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UserError(f"{path} cannot be read as TOML: {problem}.") from problem
    flat = _flat(path, tables)
    authors = flat.pop("about.authors", [])
    if not isinstance(authors, list) or not all(isinstance(name, str) for name in authors):
        raise UserError(f'{path}, about.authors must be a list of names: authors = ["...", "..."].')
    for key, value in flat.items():
        if not isinstance(value, str):
            raise UserError(f"{path}, {key} must be text in quotes, not {value!r}.")
    texts = {key: str(value).strip() for key, value in flat.items() if str(value).strip()}
    return Facts(
        {key.removeprefix("about."): text for key, text in texts.items() if key.startswith("about.")},
        tuple(authors),
        {key: text for key, text in texts.items() if not key.startswith("about.")},
    )


def _flat(path: Path, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Values by 'table.key'.

    Raises:
        UserError: a key is none of `ABOUT` and no question; the nearest are suggested.
    """
    known = [*(f"about.{key}" for key in ABOUT), *question_keys()]
    flat: dict[str, Any] = {}
    for table, content in tables.items():
        for key, value in content.items() if isinstance(content, dict) else [("", content)]:
            name = f"{table}.{key}".rstrip(".")
            if name not in known:
                near = get_close_matches(name, known, n=3) or known
                raise UserError(
                    f"{path} has a key '{name}' that nothing asks for. Did you mean: {', '.join(near)}?"
                )
            flat[name] = value
    return flat
