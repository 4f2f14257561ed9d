"""Seeds from a file that an organiser made, often in a spreadsheet program: CSV, TSV or JSONL."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from endoxa.collect import geography
from endoxa.collect.campaign.settings import UI_LANGUAGES
from endoxa.collect.entry.cleaning import MAX_LENGTH, visible
from endoxa.collect.entry.keys import fold, key
from endoxa.collect.entry.seeding import SeedRow
from endoxa.errors import UserError

MAX_ROWS = 5_000
_NEEDED = ("country", "attribute", "language")
_TOPIC_LENGTH = 40
_YES = frozenset({"yes", "true", "1", "y"})
_NO = frozenset({"no", "false", "0", "n"})


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
    header = text.partition("\n")[0]
    # Spreadsheet programs of many countries write semicolons into .csv files, some write tabs.
    mark = delimiter or max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        columns = [column.strip().lower() for column in next(reader, [])]
        _check_columns(columns, name)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                # A row may end early, as spreadsheet programs leave it.
                yield f"{name}, line {reader.line_num}", dict(zip(columns, cells, strict=False))
    except csv.Error as error:
        raise SeedFileError(
            f"{name}, line {reader.line_num}, is no proper {'TSV' if delimiter else 'CSV'}: {error}."
        ) from error


def _check_columns(columns: list[str], name: str) -> None:
    missing = [column for column in _NEEDED if column not in columns]
    if missing:
        found = ", ".join(column for column in columns if column) or "none"
        raise SeedFileError(
            f"{name} has no column {missing[0]!r} in its first line (found: {found}): "
            f"the first line must be country,attribute,language and may go on with topic,negative."
        )


def _json_records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SeedFileError(f"{place}, is no JSON object: write one {{...}} on each line.") from error
        if not isinstance(record, dict):
            raise SeedFileError(f"{place}, is no JSON object: write one {{...}} on each line.")
        yield place, {column: _cell(place, column, value) for column, value in record.items()}


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
        "country": _country,
        "attribute": _attribute,
        "language": lambda typed: _language(typed, languages),
        "topic": _topic,
        "negative": _negative,
    }
    cells = {}
    for column, read in readers.items():
        try:
            cells[column] = read(visible(record.get(column, "")))
        except ValueError as error:
            raise SeedFileError(f"{place}, column {column!r}: {error}.") from error
    if not key(cells["attribute"], cells["language"]):
        raise SeedFileError(f"{place}, column 'attribute': expected words, found {cells['attribute']!r}.")
    return SeedRow(**cells)


def _country(typed: str) -> str:
    code = typed.upper() if typed.upper() in geography.codes() else _countries().get(fold(typed))
    if code is None:
        raise ValueError(f"found {typed!r}, expected the name of a country or its code of two letters")
    return code


@cache
def _countries() -> Mapping[str, str]:
    """Codes of countries by their names in the languages of the pages."""
    return {
        fold(named): code
        for language in reversed(UI_LANGUAGES)
        for code, named in geography.names(language).items()
    }


def _attribute(typed: str) -> str:
    if not typed:
        raise ValueError("it is empty, expected what is said of people from the country")
    if len(typed) > MAX_LENGTH:
        raise ValueError(f"it has {len(typed)} characters, expected at most {MAX_LENGTH}")
    return typed


def _language(typed: str, languages: tuple[str, ...]) -> str:
    if typed.lower() not in languages:
        raise ValueError(f"found {typed!r}, expected a language of the campaign ({', '.join(languages)})")
    return typed.lower()


def _topic(typed: str) -> str:
    if len(typed) > _TOPIC_LENGTH:
        raise ValueError(f"it has {len(typed)} characters, expected at most {_TOPIC_LENGTH}")
    return typed


def _negative(typed: str) -> bool | None:
    if not typed:
        return None
    if typed.lower() in _YES | _NO:
        return typed.lower() in _YES
    raise ValueError(f"found {typed!r}, expected yes or no, or nothing")
