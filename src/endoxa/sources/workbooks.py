"""Workbooks (.xlsx): opened only where their real size is bounded, and read row by row."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.source import Source

if TYPE_CHECKING:
    from openpyxl import Workbook

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
            f"{path}: reading a spreadsheet needs openpyxl. Install it with: pip install 'endoxa[curate]'"
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


def workbook_rows(path: Path) -> Iterator[tuple[int, list[str | None]]]:
    """Number and cells of each row of the first sheet that holds anything, the column names first.

    Raises:
        UserError: see `opened_workbook`.
    """
    with opened_workbook(path, only_values=True) as book:
        for number, row in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
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
