"""A YAML file as nested texts that know their lines, and one laid over another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from endoxa.errors import UserError
from endoxa.sources.files import require_file

Key = tuple[str, ...]
"""Where something stands: ("persons", "age", "child (0-12)"); the items of a list are counted from 1."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Tree:
    """What a file holds.

    Attributes:
        values: mappings, lists and texts; nothing becomes a number, a date, or true (`no` is the text "no").
        places: where each part was written, by key.
    """

    values: Mapping[str, Any]
    places: Mapping[Key, Place]

    def place(self, key: Key) -> Place:
        """Where a part was written, or what it would have been written in."""
        return next(self.places[key[:end]] for end in range(len(key), -1, -1) if key[:end] in self.places)


def read_tree(path: Path) -> Tree:
    """Read a YAML file.

    Raises:
        UserError: it is no UTF-8, no YAML, no mapping, names a key twice, or uses an alias.
    """
    require_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from problem
    return parse_tree(text, str(path))


def parse_tree(text: str, name: str) -> Tree:
    """The tree of a text in YAML, as `read_tree`; `name` is what sentences call it."""
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as problem:
        line = f", line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise UserError(f"{name}{line}: not valid YAML: {problem.problem}.") from problem
    except (yaml.YAMLError, RecursionError) as problem:
        raise UserError(f"{name} is not valid YAML: {str(problem).splitlines()[0]}.") from problem
    if not isinstance(node, yaml.MappingNode):
        raise UserError(f"{name} is not a YAML mapping. Expected a first line such as 'language: en'.")
    nodes = dict(_nodes(node, (), name, set()))
    places = {key: Place(name, one.start_mark.line + 1) for key, one in nodes.items()}
    return Tree(_value(node), places)


def _nodes(node: yaml.Node, key: Key, name: str, seen: set[int]) -> Iterator[tuple[Key, yaml.Node]]:
    """Every node under a node with its key; each is met once, which rules out aliases."""
    where = Place(name, node.start_mark.line + 1)
    if id(node) in seen:
        raise UserError(f"{where}: an alias (*) is not allowed. Write out the text.")
    seen.add(id(node))
    yield key, node
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value, start=1):
            yield from _nodes(item, (*key, str(number)), name, seen)
    if not isinstance(node, yaml.MappingNode):
        return
    names: set[str] = set()
    for part, value in node.value:
        line = Place(name, part.start_mark.line + 1)
        if not isinstance(part, yaml.ScalarNode):
            raise UserError(f"{line}: a name is expected before ':', not a list or mapping.")
        if part.value in names:
            raise UserError(f"{line}: '{part.value}' appears twice. Remove one.")
        names.add(part.value)
        yield from _nodes(value, (*key, part.value), name, seen)


def _value(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {part.value: _value(value) for part, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    return node.value


def merge(base: Tree, over: Tree) -> Tree:
    """`over` laid over `base`: mappings are joined name by name, everything else of `over` takes its place.

    A list is taken as a whole: four scenarios replace four scenarios.
    """
    return Tree(_merged(base.values, over.values), {**base.places, **over.places})


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    joined = dict(base)
    for name, value in over.items():
        there = joined.get(name)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            joined[name] = _merged(there, value)
        else:
            joined[name] = value
    return joined
