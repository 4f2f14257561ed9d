"""Rows of a CSV, TSV, JSONL, Parquet or XLSX file as strings, one at a time, with their place in the file.

This is the one reader of tables: encodings and delimiters are found (`endoxa.sources.dialects`), column names are
known in any spelling, decimal commas of numbers are read, and what was taken is said in a line.

A record that cannot be parsed is passed on with its faults instead of stopping the file: a strict caller raises at the
first one, `check` lists them all. Rows that a contributor of a campaign withdrew are left out
(`endoxa.sources.collected`).
"""

from __future__ import annotations

import ast
import csv
import json
import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.collected import WITHDRAWALS, is_left_out, is_withdrawn, say_left_out, withdrawn_beside
from endoxa.sources.dialects import (
    USUAL_DELIMITERS,
    csv_records,
    decoded,
    log_reading,
    named_records,
    open_text,
    undecodable,
)
from endoxa.sources.files import require_file
from endoxa.sources.headers import NUMBERS, plain_name, spelled, usual_names
from endoxa.sources.source import Source, called, current_reading, understood_once
from endoxa.sources.spreadsheets import WORKBOOK_SUFFIXES, restored, workbook_rows

JSONL_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIXES = (".parquet", ".pq")
TEXT_AND_PARQUET_SUFFIXES = (*USUAL_DELIMITERS, *JSONL_SUFFIXES, *PARQUET_SUFFIXES)
TABLE_SUFFIXES = (*TEXT_AND_PARQUET_SUFFIXES, *WORKBOOK_SUFFIXES)

_PARQUET_SLICE = 32_768

_LOG = logging.getLogger(__name__)

_DECIMAL_COMMA = re.compile(r"\s*([-+]?\d+),(\d+)\s*")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record cannot be used: which check says so, in which column (None: all of it), and the reason."""

    check: str
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its number from 1, the line it starts on (None where there are no lines), its cells.

    Cells are text, unless they were asked for as the values of the file (`table_rows`).
    """

    number: int
    line: int | None
    cells: Mapping[str, str | None]
    faults: tuple[Fault, ...] = ()


