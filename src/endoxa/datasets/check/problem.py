"""A problem found in a file of pairs, and lists of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Literal

from endoxa.datasets.write import write_csv

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From what keeps a file from being read to what is only worth knowing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Attributes:
        severity: 'error': the pair cannot be scored, or means nothing; 'warning': its score says something
            else than intended; 'note': worth knowing.
        check: name of the check, explained in the manual.
        item_id: the pair, empty where the problem is the file's.
        row: record number from 1; 0 where the problem is the file's.
        column: the file's name of the column, empty where it is the whole record.
        message: what was found and what to do, without words of the data.
        text: the words of the data it is about, to be shown only on request.
    """

    severity: Severity
    check: str
    item_id: str
    row: int
    column: str
    message: str
    text: str = ""


def group_problems(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """Problems by check: errors first, then warnings, then notes; the most frequent first among them."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.check, []).append(problem)
    ranked = sorted(
        groups.items(), key=lambda group: (SEVERITIES.index(group[1][0].severity), -len(group[1]))
    )
    return dict(ranked)


def write_problems(problems: Iterable[Problem], path: Path, show_text: bool = False) -> None:
    """Write problems as CSV, one a row; the words of the data only where `show_text` says so."""
    columns = [field.name for field in fields(Problem)]
    kept = columns if show_text else [name for name in columns if name != "text"]
    rows = ([str(cell) for cell in astuple(problem)[: len(kept)]] for problem in problems)
    write_csv(rows, kept, path)
