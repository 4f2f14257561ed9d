"""Options declared once: a settings field carries its help, its group and its spelling.

The command line, the keywords of the API and `run.json` are made from the same declaration:

    limit: Annotated[int | None, Ge(1), Option(group=DATA, metavar="N")] = None

Its help is the line of the field in the docstring. Types that several classes share carry theirs.
Settings are pydantic models or frozen dataclasses. A command declares what belongs to no settings, such as files, in
the same way, as parameters of its function.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial, reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_type_hints

from endoxa.errors import UserError

S = TypeVar("S")

DATA = "Data"
ITEMS = "Items"
ASKING = "Asking"
SAMPLING = "Sampling"
ANALYSIS = "Analysis"
NETWORK = "Network"
MONEY = "Money"
LOCAL = "Local weights"
MACHINES = "Machines"
OUTPUT = "Output"
GROUPS = (DATA, ITEMS, ASKING, SAMPLING, ANALYSIS, NETWORK, MONEY, LOCAL, MACHINES, OUTPUT)
"""Purposes of options, in the order in which `--help` shows them."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a field of settings is given on the command line.

    Attributes:
        help: an imperative or a noun phrase; where it is empty, it is the line of the field in the docstring of its
            class or function.
        group: its purpose, one of `GROUPS`.
        name: the option, where it is not the field's name with hyphens ("--model").
        short: its short form ("-o").
        metavar: what stands for its value in `--help`.
        default: what `--help` says of the default, where the value itself would not tell.
        parse: reads the text; raises ValueError or UserError with a sentence.
        only_on: no `--no-...` form.
        decides: whether the value decides a result, and so belongs to the identity of a run: yes, unless it is marked.
            False for what changes speed, cost or looks; the name of another option, if it decides only beside that
            one; `MODELS`, if it is part of the identity of each model that it concerns.
        positional: a word without a name in front.
        table: the file holds a table.
        ending: what the file's name must end with.
        sample: which sample data the word `sample` stands for ("questions"); by default pairs.
        rare: it is no word of the command: it is given by `--set NAME=VALUE` or in a file of settings.
    """

    help: str = ""
    group: str = DATA
    name: str = ""
    short: str = ""
    metavar: str | None = None
    default: str | None = None
    parse: Callable[[str], Any] | None = None
    only_on: bool = False
    decides: bool | str = True
    positional: bool = False
    table: bool = False
    ending: str = ""
    sample: str = ""
    rare: bool = False


Setting = partial(Option, rare=True)
"""An option that is no word of the command."""


@dataclass(frozen=True, slots=True)
class Internal:
    """Marks a field of settings that is no option.

    Attributes:
        decides: see `Option.decides`.
    """

    decides: bool | str


MODELS = "models"
"""See `Option.decides`."""


@dataclass(frozen=True, slots=True)
class OptionField:
    """One option of a command.

    Attributes:
        path: names of the fields that lead to the value ("sampling", "temperature").
        option: what was declared.
        type: the value's type without its annotations.
        default: the value where nothing is given; `...` where one is required.
        limits: annotations that bound the value ("ge", "gt", "le", "lt").
    """

    path: tuple[str, ...]
    option: Option
    type: Any
    default: Any
    limits: dict[str, float]

    @property
    def word(self) -> str:
        """Its name in files, in Python and behind `--set`: "max_tokens"."""
        return (self.option.name or self.path[-1]).strip("-").partition("/")[0].replace("-", "_")

    @property
    def name(self) -> str:
        """The option as written, "--max-tokens" or "--set rpm"."""
        if self.option.rare:
            return f"--set {self.word}"
        return self.option.name or "--" + self.path[-1].replace("_", "-")

    @property
    def is_file(self) -> bool:
        """Whether the value is the name of a file."""
        return self.option.metavar == "FILE"

    @property
    def is_path(self) -> bool:
        """Whether the value is the name of a file or folder."""
        return Path in (self.type, *get_args(self.type)) or any(
            word in (self.option.metavar or "") for word in ("FILE", "RUN")
        )


def options_of(owner: Any) -> list[OptionField]:
    """All options, group by group.

    Args:
        owner: a settings class, or a function whose parameters are options or settings classes.
    """
    return sorted(
        _declared(owner),
        key=lambda entry: (
            not entry.option.positional,
            GROUPS.index(entry.option.group),
            entry.default is not ...,
        ),
    )


def is_settings(kind: Any) -> bool:
    """A dataclass or a pydantic model."""
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "model_fields"))


@cache
def _declared(owner: Any) -> tuple[OptionField, ...]:
    return tuple(_options(owner, (), None))


def _options(owner: Any, path: tuple[str, ...], defaults: Any) -> Iterator[OptionField]:
    hints, described = get_type_hints(owner, include_extras=True), _described(owner)
    for name, default in _fields(owner, defaults):
        hint = hints[name]
        extras = getattr(hint, "__metadata__", ())
        bare = getattr(hint, "__origin__", hint) if extras else hint
        declared = [extra for extra in extras if isinstance(extra, Option)]
        if declared:
            # `Annotated[Seed, Option(...)]` keeps the limits of a shared option under another help or group.
            option = declared[-1]
            if not option.help:
                option = dataclasses.replace(option, help=described[name])
            yield OptionField((*path, name), option, bare, default, _limits(extras))
        elif is_settings(bare):
            yield from _options(bare, (*path, name), None if default is ... else default)


def _described(owner: Any) -> dict[str, str]:
    """What the docstring of a function, or of the class that declares a field, says of it."""
    described: dict[str, str] = {}
    for part in reversed(getattr(owner, "__mro__", (owner,))):
        entries = _ENTRY.findall(inspect.cleandoc(part.__doc__ or ""))
        declared = inspect.get_annotations(part)
        described |= {name: " ".join(text.split()) for name, text in entries if name in declared}
    return described


_ENTRY = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
"""A name and its description, in a section of a docstring."""


def _fields(owner: Any, instance: Any) -> Iterator[tuple[str, Any]]:
    """Names and defaults: those of an instance where one is given, else those of the class or function."""
    if inspect.isfunction(owner):
        for name, parameter in inspect.signature(owner).parameters.items():
            yield name, ... if parameter.default is parameter.empty else parameter.default
    elif dataclasses.is_dataclass(owner):
        for declared in dataclasses.fields(owner):
            yield declared.name, _default(declared) if instance is None else getattr(instance, declared.name)
    else:
        for name, field in owner.model_fields.items():
            default = ... if field.is_required() else field.get_default(call_default_factory=True)
            yield name, default if instance is None else getattr(instance, name)


def _default(field: dataclasses.Field[Any]) -> Any:
    """The default of a field of a dataclass; `...` where one is required."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return ... if field.default is dataclasses.MISSING else field.default


