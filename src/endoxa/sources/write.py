"""Writing pairs: CSV, TSV, JSONL or Parquet by suffix, in chunks and atomically.

Everything goes to a temporary file in the same folder, which replaces the target at the end: a killed run leaves the
old file as it was, and a file may be converted onto itself.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS
from endoxa.sources.spreadsheets import neutralised
from endoxa.sources.tables import JSONL_SUFFIXES, PARQUET_SUFFIXES, TEXT_AND_PARQUET_SUFFIXES


def write_pairs(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write pairs with our own columns and any that follow them, in the kind of file that the suffix names.

    Null and empty cells are the same in CSV; JSONL leaves null cells out.

    Raises:
        UserError: unknown suffix, missing folder, or a disk that cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix in JSONL_SUFFIXES:
        write_jsonl(frames, path)
    elif suffix in PARQUET_SUFFIXES:
        write_parquet(frames, path)
    elif suffix in TEXT_AND_PARQUET_SUFFIXES:
        columns, several = _columns_of(frames)
        write_csv((row for frame in several for row in frame.iter_rows()), columns, path)
    else:
        raise UserError(
            f"{path}: pairs are written as {', '.join(TEXT_AND_PARQUET_SUFFIXES)}, not as '{path.suffix}'."
        )


def _columns_of(frames: Iterator[pl.DataFrame]) -> tuple[tuple[str, ...], Iterator[pl.DataFrame]]:
    """Columns of the frames, which are those of the first one, and all frames."""
    first = next(frames, None)
    if first is None:
        return tuple(PAIR_COLUMNS), iter(())
    return tuple(first.columns), chain([first], frames)


def write_csv(rows: Iterable[Iterable[object]], columns: Sequence[str], path: Path) -> None:
    """Write rows under `columns` as CSV (RFC 4180; tabs where the suffix is .tsv), without formulas."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        writer.writerow(map(neutralised, columns))
        writer.writerows(
            [neutralised(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
        )


def write_jsonl(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write one JSON object per pair and line, without its null cells."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as stream:
        for frame in frames:
            for pair in frame.iter_rows(named=True):
                filled = {name: value for name, value in pair.items() if value is not None}
                stream.write(json.dumps(filled, ensure_ascii=False) + "\n")


def write_parquet(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write Parquet row group by row group: polars pulls the frames as it needs them."""
    from polars.io.plugins import register_io_source

    columns, several = _columns_of(frames)
    failed: list[Exception] = []

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        del with_columns, predicate, n_rows, batch_size  # the whole table is asked for, as it comes
        try:
            yield from several
        except Exception as problem:
            # Polars may still open the file after it has passed an error on: it ends the table instead.
            failed.append(problem)

    table = register_io_source(source, schema=dict.fromkeys(columns, pl.String))
    with replacing(path) as part:
        table.sink_parquet(part)
        if failed:
            raise failed[0]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an exception."""
    if path.is_dir() or not path.parent.is_dir():
        raise UserError(
            f"{path} cannot be written: {'it' if path.is_dir() else path.parent} is "
            f"{'a folder' if path.is_dir() else 'no folder'}."
        )
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        reason = error.strerror or str(error).replace(
            str(part), str(path)
        )  # polars' has the path in its text
        raise UserError(f"{path} cannot be written: {reason}.") from error
    except pl.exceptions.ComputeError as error:  # how polars says that a disk is full
        raise UserError(f"{path} cannot be written: {str(error).splitlines()[0]}.") from error
    finally:
        part.unlink(missing_ok=True)
