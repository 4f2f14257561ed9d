"""What prompts of a language are made of: the parts of a file under `languages/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from endoxa.errors import UserError, first_line
from endoxa.sources.files import require_file
from endoxa.words.packs import file_with, languages_with

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
        raise UserError(f"{name} is not valid YAML: {first_line(problem)}.") from problem
    if not isinstance(node, yaml.MappingNode):
        raise UserError(f"{name} is not a YAML mapping. Expected a first line such as 'language: en'.")
    nodes = dict(_nodes(node, (), name, set()))
    places = {key: Place(name, part.start_mark.line + 1) for key, part in nodes.items()}
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


THEMES = (
    "misconduct",
    "hobby",
    "learning",
    "family",
    "money",
    "technology",
    "activism",
    "health",
    "conflict",
)
"""The nine themes of StereoTales."""
IN_THEME = 4
"""Scenarios of a theme."""
PERSON, SCENARIO = "{person}", "{scenario}"
"""What a request leaves open."""
ANY = ""
"""The form of a text that fits every main character."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _wrapped(wrap: Callable[[str], Any]) -> BeforeValidator:
    """A part that may be written as a plain text, which then stands for what is made of it."""
    return BeforeValidator(lambda value: wrap(value) if isinstance(value, str) else value)


Wording = Annotated[dict[str, str], _wrapped(lambda text: {ANY: text})]
"""A text for each form of the main character, or one for all of them (under `ANY`)."""


class Person(_Part):
    """A noun phrase of a main character.

    Attributes:
        text: the phrase, as it stands in the request.
        form: which of the language's forms agrees with it; empty is the first one.
    """

    text: str
    form: str = ""


class Form(_Part):
    """A grammatical gender and number that other words agree with.

    Attributes:
        begins: words that a phrase of this form may begin with; none: any.
        mistakes: what never stands in a text of this form: regular expression -> why.
    """

    begins: tuple[str, ...] = ()
    mistakes: dict[str, str] = Field(default_factory=dict)


class Axis(_Part):
    """An attribute that StereoTales does not have: its values, and whether a reader may answer "other"."""

    values: tuple[str, ...]
    other: Literal["true", "false"] = "false"


class Language(_Part):
    """Everything that prompts of a language are made of.

    Attributes:
        language: ISO 639 code.
        name: the language's name in English.
        script: Unicode's names of its scripts ("Latin", "Devanagari"); one is written as it is.
        direction: which way it is read.
        request: asks for a story, with {person} and {scenario}.
        persons: attribute -> value -> main character.
        scenarios: theme -> four scenarios.
        forms: genders and numbers of main characters; empty where no other word agrees with them.
        mistakes: what never stands in any text: regular expression -> why.
        leaks: attribute -> words (a star stands for any ending) that no scenario may hold, and no main character
            of another attribute.
        exempt: attribute -> words of `leaks` that its own main characters may hold, as they cannot be said otherwise.
        attributes: attributes or values that are added to those of StereoTales.
    """

    language: str
    name: str
    script: Annotated[tuple[str, ...], _wrapped(lambda text: [text])]
    direction: Literal["ltr", "rtl"]
    request: Wording
    persons: dict[str, dict[str, Annotated[Person, _wrapped(lambda text: {"text": text})]]]
    scenarios: dict[str, tuple[Wording, ...]]
    forms: dict[str, Form] = Field(default_factory=dict)
    mistakes: dict[str, str] = Field(default_factory=dict)
    leaks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    exempt: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    attributes: dict[str, Axis] = Field(default_factory=dict)

    def form(self, person: Person) -> str:
        """The form that agrees with a person; `ANY` where the language declares none."""
        return person.form or next(iter(self.forms), ANY)


def in_form(wording: Wording, form: str) -> str:
    """The text of a wording for main characters of a form."""
    return wording[ANY] if ANY in wording else wording[form]


def bundled_languages() -> tuple[str, ...]:
    """Codes of the languages that come with endoxa."""
    return languages_with("stories.yaml")


@cache
def bundled_tree(code: str) -> Tree | None:
    """The file of a bundled language, None where there is none."""
    if code not in bundled_languages():
        return None
    return parse_tree(file_with(code, "stories.yaml").read_text(encoding="utf-8"), f"{code}/stories.yaml")


def read_trees(paths: Sequence[Path]) -> dict[str, Tree]:
    """Files of a user by language, each laid over the bundled one; of two for a language the later one wins.

    Raises:
        UserError: a file cannot be read, or does not say its language.
    """
    trees: dict[str, Tree] = {}
    for path in paths:
        tree = read_tree(path)
        code = tree.values.get("language")
        if not isinstance(code, str) or not code.strip():
            raise UserError(f"{path} has no language. Add a line such as 'language: en'.")
        below = trees.get(code) or bundled_tree(code)
        trees[code] = tree if below is None else merge(below, tree)
    return trees


def parse_language(tree: Tree) -> Language:
    """The language that a tree describes.

    Raises:
        UserError: a part is missing, unknown, or not of the right kind.
    """
    try:
        return Language.model_validate(tree.values)
    except ValidationError as problem:
        first = problem.errors()[0]
        key: Key = tuple(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
        raise UserError(f"{tree.place(key)}, {' / '.join(key)}: {_complaint(first)}.") from problem


def _complaint(error: ErrorDetails) -> str:
    """What one of pydantic's errors means for the file."""
    complaints = {
        "missing": "this part is missing",
        "extra_forbidden": "there is no such part; check the spelling",
        "string_type": "a text is expected",
        "dict_type": "names with something behind ':' are expected",
        "tuple_type": "a list is expected",
        "literal_error": f"{error.get('ctx', {}).get('expected')} is expected",
    }
    return complaints.get(
        error["type"], "this is not what is expected here; see the file of another language"
    )
