"""The way in: a file of sentence pairs, in whatever published format, as frames or as a file of another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS, Reader, ReadOptions
from endoxa.sources import READERS
from endoxa.sources.bbq.rows import is_bbq, options_in_a_list
from endoxa.sources.collected import is_collected
from endoxa.sources.drafts import Format
from endoxa.sources.files import require_file
from endoxa.sources.formats import CROWS_PAIRS, INDIBIAS, NATIVE, S_AS
from endoxa.sources.frames import read_table, write_pairs
from endoxa.sources.layouts import layout_of
from endoxa.sources.source import Source, understood_once
from endoxa.sources.stereoset import STEREOSET
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns

FORMATS: dict[str, Format] = {form.name: form for form in (CROWS_PAIRS, INDIBIAS, S_AS, STEREOSET, NATIVE)}


DEFAULTS = ReadOptions()

_LAST = "native"

MOSTLY = 0.5
"""Share of a format's columns from which a table is taken for one of it."""


@understood_once
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
    if is_bbq(path):
        raise UserError(
            f"{path} contains multiple-choice questions in BBQ's format, not sentence pairs. Run: "
            f"endoxa probe qa --data {path} --model NAME --out FOLDER."
        )
    if layout := layout_of(path):
        raise UserError(
            f"{path} has the layout {layout.name}, which holds no sentence pairs. It is taken by: {layout.takes}."
        )
    if is_collected(path):
        raise UserError(
            f"{path} is the table '{path.stem}' of a campaign, not sentence pairs. Its columns are explained in "
            "README.md beside it."
        )
    marks = {
        reader.name: FORMATS[reader.name].marks if reader.name in FORMATS else reader.title
        for reader in readers
    }
    expected = "Expected one of: " + "; ".join(f"{name} ({mark})" for name, mark in marks.items())
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise UserError(
            f"{path} has an unknown format. Tables end in {', '.join(TABLE_SUFFIXES)}. {expected}."
        )
    names = table_columns(path)
    if options := options_in_a_list(names):
        raise UserError(f"{path} {options}.")
    _refuse_nearly(path, names)
    columns = ", ".join(map(repr, names))
    raise UserError(f"{path} has an unknown format. Its columns are: {columns}. {expected}. {_OFFER}")


_OFFER = (
    "If two of its columns hold the sentences, name them: --columns sent_more=COLUMN,sent_less=COLUMN; "
    "`endoxa datasets check` with it lists what is wrong."
)
"""What to do with a table whose columns have names of their own."""


def _refuse_nearly(path: Path, names: Sequence[str]) -> None:
    """Refuse a table that has some columns of a format: it is probably meant to be one.

    Raises:
        UserError: names the columns it lacks.
    """
    wanted = {form.name: form.columns for form in FORMATS.values() if form.columns}
    share = {name: len(set(columns) & set(names)) / len(columns) for name, columns in wanted.items()}
    nearest = max(share, key=share.__getitem__)
    if share[nearest] >= MOSTLY:
        missing = ", ".join(repr(column) for column in wanted[nearest] if column not in names)
        raise UserError(
            f"{path} looks like the format {nearest}, but has no column {missing}; its columns are: "
            f"{', '.join(map(repr, names))}. {_OFFER}"
        )


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
    path = Source.of(path)
    return reader_for(path, options, format).read(path, options)


def reader_for(path: Path, options: ReadOptions, format: str | None) -> Reader:  # noqa: A002
    """The reader asked for, or the one that fits; a table whose columns are named is read as one of our own.

    Raises:
        UserError: unknown or unrecognised format, or one that has its own names of columns.
    """
    if options.columns and format not in (None, _LAST):
        raise UserError(
            f"Names of columns are for tables in no published format: leave out --format {format}."
        )
    if options.columns:
        return READERS.get(_LAST)
    return recognise(path) if format is None else READERS.get(format)


def convert_pairs(
    path: Path,
    target: Path,
    options: ReadOptions = DEFAULTS,
    format: str | None = None,  # noqa: A002
) -> int:
    """Write the pairs of `path` to `target` with our own columns, and return how many there are.

    Args:
        path: a file of one of the formats of `READERS`.
        target: the file to write.
        options: see `ReadOptions`.
        format: name of the format; None to recognise it.

    Raises:
        UserError: the file cannot be read, or the target cannot be written. It is then as it was before.
    """
    path = Source.of(path)
    reader = reader_for(path, options, format)
    pairs = pl.concat(reader.read(path, options))
    write_pairs([_with_further_columns(pairs, path, reader, options)], target)
    return pairs.height


def _with_further_columns(
    pairs: pl.DataFrame, path: Path, reader: Reader, options: ReadOptions
) -> pl.DataFrame:
    """The pairs with the columns of the table that the format does not know, where a row is a pair."""
    if reader.units != "one row, one pair" or path.suffix.lower() not in TABLE_SUFFIXES:
        return pairs
    used = {"", *PAIR_COLUMNS, *options.columns.values(), *_READ_ELSEWHERE}
    return pairs.hstack(read_table(path).select(pl.exclude(used)))


_READ_ELSEWHERE = ("bias_type", "stereo_antistereo")
"""Columns that are read as `axis` and `direction`."""
