"""Tables that people open in a spreadsheet: text is written so that it cannot run as a formula, and is read back.

A cell that begins with = + - @ (also in full width), a tab or a line break is run by spreadsheet programs, also behind
quotes and blanks, and behind a semicolon, at which programs of many countries part cells. OWASP recommends an
apostrophe in front ("CSV Injection", owasp.org). Every CSV file is written with it and read without it; a text that has
an apostrophe there already gets a second, so nothing is lost. Numbers stay as they are. Parquet and JSONL hold raw
text.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

import polars as pl

from endoxa.errors import UserError, installation
from endoxa.sources.dialects import named_records
from endoxa.sources.files import require_file
from endoxa.sources.headers import LOOKED_AT, find_header, plain_name
from endoxa.sources.source import Source, current_reading, understood_once

if TYPE_CHECKING:
    from openpyxl import Workbook


_BEFORE = r"""['"\s\x1c-\x1f]*"""
_STARTS = _BEFORE + r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_NUMBER = r"[+\-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+\-]?\d+)?\s?%?"
_HARMLESS = rf"{_NUMBER}(?: to {_NUMBER})?(?:;|\Z)"
"""Numbers and intervals."""
_FORMULA = re.compile(f"(^|;)(?!{_HARMLESS})(?={_STARTS})")
_ADDED = re.compile(f"(^|;)'(?={_STARTS})")
_MAY_BE_FORMULA = f"(^|;){_STARTS}"
"""Without looking ahead, which polars cannot."""


def looks_like_formula(text: str) -> bool:
    """True where a spreadsheet program may take the text for a formula, numbers with a sign included."""
    return re.match(_STARTS, text) is not None


def neutralised(text: str) -> str:
    """The text as it is written to CSV: with an apostrophe before what a spreadsheet might run as a formula."""
    if text[:1].isalnum() and ";" not in text:
        return text
    return _FORMULA.sub(r"\1'", text)


def restored(text: str) -> str:
    """The text before `neutralised`."""
    return _ADDED.sub(r"\1", text) if "'" in text else text


def neutralised_table(table: pl.DataFrame) -> pl.DataFrame:
    """The table with `neutralised` cells and names of columns."""
    return _changed(table.cast({pl.Categorical: pl.String, pl.Enum: pl.String}), neutralised)


def csv_text(table: pl.DataFrame, *, include_header: bool = True) -> str:
    """The table as CSV (RFC 4180) that can be opened in a spreadsheet.

    Args:
        table: its nested columns must have been written as text.
        include_header: begin with the names of the columns.
    """
    return neutralised_table(table).write_csv(include_header=include_header)


def read_csv(source: Path | IO[bytes], **options: Any) -> pl.DataFrame:
    """A CSV file as polars reads it, with its texts as they were before they were written.

    Args:
        source: the file.
        options: those of `polars.read_csv`.

    Raises:
        polars.exceptions.PolarsError: it cannot be read.
    """
    return _changed(pl.read_csv(source, **options), restored)


def _changed(table: pl.DataFrame, change: Callable[[str], str]) -> pl.DataFrame:
    """The table with its texts and names changed, where they may hold a formula."""
    columns = [
        pl.Series(name, [text if text is None else change(text) for text in table[name]], pl.String)
        for name, kind in table.schema.items()
        if kind == pl.String and table[name].str.contains(_MAY_BE_FORMULA).any()
    ]
    return table.with_columns(columns).rename(change)


WORKBOOK_SUFFIXES = (".xlsx",)

MOST_BYTES = 100 << 20
"""Uncompressed size of a workbook that is read: some 300,000 rows of sentence pairs. Tables in text have no limit."""


@contextmanager
def opened_workbook(path: Path, *, only_values: bool = False) -> Iterator[Workbook]:
    """The workbook; cells that are streamed must be read inside the block, where damage is found.

    Args:
        path: the file.
        only_values: stream what the cells show, without formulas and looks.

    Raises:
        UserError: the file cannot be read as a workbook, is too large, or openpyxl is missing.
    """
    path = Source.of(path)
    require_file(path)
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise UserError(
            f"{path}: reading a spreadsheet needs openpyxl. Install it with: {installation('curate')}"
        ) from error
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            size = sum(part.file_size for part in archive.infolist())  # a sheet can have any name
        if size > MOST_BYTES:
            raise UserError(
                f"{path} is too large for a workbook: it unpacks to {size / 1e6:,.0f} MB, and at most "
                f"{MOST_BYTES / 1e6:,.0f} MB are read. Save the table as .csv, which is read at any size."
            )
        with path.open("rb") as stream, warnings.catch_warnings():
            # Warnings about styles that openpyxl does not keep; nothing is written back.
            warnings.simplefilter("ignore")
            with closing(load_workbook(stream, read_only=only_values, data_only=only_values)) as book:
                yield book
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, IndexError, OSError, ParseError) as error:
        raise UserError(f"{path} is not a readable spreadsheet. Save it again as .xlsx.") from error


