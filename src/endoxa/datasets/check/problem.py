"""A problem found in a file of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
