"""How `--help` looks: examples first, options by purpose; and the language that was typed is that of the files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from typer.core import TyperArgument, TyperCommand

from endoxa.commands.plugins import first_paragraph
from endoxa.schema.options import DATA, GROUPS

_DEFAULT = re.compile(r"\[default: \((.*?)\)(;|\])")
"""Typer puts a default that is told in words into brackets."""
_KIND = re.compile(r" <[A-Za-z\[\]]+>$")
"""The Python type that Typer puts behind an argument's name."""
_EXAMPLES = re.compile(r"\s*[\b]\s*Examples?:")
ALL = "--all"
"""Beside --help: also the settings that are given by --set."""


class GroupedCommand(TyperCommand):
    """A command whose `--help` has examples first and lists options by purpose."""

    def __init__(self, *args: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002
        super().__init__(*args, help=examples_first(help or ""), **more)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `--help --all` as one: help is printed before any other option is looked at."""
        if ALL in args and "--help" in args:
            ctx.meta[ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run it; the language that was typed is also that of files in a Windows encoding."""
        from endoxa.sources.source import reading_files

        with reading_files(languages=_typed_languages(ctx)):
            return super().invoke(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002
        """The first paragraph, whole: lists of commands break lines and cut nothing."""
        return first_paragraph(self)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, a section for each purpose; behind them further settings, or how many."""
        _write_sections(formatter, self.get_params(ctx), ctx)
        further = further_parameters(self)
        if further and ctx.meta.get(ALL):
            formatter.write("\nFurther settings, each as --set NAME=VALUE or in a file (--settings):\n")
            _write_sections(formatter, further, ctx, setting_words)
        elif further:
            formatter.write(f"\nFurther settings: {len(further)}, which --help --all lists.\n")


def further_parameters(command: Any) -> list[Any]:
    """What `--set` takes, as options named by the words of the settings."""
    shown: Callable[[], list[Any]] = getattr(command.callback, "further", list)
    return shown()


def setting_words(option: str) -> str:
    """'dtype=<auto|float32>' of '--dtype <auto|float32>'; 'shuffle=yes|no' of a switch."""
    first, _, value = option.partition(" ")
    word = first.removeprefix("--").replace("-", "_")
    return f"{word}={'yes|no' if not value or value.startswith('/') else value}"


def _write_sections(
    formatter: Any, parameters: Iterable[Any], ctx: Any, named: Callable[[str], str] = str
) -> None:
    groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is not None:
            record = (named(_KIND.sub("", record[0])), _DEFAULT.sub(r"[default: \1\2", record[1]))
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


def examples_first(text: str) -> str:
    """The help of a command with its examples after the first paragraph, before what only some need to read."""
    first, *others = re.split(r"\n\n+", text.strip())
    examples = [paragraph for paragraph in others if _EXAMPLES.match(paragraph)]
    return "\n\n".join([first, *examples, *(paragraph for paragraph in others if paragraph not in examples)])
