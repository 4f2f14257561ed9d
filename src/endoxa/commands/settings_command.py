"""Commands made from declarations: options, their help, groups and limits stand in settings classes and nowhere else.

Typer is kept because every other command uses it; what is added here is the way from declared options to its own.
`settings_command` makes a command of `endoxa probe` from the settings of an instrument; `add_command` adds a command
that is a function, whose parameters are options or settings classes.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from endoxa.errors import UserError
from endoxa.schema.options import (
    DATA,
    GROUPS,
    OUTPUT,
    Option,
    OptionField,
    is_settings,
    options_of,
    settings_from,
)

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Printing:
    """What a command prints of its results.

    Attributes:
        quiet: nothing but warnings and errors.
        json: the headline as JSON, nothing else.
    """

    quiet: Annotated[bool, Option("Print warnings and errors only.", OUTPUT, only_on=True)] = False
    json: Annotated[
        bool, Option("Print the headline as JSON, for scripts, and nothing else.", OUTPUT, only_on=True)
    ] = False


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of every run.

    Attributes:
        printing: what is printed.
        out: the run folder.
        restart: discard what the run folder holds.
        plan: only print what the run would take.
        repeat: take all settings from this run.
    """

    out: Annotated[Path | None, Option("Run folder.", OUTPUT, short="-o", metavar="RUN")] = None
    restart: Annotated[
        bool,
        Option(
            "Discard what the run folder holds, or continue it.",
            OUTPUT,
            name="--restart/--resume",
            default="resume",
        ),
    ] = False
    plan: Annotated[
        bool, Option("Only print what the run would take or show; measure nothing.", OUTPUT, only_on=True)
    ] = False
    repeat: Annotated[
        Path | None,
        Option(
            "Take all settings from the run.json of this run. Servers on other machines have to be named with --model "
            "as well, and code that comes with a model needs --trust-remote-code.",
            OUTPUT,
            metavar="RUN",
        ),
    ] = None
    printing: Printing = Printing()


class Body(Protocol):
    """What a command does with its settings."""

    def __call__(self, make: Callable[[], BaseModel], given: Mapping[str, Any], how: RunOptions) -> None:
        """Run it.

        Args:
            make: makes the settings from what was typed; raises UserError.
            given: options that were typed, with their values.
            how: where the run goes, and what is done of it.
        """
        ...


_DEFAULT = re.compile(r"\[default: \((.*?)\)(;|\])")
"""Typer puts a default that is told in words into brackets."""
_KIND = re.compile(r" <[A-Za-z\[\]]+>$")
"""The Python type that Typer puts behind an argument's name."""
_EXAMPLES = re.compile(r"\s*[\b]\s*Examples?:")
_METAVARS = {str: "TEXT", int: "N", float: "X", Path: "FILE"}


