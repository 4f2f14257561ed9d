"""Seeds from a file that an organiser made, often in a spreadsheet program: CSV, TSV or JSONL."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from endoxa.collect.entry import seed_cells
from endoxa.collect.entry.cleaning import MAX_LENGTH, READ, visible
from endoxa.collect.entry.keys import key
from endoxa.collect.entry.seeding import SeedRow
from endoxa.errors import UserError

MAX_ROWS = 5_000
_NEEDED = ("country", "attribute", "language")
_LINE_ENDS = re.compile(r"\r\n?|\n")
_SEPARATOR = re.compile(r"^sep=([,;\t])", re.IGNORECASE)
"""First line of spreadsheet programs that says what stands between cells."""


class SeedFileError(UserError):
    """A file of seeds that cannot be used; says which row and column, and what was expected."""


def read_seeds(source: Path | bytes, name: str, languages: tuple[str, ...]) -> list[SeedRow]:
    """The rows of a file with columns country, attribute, language and perhaps topic and negative.

    Args:
        source: the file or what is in it.
        name: its name; `.csv`, `.tsv`, `.jsonl` or `.ndjson` says how it is read.
        languages: those of the campaign.

    Raises:
        SeedFileError: the first thing that is wrong.
    """
    text = _text(source, name)
    suffix = Path(name).suffix.lower()
    if suffix in {".jsonl", ".ndjson"}:
        records = _json_records(text, name)
    elif suffix in {".csv", ".tsv"}:
        records = _table_records(text, name, "\t" if suffix == ".tsv" else None)
    else:
        raise SeedFileError(f"{name} is of an unknown kind: use a file that ends in .csv, .tsv or .jsonl.")
    rows: list[SeedRow] = []
    for place, record in records:
        if len(rows) == MAX_ROWS:
            raise SeedFileError(f"{name} has more than {MAX_ROWS} rows: split it into several files.")
        rows.append(_row(place, record, languages))
    if not rows:
        raise SeedFileError(f"{name} has no rows: write one pair in each row.")
    return rows


def _text(source: Path | bytes, name: str) -> str:
    try:
        content = source if isinstance(source, bytes) else source.read_bytes()
    except OSError as error:
        raise SeedFileError(f"{name} cannot be read: {error.strerror or error}.") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise SeedFileError(
            f"{name}, line {line}, is not UTF-8 text: save the file as 'CSV UTF-8' and upload it again."
        ) from error


def _table_records(text: str, name: str, delimiter: str | None) -> Iterator[tuple[str, Mapping[str, str]]]:
    # Spreadsheet programs of many countries write semicolons into .csv files, some write tabs.
    first = _LINE_ENDS.split(text, maxsplit=1)[0]
    told = _SEPARATOR.match(first)
    mark = told[1] if told else delimiter or max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        if told:
            next(reader)
        columns = [column.strip().lower() for column in next(reader, [])]
        _check_columns(columns, name)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                place = f"{name}, line {reader.line_num}"
                _check_width(place, cells, columns, mark)
                # A row may end early, as spreadsheet programs leave it.
                yield place, dict(zip(columns, cells, strict=False))
    except csv.Error as error:
        raise SeedFileError(
            f"{name}, line {reader.line_num}, is no proper {'TSV' if delimiter else 'CSV'}: {error}."
        ) from error


def _check_width(place: str, cells: list[str], columns: list[str], mark: str) -> None:
    """Words beyond the last column would be lost."""
    if any(cell.strip() for cell in cells[len(columns) :]):
        shown = {"\t": "a tab"}.get(mark, repr(mark))
        raise SeedFileError(
            f"{place}, has {len(cells)} cells, but the first line names {len(columns)} columns: "
            f"put words that contain {shown} in double quotes."
        )


def _check_columns(columns: list[str], name: str) -> None:
    missing = [column for column in _NEEDED if column not in columns]
    if missing:
        found = ", ".join(column for column in columns if column) or "none"
        raise SeedFileError(
            f"{name} has no column {missing[0]!r} in its first line (found: {found}): "
            f"the first line must be country,attribute,language and may go on with topic,negative."
        )
    _check_once(f"{name}, first line", columns)


def _check_once(place: str, columns: Sequence[str]) -> None:
    twice = next((column for column, times in Counter(columns).items() if column and times > 1), None)
    if twice is not None:
        raise SeedFileError(f"{place}, has the column {twice!r} more than once: keep one of them.")


def _json_records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for number, line in enumerate(_LINE_ENDS.split(text), start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            record = json.loads(line, object_pairs_hook=list)
        except (ValueError, RecursionError) as error:
            raise SeedFileError(f"{place}, is no JSON object: write one {{...}} on each line.") from error
        if not line.lstrip().startswith("{"):
            raise SeedFileError(f"{place}, is no JSON object: write one {{...}} on each line.")
        _check_once(place, [column for column, _ in record])
        yield place, {column: _cell(place, column, value) for column, value in record}


def _cell(place: str, column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        raise SeedFileError(f"{place}, column {column!r}: expected text in quotes.")
    return value


def _row(place: str, record: Mapping[str, str], languages: tuple[str, ...]) -> SeedRow:
    readers: Mapping[str, Callable[[str], Any]] = {
        "country": lambda typed: seed_cells.country(typed, languages),
        "attribute": seed_cells.attribute,
        "language": lambda typed: seed_cells.language(typed, languages),
        "topic": seed_cells.topic,
        "negative": seed_cells.negative,
    }
    cells = {}
    for column, read in readers.items():
        typed = record.get(column, "")
        try:
            cells[column] = read(_shown(typed))
        except ValueError as error:
            raise SeedFileError(f"{place}, column {column!r}: {error}.") from error
    if not key(cells["attribute"], cells["language"]):
        raise SeedFileError(f"{place}, column 'attribute': expected words, found {cells['attribute']!r}.")
    return SeedRow(**cells)


def _shown(typed: str) -> str:
    if len(typed) > READ:
        raise ValueError(f"it has {len(typed)} characters, expected at most {MAX_LENGTH}")
    return visible(typed)
