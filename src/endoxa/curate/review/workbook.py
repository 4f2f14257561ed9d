"""A review sheet as an XLSX workbook, written for reviewers with instructions, and read when it comes back.

A review sheet as CSV: for programs that know no XLSX. The last column says what each row was made from.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.curate.review.form import (
    ANSWER,
    ANSWERS,
    CELL_LIMIT,
    DECISIONS,
    HEADER,
    REASONS,
    ROW_KEY,
    SHOWN,
    WORDS,
    add_choice,
    add_styles,
    escaped,
    fit_landscape,
    protect,
    row_height,
    set_text,
    shown,
    unescaped,
)
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
from endoxa.errors import UserError, installation
from endoxa.schema import Progress
from endoxa.sources.spreadsheets import neutralised, opened_workbook
from endoxa.sources.tables import raise_fault, table_rows, written_columns
from endoxa.sources.write import replacing

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet


@dataclass(frozen=True, slots=True)
class InstructionLine:
    """A line of the instructions."""

    text: str
    heading: bool = False


def instructions(sheet: Sheet) -> Iterator[InstructionLine]:
    """The instructions for this sheet, line by line."""
    key, edited = sheet.kind.key, " and ".join(f"'{name}'" for name in sheet.origin.edited)
    yield InstructionLine("Before you start", heading=True)
    yield InstructionLine(
        "This file holds what people reported that others say about groups of people. Much of it is unfair, some of "
        "it may offend or hurt you. It is reported speech, collected to find out whether language models repeat it: "
        "nobody claims that it is true, and to keep a row is not to agree with it."
    )
    yield InstructionLine(
        "You may stop at any time, skip any row and hand back what you have: empty rows are no fault."
    )
    yield InstructionLine("What to do", heading=True)
    yield InstructionLine(
        "Go through the sheet 'Review' row by row. Choose a word in the green column 'decision':"
    )
    for word, meaning in DECISIONS.items():
        yield InstructionLine(f"    {word}: {meaning}")
    if edited:
        yield InstructionLine(
            f"If words are wrong, correct them in the yellow columns ({edited}). The white cells stay as they are."
        )
    yield from _reason_lines()
    if sheet.kind.several_rows:
        yield InstructionLine("If one statement says two things", heading=True)
        yield InstructionLine(
            f"Keep the first in its row. Write the second into an empty row at the end: its {key}, and the corrected "
            f"words in the yellow columns. What you leave empty there is taken from the first row."
        )
    yield InstructionLine("Good to know", heading=True)
    yield InstructionLine("A row without a decision counts as not reviewed, unless you changed its words.")
    yield InstructionLine(
        "You may sort, filter, widen or hide columns. The other cells are locked against slips only; there is no "
        "password (Review > Unprotect Sheet). Do not rename columns, and keep the hidden ones."
    )
    yield InstructionLine(
        "Decide alone, without looking at another reviewer's sheet: where you differ, both answers are discussed."
    )


def _reason_lines() -> Iterator[InstructionLine]:
    yield InstructionLine("If the row should be left out", heading=True)
    yield InstructionLine("Choose 'omit', and one reason in the column 'reason':")
    for word, meaning in REASONS.items():
        yield InstructionLine(f"    {word}: {meaning}")


REVIEW, INSTRUCTIONS = "Review", "Instructions"
SPARE_ROWS = 50
"""Empty rows at the end, for statements that a reviewer splits."""

_MOST_ROWS = 1_048_576 - 1 - SPARE_ROWS
_NARROWEST, _WIDEST = 10, 50  # characters
_INSTRUCTION_WIDTH = 100
_ANSWER_WIDTHS = {"decision": 11, "reason": 28, "note": 40}
_PIECE = 20_000  # characters of a record per cell, well under the limit


def write_workbook(sheet: Sheet, path: Path, progress: Progress = lambda *_: None) -> None:
    """Write the sheet as a workbook of three sheets: Review, Instructions, and a hidden one with its origin.

    Raises:
        UserError: openpyxl is missing, a text or the table is too long, or the place cannot be written.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise UserError(
            f"{path}: writing a spreadsheet needs openpyxl. Install it with: {installation('curate')}"
        ) from error
    if len(sheet.rows) > _MOST_ROWS:
        raise UserError(
            f"{path}: {len(sheet.rows)} rows exceed the maximum of a spreadsheet. Use --sample N, or write a .csv file."
        )
    for row in sheet.rows:
        for name in sheet.origin.edited:
            if len(escaped(shown(row.get(name, "")))) > CELL_LIMIT:
                raise UserError(
                    f"Row '{row[ROW_KEY]}', column '{name}': the text exceeds the maximum of {CELL_LIMIT} "
                    "characters of a spreadsheet cell. Write the sheet as .csv."
                )
    book = Workbook()
    add_styles(book)
    _fill_review(book.active, sheet, progress)
    _fill_instructions(book.create_sheet(INSTRUCTIONS), sheet)
    page = book.create_sheet(ORIGIN)
    page.sheet_state = "hidden"
    for number, text in enumerate(_origin_lines(sheet), start=1):
        for place, start in enumerate(range(0, len(text), _PIECE), start=1):
            set_text(page.cell(number, place), text[start : start + _PIECE])
    protect(page)
    progress("saving the workbook", len(sheet.rows), len(sheet.rows))
    buffer = BytesIO()
    book.save(buffer)  # at once, so that a full disk leaves no half zip file to be closed
    with replacing(path) as part:
        part.write_bytes(buffer.getvalue())


