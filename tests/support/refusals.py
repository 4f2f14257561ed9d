"""What commands refuse: a table `refusals.toml` beside the tests of a room, and the one way each row of it is tried."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from endoxa.commands import main

_FRAME = re.compile(r"[\s│╭╮╰╯─]+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that is refused.

    Attributes:
        name: what is wrong, for the test's name.
        command: what follows `endoxa` in a folder that holds `files` and nothing else.
        says: what the message holds, spaces and line breaks alike.
        files: text of each file that stands there before the command.
        given: a fixture that yields a folder; its files stand there, too.
        code: the exit code.
        leaves: files and folders that may be there afterwards.
    """

    name: str
    command: str
    says: str
    files: dict[str, str] = field(default_factory=dict)
    given: str = ""
    code: int = 2
    leaves: tuple[str, ...] = ()


def refusals(test_file: str) -> list[object]:
    """The rows of `refusals.toml` beside a test file, as parameters.

    The table `files` at the top of the file holds what stands in the folder of every row.
    """
    table = tomllib.loads(Path(test_file).with_name("refusals.toml").read_text(encoding="utf-8"))
    shared = table.get("files", {})
    rows = [Refusal(**row | {"files": shared | row.get("files", {})}) for row in table["refusal"]]
    return [pytest.param(row, id=row.name) for row in rows]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def assert_refused(row: Refusal, request: pytest.FixtureRequest) -> None:
    """The command says what is wrong in one sentence, without a traceback, and leaves every file as it was."""
    folder: Path = request.getfixturevalue("tmp_path")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    capsys: pytest.CaptureFixture[str] = request.getfixturevalue("capsys")
    if row.given:
        given: Path = request.getfixturevalue(row.given)
        for name, content in contents(given).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    for name, text in row.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    before = contents(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["endoxa", *shlex.split(row.command)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    message = _FRAME.sub(" ", printed.out + printed.err)
    assert "Traceback" not in message, message
    assert _FRAME.sub(" ", row.says) in message, message
    assert ended.value.code == row.code, message
    after = contents(folder)
    assert {name: after.get(name) for name in before} == before
    made = {
        name for name in after if name not in before and not name.startswith(tuple(row.leaves) or ("\0",))
    }
    assert not made, made
