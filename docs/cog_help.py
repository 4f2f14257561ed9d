"""Prints the real `--help` of a command into the manual (run by cog; `make docs`)."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from unittest import mock

import cog

WIDTH = 100


def help_of(words: str) -> str:
    """The help of `endoxa WORDS` as a terminal of `WIDTH` columns shows it."""
    from endoxa.cli import app

    text = io.StringIO()
    size = os.terminal_size((WIDTH, 40))
    with contextlib.redirect_stdout(text), mock.patch.object(shutil, "get_terminal_size", return_value=size):
        app([*words.split(), "--help"], prog_name="endoxa", standalone_mode=False)
    return "\n".join(line.rstrip() for line in text.getvalue().strip().splitlines())


def show(words: str) -> None:
    """Write the help of `endoxa WORDS` as a code block."""
    cog.outl(f"```\n$ endoxa {words} --help\n\n{help_of(words)}\n```")
