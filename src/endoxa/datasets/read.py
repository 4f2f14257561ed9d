"""The way in: a file of sentence pairs, in whatever published format, as frames with one set of columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from endoxa.datasets import READERS
from endoxa.datasets.files import require_file
from endoxa.datasets.formats import FORMATS
from endoxa.datasets.tables import TABLE_SUFFIXES, table_columns
from endoxa.errors import UserError
from endoxa.schema import Reader, ReadOptions

DEFAULTS = ReadOptions()

_LAST = "native"


def recognise(path: Path) -> Reader:
    """The reader whose format the file has, found by its columns or keys.

    Our own format is tried last, because it asks for the fewest columns.

    Raises:
        UserError: the file cannot be read, or is of no known format; what was looked for is listed.
    """
    require_file(path)
    readers = sorted(READERS.all().values(), key=lambda reader: reader.name == _LAST)
    for reader in readers:
        if reader.recognise(path):
            return reader
    wanted = "; ".join(f"{reader.name} ({_marks(reader)})" for reader in readers)
    raise UserError(f"{path} is of no known format.{_found(path)} Looked for: {wanted}.")


def _marks(reader: Reader) -> str:
    return FORMATS[reader.name].marks if reader.name in FORMATS else reader.title


def _found(path: Path) -> str:
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return f" Tables end in {', '.join(TABLE_SUFFIXES)}."
    return f" Its columns are: {', '.join(map(repr, table_columns(path)))}."


def read_pairs(
    path: Path,
    options: ReadOptions = DEFAULTS,
    format: str | None = None,  # noqa: A002
) -> Iterator[pl.DataFrame]:
    """Frames of at most `options.chunk_rows` pairs with exactly `PAIR_COLUMNS`, in file order.

    Args:
        path: a file of one of the formats of `READERS`.
        options: see `ReadOptions`.
        format: name of the format; None to recognise it.

    Raises:
        UserError: unknown or unrecognised format, or the first record that is no pair.
    """
    reader = recognise(path) if format is None else READERS.get(format)
    return reader.read(path, options)
