"""Prints the real `--help` of commands into the manual (run by cog; `make docs`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import cog

WIDTH = 78


@cache
def commands() -> dict[str, tuple[str, str]]:
    """First sentence and `--help` of every command by its words ("probe pairs"), in the order of `endoxa --help`."""
    from typer.main import get_command

    from endoxa.cli import app

    root = get_command(app)
    return dict(
        _walk(root, root.make_context("endoxa", ["--help"], resilient_parsing=True, terminal_width=WIDTH))
    )


def _walk(command: Any, context: Any) -> Iterator[tuple[str, tuple[str, str]]]:
    if not hasattr(command, "list_commands"):
        text = command.get_help(context)
        words = context.command_path.partition(" ")[2]
        yield words, (_summary(command), "\n".join(line.rstrip() for line in text.strip().splitlines()))
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if not inner.hidden:
            made = inner.make_context(
                name, ["--help"], parent=context, resilient_parsing=True, terminal_width=WIDTH
            )
            yield from _walk(inner, made)


def _summary(command: Any) -> str:
    return " ".join(str(command.help or "").partition("\n\n")[0].split())


def show(words: str) -> None:
    """Write the help of `endoxa WORDS` as a code block."""
    cog.outl(f"```\n$ endoxa {words} --help\n\n{commands()[words][1]}\n```")


def contents() -> None:
    """Write a table of all commands."""
    cog.outl("\n| command | what it does |\n|---|---|")
    for words, (summary, _) in commands().items():
        cog.outl(f"| [`{words}`](#{anchor(words)}) | {summary} |")
    cog.outl()


def reference() -> None:
    """Write the help of every command, grouped by the first word."""
    group = ""
    for words in commands():
        first, _, rest = words.partition(" ")
        if rest and first != group:
            cog.outl(f"\n## {first}")
        group = first
        cog.outl(f"\n{'###' if rest else '##'} endoxa {words}\n")
        show(words)
    cog.outl()


def anchor(words: str) -> str:
    """The anchor of a command on the page of options."""
    return "endoxa-" + words.replace(" ", "-")