def deciding(
    settings: Any, contents: Mapping[str, Any] = MappingProxyType({}), *, of_models: bool = False
) -> dict[str, Any]:
    """Everything in settings that decides a result, by the names of the fields, as JSON has it.

    A file is named by what it contains: its SHA-256.

    Args:
        settings: an instance of a settings class.
        contents: values that take the place of fields.
        of_models: take what belongs to the identity of each model, too.
    """
    decided: dict[str, Any] = {}
    hints = get_type_hints(type(settings), include_extras=True)
    for name, value in _fields(type(settings), settings):
        if name in contents:
            continue
        marks = [
            mark for mark in getattr(hints[name], "__metadata__", ()) if isinstance(mark, Option | Internal)
        ]
        when = marks[-1].decides if marks else True
        if when is False or (when == MODELS and not of_models):
            continue
        if isinstance(when, str) and when != MODELS and not getattr(settings, when):
            continue
        if is_settings(type(value)):
            decided |= {name: inner} if (inner := deciding(value, of_models=of_models)) else {}
        else:
            file = marks and isinstance(marks[-1], Option) and marks[-1].metavar == "FILE"
            decided[name] = _content(value) if file else _plain(value)
    return decided | dict(contents)


def with_defaults(earlier: Mapping[str, Any], now: Mapping[str, Any], settings: Any) -> dict[str, Any]:
    """What once decided a result, with the defaults of the options that did not exist then.

    Args:
        earlier: what an earlier version's settings decided (see `deciding`), as JSON has it.
        now: what today's settings decide.
        settings: their class.
    """
    completed: dict[str, Any] = json.loads(json.dumps(earlier))
    for field in options_of(settings):
        *outer, name = field.path
        then, today = completed, now
        for key in outer:
            then, today = then.get(key) or {}, today.get(key) or {}
        places = [(then, today)]
        if field.option.decides == MODELS:
            places = list(zip(completed.get(MODELS, []), now.get(MODELS, []), strict=False))
        for then, today in places:
            if name in today and field.default is not ...:
                then.setdefault(name, _plain(field.default))
    return completed


