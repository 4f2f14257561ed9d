"""What a sheet was made from: kept in a hidden sheet (XLSX) or in the last column (CSV), and read on its return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

ORIGIN = "review_origin"
"""Name of the hidden sheet, and of the column of a CSV file."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a sheet was made from.

    Attributes:
        table: name of the table's file, without its folder.
        sha256: hash of that file.
        version: version of endoxa.
        kind: name of the kind of table.
        key: column that names a row.
        shown: columns that were shown and could not be changed; a row's fingerprint is over them.
        edited: columns that could be changed.
        reviewer: whom the sheet was made for, or empty.
    """

    table: str
    sha256: str
    version: str
    kind: str
    key: str
    shown: tuple[str, ...]
    edited: tuple[str, ...]
    reviewer: str


@dataclass(frozen=True, slots=True)
class OriginRow:
    """A row as it was handed out.

    Attributes:
        row: its name (`review_row`).
        key: its value of the key column.
        fingerprint: hash of the columns that were only shown.
        decision: `review_decision` of the table at that time, or empty.
        words: the columns that could be changed, as they stood in the table.
    """

    row: str
    key: str
    fingerprint: str
    decision: str
    words: Mapping[str, str]


def to_text(record: Origin | OriginRow) -> str:
    """The record as a JSON object: it begins with a brace, so that no spreadsheet program runs or changes it."""
    return json.dumps(asdict(record), ensure_ascii=False)


def origin_from(record: object) -> Origin:
    """The origin of a parsed JSON object.

    Raises:
        ValueError: it is no such record.
    """
    found = _fields(Origin, record)
    try:
        lists = {name: tuple(found[name]) for name in ("shown", "edited")}
    except TypeError as error:
        raise ValueError from error
    return Origin(**{**found, **lists})


def origin_row_from(record: object) -> OriginRow:
    """The row of a parsed JSON object.

    Raises:
        ValueError: it is no such record.
    """
    return OriginRow(**_fields(OriginRow, record))


def _fields(kind: type[Origin] | type[OriginRow], record: object) -> dict[str, Any]:
    if not isinstance(record, dict) or set(record) != {field.name for field in fields(kind)}:
        raise ValueError
    return record