def table_columns(path: Path, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Column names of a table (for JSONL: keys of the first record that can be read), in the spelling that is known.

    Args:
        path: the file.
        wanted: names that the caller looks for, besides our own.

    Raises:
        UserError: the file cannot be read or has none.
    """
    names = written_columns(path, wanted)
    spellings = spelled(names, tuple(wanted))
    return tuple(spellings.get(name, name) for name in names)


def written_columns(path: Path, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Column names of a table as they are written; see `table_columns`."""
    require_file(path)
    reading = current_reading()
    return _header(path, tuple(wanted), (reading.languages, reading.sheet, reading.header_rows))


@understood_once
def _header(path: Path, wanted: tuple[str, ...], reading: tuple[object, ...]) -> tuple[str, ...]:
    del reading  # which decides how bytes that are no Unicode are read, and where the names stand
    return _opened(path, wanted, as_values=True)[0]


def _opened(path: Path, wanted: Sequence[str], *, as_values: bool) -> tuple[tuple[str, ...], Iterator[Row]]:
    """The names of the columns as they are written, and the rows."""
    suffix = path.suffix.lower()
    if suffix in PARQUET_SUFFIXES:
        schema = _polars(path, lambda: _parquet(path).collect_schema())
        return tuple(schema), _parquet_rows(path, schema, wanted, as_values=as_values)
    if suffix in JSONL_SUFFIXES:
        return _json_lines(path, _jsonl_rows(path, wanted, as_values=as_values))
    plain, usual = tuple(map(plain_name, wanted)), usual_names(wanted)
    if suffix in WORKBOOK_SUFFIXES:
        records = workbook_rows(path, plain, usual)
        named = [(place, name) for place, name in enumerate(next(records, (1, []))[1]) if name]
        _require_unique(path, [name for _, name in named])
        return tuple(name for _, name in named), _workbook_rows(records, named)
    texts = named_records(path, csv_records(path, usual), plain, usual)
    header = _csv_header(path, *next(texts, (1, [])))
    return tuple(header), _csv_rows(texts, header)


def table_rows(
    path: Path,
    required: Sequence[str],
    *,
    optional: Sequence[str] = (),
    respect_withdrawals: bool = True,
    respect_statuses: bool = True,
    as_written: bool = False,
    as_values: bool = False,
) -> Iterator[Row]:
    """Yield every record of the file in order; memory does not grow with the file.

    A list or object in a column that is `required`, `optional` or ours is a fault; in any other it is JSON text.

    Args:
        path: the file.
        required: columns it must have.
        optional: further names that somebody gave: such a column keeps its spelling.
        respect_withdrawals: leave out what people took back from the campaign that the file comes from, and log how
            many rows that were.
        respect_statuses: leave out drafts that people rejected or have not judged (`endoxa.sources.collected`).
        as_written: keep column names as they are written, and take numbers as they are.
        as_values: cells hold numbers, lists and objects where the file does.

    Raises:
        UserError: the file cannot be read, or lacks one of the `required` columns.
    """
    path = Source.of(path)
    wanted = (*required, *optional)
    names = written_columns(path, wanted) if as_written else table_columns(path, wanted)
    require_columns(path, names, required)
    _, rows = _opened(path, wanted, as_values=as_values)
    if not as_written:
        rows = (_renamed(path, row, wanted) for row in rows)
    if not (as_written or as_values):
        rows = (_with_decimal_points(path, row) for row in rows)
    withdrawn = withdrawn_beside(path) if respect_withdrawals else frozenset[str]()
    return _respecting(rows, path, withdrawn, respect_statuses)


def require_known_columns(named: Mapping[str, str], names: Collection[str], items: str) -> None:
    """Refuse an unknown name of a column.

    Args:
        named: our name of a column -> the file's.
        names: our names.
        items: what the columns are of ("pairs").

    Raises:
        UserError: a name is unknown.
    """
    unknown = [name for name in named if name not in names]
    if unknown:
        raise UserError(
            f"There is no column '{unknown[0]}' of {items} to be named. Write OURS=THEIRS with one of: "
            f"{', '.join(names)}."
        )


def require_columns(path: Path, there: Sequence[str], required: Sequence[str]) -> None:
    """Raise UserError where one of the `required` columns is not among those `found` in the file."""
    missing = [column for column in required if column not in there]
    if missing:
        raise UserError(
            f"{called(path)} has no column {', '.join(map(repr, missing))}; its columns are: "
            f"{', '.join(map(repr, there))}."
        )


def _respecting(
    rows: Iterator[Row], path: Path, withdrawn: frozenset[str], respect_statuses: bool
) -> Iterator[Row]:
    """The rows that nobody took back, without drafts that are not to be read; says how many are left out.

    Raises:
        UserError: all but those that were taken back are such drafts.
    """
    taken_back = left_out = kept = 0
    for row in rows:
        if withdrawn and is_withdrawn(row.cells, withdrawn):
            taken_back += 1
        elif respect_statuses and is_left_out(row.cells):
            left_out += 1
        else:
            kept += 1
            yield row
    if taken_back:
        _LOG.warning(
            "%d rows of %s were withdrawn by the people who gave them (%s): left out.",
            taken_back,
            path,
            WITHDRAWALS,
        )
    say_left_out(path, left_out, kept)


def _renamed(path: Path, row: Row, wanted: tuple[str, ...]) -> Row:
    """The row with the known spelling of column names."""
    spellings = spelled(tuple(row.cells), wanted)
    if not spellings:
        return row
    log_reading(path, ", ".join(f"column {name!r} as '{ours}'" for name, ours in spellings.items()))
    return replace(row, cells={spellings.get(name, name): cell for name, cell in row.cells.items()})


def _with_decimal_points(path: Path, row: Row) -> Row:
    """The row with decimal points in columns of numbers."""
    changed = {
        name: f"{number[1]}.{number[2]}"
        for name in NUMBERS & row.cells.keys()
        if (number := _DECIMAL_COMMA.fullmatch(row.cells[name] or ""))
    }
    if not changed:
        return row
    for name in changed:
        log_reading(path, f"numbers with a decimal comma in column '{name}'")
    return replace(row, cells={**row.cells, **changed})


def raise_fault(path: Path, row: Row) -> None:
    """Raise UserError with the first fault of a record, if it has one."""
    for fault in row.faults:
        raise refusal(path, row.number, row.line, fault)


def refusal(path: Path, number: int, line: int | None, fault: Fault) -> UserError:
    """The error that says what is wrong with the record of a number, and where it stands."""
    place = f" (line {line})" if line else ""
    column = f", column '{fault.column}'" if fault.column else ""
    return UserError(f"{called(path)}, row {number}{place}{column}: {fault.message}.")


NOT_UTF_8 = (
    "is not UTF-8 text: save the file as UTF-8, or say its language (--language CODE, or a column language)"
)


def text_faults(cells: Mapping[str, Any]) -> tuple[Fault, ...]:
    """Cells that cannot be text: bytes that no encoding explains, NUL characters."""
    texts = {column: value for column, value in cells.items() if isinstance(value, str)}
    joined = "".join(texts.values())
    if "\0" not in joined and not undecodable(joined):
        return ()
    faults = []
    for column, value in texts.items():
        if undecodable(value):
            faults.append(Fault("encoding", column, NOT_UTF_8))
        if "\0" in value:
            faults.append(Fault("nul-character", column, "holds a NUL character: the file is damaged"))
    return tuple(faults)


def plain_value(value: Any) -> Any:
    """A value as JSON can hold it: bytes are decoded, NaN and infinity are missing, dates are text."""
    if isinstance(value, list):
        return [plain_value(entry) for entry in value]
    if isinstance(value, dict):
        return {name: plain_value(entry) for name, entry in value.items()}
    if isinstance(value, bytes):
        return decoded(value, current_reading().languages)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


_ARRAY = re.compile(r"array\((\[[^\]]*\])(?:,\s*dtype=\w+)?\)")
_NO_COMMA = re.compile(r"(?<=['\"])\s+(?=['\"])")


def value_of_text(cell: Any) -> Any:
    """An object or list written as JSON or as Python or NumPy writes it; anything else is left as it is."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        text = cell.strip()
        for read in (json.loads, ast.literal_eval):
            try:
                return plain_value(read(text))
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                text = _NO_COMMA.sub(", ", _ARRAY.sub(r"\1", text))
    return cell


def _row_of_values(
    number: int, line: int | None, record: Mapping[str, Any], wanted: Sequence[str], *, as_values: bool
) -> Row:
    """A record of a file that holds more than text."""
    cells = {column: plain_value(value) for column, value in record.items()}
    faults: list[Fault] = []
    if not as_values:
        usual = usual_names(wanted)
        for column, value in cells.items():
            if isinstance(value, list | dict) and plain_name(column) in usual:
                faults.append(
                    Fault("not-text", column, f"holds {type(value).__name__} where text is expected")
                )
            if value is not None and not isinstance(value, str):
                cells[column] = json.dumps(value, ensure_ascii=False)
    return Row(number, line, cells, (*faults, *text_faults(cells)))


# --------------------------------------------------------------------------- CSV


def _csv_header(path: Path, line: int, header: list[str] | csv.Error) -> list[str]:
    if isinstance(header, csv.Error):
        raise UserError(
            f"{path}, line {line}: the column names are not readable as CSV ({header})."
        ) from header
    header = list(map(restored, header))
    for fault in text_faults({name: name for name in header}):
        raise UserError(f"{path}, line {line}: the row of column names {fault.message}.")
    if not any(header):
        raise UserError(f"{path}, line {line} is blank. Expected the column names.")
    _require_unique(path, header)
    return header


def _require_unique(path: Path, header: Sequence[str]) -> None:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise UserError(f"{path} has two columns called '{twice[0]}': rename or remove one.")


def _csv_rows(records: Iterator[tuple[int, list[str] | csv.Error]], header: Sequence[str]) -> Iterator[Row]:
    for number, (line, values) in enumerate(records, start=1):
        if isinstance(values, csv.Error):
            reason = f"is not readable as CSV ({values})"
            yield Row(number, line, {}, (Fault("unreadable-row", None, reason),))
            continue
        cells = dict(zip(header, map(restored, values), strict=False))
        yield Row(number, line, cells, (*_ragged(header, values), *text_faults(cells)))


def _ragged(header: Sequence[str], values: Sequence[str]) -> tuple[Fault, ...]:
    if len(header) == len(values):
        return ()
    return (
        Fault(
            "ragged-row",
            None,
            f"has {len(values)} cells where there are {len(header)} columns: "
            "a text with the character that separates cells needs double quotes around it",
        ),
    )


# --------------------------------------------------------------------------- JSONL


def _json_lines(path: Path, rows: Iterator[Row]) -> tuple[tuple[str, ...], Iterator[Row]]:
    """Keys of the first record that has any, so that one broken line does not hide the others, and all rows."""
    start: list[Row] = []
    for row in rows:
        start.append(row)
        if row.cells:
            return tuple(row.cells), chain(start, rows)
    if not start:
        raise UserError(f"{path} has no rows: every line is blank.")
    reason = start[0].faults[0].message if start[0].faults else "is an empty object"
    raise UserError(f"{path}, row {start[0].number} (line {start[0].line}): {reason}.")


def _jsonl_rows(path: Path, wanted: Sequence[str], *, as_values: bool) -> Iterator[Row]:
    with open_text(path, newline="\n") as stream:
        yield from rows_of_lines(stream, wanted, as_values=as_values)


def rows_of_lines(lines: Iterable[str], wanted: Sequence[str] = (), *, as_values: bool) -> Iterator[Row]:
    """The record of each line of JSON that is not blank; see `table_rows`."""
    number = 0
    for line, text in enumerate(lines, start=1):
        if text.strip():
            number += 1
            yield _jsonl_row(number, line, text, wanted, as_values=as_values)


def _jsonl_row(number: int, line: int, text: str, wanted: Sequence[str], *, as_values: bool) -> Row:
    try:
        record = json.loads(text, object_pairs_hook=_with_unique_keys)
        if isinstance(record, dict):
            return _row_of_values(number, line, record, wanted, as_values=as_values)
        reason = 'is not a JSON object ({"name": value})'
    except (ValueError, RecursionError) as error:
        reason = f"is not JSON ({getattr(error, 'msg', None) or 'too deep or too large'})"
    return Row(number, line, {}, (Fault("unreadable-row", None, reason),))


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise json.JSONDecodeError(f"the key '{twice}' is there twice", "", 0)
    return record


# --------------------------------------------------------------------------- XLSX


def _workbook_rows(
    records: Iterator[tuple[int, list[str | None]]], named: Sequence[tuple[int, str]]
) -> Iterator[Row]:
    for number, (line, values) in enumerate(records, start=1):
        cells = {name: values[place] if place < len(values) else None for place, name in named}
        yield Row(number, line, cells, text_faults(cells))


# --------------------------------------------------------------------------- Parquet


def _parquet(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(Source.of(path).scannable(), glob=False)


def _polars(path: Path, call: Callable[[], T]) -> T:
    try:
        return call()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{path} is not a Parquet file that can be read ({reason}).") from error


def _parquet_rows(path: Path, schema: pl.Schema, wanted: Sequence[str], *, as_values: bool) -> Iterator[Row]:
    """Rows in slices: polars' own batches are read ahead without a bound."""
    table = _parquet(path).select(
        pl.col(name) if as_values or kind.is_nested() or kind == pl.Binary else _text_of(name, kind)
        for name, kind in schema.items()
    )
    number = 0
    while (rows := _polars(path, table.slice(number, _PARQUET_SLICE).collect)).height:
        for cells in rows.iter_rows(named=True):
            number += 1
            yield _row_of_values(number, None, cells, wanted, as_values=as_values)


def _text_of(name: str, kind: pl.DataType) -> pl.Expr:
    """A column of single values as text; NaN and infinity are missing."""
    text = pl.col(name).cast(pl.String)
    return pl.when(pl.col(name).is_finite()).then(text) if kind.is_float() else text


MOST_SOURCES = 20
"""More different sources are names of rows (addresses, people), and are not counted."""


@understood_once
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
