"""Runs what a page shows, its commands and its lines of Python, in an empty folder, as a reader would type them.

With `tests` on the path, `python -m support.tutorials SHARED PAGE...` prints what every command answers now.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from collect_support import commands
from support.repository import ROOT

HOME = ROOT / "docs" / "tutorials"
PARTS = re.compile(
    r"(?:[Ss]ave [^`\n]*`(?P<saved>[^`\n]+)`[^\n]*:\n+)?"
    r"(?:<!-- (?P<note>file|copy|not run): ?(?P<about>[^>]*?) -->\n+)?"
    r"```(?P<kind>\w+)\n(?P<body>.*?)```(?:\n+```text\n(?P<shown>.*?)```)?",
    re.DOTALL,
)
"""A block of a page, with the line or comment before it and the output after it."""
NEEDED = re.compile(r"^\*\*You need\*\* (.*?)\n\n", re.DOTALL | re.MULTILINE)
"""What a reader brings to the blocks behind it; the files and folders are named in backticks."""
ENDLESS = "# until Ctrl-C"
"""What is said behind commands that go on until they are stopped."""
SERVER = "http://localhost:48080/v1"
"""Where pages start the server for rehearsals; the test takes a free port."""
REAL_MODEL = "hf/HuggingFaceTB/SmolLM2-135M-Instruct"
"""What lines of Python measure on the pages."""


@dataclass(frozen=True)
class Step:
    """One block of commands.

    Attributes:
        commands: the lines that begin with `endoxa`, or a block of Python.
        shown: the output that the page shows, without lines of "...".
        printed: what the commands print.
    """

    commands: tuple[str, ...]
    shown: tuple[str, ...]
    printed: str


def follow(
    page: Path,
    folder: Path,
    shared: Path,
    model: str | None = None,
    *,
    slow: bool = False,
    apart: bool = False,
    without: str = ENDLESS,
) -> Iterator[Step]:
    """Follow a page in a folder: write its files, copy what it says to bring, run its commands and its Python.

    What a page says: "Save this as `NAME`:" before the content of a file, `NEEDED` and `ENDLESS`. Where that would be
    in the way of readers, a comment before the block says it:
        file: NAME      the block is the content of the file
        copy: FROM, ... published files that the reader has downloaded by now; the test copies them from `shared`
        not run: WHY    the commands need a network, a person or time

    Args:
        page: Markdown.
        folder: where to work.
        shared: the folder of published data.
        model: stands for `REAL_MODEL`; by default a tiny network of the shared folder.
        slow: whether blocks run that are left out because they take long.
        apart: each block in an empty folder of its own.
        without: blocks with this text are not run.
    """
    replaced = {"../shared": str(shared), REAL_MODEL: model or f"hf/{shared}/data/models/tiny-gpt2"}
    names: dict[str, Any] = {}
    text, home, behind = page.read_text(encoding="utf-8"), folder, 0
    with ExitStack() as servers:
        for number, part in enumerate(PARTS.finditer(text)):
            note, about, body = part["note"], (part["about"] or "").strip(), part["body"]
            if apart:
                folder = home / str(number)
                folder.mkdir()
            needed = re.findall(
                r"`(?!endoxa )([^`]+)`", " ".join(NEEDED.findall(text[behind : part.start()]))
            )
            brought = all(_bring(name, shared, folder) for name in needed)
            behind = part.end()
            if name := file_of(part):
                (folder / name).write_text(body, encoding="utf-8")
            elif not brought or without in body:
                continue
            elif part["kind"] in ("sh", "python") and (note != "not run" or (slow and "takes" in about)):
                for name in about.split(", ") if note == "copy" else ():
                    _copy(shared / name, folder / Path(name).name)
                if "endoxa.testing.chat_server" in body:
                    from endoxa.testing.chat_server import Settings, running

                    replaced[SERVER] = servers.enter_context(running(Settings())).url
                lines = body.replace("\\\n", " ").splitlines()
                commands = tuple(line for line in lines if line.startswith("endoxa "))
                if part["kind"] == "python":
                    commands, printed = (body,), _execute(_replace(body, replaced), names, folder)
                else:
                    printed = "".join(run(_replace(line, replaced), folder) for line in commands)
                shown = tuple(line for line in (part["shown"] or "").splitlines() if line.strip(" .…"))
                yield Step(commands, shown, printed.replace(replaced.get(SERVER, SERVER), SERVER))


def _replace(text: str, replaced: Mapping[str, str]) -> str:
    for name, other in replaced.items():
        text = text.replace(name, other)
    return text


def _execute(code: str, names: dict[str, Any], folder: Path) -> str:
    """What lines of Python print; blocks of one page share their names."""
    with chdir(folder), redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def run(command: str, folder: Path) -> str:
    """The output of one command, which must succeed unless it is `datasets check`."""
    words = split(command)[1:]
    if words[0] == "collect":  # sets up Django, once in a process and for one campaign
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        environment["COLUMNS"] = "80"
        done = commands.run(commands.COMMAND, *words, env=environment, cwd=folder, timeout=300)
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


def file_of(part: re.Match[str]) -> str | None:
    """The name of the file whose content a block is."""
    return part["about"].strip() if part["note"] == "file" else part["saved"]


def _bring(name: str, shared: Path, folder: Path) -> bool:
    """Copy a file or folder that a page says to bring; whether it could be had."""
    there = sorted(shared.glob(f"data/**/{name}"))
    for source in there[:1]:
        _copy(source, folder / name)
    return bool(there)


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
