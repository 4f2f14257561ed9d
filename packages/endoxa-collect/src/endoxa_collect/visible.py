"""Strip invisible characters from typed text: one line, otherwise as the person wrote it."""

from __future__ import annotations

import unicodedata

import regex

from endoxa.sources.typography import STRAY_JOINERS

READ = 480
"""Maximum number of characters that are read, counted before invisible ones and marks are removed."""

_SPACES = regex.compile(r"[\s\p{Cc}\u2800]+")
_INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Co}--[\u200c\u200d]]", regex.V1)
"""Bidirectional controls, zero-width and private characters, fillers; the joiners are looked at apart."""

_TOO_MANY_MARKS = regex.compile(r"(\p{M}{4})\p{M}+")
"""No script stacks more than four marks; text that does is meant to spill over its neighbours."""
_RUNS_OF_MARKS = regex.compile(r"(\p{M}{8})\p{M}+")
"""What is cut before the first normalisation, whose time grows with the square of such a run."""


def single_line(text: str) -> str:
    """The text with single spaces in place of line breaks, control characters and runs of spaces."""
    return str(_SPACES.sub(" ", text)).strip()


def visible(text: str) -> str:
    """The text on one line without invisible characters; perhaps empty. Only `READ` characters are looked at."""
    line = _RUNS_OF_MARKS.sub(r"\1", single_line(text)[:READ])
    line = STRAY_JOINERS.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFC", line)))
    line = unicodedata.normalize("NFC", _TOO_MANY_MARKS.sub(r"\1", line))
    return single_line(line)
