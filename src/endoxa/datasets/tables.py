"""Rows of a CSV, TSV, JSONL or Parquet file as strings, one at a time, with their place in the file.

A record that cannot be parsed is passed on with its faults instead of stopping the file: a strict caller raises at the
first one, `check` lists them all. Rows that a contributor of a campaign withdrew are left out
(`endoxa.datasets.collected`).
"""

from __future__ import annotations

import csv
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from endoxa.datasets.collected import WITHDRAWALS, is_collected, is_withdrawn, restored, withdrawn_beside
from endoxa.datasets.files import open_text, require_file, undecodable
from endoxa.datasets.statuses import is_left_out, say_left_out
from endoxa.errors import UserError

if TYPE_CHECKING:
    from _csv import Reader as _CsvReader

JSONL_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIXES = (".parquet", ".pq")
TABLE_SUFFIXES = (".csv", ".tsv", *JSONL_SUFFIXES, *PARQUET_SUFFIXES)

_PARQUET_SLICE = 32_768

_LOG = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record cannot be used: which check says so, in which column (None: all of it), and the reason."""

    check: str
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its number from 1, the line it starts on (None where there are no lines), its cells."""

    number: int
    line: int | None
    cells: Mapping[str, str | None]
    faults: tuple[Fault, ...] = ()


def table_columns(path: Path) -> tuple[str, ...]:
    """Column names of a table (for JSONL: keys of the first record that can be read).

    Raises:
        UserError: the file cannot be read or has none.
    """
    require_file(path)
    if path.suffix.lower() in PARQUET_SUFFIXES:
        return tuple(_parquet_schema(path))
    if path.suffix.lower() in JSONL_SUFFIXES:
        return _jsonl_columns(path)
    with open_text(path, newline="") as stream:
        return tuple(_csv_header(path, _csv_reader(path, stream)))


def table_rows(
    path: Path, required: Sequence[str], *, respect_withdrawals: bool = True, respect_statuses: bool = True
) -> Iterator[Row]:
    """Yield every record of the file in order; memory does not grow with the file.

    Args:
        path: the file.
        required: columns it must have.
        respect_withdrawals: leave out what people took back from the campaign that the file comes from, and log how
            many rows that were.
        respect_statuses: leave out drafts that people rejected or have not judged (`endoxa.datasets.statuses`).

    Raises:
        UserError: the file cannot be read, or lacks one of the `required` columns.
    """
    found = table_columns(path)
    missing = [column for column in required if column not in found]
    if missing:
        raise UserError(
            f"{path} has no column {', '.join(map(repr, missing))}; "
            f"its columns are: {', '.join(map(repr, found))}."
            f"{separator_hint(found)}"
        )
    withdrawn = withdrawn_beside(path) if respect_withdrawals else frozenset[str]()
    rows = _without(withdrawn, _all_rows(path), path) if withdrawn else _all_rows(path)
    return _approved(rows, path) if respect_statuses else rows


def _approved(rows: Iterator[Row], path: Path) -> Iterator[Row]:
    """The rows without drafts that are not to be read; says how many those were.

    Raises:
        UserError: no other row is there.
    """
    left_out = kept = 0
    for row in rows:
        if is_left_out(row.cells):
            left_out += 1
        else:
            kept += 1
            yield row
    say_left_out(path, left_out, kept)


def _all_rows(path: Path) -> Iterator[Row]:
    if path.suffix.lower() in PARQUET_SUFFIXES:
        return _parquet_rows(path)
    if path.suffix.lower() in JSONL_SUFFIXES:
        return _jsonl_rows(path)
    return _csv_rows(path)


def _without(withdrawn: frozenset[str], rows: Iterator[Row], path: Path) -> Iterator[Row]:
    left_out = 0
    for row in rows:
        if is_withdrawn(row.cells, withdrawn):
            left_out += 1
        else:
            yield row
    if left_out:
        _LOG.warning(
            "%d rows of %s were withdrawn by the people who gave them (%s): left out.",
            left_out,
            path,
            WITHDRAWALS,
        )


def separator_hint(columns: Sequence[str]) -> str:
    """A sentence for a table whose cells seem to be separated by something else than commas, else nothing."""
    if len(columns) == 1 and any(mark in columns[0] for mark in ";\t|"):
        return (
            " The cells do not seem to be separated by commas: export it with commas (or as .tsv with tabs)."
        )
    return ""


def _text_faults(cells: Mapping[str, str | None]) -> tuple[Fault, ...]:
    """Cells that cannot be text: bytes that are not UTF-8, NUL characters."""
    joined = "".join(value for value in cells.values() if value)
    if "\0" not in joined and not undecodable(joined):
        return ()
    faults = []
    for column, value in cells.items():
        if value and undecodable(value):
            faults.append(Fault("encoding", column, "is not UTF-8 text: save the file as UTF-8"))
        if value and "\0" in value:
            faults.append(
                Fault("nul-character", column, "holds a NUL character: is the file UTF-16, or damaged?")
            )
    return tuple(faults)


# --------------------------------------------------------------------------- CSV


