"""Coding sheets: people code texts on drop-downs, without seeing what models or rules read in them.

A sheet is written as a workbook or as CSV, and read back when it is filled in.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.curate.review.form import (
    ANSWER,
    HEADER,
    SHOWN,
    add_choice,
    add_styles,
    fit_landscape,
    protect,
    row_height,
    set_text,
)
from endoxa.errors import UserError, installation
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import neutralised
from endoxa.sources.write import replacing

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

CODING, INSTRUCTIONS, LISTS = "Coding", "Read this first", "Lists"
SUFFIXES = (".xlsx", ".csv")
_ANSWER_WIDTH = 22
_LIMIT = 255  # characters of a value that drop-downs of every program show


@dataclass(frozen=True, slots=True)
class CodingSheet:
    """What a sheet asks.

    Attributes:
        shown: columns that are only shown, with their widths in characters; the first names the row.
        choices: columns to be filled in, with the answers that each takes.
        instructions: lines of the page that people see first.
    """

    shown: Mapping[str, int]
    choices: Mapping[str, Sequence[str]]
    instructions: Sequence[str]

    @property
    def key(self) -> str:
        """The column that names a row."""
        return next(iter(self.shown))


def require_new_sheet(path: Path) -> None:
    """Refuse a sheet that could not be written; ask before long work.

    Raises:
        UserError: another suffix, or a file that is there.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: a sheet is written as {' or '.join(SUFFIXES)}, not as '{path.suffix}'.")
    if path.exists():
        raise UserError(f"{path} already exists and may contain answers. Name another file for the sheet.")


def write_coding_sheet(path: Path, rows: Sequence[Sequence[str]], sheet: CodingSheet) -> None:
    """Write a sheet for one person.

    Args:
        path: the new file, .xlsx or .csv; a file that is there may hold somebody's answers and is never replaced.
        rows: texts of the columns `sheet.shown`.
        sheet: what is asked.

    Raises:
        UserError: another suffix, a file that is there, openpyxl is missing, or the place cannot be written.
    """
    require_new_sheet(path)
    if path.suffix.lower() == ".csv":
        with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow((*sheet.shown, *sheet.choices))
            writer.writerows((*map(neutralised, row), *("" for _ in sheet.choices)) for row in rows)
    else:
        _write_workbook(rows, sheet, path)


def _write_workbook(rows: Sequence[Sequence[str]], sheet: CodingSheet, path: Path) -> None:
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise UserError(
            f"{path}: writing a spreadsheet needs openpyxl. Install it with: {installation('curate')}"
        ) from error
    book = Workbook()
    add_styles(book)
    _fill_coding(book.active, rows, sheet)
    page = book.create_sheet(INSTRUCTIONS)
    page.column_dimensions["A"].width = 100
    for number, line in enumerate(sheet.instructions, start=1):
        set_text(page.cell(number, 1), line)
        page.row_dimensions[number].height = row_height([(line, 100)])
    protect(page)
    _fill_lists(book, sheet, last=len(rows) + 1)
    book.active = 1  # people see the notice before any text
    stream = BytesIO()
    book.save(stream)
    with replacing(path) as part:
        part.write_bytes(stream.getvalue())


def _fill_coding(page: Worksheet, rows: Sequence[Sequence[str]], sheet: CodingSheet) -> None:
    from openpyxl.utils import get_column_letter

    page.title = CODING
    for place, name in enumerate((*sheet.shown, *sheet.choices), start=1):
        set_text(page.cell(1, place), name, HEADER)
        page.column_dimensions[get_column_letter(place)].width = sheet.shown.get(name, _ANSWER_WIDTH)
    for number, row in enumerate(rows, start=2):
        for place, text in enumerate(row, start=1):
            set_text(page.cell(number, place), text, SHOWN)
        for place in range(len(sheet.shown) + 1, len(sheet.shown) + 1 + len(sheet.choices)):
            set_text(page.cell(number, place), "", ANSWER)
        page.row_dimensions[number].height = row_height(zip(row, sheet.shown.values(), strict=True))
    page.freeze_panes = f"{get_column_letter(len(sheet.shown) + 1)}2"
    fit_landscape(page)
    protect(page)


def _fill_lists(book: Workbook, sheet: CodingSheet, last: int) -> None:
    """The drop-downs; values hold commas, so their lists stand on a hidden sheet."""
    from openpyxl.utils import get_column_letter

    lists = book.create_sheet(LISTS)
    lists.sheet_state = "hidden"
    for place, (name, answers) in enumerate(sheet.choices.items(), start=1):
        for number, answer in enumerate((name, *answers), start=1):
            set_text(lists.cell(number, place), answer[:_LIMIT])
        letter = get_column_letter(place)
        source = f"{LISTS}!${letter}$2:${letter}${len(answers) + 1}"
        column = get_column_letter(len(sheet.shown) + place)
        add_choice(book[CODING], f"{column}2:{column}{last}", name, source, answers, only=True)


def read_coding_sheet(
    path: Path,
    key: str,
    choices: Mapping[str, Sequence[str]],
    comparable: Callable[[str], str] = lambda text: text.strip().casefold(),
) -> dict[str, dict[str, str]]:
    """What a person coded, by row and column; cells and rows that are not filled in are left out.

    Args:
        path: the sheet.
        key: the column that names a row.
        choices: columns to be filled in, with the answers that each takes.
        comparable: what of an answer is compared; empty for an empty cell.

    Raises:
        UserError: the file cannot be read or lacks a column, a cell holds none of its answers, or nothing is filled in.
    """
    codings: dict[str, dict[str, str]] = {}
    table = read_table(path, [key, *choices])
    for number, row in enumerate(table.iter_rows(named=True), start=2):
        filled = {name: row[name] for name in choices if comparable(row[name] or "")}
        if not filled:
            continue
        coding = {}
        for name, text in filled.items():
            answer = next((each for each in choices[name] if comparable(each) == comparable(text)), None)
            if answer is None:
                raise UserError(
                    f"{path}, row {number}, column '{name}': '{text}' is invalid. Expected one of: "
                    f"{', '.join(choices[name])}."
                )
            coding[name] = answer
        named = (row[key] or "").strip()
        if not named or named in codings:
            problem = f"'{named}' again" if named else "nothing"
            raise UserError(
                f"{path}, row {number}, column '{key}': found {problem}. Restore the original key."
            )
        codings[named] = coding
    if not codings:
        raise UserError(f"{path} contains no answers. Fill in at least one row.")
    return codings
