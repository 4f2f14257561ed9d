"""Candidates of several engines: columns of the file, neutral names in the item, and an order for each judge.

In the file, the sentences of an engine stand in `candidate_ENGINE_more` and `candidate_ENGINE_less`. In the item they
are `candidate_1_more` and so on, and the names of the engines are hidden.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from endoxa.errors import UserError
from endoxa_collect.tasks.room import Content

ENGINES = "engines"
"""Hidden column: names of the engines, in the order of their numbers."""
SIDES = ("more", "less")

_COLUMN = re.compile(r"candidate_(?P<engine>.+)_(?P<side>more|less)", re.DOTALL)


def neutral(rows: Sequence[Content]) -> list[dict[str, Any]]:
    """The rows with numbers instead of the names of engines, and the names in `ENGINES`.

    Raises:
        UserError: there is no engine, or one with one column only.
    """
    engines = _engines(list(rows[0]))
    made = []
    for row in rows:
        kept = {name: value for name, value in row.items() if not _COLUMN.fullmatch(name)}
        for number, engine in enumerate(engines, start=1):
            for side in SIDES:
                kept[column(number, side)] = str(row.get(column(engine, side), "")).strip()
        made.append({**kept, ENGINES: engines})
    return made


def column(candidate: int | str, side: str) -> str:
    """Name of the column of a candidate (a number, or the name of an engine)."""
    return f"candidate_{candidate}_{side}"


def _engines(columns: Sequence[str]) -> list[str]:
    sides_of: dict[str, set[str]] = {}
    for match in filter(None, map(_COLUMN.fullmatch, columns)):
        sides_of.setdefault(match["engine"], set()).add(match["side"])
    if not sides_of:
        raise UserError(
            "The file has no candidates. Expected two columns for each engine: candidate_ENGINE_more and "
            "candidate_ENGINE_less."
        )
    for engine, sides in sides_of.items():
        if len(sides) < len(SIDES):
            missing = column(engine, next(side for side in SIDES if side not in sides))
            raise UserError(f"The file has no column '{missing}'. Expected both sentences of each engine.")
    return list(sides_of)


def check(content: Content) -> Iterator[str]:
    """Sentences about a row that cannot be used."""
    there = 0
    for number, engine in enumerate(content[ENGINES], start=1):
        filled = [bool(content[column(number, side)]) for side in SIDES]
        there += all(filled)
        if any(filled) and not all(filled):
            yield f"the engine '{engine}' has one sentence only. Expected both, or none."
    if not there:
        yield "no engine has a translation. Expected at least one."


def sentences(content: Content, candidate: int) -> tuple[str, str]:
    """Both sentences of a candidate."""
    return content[column(candidate, "more")], content[column(candidate, "less")]


def numbers(content: Content) -> list[int]:
    """Candidates that an item has."""
    matches = (_COLUMN.fullmatch(name) for name in content)
    engines = {int(match["engine"]) for match in matches if match and match["engine"].isdecimal()}
    return [number for number in sorted(engines) if all(sentences(content, number))]


def draw(content: Content, rng: random.Random) -> dict[str, Any]:
    """The order in which a judge sees the candidates; engines that say the same are one candidate."""
    same: dict[tuple[str, str], list[int]] = {}
    for number in numbers(content):
        same.setdefault(sentences(content, number), []).append(number)
    order = list(same.values())
    rng.shuffle(order)
    return {"order": order}


def with_engines(content: Content, hidden: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it stood in the file."""
    row = {name: value for name, value in content.items() if not _COLUMN.fullmatch(name)}
    row |= {name: value for name, value in hidden.items() if name != ENGINES}
    for number, engine in enumerate(hidden[ENGINES], start=1):
        for side in SIDES:
            row[column(engine, side)] = content.get(column(number, side), "")
    return row