def _csv_reader(path: Path, stream: Iterator[str]) -> _CsvReader:
    return csv.reader(stream, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)


def _csv_header(path: Path, reader: _CsvReader) -> list[str]:
    try:
        header: list[str] = next(reader, [])
    except csv.Error as error:
        raise UserError(f"{path}, line 1: the column names are not readable as CSV ({error}).") from error
    if undecodable("".join(header)):
        raise UserError(f"{path}, line 1: the column names are not UTF-8 text: save the file as UTF-8.")
    if any("\0" in name for name in header):
        raise UserError(f"{path}, line 1 holds NUL characters: possibly UTF-16. Save it as UTF-8.")
    if not any(header):
        raise UserError(f"{path}, line 1 is blank. Expected the column names.")
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise UserError(f"{path} has two columns called '{twice[0]}': rename or remove one.")
    return header


def _csv_rows(path: Path) -> Iterator[Row]:
    with open_text(path, newline="") as stream:
        reader = _csv_reader(path, stream)
        header = _csv_header(path, reader)
        plain = restored if is_collected(path) else str
        number = 0
        while True:
            line = reader.line_num + 1
            try:
                values = next(reader, None)
            except csv.Error as error:
                number += 1
                yield Row(
                    number, line, {}, (Fault("unreadable-row", None, f"is not readable as CSV ({error})"),)
                )
                continue
            if values is None:
                return
            if not values:
                continue
            number += 1
            cells = dict(zip(header, map(plain, values), strict=False))
            yield Row(number, line, cells, _ragged(header, values) or _text_faults(cells))


def _ragged(header: Sequence[str], values: Sequence[str]) -> tuple[Fault, ...]:
    if len(header) == len(values):
        return ()
    return (
        Fault(
            "ragged-row",
            None,
            f"has {len(values)} cells where there are {len(header)} columns: "
            "a text with a comma needs double quotes around it",
        ),
    )


# --------------------------------------------------------------------------- JSONL


def _jsonl_columns(path: Path) -> tuple[str, ...]:
    """Keys of the first record that has any, so that one broken line does not hide the others."""
    broken: Row | None = None
    for row in _jsonl_rows(path):
        if row.cells:
            return tuple(row.cells)
        broken = broken or row
    if broken is None:
        raise UserError(f"{path} has no rows: every line is blank.")
    reason = broken.faults[0].message if broken.faults else "is an empty object"
    raise UserError(f"{path}, row {broken.number} (line {broken.line}): {reason}.")


def _jsonl_rows(path: Path) -> Iterator[Row]:
    number = 0
    with open_text(path, newline="\n") as stream:
        for line, text in enumerate(stream, start=1):
            if text.strip():
                number += 1
                yield _jsonl_row(number, line, text)


def _jsonl_row(number: int, line: int, text: str) -> Row:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", None) or "too deep or too large"
        return Row(number, line, {}, (Fault("unreadable-row", None, f"is not JSON ({reason})"),))
    if not isinstance(record, dict):
        return Row(
            number, line, {}, (Fault("unreadable-row", None, 'is not a JSON object ({"name": value})'),)
        )
    cells: dict[str, str | None] = {}
    faults: list[Fault] = []
    for column, value in record.items():
        if value is None or isinstance(value, str):
            cells[column] = value
        elif isinstance(value, int | float):
            cells[column] = json.dumps(value)
        else:
            cells[column] = None
            faults.append(Fault("not-text", column, f"holds {type(value).__name__} where text is expected"))
    return Row(number, line, cells, (*faults, *_text_faults(cells)))


# --------------------------------------------------------------------------- Parquet


def _parquet(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False)


def _parquet_schema(path: Path) -> pl.Schema:
    return _polars(path, lambda: _parquet(path).collect_schema())


def _polars(path: Path, call: Callable[[], T]) -> T:
    try:
        return call()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{path} is not a Parquet file that can be read ({reason}).") from error


def _parquet_rows(path: Path) -> Iterator[Row]:
    """Rows in slices: polars' own batches are read ahead without a bound."""
    schema = _parquet_schema(path)
    flat = [
        name for name, kind in schema.items() if not kind.is_nested() and kind not in (pl.Object, pl.Binary)
    ]
    table = _parquet(path).select(pl.col(name).cast(pl.String) for name in flat)
    number = 0
    while (rows := _polars(path, table.slice(number, _PARQUET_SLICE).collect)).height:
        for cells in rows.iter_rows(named=True):
            number += 1
            yield Row(number, None, cells, _text_faults(cells))


MOST_SOURCES = 20
"""More different sources are names of rows (addresses, people), and are not counted."""


def counted_sources(path: Path) -> dict[str, int]:
    """Rows by the column `source`, most frequent first; nothing where there is none, or too many to be sources.

    Args:
        path: any file; only tables have sources.
    """
    if path.suffix.lower() not in TABLE_SUFFIXES or "source" not in table_columns(path):
        return {}
    counts: Counter[str] = Counter()
    for row in table_rows(path, ()):
        counts[(row.cells.get("source") or "").strip() or "not said"] += 1
        if len(counts) > MOST_SOURCES:
            return {}
    return dict(counts.most_common())
