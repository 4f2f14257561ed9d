"""Cells that hold several choices."""

from __future__ import annotations

import re

_MARKS = re.compile(r"\s+\*(?=\s|$)|;|\n")


def choices(cell: str | None) -> tuple[str, ...]:
    """The choices of a cell, each once, in their order: 'A  * B *' and 'A; B' both hold A and B.

    The first form is that of survey tools that end every ticked item with an asterisk.
    """
    parts = (" ".join(part.split()) for part in _MARKS.split(cell or ""))
    return tuple(dict.fromkeys(part for part in parts if part))
