"""A pack of the user is looked through before any of it is read: what cannot be used is said in one sentence.

`formats.toml` says what each file must hold. Nothing in a pack is run: its files are texts, and its regular expressions
are tried in a process that can be stopped.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from string import Formatter
from typing import Any

import regex
from pydantic import ValidationError

from endoxa.errors import UserError
from endoxa.words.packs import FOLDER, PACK, Pack, read_pack, words_of

_PATTERN_SECONDS = 5.0
"""How long the expressions of a pack may take together on texts made to delay them; all of ours take 0.1."""
_TRIAL = r"""
import re, sys
for number, pattern in enumerate(sys.stdin.buffer.read().decode().split("\0")):
    try:
        compiled = re.compile(pattern)
    except re.error:
        continue  # one for the module `regex`, which has been tried
    print(number, flush=True)
    for letter in sorted(set(re.sub(r"\\.|\W", "", pattern)[:40]) | set("a1")):
        for text in (letter * 40 + "\x01", f"{letter} " * 40 + "\x01"):
            compiled.search(text)
"""


def formats() -> Mapping[str, Mapping[str, Any]]:
    """`formats.toml`: what each file of a pack must hold, by its name."""
    return words_of("", "formats.toml")


def opened(folder: Path) -> Pack:
    """What `pack.toml` of a folder says, once every file of the pack has been looked through.

    Raises:
        UserError: it is no pack, or a file of it is not as `formats.toml` says.
    """
    if not (folder / PACK).is_file():
        raise UserError(f"{folder} is no language pack: it has no {PACK}. `endoxa languages init` makes one.")
    trees = {path: tree_of(path) for path in sorted(folder.iterdir()) if path.name in formats()}
    patterns: dict[str, Path] = {}
    for path, tree in trees.items():
        patterns |= dict.fromkeys(_checked(path, tree, formats()[path.name]), path)
    _require_quick(patterns)
    try:
        return read_pack(trees[folder / PACK])
    except ValidationError as problem:
        fault = problem.errors()[0]
        place = ", ".join([str(folder / PACK), *map(str, fault["loc"])])
        raise UserError(f"{place}: {fault['msg']}. `endoxa languages init` writes an example.") from problem


def tree_of(path: Path) -> dict[str, Any]:
    """A file as a tree; rows of a table by their line, catalogues by their English text.

    Raises:
        UserError: it cannot be read.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8-sig" if path.suffix == ".csv" else "utf-8")
        if path.suffix == ".csv":
            return dict(_rows(path, text))
        if path.suffix == ".po":
            return _catalogue(text)
        tree = tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text (byte {problem.start}): save it as UTF-8.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not TOML: {problem}.") from problem
    except yaml.YAMLError as problem:
        raise UserError(f"{path} is not YAML: {' '.join(str(problem).split())}.") from problem
    if not isinstance(tree, dict):
        raise UserError(f"{path}: expected keys and values.")
    return tree


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a tree that is neither a table nor a list, with the keys that lead to it."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from leaves(value, (*path, str(key)))
    elif isinstance(tree, list):
        for number, value in enumerate(tree, start=1):
            yield from leaves(value, (*path, str(number)))
    else:
        yield path, tree


def _catalogue(content: str) -> dict[str, Any]:
    """Translations by their English text; several forms of one by their number. Drafts (fuzzy) are none."""
    from babel.messages.pofile import read_po

    translations: dict[str, Any] = {}
    for message in read_po(io.BytesIO(content.encode())):
        if not message.id or message.fuzzy:
            continue
        single = message.id if isinstance(message.id, str) else message.id[0]
        name = f"{message.context}: {single}" if message.context else single
        translations[name] = message.string if isinstance(message.string, str) else list(message.string or ())
    return translations


def _rows(path: Path, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(text), restval="", strict=True)
    try:
        for name in formats().get(path.name, {}).get("columns", ()):
            if name not in (reader.fieldnames or ()):
                raise UserError(f"{path}: the column '{name}' is missing in the first row.")
        for number, row in enumerate(reader, start=2):
            if beyond := row.pop(None, ()):
                raise UserError(
                    f"{path}, row {number}: {len(row) + len(beyond)} cells, and only {len(row)} columns; put a text "
                    'with commas between quotation marks (").'
                )
            yield str(number), row
    except csv.Error as problem:
        raise UserError(f"{path}, row {reader.line_num}: {problem}.") from problem


def _checked(path: Path, tree: Mapping[str, Any], form: Mapping[str, Any]) -> Iterator[str]:
    """The regular expressions of a file that is as its form says.

    Raises:
        UserError: it is not.
    """
    for name in form.get("required", ()):
        if name not in tree:
            raise UserError(f"{path}: '{name}' is missing.")
    if path.suffix == ".toml":
        _require_kinds(path, tree)
    for key, value in leaves(tree):
        if not isinstance(value, str):
            continue
        place = "/".join(key)
        for name, slots in form.get("slots", {}).items():
            once, there = name.endswith("!"), slots_in(value)
            if key[0] == name.rstrip("!") and (
                set(there) - set(slots) or (once and sorted(there) != sorted(slots))
            ):
                allowed = ", ".join(f"{{{slot}}}" for slot in slots)
                raise UserError(
                    f"{path}, {place}: {value!r} must hold {allowed}{' once' if once else ''} and no other braces."
                )
        if any(fnmatchcase(place, each) for each in form.get("patterns", ())):
            try:
                regex.compile(value)
            except regex.error as problem:
                raise UserError(
                    f"{path}, {place}: {value!r} is no regular expression ({problem})."
                ) from problem
            yield value


def _require_kinds(path: Path, tree: Mapping[str, Any]) -> None:
    """Refuse a text where all our languages have a list, and the other way round."""
    tables = [tomllib.loads(each.read_text(encoding="utf-8")) for each in FOLDER.glob(f"*/{path.name}")]
    for name, value in tree.items():
        ours = {type(table[name]) for table in tables if name in table}
        if ours and type(value) not in ours:
            kinds = {str: "a text", list: "a list", dict: "a table", bool: "true or false"}
            expected = " or ".join(sorted(kinds.get(kind, kind.__name__) for kind in ours))
            raise UserError(f"{path}: '{name}' is {kinds.get(type(value), 'a number')}. Expected {expected}.")
        if ours and isinstance(value, list) and set(map(type, value)) not in (set(), {str}, {list}, {dict}):
            raise UserError(f"{path}: '{name}' holds something that is no text.")


def slots_in(text: str) -> list[str]:
    """What stands in braces in a text; "{" for braces that nothing can be put into."""
    try:
        return [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        return ["{"]


def _require_quick(patterns: Mapping[str, Path]) -> None:
    """Refuse expressions that run away; another process tries them, as nothing stops the module `re` within one.

    Raises:
        UserError: an expression did not end in time.
    """
    if not patterns:
        return
    try:
        subprocess.run(  # noqa: S603, our own program; the patterns are its input
            [sys.executable, "-I", "-S", "-c", _TRIAL],
            input="\0".join(patterns).encode(),
            capture_output=True,
            check=True,
            timeout=_PATTERN_SECONDS,
        )
    except subprocess.TimeoutExpired as problem:
        pattern, path = list(patterns.items())[int((problem.stdout or b"0").split()[-1])]
        raise UserError(
            f"{path}: the regular expression {pattern!r} runs away: on a text of 40 equal letters "
            "it did not end within seconds. Leave out repetitions within repetitions, such as (a+)+."
        ) from problem