def _content(file: str | Path | None) -> str | None:
    path = Path(file or "").expanduser()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else _plain(file)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Path) else value


def with_values(settings: S, change: Callable[[OptionField, Any], Any]) -> S:
    """The same settings with every value that was chosen, each of several by itself, as a function gives it."""
    for entry in options_of(type(settings)):
        value = reduce(getattr, entry.path, settings)
        if value is None:
            continue
        changed = (
            tuple(change(entry, part) for part in value) if isinstance(value, tuple) else change(entry, value)
        )
        if changed != value:
            settings = _with_value(settings, entry.path, changed)
    return settings


def _with_value(owner: Any, path: tuple[str, ...], value: Any) -> Any:
    name, *inner = path
    changes = {name: _with_value(getattr(owner, name), tuple(inner), value) if inner else value}
    if hasattr(owner, "model_copy"):
        return owner.model_copy(update=changes)
    return dataclasses.replace(owner, **changes)


def _limits(extras: tuple[Any, ...]) -> dict[str, float]:
    """Bounds by name, from annotations of `annotated_types`."""
    return {
        bound: getattr(extra, bound)
        for extra in extras
        for bound in ("ge", "gt", "le", "lt")
        if hasattr(extra, bound)
    }


def settings_from(settings: type[S], values: dict[tuple[str, ...], Any]) -> S:
    """Settings from values by path, as `OptionField.path` has them.

    Raises:
        UserError: a value is missing or not allowed.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(settings).validate_python(_built(settings, values))
    except ValidationError as problem:
        first = problem.errors()[0]
        names = {option.path: option.name for option in options_of(settings)}
        where = names.get(tuple(str(part) for part in first["loc"]), ".".join(map(str, first["loc"])))
        raise UserError(f"{where}: {first['msg']} (found: {first.get('input')!r}).") from problem


def _built(owner: Any, values: dict[tuple[str, ...], Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Fields of `owner` from the values below `path`; those of nested owners lie over their defaults."""
    hints = get_type_hints(owner)
    built: dict[str, Any] = {}
    for name, default in _fields(owner, None):
        here = (*path, name)
        if here in values:
            built[name] = values[here]
        elif any(value[: len(here)] == here for value in values):
            base = {} if default is ... else dict(_fields(hints[name], default))
            built[name] = base | _built(hints[name], values, here)
    return built


def finite(text: str) -> float:
    """A number that is neither NaN nor infinite.

    Raises:
        ValueError: it is.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} must be finite.")
    return value


def names(text: str) -> tuple[str, ...]:
    """Names, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def column_names(text: str) -> dict[str, str]:
    """Names of columns: 'sent_more=stereotype,sent_less=other'.

    Raises:
        ValueError: the text is not of this form.
    """
    names: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        ours, sign, theirs = part.partition("=")
        if not (sign and ours.strip() and theirs.strip()):
            raise ValueError(f"'{part}' is not of the form OURS=THEIRS.")
        if names.setdefault(ours.strip(), theirs.strip()) != theirs.strip():
            raise ValueError(f"'{ours.strip()}' is named twice.")
    return names


def json_object(text: str) -> dict[str, Any]:
    """A JSON object.

    Raises:
        UserError: the text is not one.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a JSON number")

    try:
        parsed = json.loads(text or "{}", parse_constant=refuse)
        json.dumps(parsed, ensure_ascii=False).encode()
    except ValueError as problem:
        raise UserError(f"Invalid JSON ({problem}). Write for example '{{\"top_k\": 40}}'.") from problem
    if not isinstance(parsed, dict):
        raise UserError("Expected a JSON object, for example '{\"top_k\": 40}'.")
    return parsed
