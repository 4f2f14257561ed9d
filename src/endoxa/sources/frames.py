"""Whole tables as Polars frames of text: users' files, XLSX workbooks, and tables passed between packages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS
from endoxa.sources.files import replacing, require_folder
from endoxa.sources.source import Source
from endoxa.sources.spreadsheets import neutralised_table
from endoxa.sources.tables import raise_fault, table_columns, table_rows, written_columns

WRITTEN_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")


def read_table(
    path: Path,
    required: Sequence[str] = (),
    *,
    optional: Sequence[str] = (),
    respect_withdrawals: bool = True,
    respect_statuses: bool = True,
    as_written: bool = False,
    may_be_empty: bool = False,
) -> pl.DataFrame:
    """Every row of a CSV, TSV, JSONL, Parquet or XLSX file; all columns are text, in the file's order.

    An empty cell is an empty string or null, as the format has it.

    Args:
        path: the file; its suffix says what it is.
        required: columns it must have.
        optional: further names that somebody gave: such a column keeps its spelling.
        respect_withdrawals: leave out what people took back from the campaign that the file comes from.
        respect_statuses: leave out drafts that people rejected or have not judged (`endoxa.sources.collected`).
        as_written: keep column names as they are written, and take numbers as they are.
        may_be_empty: take a table without rows, such as the people of a small export.

    Raises:
        UserError: the file cannot be read, has no rows and may not be empty, lacks a column, or a row is broken.
    """
    path = Source.of(path)
    rows = table_rows(
        path,
        required,
        optional=optional,
        respect_withdrawals=respect_withdrawals,
        respect_statuses=respect_statuses,
        as_written=as_written,
    )
    wanted = (*required, *optional)
    names = written_columns(path, wanted) if as_written else table_columns(path, wanted)
    columns: dict[str, list[str | None]] = {name: [] for name in names}
    for before, row in enumerate(rows):
        raise_fault(path, row)
        new = [name for name in row.cells if name not in columns]  # JSONL: a later object may have more keys
        columns |= {name: [None] * before for name in new}
        for name, cells in columns.items():
            cells.append(row.cells.get(name))
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    if frame.is_empty() and not may_be_empty:
        raise UserError(f"{path} has column names but no rows.")
    return frame


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
        ".csv": lambda draft: neutralised_table(table).write_csv(draft),
        ".tsv": lambda draft: neutralised_table(table).write_csv(draft, separator="\t"),
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


def write_pairs(frames: Iterable[pl.DataFrame], path: Path) -> None:
    """Write pairs with our own columns and any that follow them; see `write_table`.

    Raises:
        UserError: an unknown suffix, a folder that is not there, or a place that cannot be written.
    """
    require_folder(path)
    write_table(
        pl.concat([pl.DataFrame(schema=dict.fromkeys(PAIR_COLUMNS, pl.String)), *frames], how="diagonal"),
        path,
    )


def column_types(
    columns: Iterable[str], *, texts: Collection[str], counts: Collection[str]
) -> dict[str, pl.DataType]:
    """Types of the columns of a table of results: texts, whole numbers, and other numbers for the rest."""
    return {
        name: pl.String() if name in texts else pl.Int64() if name in counts else pl.Float64()
        for name in columns
    }
