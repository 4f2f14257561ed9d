"""A review sheet as CSV: for programs that know no XLSX. The last column says what each row was made from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from endoxa.curate.review.form import ROW_KEY
from endoxa.curate.review.sheet import (
    ORIGIN,
    Origin,
    OriginRow,
    RawSheet,
    Sheet,
    origin_from,
    origin_row_from,
    to_text,
)
from endoxa.datasets.files import open_text, require_file, undecodable
from endoxa.datasets.spreadsheets import neutralised, restored
from endoxa.datasets.write import replacing
from endoxa.errors import UserError
from endoxa.schema import Progress

_BYTE_ORDER_MARK = "\ufeff"  # without it Excel takes UTF-8 for the system's own encoding
_SEPARATORS = ",;\t"  # what spreadsheet programs write, depending on the country


def write_csv_sheet(sheet: Sheet, path: Path, progress: Progress = lambda *_: None) -> None:
    """Write the sheet as CSV; texts that a spreadsheet program would run get an apostrophe in front.

    Raises:
        UserError: the place cannot be written.
    """
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        stream.write(_BYTE_ORDER_MARK)
        writer = csv.writer(stream)
        writer.writerow([*map(neutralised, sheet.columns), ORIGIN])
        for done, (row, origin) in enumerate(zip(sheet.rows, sheet.origins, strict=True), 1):
            progress("writing rows", done, len(sheet.rows))
            cells = [neutralised(row.get(name, "")) for name in sheet.columns]
            writer.writerow([*cells, f"[{to_text(sheet.origin)}, {to_text(origin)}]"])


def read_csv_sheet(path: Path) -> RawSheet:
    """The cells of a sheet that came back as CSV, with commas, semicolons or tabs between them.

    Raises:
        UserError: it cannot be read, or does not say what it was made from.
    """
    require_file(path)
    with open_text(path, newline="") as stream:
        text = stream.read()
    if undecodable(text):
        raise UserError(
            f"{path} is not UTF-8 text. Save it again as 'CSV UTF-8', or return the sheet as .xlsx."
        )
    for separator in _SEPARATORS:
        lines = _lines(path, text, separator)
        _, header = next(lines, (1, []))
        if ORIGIN in header:
            return _raw_sheet(path, header, list(lines))
    raise UserError(
        f"{path} has no column '{ORIGIN}', which identifies its table. Return the original sheet with all its "
        "columns."
    )


def is_csv_sheet(path: Path) -> bool:
    """Whether the first line has the column that only review sheets have."""
    require_file(path)
    with open_text(path, newline="") as stream:
        return ORIGIN in stream.readline()


def _lines(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), start=1)
    except csv.Error as error:
        raise UserError(f"{path} cannot be read as CSV ({error}): save it again as 'CSV UTF-8'.") from error


def _raw_sheet(path: Path, header: Sequence[str], lines: Sequence[tuple[int, list[str]]]) -> RawSheet:
    names = [restored(name).strip() for name in header]
    origin: Origin | None = None
    origins: dict[str, OriginRow] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    for number, cells in lines:
        row = dict(zip(names, (restored(cell) for cell in cells), strict=False))
        if row.get(ORIGIN, "").strip():
            origin, origin_row = _origins(path, number, row[ORIGIN])
            origins[origin_row.row] = origin_row
            if ROW_KEY not in names:
                row[ROW_KEY] = origin_row.row
        rows.append((number, row))
    if origin is None:
        raise UserError(
            f"{path}, column '{ORIGIN}': all rows are empty. Return the original sheet with its rows."
        )
    return RawSheet(path, tuple(names), origin, origins, tuple(rows))


def _origins(path: Path, number: int, text: str) -> tuple[Origin, OriginRow]:
    try:
        origin, origin_row = json.loads(text)
        return origin_from(origin), origin_row_from(origin_row)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{path}, row {number}, column '{ORIGIN}': the cell was edited. Restore the text of the original sheet."
        ) from error