class GroupedCommand(TyperCommand):
    """A command whose `--help` has examples first and lists options by purpose."""

    def __init__(self, *args: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002
        super().__init__(*args, help=examples_first(help or ""), **more)

    def invoke(self, ctx: Any) -> Any:
        """Run it; the language that was typed is also that of files in a Windows encoding."""
        from endoxa.sources.dialects import declared_languages

        with declared_languages(*_typed_languages(ctx)):
            return super().invoke(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002
        """The first paragraph, whole: lists of commands break lines and cut nothing."""
        return _first_paragraph(self)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, a section for each purpose."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                record = (_KIND.sub("", record[0]), _DEFAULT.sub(r"[default: \1\2", record[1]))
                usual = DATA if isinstance(parameter, TyperArgument) else "Options"
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def _typed_languages(ctx: Any) -> list[str]:
    """What was typed for the options called language or languages; defaults declare nothing."""
    values = [
        value
        for key, value in ctx.params.items()
        if key.rpartition("__")[2] in ("language", "languages")
        and value
        and ctx.get_parameter_source(key).name == "COMMANDLINE"
    ]
    return [code for value in values for code in ([value] if isinstance(value, str) else value)]


class Groups(TyperGroup):
    """The root: its groups of commands with their whole summaries."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write every command and group with its first paragraph."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, _first_paragraph(self.get_command(ctx, name))) for name in self.list_commands(ctx)]
            )


def _first_paragraph(command: Any) -> str:
    return " ".join((command.short_help or command.help or "").partition("\n\n")[0].split())


def examples_first(text: str) -> str:
    """The help of a command with its examples after the first paragraph, before what only some need to read."""
    first, *others = re.split(r"\n\n+", text.strip())
    examples = [one for one in others if _EXAMPLES.match(one)]
    return "\n\n".join([first, *examples, *(one for one in others if one not in examples)])


def add_command(
    app: typer.Typer, function: Callable[..., None], name: str | None = None, *, hidden: bool = False
) -> None:
    """Add the command that calls a function.

    A parameter declared as `Annotated[type, Option(...)]` is an option. A parameter whose type is a settings class
    (`settings: Discovery`) stands for all options of the class; the function is given the settings made from them.
    Arguments are declared with `typer.Argument`.
    """
    app.command(name, hidden=hidden, cls=GroupedCommand)(_typer_function(function))


def _typer_function(function: Callable[..., None]) -> Callable[..., None]:
    """The function with a parameter of Typer for every option."""
    options = _by_key(function)
    hints = get_type_hints(function, include_extras=True)
    settings = {name: kind for name, kind in hints.items() if name != "return" and is_settings(kind)}

    @functools.wraps(function)
    def call(**values: Any) -> None:
        typed = _typed(options, values)
        own = {path[0]: value for path, value in typed.items() if len(path) == 1}
        made = {name: settings_from(kind, _below(name, typed)) for name, kind in settings.items()}
        arguments = {name: value for name, value in values.items() if name not in options}
        function(**arguments, **own, **made)

    others = [
        one.replace(annotation=hints[one.name])
        for one in inspect.signature(function).parameters.values()
        if one.name not in options and one.name not in settings
    ]
    declared = [_parameter(key, one, required=one.default is ...) for key, one in options.items()]
    _declare(call, [*others, *declared])
    return call


def settings_command(name: str, text: str, settings: type[BaseModel], body: Body) -> Any:
    """The command that makes `settings` from its options and hands them to `body`."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, help=text, short_help=text.partition("\n")[0], cls=GroupedCommand)(
        _callback(settings, body)
    )
    return get_command(app)


def _callback(settings: type[BaseModel], body: Body) -> Callable[..., None]:
    options, own = _by_key(settings), _by_key(RunOptions)

    def callback(**values: Any) -> None:
        how = settings_from(RunOptions, _typed(own, values))
        typed = _typed(options, values)
        given = {one.name: typed[one.path] for one in options.values() if one.path in typed}

        def make() -> BaseModel:
            for key, one in options.items():
                if one.default is ... and values[key] is None:
                    raise UserError(f"Missing option {one.name}: {one.option.help}")
            return settings_from(settings, typed)

        body(make, given, how)

    _declare(callback, [_parameter(key, one) for key, one in (options | own).items()])
    return callback


def _by_key(owner: Any) -> dict[str, OptionField]:
    """Options by the names of their parameters."""
    return {"__".join(one.path): one for one in options_of(owner)}


def _typed(options: dict[str, OptionField], values: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Values by path of the options that were typed.

    Raises:
        UserError: a text cannot be read.
    """
    return {one.path: _read(one, values[key]) for key, one in options.items() if values[key] is not None}


def _below(name: str, typed: dict[tuple[str, ...], Any]) -> dict[tuple[str, ...], Any]:
    """Values of one parameter's settings."""
    return {path[1:]: value for path, value in typed.items() if path[0] == name and len(path) > 1}


def _declare(function: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Set the parameters that Typer reads."""
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in parameters}


def _parameter(key: str, one: OptionField, *, required: bool = False) -> inspect.Parameter:
    """A parameter of Typer; None stands for what was not typed, so that defaults live in the settings alone."""
    plain = _plain(one.type)
    element = get_args(plain)[0] if get_origin(plain) is tuple else plain
    limited = element in (int, float)
    declared = typer.Option(
        *_names(one),
        help=one.option.help + _bounds(one.limits),
        metavar=one.option.metavar or _METAVARS.get(element),
        show_default=one.option.default if one.option.default is not None else _shown(one.default),
        rich_help_panel=one.option.group,
        min=one.limits.get("ge") if limited else None,
        max=one.limits.get("le") if limited else None,
    )
    kind: Any = element if plain is element else list[element]  # type: ignore[valid-type]
    if one.option.parse is not None:
        kind = str
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else None,
        annotation=Annotated[kind if required else kind | None, declared],
    )


def _names(one: OptionField) -> list[str]:
    """Spellings of an option; a switch can be turned off, too."""
    name = one.name
    if one.type is bool and one.option.parse is None and not one.option.only_on and "/" not in name:
        name = f"{name}/--no-{name.removeprefix('--')}"
    return [name, one.option.short] if one.option.short else [name]


def _plain(kind: Any) -> Any:
    """The type without None."""
    if get_origin(kind) in (Union, types.UnionType):
        return next(part for part in get_args(kind) if part is not type(None))
    return kind


def _read(one: OptionField, value: Any) -> Any:
    """The value of a field from what Typer gives.

    Raises:
        UserError: the text cannot be read.
    """
    if isinstance(value, list):
        return tuple(value)
    if one.option.parse is None:
        return value
    try:
        return one.option.parse(value)
    except (ValueError, UserError) as problem:
        raise UserError(f"{one.name}: {problem}") from problem


def _shown(default: Any) -> str | bool:
    """How `--help` shows a default."""
    if default is ... or default is None or default is False or default in ((), "", {}):
        return False
    return "on" if default is True else str(default)


def _bounds(limits: dict[str, float]) -> str:
    """Limits that Typer does not show itself."""
    return f" Above {limits['gt']:g}." if "gt" in limits else ""
