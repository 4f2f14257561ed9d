"""Text of other people reaches a terminal escaped, whichever way it takes; JSON keeps its values."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Callable

import pytest
import typer
from rich.text import Text

from endoxa import commands
from endoxa.errors import UserError
from endoxa.schema.headline import Headline
from endoxa.schema.terminal import terminal_console, terminal_text

EVIL = "a\x1b[2J\x1b]0;title\x07b\rc\x9b31md\u202ee\u2066f\x7fg"
SHOWN = "a\\u001b[2J\\u001b]0;title\\u0007b\\u000dc\\u009b31md\\u202ee\\u2066f\\u007fg"


def fail() -> None:
    raise UserError(f"The server said: {EVIL}")


def crash() -> None:
    raise RuntimeError(EVIL)


def table() -> None:
    typer.echo(str(Headline("", ("text",), ((EVIL,),))))


WAYS: dict[str, Callable[[], object]] = {
    "print": lambda: print(EVIL),
    "echo": lambda: typer.echo(EVIL),
    "error": lambda: typer.echo(EVIL, err=True),
    "sentence": fail,
    "traceback": crash,
    "log": lambda: logging.getLogger("endoxa.anything").warning("%s", EVIL),
    "warning": lambda: warnings.warn(EVIL, stacklevel=1),
    "table": table,
    "console": lambda: terminal_console(width=200).print(Text(EVIL)),
    "json": lambda: typer.echo(json.dumps({"text": EVIL}, ensure_ascii=False)),
}
LEFT_OUT = {
    **dict.fromkeys(("table", "console"), ("\\u000d", "\\u0007")),
    **dict.fromkeys(("echo", "error"), ("\\u001b[2J",)),
}
"""What the libraries drop by themselves: rich always, typer where nobody sees it."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("default")
def test_other_peoples_text_is_escaped(
    way: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr("sys.argv", ["endoxa", "datasets", "list"])
    monkeypatch.setattr(commands, "app", lambda **_: WAYS[way]())
    if way == "warning":
        monkeypatch.setattr(
            warnings, "showwarning", lambda message, *_: sys.stderr.write(str(message))
        )  # pytest's own keeps warnings to itself
    with pytest.raises(SystemExit):
        commands.main()
    written = "".join(capsys.readouterr())
    assert terminal_text(written) == written
    shown = SHOWN
    for part in LEFT_OUT.get(way, ()):
        shown = shown.replace(part, "")
    if way == "json":
        assert json.loads(written) == {"text": EVIL}
    else:
        assert shown in written


def test_line_breaks_tabs_and_scripts_stay() -> None:
    text = "a\r\nb\n\tc é \u200f\u0645\u200c\u200d \U0001f600"
    assert terminal_text(text) == text
