"""A review sheet as CSV: for programs that know no XLSX. The last column says what each row was made from."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
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
from endoxa.errors import UserError
from endoxa.schema import Progress
from endoxa.sources.spreadsheets import neutralised
from endoxa.sources.tables import raise_fault, table_rows, written_columns
from endoxa.sources.write import replacing

_BYTE_ORDER_MARK = "\ufeff"  # without it Excel takes UTF-8 for the system's own encoding


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
    """The cells of a sheet that came back as CSV, in whatever dialect (`endoxa.sources.tables`).

    Raises:
        UserError: it cannot be read, or does not say what it was made from.
    """
    if not is_csv_sheet(path):
        raise UserError(
            f"{path} has no column '{ORIGIN}', which identifies its table. Return the original sheet with all its "
            "columns."
        )
    lines: list[tuple[int, Mapping[str, str | None]]] = []
    for row in table_rows(path, (), respect_withdrawals=False, as_written=True):
        if any(fault.check != "ragged-row" for fault in row.faults):  # empty cells at the end may be missing
            raise_fault(path, row)
        lines.append((row.number + 1, row.cells))
    return _raw_sheet(path, written_columns(path), lines)


def is_csv_sheet(path: Path) -> bool:
    """Whether the first line has the column that only review sheets have."""
    return ORIGIN in written_columns(path, (ORIGIN,))


def _raw_sheet(
    path: Path, header: Sequence[str], lines: Sequence[tuple[int, Mapping[str, str | None]]]
) -> RawSheet:
    names = [name.strip() for name in header]
    origin: Origin | None = None
    origins: dict[str, OriginRow] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    for number, cells in lines:
        row = {name.strip(): cell or "" for name, cell in cells.items()}
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
