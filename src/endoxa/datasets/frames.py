"""Whole tables as Polars frames of text: users' files, XLSX workbooks, and tables passed between packages."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

import polars as pl

from endoxa.datasets.files import require_file
from endoxa.datasets.statuses import is_left_out, say_left_out
from endoxa.datasets.tables import separator_hint, table_columns, table_rows
from endoxa.datasets.write import replacing
from endoxa.errors import UserError

if TYPE_CHECKING:
    from openpyxl import Workbook


@contextmanager
def opened_workbook(path: Path, *, only_values: bool = False) -> Iterator[Workbook]:
    """The workbook; cells that are streamed must be read inside the block, where damage is found.

    Args:
        path: the file.
        only_values: stream what the cells show, without formulas and looks.

    Raises:
        UserError: the file cannot be read as a workbook, or openpyxl is missing.
    """
    require_file(path)
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise UserError(
            f"{path}: reading a spreadsheet needs openpyxl. Install it with: pip install 'endoxa[curate]'"
        ) from error
    try:
        with warnings.catch_warnings():
            # Warnings about styles that openpyxl does not keep; nothing is written back.
            warnings.simplefilter("ignore")
            with closing(load_workbook(path, read_only=only_values, data_only=only_values)) as book:
                yield book
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, IndexError, OSError, ParseError) as error:
        raise UserError(f"{path} is not a readable spreadsheet. Save it again as .xlsx.") from error


WORKBOOK_SUFFIXES = (".xlsx",)
WRITTEN_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")


def read_table(
    path: Path,
    required: Sequence[str] = (),
    *,
    respect_withdrawals: bool = True,
    respect_statuses: bool = True,
) -> pl.DataFrame:
    """Every row of a CSV, TSV, JSONL, Parquet or XLSX file; all columns are text, in the file's order.

    An empty cell is an empty string or null, as the format has it.

    Args:
        path: the file; its suffix says what it is.
        required: columns it must have.
        respect_withdrawals: leave out what people took back from the campaign that the file comes from.
        respect_statuses: leave out drafts that people rejected or have not judged (`endoxa.datasets.statuses`).

    Raises:
        UserError: the file cannot be read, has no rows, lacks a column, or a row is broken.
    """
    if path.suffix.lower() in WORKBOOK_SUFFIXES:
        whole = _read_workbook(path, required)
        return _approved(whole, path) if respect_statuses else whole
    columns: dict[str, list[str | None]] = {name: [] for name in table_columns(path)}
    require_commas(path, list(columns))
    for before, row in enumerate(
        table_rows(path, required, respect_withdrawals=respect_withdrawals, respect_statuses=respect_statuses)
    ):
        for fault in row.faults:
            line = f" (line {row.line})" if row.line else ""
            column = f", column '{fault.column}'" if fault.column else ""
            raise UserError(f"{path}, row {row.number}{line}{column}: {fault.message}.")
        for name in row.cells.keys() - columns.keys():  # JSONL: a later object may have more keys
            columns[name] = [None] * before
        for name, cells in columns.items():
            cells.append(row.cells.get(name))
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    if frame.is_empty():
        raise UserError(f"{path} has column names but no rows.")
    return frame


def _approved(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The table without drafts that are not to be read."""
    if "status" not in table.columns:
        return table
    kept = table.filter([not is_left_out(row) for row in table.iter_rows(named=True)])
    say_left_out(path, table.height - kept.height, kept.height)
    return kept


def require_commas(path: Path, columns: Sequence[str]) -> None:
    """Raise UserError where all columns seem to stand in one, because something else than commas separates them."""
    hint = separator_hint(columns)
    if hint:
        raise UserError(f"{path} has a single column, {columns[0]!r}.{hint}")


def _read_workbook(path: Path, required: Sequence[str]) -> pl.DataFrame:
    with opened_workbook(path, only_values=True) as book:
        rows = [[_text(cell) for cell in row] for row in book.worksheets[0].iter_rows(values_only=True)]
    rows = [row for row in rows if any(row)]
    if len(rows) < 2:
        raise UserError(f"{path} has no rows below the column names on its first sheet.")
    header = [name or "" for name in rows[0]]
    kept = [place for place, name in enumerate(header) if name]
    names = [header[place] for place in kept]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"{path} has two columns called '{twice[0]}': rename or remove one.")
    require_columns(path, names, required)
    cells = {header[place]: [row[place] if place < len(row) else None for row in rows[1:]] for place in kept}
    return pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String))


def _text(cell: object) -> str | None:
    """A cell of a spreadsheet as people see it: 3.0 is '3', nothing is None."""
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def require_columns(path: Path, found: Sequence[str], required: Sequence[str]) -> None:
    """Raise UserError where one of the `required` columns is not among those `found` in the file."""
    missing = [column for column in required if column not in found]
    if missing:
        raise UserError(
            f"{path} has no column {', '.join(map(repr, missing))}; its columns are: "
            f"{', '.join(map(repr, found))}.{separator_hint(found)}"
        )


def require_table_name(path: Path) -> None:
    """Raise UserError where `write_table` could not write under that name; ask before long work."""
    if path.suffix.lower() not in WRITTEN_SUFFIXES:
        raise UserError(f"'{path}' cannot be written: its name must end in {', '.join(WRITTEN_SUFFIXES)}.")


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as `.csv`, `.tsv`, `.jsonl` or `.parquet`, never half of it; folders are made.

    Raises:
        UserError: an unknown suffix, or a place that cannot be written.
    """
    require_table_name(path)
    writers: dict[str, Callable[[Path], object]] = {
        ".csv": table.write_csv,
        ".tsv": lambda draft: table.write_csv(draft, separator="\t"),
        ".jsonl": table.write_ndjson,
        ".parquet": table.write_parquet,
    }
    writer = writers[path.suffix.lower()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft:
            writer(draft)
    except OSError as problem:
        raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem
