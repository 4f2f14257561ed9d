"""A review sheet: which rows a reviewer gets, in which columns, and what it was made from."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

import endoxa
from endoxa.curate.review.form import (
    ANSWERS,
    DISPUTED,
    EARLIER,
    PROPOSAL,
    ROW_KEY,
    Kind,
    has_controls,
    kind_of,
)
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.tables import require_columns

Row = dict[str, str]
"""A row of a table; an empty cell is an empty string."""


def rows_of(table: pl.DataFrame) -> list[Row]:
    """The rows of a table of text, nulls as empty strings."""
    return [{name: value or "" for name, value in row.items()} for row in table.iter_rows(named=True)]


def with_row_keys(rows: Sequence[Row], kind: Kind, source: Path) -> list[Row]:
    """The rows with the column `review_row`: the one they have, else '<id>#<n>' for the n-th row of the id.

    Raises:
        UserError: a row without an id, or two rows of one name.
    """
    seen: Counter[str] = Counter()
    named: dict[str, Row] = {}
    for number, row in enumerate(rows, start=1):
        identifier = row.get(kind.key, "")
        if not identifier.strip():
            raise UserError(f"{source}, row {number}, column '{kind.key}': empty. Expected a unique id.")
        seen[identifier] += 1
        if seen[identifier] > 1 and not kind.several_rows:
            raise UserError(
                f"{source}, row {number}, column '{kind.key}': '{identifier}' also appears in an earlier row. Give all "
                f"{kind.name} unique ids."
            )
        key = row.get(ROW_KEY) or f"{identifier}#{seen[identifier]}"
        if key in named:
            raise UserError(
                f"{source}, row {number}, column '{ROW_KEY}': '{key}' also appears in an earlier row. Make it unique."
            )
        named[key] = {**row, ROW_KEY: key}
    return list(named.values())


def fingerprint(row: Mapping[str, str], columns: Sequence[str]) -> str:
    """A short hash of what the row says in these columns: equal while nothing in them was changed."""
    words = json.dumps([[name, row.get(name, "")] for name in columns])
    return hashlib.sha256(words.encode()).hexdigest()[:16]


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
    fields = _fields(Origin, record)
    try:
        lists = {name: tuple(fields[name]) for name in ("shown", "edited")}
    except TypeError as error:
        raise ValueError from error
    return Origin(**{**fields, **lists})


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


@dataclass(frozen=True, slots=True)
class Choice:
    """Which part of a table a reviewer gets.

    Attributes:
        reviewer: whom the sheet is for, or empty.
        sample: how many ids to draw at random (with all rows of each), or None for all.
        seed: seed of the draw; the same ids for every reviewer who gets the same seed.
        only_proposed: only rows whose omission is proposed.
        only_disputed: only rows that earlier reviewers disagreed about.
        columns: columns to show instead of the usual ones of this kind of table.
        edit: columns that may be changed, instead of the usual ones.
    """

    reviewer: str = ""
    sample: int | None = None
    seed: int = 0
    only_proposed: bool = False
    only_disputed: bool = False
    columns: tuple[str, ...] | None = None
    edit: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A review sheet.

    Attributes:
        origin: what it was made from.
        kind: kind of the table.
        columns: its columns, in order; the answers and the name of the row come last.
        rows: what stands in them; the answers are empty.
        origins: per row what it was made from.
    """

    origin: Origin
    kind: Kind
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    origins: tuple[OriginRow, ...]

    @property
    def disguised(self) -> int:
        """How many cells hold control characters, which an XLSX file can show as signs only."""
        return sum(
            has_controls(row.get(name, ""))
            for row in self.rows
            for name in self.columns
            if name not in ANSWERS
        )


def make_sheet(path: Path, choice: Choice) -> Sheet:
    """The review sheet of a table.

    Raises:
        UserError: the table cannot be read, is of no known kind or lacks a column, or no row is chosen.
    """
    named = [*(choice.columns or ()), *(choice.edit or ())]
    table = read_table(path, optional=named)
    kind = kind_of(table.columns, path)
    require_columns(path, table.columns, named)
    if ";" in choice.reviewer:
        raise UserError(
            f"--reviewer: '{choice.reviewer}' contains a ';', which separates names. Leave it out."
        )
    edited = _present(choice.edit or kind.edited, table.columns)
    shown = _shown(choice.columns or kind.shown, table.columns, {kind.key, *edited})
    rows = _chosen(with_row_keys(rows_of(table), kind, path), kind, choice, path)
    origin = Origin(
        table=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        version=endoxa.__version__,
        kind=kind.name,
        key=kind.key,
        shown=shown,
        edited=edited,
        reviewer=choice.reviewer.strip(),
    )
    locked = (*shown, *_present((*PROPOSAL, *EARLIER), table.columns))
    return Sheet(
        origin=origin,
        kind=kind,
        columns=(kind.key, *locked, *edited, *ANSWERS, ROW_KEY),
        rows=tuple(rows),
        origins=tuple(
            (
                OriginRow(
                    row=row[ROW_KEY],
                    key=row[origin.key],
                    fingerprint=fingerprint(row, origin.shown),
                    decision=row.get("review_decision", ""),
                    words={name: row[name] for name in origin.edited},
                )
            )
            for row in rows
        ),
    )


def _present(wanted: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in wanted if name in columns))


def _shown(wanted: Sequence[str], columns: Sequence[str], used: set[str]) -> tuple[str, ...]:
    """The columns that are only shown.

    Raises:
        UserError: one has the name of a column that the reviewer fills in.
    """
    clash = sorted(set(wanted) & set(ANSWERS))
    if clash:
        raise UserError(
            f"The column '{clash[0]}' cannot be shown: its name is used for the reviewer's answers. Rename it."
        )
    reserved = used | {*PROPOSAL, *EARLIER, ROW_KEY}
    return tuple(name for name in _present(wanted, columns) if name not in reserved)


def _chosen(rows: list[Row], kind: Kind, choice: Choice, path: Path) -> list[Row]:
    """The rows of the choice, in the order of the table."""
    if choice.only_proposed:
        rows = _where(rows, "omit", "true", path)
    if choice.only_disputed:
        rows = _where(rows, "review_decision", DISPUTED, path)
    if choice.sample is not None:
        if choice.sample < 1:
            raise UserError(f"--sample: {choice.sample} is too small. Expected at least 1.")
        identifiers = sorted({row[kind.key] for row in rows})
        drawn = random.Random(choice.seed).sample(  # noqa: S311 - a sample for reviewers is no secret
            identifiers, min(choice.sample, len(identifiers))
        )
        rows = [row for row in rows if row[kind.key] in set(drawn)]
    return rows


def _where(rows: list[Row], column: str, value: str, path: Path) -> list[Row]:
    matching = [row for row in rows if row.get(column, "").strip().lower() == value]
    if not matching:
        raise UserError(
            f"{path}, column '{column}': no row has the value '{value}'. There is nothing to review."
        )
    return matching


@dataclass(frozen=True, slots=True)
class RawSheet:
    """The cells of a sheet that came back.

    Attributes:
        path: its file.
        header: its column names.
        origin: what it was made from.
        origins: its rows as they were handed out, by name.
        rows: number of the row in the sheet (the header is row 1), and its cells by column.
    """

    path: Path
    header: tuple[str, ...]
    origin: Origin
    origins: Mapping[str, OriginRow]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
