"""The one reader of tables that people hand over: seeds, answers from paper, groups, items of tasks.

It reads what the toolkit reads (`endoxa.sources.tables`: CSV, TSV, JSONL, Parquet, XLSX), an array of JSON objects, and
each of them packed with gzip. Rows come one at a time, so memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TypeVar
from zlib import error as ZlibError  # noqa: N812

from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.source import reading_files
from endoxa.sources.tables import TABLE_SUFFIXES, Fault, table_columns, table_rows

_BLOCK = 1 << 20
_LONGEST = 1 << 24
"""Characters of one object; more is one that was never closed."""
_GAP = re.compile(r"[\s,]*")

Value = TypeVar("Value")


class TableError(UserError):
    """A table that cannot be used: one sentence with its place and what was expected, in the page's language."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table.

    Attributes:
        place: its file and line, as messages name them.
        cells: what stands in every column as it was typed; "" where nothing does.
    """

    place: str
    cells: Mapping[str, str]

    def read(self, column: str, reader: Callable[[str], Value]) -> Value:
        """The value of a cell, which the reader gets without blanks around it.

        Raises:
            TableError: the reader found a fault, a `ValueError`.
        """
        try:
            return reader(self.cells.get(column, "").strip())
        except ValueError as problem:
            raise self.fault(column, problem) from problem

    def fault(self, column: str, reason: object) -> TableError:
        """What is said of a cell that cannot be used."""
        reason = str(reason).rstrip(".")
        return _error(
            gettext("%(place)s, column '%(column)s': %(fault)s."),
            place=self.place,
            column=column,
            fault=reason,
        )


def _error(sentence: str, **values: object) -> TableError:
    return TableError(sentence % values)


def read_rows(
    path: Path,
    needed: Sequence[str],
    *,
    optional: Sequence[str] = (),
    also: Mapping[str, str] | None = None,
    expected: str = "",
    languages: Sequence[str] = (),
) -> Iterator[TableRow]:
    """The rows of a table that are not blank; column names are known in any spelling.

    Args:
        path: the file, or its content with a name (`Source.in_memory`).
        needed: columns that it must have.
        optional: further columns that mean something.
        also: other names of columns.
        expected: what messages say that the table must be; by default its columns.
        languages: of a file that is no Unicode text.

    Raises:
        TableError: the first thing that is wrong.
    """
    expected = expected or ", ".join(needed) + (f" ({', '.join(optional)})" if optional else "")
    names, blank = also or {}, True
    with _readable(path, languages) as file:
        written = table_columns(file, (*needed, *optional, *names))
        ours = {column: names.get(column, column) for column in written}
        if missing := next((column for column in needed if column not in ours.values()), None):
            raise _error(
                gettext("%(name)s has no column '%(column)s' (found: %(found)s). Expected: %(expected)s."),
                name=path,
                column=missing,
                found=", ".join(filter(None, written)),
                expected=expected,
            )
        for row in table_rows(file, (), optional=written, respect_statuses=False):
            place = gettext("%(name)s, line %(line)d") % {"name": path, "line": row.line or 0}
            if row.line is None or ".json" in path.suffixes:
                place = gettext("%(name)s, row %(row)d") % {"name": path, "row": row.number}
            cells = {ours.get(column, column): cell or "" for column, cell in row.cells.items()}
            for fault in row.faults:
                # A row may end early, as spreadsheet programs leave it.
                if fault.check != "ragged-row" or len(row.cells) == len(written):
                    raise _refused(place, fault, path)
            if any(cell.strip() for cell in cells.values()):
                blank = False
                yield TableRow(place, {**dict.fromkeys(ours.values(), ""), **cells})
        if blank:
            raise _error(
                gettext("%(name)s has no rows. Expected: %(expected)s."), name=path, expected=expected
            )


def _refused(place: str, fault: Fault, path: Path) -> TableError:
    """What the toolkit found in a row, in the language of the page."""
    match fault.check:
        case "encoding":
            sentence = gettext(
                "%(place)s, is not UTF-8 text: save the file as 'CSV UTF-8' and upload it again."
            )
        case "ragged-row":
            sentence = gettext(
                "%(place)s, has more cells than there are columns: put words that contain the character between cells "
                "in double quotes."
            )
        case "unreadable-row":
            sentence = gettext("%(place)s, is no proper %(kind)s: %(fault)s.")
        case _:
            sentence = gettext("%(place)s, column '%(column)s': %(fault)s.")
    kind = next((part[1:].upper() for part in path.suffixes if part.lower() in TABLE_SUFFIXES), "JSON")
    return _error(sentence, place=place, kind=kind, column=fault.column, fault=fault.message)


@contextmanager
def _readable(path: Path, languages: Sequence[str]) -> Iterator[Path]:
    """The table in a form that the toolkit reads, for the time; what it finds wrong is said of the file as it came."""
    file = path
    with TemporaryDirectory(prefix="endoxa-table-") as folder, reading_files(languages=languages):
        try:
            file = _unpacked(path, Path(folder))
            yield file
        except TableError:
            raise
        except (OSError, EOFError, ZlibError, ValueError, RecursionError, UserError) as problem:
            fault = str(problem).replace(str(file), str(path)).rstrip(".")
            raise _error(gettext("%(name)s cannot be read: %(fault)s."), name=path, fault=fault) from problem


def _unpacked(path: Path, folder: Path) -> Path:
    """The table itself; files packed with gzip and arrays of JSON are written into the folder."""
    packed = path.suffix.lower() == ".gz"
    plain = Path(path.stem) if packed else path
    is_array = plain.suffix.lower() == ".json"
    if plain.suffix.lower() not in (*TABLE_SUFFIXES, ".json"):
        raise _error(
            gettext("%(name)s is of an unknown kind: use a file that ends in one of %(kinds)s."),
            name=path,
            kinds=", ".join((*TABLE_SUFFIXES, ".json", ".gz")),
        )
    if not (packed or is_array):
        return path
    require_file(path, compressed=packed)
    target = folder / (f"{plain.stem}.jsonl" if is_array else plain.name)
    with path.open("rb") as raw, target.open("wb") as written:
        stream = gzip.GzipFile(fileobj=raw) if packed else raw
        if is_array:
            for record in _records(codecs.getreader("utf-8-sig")(stream)):
                written.write(json.dumps(record).encode() + b"\n")
        else:
            shutil.copyfileobj(stream, written)
    return target


def _records(stream: codecs.StreamReader | IO[str]) -> Iterator[object]:
    """The entries of a JSON array, one at a time; other JSON values one after the other."""
    decoder = json.JSONDecoder()
    text, at = stream.read(_BLOCK).lstrip().removeprefix("["), 0
    while True:
        gap = _GAP.match(text, at)
        start = gap.end() if gap else at
        if text.startswith("]", start):
            return
        try:
            record, at = decoder.raw_decode(text, start)
        except ValueError:
            more = stream.read(_BLOCK)
            if not (more or text[start:]):
                return
            if not more or len(text) - start > _LONGEST:
                raise
            text, at = text[start:] + more, 0
        else:
            yield record