def workbook_rows(
    path: Path, wanted: Collection[str] = (), usual: Collection[str] = ()
) -> Iterator[tuple[int, list[str | None]]]:
    """Number and cells of each row of a sheet, the column names first; see `workbook_sheet`."""
    place, title = workbook_sheet(path, wanted, usual, current_reading().sheet)
    if title:
        current_reading().sheets[path] = title
    with opened_workbook(path, only_values=True) as book:
        rows = _sheet_rows(book.worksheets[place])
        yield from named_records(path, rows, wanted, usual, f"sheet '{title}'" if title else "")


@understood_once
def workbook_sheet(
    path: Path, wanted: Collection[str], usual: Collection[str], stated: str | None
) -> tuple[int, str]:
    """The sheet that is read: the one that was named, has the columns that are wanted, or is the only table.

    Args:
        path: the workbook.
        wanted: names of columns that the caller needs, as `plain_name` gives them.
        usual: names that speak for a sheet where several could be meant.
        stated: name or number of the sheet, where somebody said it.

    Returns:
        Its place among those of the workbook, from 0, and its name, which is empty where it is the only one.

    Raises:
        UserError: see `opened_workbook`; several sheets could be meant, or none is the one that was named.
    """
    titles, starts, tables = _beginnings(path)
    if stated is not None:
        tables = [_stated_sheet(path, titles, stated)]
    if len(tables) > 1:
        headers = {
            place: find_header([cells for _, cells in starts[place]], wanted, usual) for place in tables
        }
        plain = {place: set(map(plain_name, header.names)) for place, header in headers.items()}
        tables = [place for place in tables if wanted and set(wanted) <= plain[place]] or tables
        names = {place: len(plain[place] & set(usual)) for place in tables}
        most = [place for place in tables if names[place] == max(names.values()) > 1]
        tables = most if len(most) == 1 else tables
    if len(tables) > 1:
        listed = ", ".join(f"{place + 1} '{titles[place]}'" for place in tables)
        raise UserError(
            f"{path} has {len(tables)} sheets with tables ({listed}). Name one with --sheet NAME or --sheet NUMBER "
            "(`endoxa curate extract`, `endoxa study init`), or save it as .csv."
        )
    return tables[0], titles[tables[0]] if sum(map(bool, starts)) > 1 else ""


def columns_of_sheet(path: Path, title: str) -> tuple[str, ...]:
    """Names of the columns of the sheet of a title."""
    titles, starts, _ = _beginnings(path)
    numbers, rows = zip(*starts[titles.index(title)], strict=True)
    return find_header(rows, lines=numbers, stated=current_reading().header_rows).names


_Start = list[tuple[int, list[str | None]]]


@understood_once
def _beginnings(path: Path) -> tuple[list[str], list[_Start], list[int]]:
    """Titles of all sheets, their first rows, and places of those that hold tables; the first where none does."""
    with opened_workbook(path, only_values=True) as book:
        starts = [list(islice(_sheet_rows(sheet), LOOKED_AT)) for sheet in book.worksheets]
        titles = [sheet.title for sheet in book.worksheets]
        seen = [sheet.sheet_state == "visible" for sheet in book.worksheets]
    filled = [place for place, start in enumerate(starts) if start]
    return titles, starts, [at for at in filled if len(starts[at]) > 1 and seen[at]] or filled[:1] or [0]


def sheets_with_tables(path: Path) -> list[str]:
    """Titles of the sheets of a workbook that hold tables; none for other files.

    Raises:
        UserError: see `opened_workbook`.
    """
    if path.suffix.lower() not in WORKBOOK_SUFFIXES:
        return []
    titles, _, tables = _beginnings(path)
    return [titles[place] for place in tables]


def _stated_sheet(path: Path, titles: Sequence[str], stated: str) -> int:
    """Place of the sheet of a name, or of a number from 1."""
    named = [place for place, title in enumerate(titles) if title.casefold() == stated.strip().casefold()]
    if not named and stated.strip().isdigit() and 1 <= int(stated) <= len(titles):
        named = [int(stated) - 1]
    if not named:
        listed = ", ".join(f"{place} '{title}'" for place, title in enumerate(titles, start=1))
        raise UserError(f"{path} has no sheet '{stated}'. Its sheets are: {listed}.")
    return named[0]


def _sheet_rows(sheet: Any) -> Iterator[tuple[int, list[str | None]]]:
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells = [_text(cell) for cell in row]
        if any(cells):
            yield number, cells


def _text(cell: object) -> str | None:
    """A cell of a spreadsheet as people see it: 3.0 is '3', nothing is None."""
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