def _fill_review(page: Worksheet, sheet: Sheet, progress: Progress) -> None:
    page.title = REVIEW
    spare = SPARE_ROWS if sheet.kind.several_rows else 0
    looks = {name: ANSWER if name in ANSWERS else SHOWN for name in sheet.columns}
    looks |= dict.fromkeys(sheet.origin.edited, WORDS)
    for place, name in enumerate(sheet.columns, start=1):
        set_text(page.cell(1, place), name, HEADER)
    for number, row in enumerate(sheet.rows, start=2):
        progress("writing rows", number - 1, len(sheet.rows))
        for place, name in enumerate(sheet.columns, start=1):
            set_text(page.cell(number, place), row.get(name, "") if name not in ANSWERS else "", looks[name])
    looks[sheet.kind.key] = WORDS
    for number in range(len(sheet.rows) + 2, len(sheet.rows) + 2 + spare):
        for place, name in enumerate(sheet.columns, start=1):
            set_text(page.cell(number, place), "", looks[name])
    _lay_out(page, sheet)
    _add_choices(page, sheet.columns, len(sheet.rows) + 1 + spare)
    protect(page)
    page.auto_filter.ref = page.dimensions


def _lay_out(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.utils import get_column_letter

    for place, name in enumerate(sheet.columns, start=1):
        column = page.column_dimensions[get_column_letter(place)]
        column.width = _ANSWER_WIDTHS.get(name) or _width(name, [row.get(name, "") for row in sheet.rows])
        column.hidden = name == ROW_KEY
    widths = [page.column_dimensions[get_column_letter(at + 1)].width for at in range(len(sheet.columns))]
    for number, row in enumerate(sheet.rows, start=2):
        texts = [row.get(name, "") if name not in (*ANSWERS, ROW_KEY) else "" for name in sheet.columns]
        page.row_dimensions[number].height = row_height(zip(texts, widths, strict=True))
    page.freeze_panes = "B2"
    page.print_title_rows = "1:1"
    fit_landscape(page)


def _width(name: str, texts: Sequence[str]) -> int:
    """Wide enough for nine texts of ten; longer ones are wrapped."""
    lengths = sorted(map(len, texts))
    common = lengths[int(0.9 * (len(lengths) - 1))]
    return max(_NARROWEST, min(_WIDEST, max(len(name), common) + 2))


def _add_choices(page: Worksheet, columns: Sequence[str], last: int) -> None:
    from openpyxl.utils import get_column_letter

    for name, words, only in (("decision", DECISIONS, True), ("reason", REASONS, False)):
        letter = get_column_letter(columns.index(name) + 1)
        source = f'"{",".join(words)}"'
        add_choice(page, f"{letter}2:{letter}{last}", name, source, tuple(words), only=only)


def _fill_instructions(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.styles import Font

    page.column_dimensions["A"].width = _INSTRUCTION_WIDTH
    fit_landscape(page)
    for number, line in enumerate(instructions(sheet), start=1):
        cell = page.cell(number, 1)
        set_text(cell, line.text)
        cell.font = Font(bold=line.heading, size=13 if line.heading else 11)
        page.row_dimensions[number].height = row_height([(line.text, _INSTRUCTION_WIDTH)]) + 3 * line.heading
    protect(page)


def _origin_lines(sheet: Sheet) -> Iterator[str]:
    yield to_text(sheet.origin)
    yield from map(to_text, sheet.origins)


def read_workbook(path: Path) -> RawSheet:
    """The cells of a sheet that came back as XLSX.

    Raises:
        UserError: it cannot be read, has lost one of its sheets, or a cell to be filled in holds no text.
    """
    book = _open(path)
    for name in (REVIEW, ORIGIN):
        if name not in book.sheetnames:
            raise UserError(f"{path} has no sheet '{name}'. Return the original file with all its sheets.")
    origin, origins = _origins(path, book)
    lines = [list(line) for line in book[REVIEW].iter_rows()]
    header = tuple(_text(cell).strip() for cell in lines[0]) if lines else ()
    filled = {origin.key, ROW_KEY, *origin.edited, *ANSWERS}
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        named = [(name, cell) for name, cell in zip(header, line, strict=False) if name in filled]
        _require_texts(path, number, named)
        rows.append((number, {name: _text(cell) for name, cell in named}))
    return RawSheet(path, header, origin, origins, tuple(rows))


def is_review_workbook(path: Path) -> bool:
    """Whether the workbook has the sheet that only review sheets have."""
    return ORIGIN in _open(path).sheetnames


def _open(path: Path) -> Workbook:
    with opened_workbook(path) as book:
        return book


def _origins(path: Path, book: Workbook) -> tuple[Origin, dict[str, OriginRow]]:
    try:
        first, *others = ["".join(map(_text, line)) for line in book[ORIGIN].iter_rows()]
        rows = [origin_row_from(json.loads(text)) for text in others if text]
        return origin_from(json.loads(first)), {row.row: row for row in rows}
    except ValueError as error:
        raise UserError(
            f"{path}: the hidden sheet '{ORIGIN}' was edited. Copy the answers into the original file."
        ) from error


def _text(cell: Cell) -> str:
    """The text of a cell as people see it: 3.0 is '3'."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return unescaped(str(value))


def _require_texts(path: Path, number: int, cells: Sequence[tuple[str, Cell]]) -> None:
    for name, cell in cells:
        for fault in _faults(cell):
            raise UserError(f"{path}, row {number}, column '{name}': found {fault}. Enter the text itself.")


def _faults(cell: Cell) -> Iterator[str]:
    if cell.data_type == "f":
        yield f"the formula {cell.value}"
    elif cell.data_type == "e":
        yield f"the error {cell.value}"
    elif isinstance(cell.value, date | time):
        yield f"a date or time ({cell.value})"


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
            origin, origin_row = _csv_origins(path, number, row[ORIGIN])
            origins[origin_row.row] = origin_row
            if ROW_KEY not in names:
                row[ROW_KEY] = origin_row.row
        rows.append((number, row))
    if origin is None:
        raise UserError(
            f"{path}, column '{ORIGIN}': all rows are empty. Return the original sheet with its rows."
        )
    return RawSheet(path, tuple(names), origin, origins, tuple(rows))


def _csv_origins(path: Path, number: int, text: str) -> tuple[Origin, OriginRow]:
    try:
        origin, origin_row = json.loads(text)
        return origin_from(origin), origin_row_from(origin_row)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{path}, row {number}, column '{ORIGIN}': the cell was edited. Restore the text of the original sheet."
        ) from error
