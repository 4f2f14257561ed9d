"""The terminal: nothing that other people's text could do to it.

Error texts of servers, answers of models and cells of data can hold escape sequences, which move the cursor, rename the
window or hide what was printed, and overrides of the direction of writing, which show a sentence as another one. All
of it is escaped where it leaves the program: in `sys.stdout`, in `sys.stderr`, and in what rich draws.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_HARMFUL = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def terminal_text(text: str) -> str:
    r"""The text with `\u001b` for an escape character, and so for every other control or override of direction.

    Line breaks and tabs stay. JSON stays JSON of the same values, as it writes these characters in the same way.
    """
    return _HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _Escaped:
    """A stream to which `terminal_text` is written."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(terminal_text(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def escaped_streams() -> Iterator[None]:
    """In this block all text for `sys.stdout` and `sys.stderr` is escaped."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_Escaped, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def terminal_console(**options: Any) -> Console:
    """A rich console on which texts are escaped and styles are not.

    Args:
        options: those of `rich.console.Console`.
    """
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
    from rich.segment import Segment

    class Plain:
        def __init__(self, part: ConsoleRenderable) -> None:
            self._part = part

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
            for segment in console.render(self._part, options):
                yield segment if segment.control else Segment(terminal_text(segment.text), segment.style)

    class Escaping(RenderHook):
        def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
            return [Plain(part) for part in renderables]

    stream = options.pop("file", sys.stderr if options.get("stderr") else sys.stdout)
    while isinstance(stream, _Escaped):  # rich writes escape sequences of its own
        stream = stream.stream
    console = Console(file=stream, **options)
    console.push_render_hook(Escaping())
    return console
