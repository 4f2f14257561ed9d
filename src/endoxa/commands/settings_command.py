"""How `--help` looks: examples first, options by purpose; and the language that was typed is that of the files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand
from typer.main import get_command

from endoxa.commands.plugins import first_paragraph
from endoxa.schema.options import DATA, GROUPS
from endoxa.words.packs import using

_DEFAULT = re.compile(r"\[default: \((.*?)\)(;|\])")
"""Typer puts a default that is told in words into brackets."""
_KIND = re.compile(r" <[A-Za-z\[\]]+>$")
"""The Python type that Typer puts behind an argument's name."""
_EXAMPLES = re.compile(r"\s*[\b]\s*Examples?:")
Packs = Annotated[
    list[Path] | None,
    typer.Option(
        "--pack",
        metavar="DIR",
        help="Language pack of yours, read before endoxa's own words; repeatable.",
        rich_help_panel=DATA,
    ),
]
"""The option of every command by which packs are used."""


@cache
def _pack_option() -> Any:
    app = typer.Typer(add_completion=False)

    @app.command()
    def _(*, packs: Packs = None) -> None: ...

    return get_command(app).params[0]


class GroupedCommand(TyperCommand):
    """A command whose `--help` has examples first and lists options by purpose; each can be given packs."""

    def __init__(self, *args: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002
        super().__init__(*args, help=examples_first(help or ""), **more)
        self.params.append(_pack_option())

    def invoke(self, ctx: Any) -> Any:
        """Run it with the packs; the language that was typed is also that of files in a Windows encoding."""
        from endoxa.sources.source import reading_files

        packs = ctx.params.pop("packs", None) or ()
        with using([Path(folder) for folder in packs]), reading_files(languages=_typed_languages(ctx)):
            return super().invoke(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002
        """The first paragraph, whole: lists of commands break lines and cut nothing."""
        return first_paragraph(self)

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


def examples_first(text: str) -> str:
    """The help of a command with its examples after the first paragraph, before what only some need to read."""
    first, *others = re.split(r"\n\n+", text.strip())
    examples = [paragraph for paragraph in others if _EXAMPLES.match(paragraph)]
    return "\n\n".join([first, *examples, *(paragraph for paragraph in others if paragraph not in examples)])
