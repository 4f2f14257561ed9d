"""Rows in the answers of models: JSON as asked for, else a table with a heading, else the one field alone.

Nothing is dropped silently: what stands after the stop word, and rows that lack a field, are handed on as such.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.author.prompts import STOP
from endoxa.runs.answers.language import language
from endoxa.runs.answers.text import declined, first_reply, outer_objects

LONGEST_ALONE = 300
"""Letters of an answer that can be the one field of a row."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer holds.

    Attributes:
        rows: rows before the stop word, field -> text; fields that are missing are not in them.
        after: rows after it.
        stopped: the model wrote the stop word.
        refused: it declined and gave no row.
    """

    rows: tuple[Mapping[str, str], ...]
    after: tuple[Mapping[str, str], ...] = ()
    stopped: bool = False
    refused: bool = False


def read_reply(text: str, fields: Sequence[str], code: str = "en") -> Reply:
    """The rows of an answer.

    Args:
        text: the answer.
        fields: fields of a row.
        code: language of the prompt, in which the model may have declined.
    """
    turn = first_reply(text)
    before, stop, after = turn.partition(STOP)
    rows = tuple(_rows(before, fields))
    if not rows:
        refused = declined(before, language(code)).refused
        rows = () if refused else tuple(_alone(before, fields))
        return Reply(rows, tuple(_rows(after, fields)), bool(stop), refused)
    return Reply(rows, tuple(_rows(after, fields)), bool(stop))


def _rows(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    rows = [row for outer in outer_objects(text) for row in _of_object(outer, fields)]
    yield from rows or _of_table(text, fields)


def _of_object(record: Mapping[str, Any], fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """The rows in lists inside an object, else the object itself where it has a field."""
    lists = [
        value
        for value in record.values()
        if isinstance(value, list) and any(isinstance(item, dict) for item in value)
    ]
    if lists:
        for item in lists[0]:
            yield _named(item, fields) if isinstance(item, dict) else {}
    elif named := _named(record, fields):
        yield named


def _named(record: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """The fields of a row under our names; capitals, blanks and hyphens in a name do not matter."""
    called = {_plain(name): name for name in fields}
    named = {}
    for key, value in record.items():
        if (
            (name := called.get(_plain(key)))
            and isinstance(value, str | int | float)
            and not isinstance(value, bool)
        ):
            named[name] = " ".join(str(value).split())
    return named


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _of_table(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """Rows below a heading that names at least half of the fields, separated by bars or commas."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" -|:`")]
    called = {_plain(name): name for name in fields}
    for place, line in enumerate(lines):
        for split in (_bars, _commas):
            heading = [called.get(_plain(part)) for part in split(line)]
            if sum(name is not None for name in heading) * 2 > len(fields) and len(heading) > 1:
                for below in lines[place + 1 :]:
                    cells = split(below)
                    pairs = zip(heading, cells, strict=False)
                    yield {name: " ".join(value.split()) for name, value in pairs if name and value.strip()}
                return


def _bars(line: str) -> list[str]:
    return line.strip("|").split("|") if "|" in line else []


def _commas(line: str) -> list[str]:
    return next(csv.reader([line]), []) if "," in line else []


def _alone(text: str, fields: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """A short answer of one line where a row has one field: "label: Economy" or "Economy"."""
    line = text.strip().strip("`*\"'").strip()
    if len(fields) == 1 and line and "\n" not in line and len(line) <= LONGEST_ALONE and "{" not in line:
        name, colon, rest = line.partition(":")
        yield {fields[0]: (rest if colon and _plain(name) == _plain(fields[0]) else line).strip(" .\"'*")}
