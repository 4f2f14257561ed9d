"""Runs the commands of a tutorial in an empty folder, as a reader would type them.

With `tests` on the path, `python -m support.tutorials SHARED PAGE...` prints what every command answers now.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from support.repository import ROOT

HOME = ROOT / "docs" / "tutorials"
PARTS = re.compile(
    r"(?:<!-- (?P<note>file|copy|not run): ?(?P<about>[^>]*?) -->\n+)?"
    r"```(?P<kind>\w+)\n(?P<body>.*?)```(?:\n+```text\n(?P<shown>.*?)```)?",
    re.DOTALL,
)
"""A block of a page, with the comment before it and the output after it."""


@dataclass(frozen=True)
class Step:
    """One block of commands.

    Attributes:
        commands: the lines that begin with `endoxa`.
        shown: the output that the page shows, without lines of "...".
        printed: what the commands print.
    """

    commands: tuple[str, ...]
    shown: tuple[str, ...]
    printed: str


def follow(page: Path, folder: Path, shared: Path) -> Iterator[Step]:
    """Follow a page in a folder: write its files, copy published ones, run its commands.

    A block is about what the comment before it says:
        file: NAME      the block is the content of the file
        copy: FROM, ... published files that the reader has downloaded by now; the test copies them from `shared`
        not run: WHY    the commands need a network, a person or time
    """
    for part in PARTS.finditer(page.read_text(encoding="utf-8")):
        note, about = part["note"], (part["about"] or "").strip()
        if note == "file":
            (folder / about).write_text(part["body"], encoding="utf-8")
        elif part["kind"] == "sh" and note != "not run":
            for name in about.split(", ") if note == "copy" else ():
                _copy(shared / name, folder / Path(name).name)
            lines = part["body"].replace("\\\n", " ").splitlines()
            commands = tuple(line for line in lines if line.startswith("endoxa "))
            shown = tuple(line for line in (part["shown"] or "").splitlines() if line.strip(" .…"))
            here = [one.replace("../shared", str(shared)) for one in commands]
            yield Step(commands, shown, "".join(run(one, folder) for one in here))


def run(command: str, folder: Path) -> str:
    """The output of one command, which must succeed unless it is `datasets check`."""
    words = split(command)[1:]
    if words[0] == "collect":  # sets up Django, once in a process and for one campaign
        program = [sys.executable, "-c", "from endoxa.commands import main; main()", *words]
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        done = subprocess.run(
            program, cwd=folder, capture_output=True, text=True, env={**environment, "COLUMNS": "80"}
        )
        code, output = done.returncode, done.stdout + done.stderr
    else:
        from endoxa.commands import app

        with chdir(folder):
            result = CliRunner(env={"COLUMNS": "80"}).invoke(app, words, catch_exceptions=False)
        code, output = result.exit_code, result.output
    assert code == 0 or words[:2] == ["datasets", "check"], f"{command}\n{output}"
    return output


def split(command: str) -> list[str]:
    """The words of a command, as a shell splits them: `#` begins a comment after a blank only, not in an address."""
    return shlex.split(re.sub(r"\s#.*", "", command))


def unseen(step: Step) -> list[str]:
    """Lines that the page shows and the commands do not print in this order; white space of any kind is one space."""
    printed = iter([" ".join(line.split()) for line in step.printed.splitlines()])
    return [line for line in step.shown if " ".join(line.split()) not in printed]


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


if __name__ == "__main__":
    for one in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as scratch:
            for step in follow(Path(one), Path(scratch), Path(sys.argv[1])):
                sys.stdout.write("\n".join(f"$ {line}" for line in step.commands) + f"\n{step.printed}\n")
