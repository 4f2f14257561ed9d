"""A command made from a settings class: its options, their help, groups and limits are declared there and nowhere else.

Typer is kept because every other command uses it; what is added here is the way from pydantic fields to its options.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Protocol, Union, get_args, get_origin

import typer
from pydantic import BaseModel
from typer.core import TyperCommand
from typer.main import get_command

from endoxa.errors import UserError
from endoxa.schema.options import GROUPS, OUTPUT, OptionField, options_of, settings_from


class Body(Protocol):
    """What a command does with its settings."""

    def __call__(
        self,
        make: Callable[[], BaseModel],
        given: frozenset[str],
        *,
        out: Path | None,
        restart: bool,
        plan: bool,
        repeat: Path | None,
    ) -> None:
        """Run it.

        Args:
            make: makes the settings from what was typed; raises UserError.
            given: options that were typed.
            out: the run folder.
            restart: discard what the run folder holds.
            plan: only print what the run would take.
            repeat: take all settings from this run.
        """
        ...


RUN_OPTIONS: dict[str, tuple[Any, Any]] = {
    "out": (
        Path | None,
        typer.Option("--out", "-o", metavar="RUN", help="Run folder.", rich_help_panel=OUTPUT),
    ),
    "restart": (
        bool,
        typer.Option(
            "--restart/--resume",
            help="Discard what the run folder holds, or continue it.",
            rich_help_panel=OUTPUT,
        ),
    ),
    "plan": (
        bool,
        typer.Option(
            "--plan",
            help="Only print what the run would take or show; measure nothing.",
            rich_help_panel=OUTPUT,
        ),
    ),
    "repeat": (
        Path | None,
        typer.Option(
            metavar="RUN", help="Take all settings from the run.json of this run.", rich_help_panel=OUTPUT
        ),
    ),
}


_DEFAULT = re.compile(r"\[default: \((.*?)\)(;|\])")
"""Typer puts a default that is told in words into brackets."""
_METAVARS = {str: "TEXT", int: "N", float: "X"}


class GroupedCommand(TyperCommand):
    """A command whose `--help` lists options by purpose."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, a section for each purpose."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                record = (record[0], _DEFAULT.sub(r"[default: \1\2", record[1]))
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or "Other", []).append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def settings_command(name: str, text: str, settings: type[BaseModel], body: Body) -> Any:
    """The command that makes `settings` from its options and hands them to `body`."""
    options = {"__".join(one.path): one for one in options_of(settings)}
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, help=text, short_help=text.partition("\n")[0], cls=GroupedCommand)(
        _callback(options, settings, body)
    )
    return get_command(app)


def _callback(options: dict[str, OptionField], settings: type[BaseModel], body: Body) -> Callable[..., None]:
    def callback(**values: Any) -> None:
        own = {key: values.pop(key) for key in RUN_OPTIONS}
        typed = {key: value for key, value in values.items() if value is not None}

        def make() -> BaseModel:
            for key, one in options.items():
                if one.default is ... and key not in typed:
                    raise UserError(f"Missing option {one.name}: {one.option.help}")
            return settings_from(
                settings, {options[key].path: _read(options[key], typed[key]) for key in typed}
            )

        given = frozenset(options[key].name for key in typed)
        body(
            make,
            given,
            out=own["out"],
            restart=bool(own["restart"]),
            plan=bool(own["plan"]),
            repeat=own["repeat"],
        )

    parameters = [_parameter(key, one) for key, one in options.items()]
    parameters += [_own_parameter(key, kind, option) for key, (kind, option) in RUN_OPTIONS.items()]
    callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    callback.__annotations__ = {one.name: one.annotation for one in parameters}
    return callback


def _own_parameter(key: str, kind: Any, option: Any) -> inspect.Parameter:
    default = False if kind is bool else None
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def _parameter(key: str, one: OptionField) -> inspect.Parameter:
    """A parameter of Typer; None stands for what was not typed, so that defaults live in the settings alone."""
    names = [one.name]
    if one.type is bool and not one.option.only_on:
        names = [f"{one.name}/--no-{one.name.removeprefix('--')}"]
    shown = one.option.default if one.option.default is not None else _shown(one.default)
    declared = typer.Option(
        *names,
        help=one.option.help + _bounds(one.limits),
        metavar=one.option.metavar or _METAVARS.get(_number(one.type)),
        show_default=shown,
        rich_help_panel=one.option.group,
        min=one.limits.get("ge") if _number(one.type) in (int, float) else None,
        max=one.limits.get("le") if _number(one.type) in (int, float) else None,
    )
    kind: Any = str if one.option.parse is not None else _number(one.type)
    if get_origin(one.type) is tuple and one.option.parse is None:
        kind = list[get_args(one.type)[0]]  # type: ignore[misc]
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, declared]
    )


def _number(kind: Any) -> Any:
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
    except ValueError as problem:
        raise UserError(f"{one.name}: {problem}") from problem
    except UserError as problem:
        raise UserError(f"{one.name}: {problem}") from problem


def _shown(default: Any) -> str | bool:
    """How `--help` shows a default."""
    if default is ... or default is None or default is False or default in ((), "", {}):
        return False
    return "on" if default is True else str(default)


def _bounds(limits: dict[str, float]) -> str:
    """Limits that Typer does not show itself."""
    return f" Above {limits['gt']:g}." if "gt" in limits else ""
