"""The bar on a terminal: drawn with rich's own escape sequences, and no other's."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest

PROGRAM = """
import faulthandler
import sys
from endoxa.runs.progress import shown
from endoxa.schema.terminal import escaped_streams
faulthandler.dump_traceback_later(60, exit=True)
with escaped_streams(), shown("pairs") as report:
    for done in (0, 50, 40, 100):
        report("scoring \\x1b]0;evil\\x07 [red]x", done, 100, "9 tokens")
    print("other \\x1b]0;text\\x07", file=sys.stderr)
"""


@pytest.mark.slow
def test_a_bar_is_drawn_and_other_peoples_text_is_escaped() -> None:
    terminal, other_end = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "150"}
    command = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=other_end,
        stdout=other_end,
        stderr=other_end,
        env=environment,
    )
    os.close(other_end)
    written = b""
    with suppress(OSError):  # how a terminal says that nobody writes to it any more
        while part := os.read(terminal, 4096):
            written += part
    os.close(terminal)
    status = command.wait(60)
    text = written.decode()
    assert status == 0, text
    assert "\x1b[2K" in text  # the bar draws itself again
    assert "\x1b]0;" not in text
    assert "scoring \\u001b]0;evil\\u0007 [red]x" in text
    assert "100/100" in text
    assert "other \\u001b]0;text\\u0007" in text
