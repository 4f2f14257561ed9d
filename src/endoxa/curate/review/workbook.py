"""Workbooks that people fill in, of review sheets and of coding sheets.

What is only shown is locked, answers have drop-downs, and instructions stand on a page of their own. What is typed
stays text: no formula, number or date.

On a coding sheet people code texts, without seeing what models or rules read in them. It is written as a workbook or as
CSV, and read back when it is filled in.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.curate import library
from endoxa.curate.review import CELL_LIMIT, escaped, shown
from endoxa.errors import UserError
from endoxa.schema import Progress
from endoxa.schema.characters import xml_text
from endoxa.sources.files import replacing
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import looks_like_formula, neutralised

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet


HEADER, SHOWN, WORDS, ANSWER = "endoxa header", "endoxa shown", "endoxa words", "endoxa answer"
"""Looks of a cell: column name, only shown, words that may be changed, answer to be filled in."""

_DARK, _YELLOW, _GREEN, _WHITE = "FF1F3A5F", "FFFFF4CC", "FFE2F0D9", "FFFFFFFF"
_LINE, _MOST_LINES = 15.0, 20  # points; a row of more lines cannot be scrolled
_LIMIT = 255  # characters of a list, or of a value, that drop-downs of every program show
_PAGE = 100  # characters of a line of the instructions
LISTS = "Lists"
SPARE_ROWS = 50
"""Empty rows at the end, for statements that a reviewer splits."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet.

    Attributes:
        name: its heading.
        look: `SHOWN`, `WORDS` or `ANSWER`.
        width: in characters.
        choices: the answers of its drop-down.
        only: whether another answer is refused, or only warned of.
        hidden: whether it is hidden.
    """

    name: str
    look: str = SHOWN
    width: int = 22
    choices: Sequence[str] = ()
    only: bool = True
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A workbook to be filled in.

    Attributes:
        title: of the page with the rows.
        columns: of that page; the first names a row.
        rows: texts of all columns.
        about: title of the page with the instructions.
        instructions: its lines, and whether they are headings.
        spare: empty rows at the end, whose name can be filled in.
        freeze: first cell that scrolls.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    about: str
    instructions: Iterable[tuple[str, bool]]
    spare: int = 0
    freeze: str = "B2"


def workbook_of(form: Form, path: Path, progress: Progress = lambda *_: None) -> Workbook:
    """The workbook with its two pages, and a hidden one for the lists of its drop-downs.

    Raises:
        UserError: openpyxl is missing; `path` is named.
    """
    openpyxl = library("openpyxl", f"{path}: writing a spreadsheet needs openpyxl")
    book: Workbook = openpyxl.Workbook()
    add_styles(book)
    _fill(book.active, form, progress)
    page = book.create_sheet(form.about)
    page.column_dimensions["A"].width = _PAGE
    fit_landscape(page)
    for number, (text, heading) in enumerate(form.instructions, start=1):
        set_text(page.cell(number, 1), text)
        page.cell(number, 1).font = openpyxl.styles.Font(bold=heading, size=13 if heading else 11)
        page.row_dimensions[number].height = row_height([(text, _PAGE)]) + 3 * heading
    protect(page)
    _add_choices(book, form)
    return book


def save(book: Workbook, path: Path) -> None:
    """Write the workbook at once, so that a full disk leaves no half file."""
    stream = BytesIO()
    book.save(stream)
    with replacing(path) as part:
        part.write_bytes(stream.getvalue())


def _fill(page: Worksheet, form: Form, progress: Progress) -> None:
    from openpyxl.utils import get_column_letter

    page.title = form.title
    for place, column in enumerate(form.columns, start=1):
        set_text(page.cell(1, place), column.name, HEADER)
        dimension = page.column_dimensions[get_column_letter(place)]
        dimension.width, dimension.hidden = column.width, column.hidden
    for number, row in enumerate(form.rows, start=2):
        progress("writing rows", number - 1, len(form.rows))
        for place, (column, text) in enumerate(zip(form.columns, row, strict=True), start=1):
            set_text(page.cell(number, place), text, column.look)
        page.row_dimensions[number].height = row_height(
            ("" if column.hidden else text, column.width)
            for column, text in zip(form.columns, row, strict=True)
        )
    for number in range(len(form.rows) + 2, len(form.rows) + 2 + form.spare):
        for place, column in enumerate(form.columns, start=1):
            set_text(page.cell(number, place), "", column.look if place > 1 else WORDS)
    page.freeze_panes = form.freeze
    page.print_title_rows = "1:1"
    fit_landscape(page)
    protect(page)
    page.auto_filter.ref = page.dimensions


def _add_choices(book: Workbook, form: Form) -> None:
    """The drop-downs; their lists, which may hold commas and be long, stand on a hidden page."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    lists = book.create_sheet(LISTS)
    lists.sheet_state = "hidden"
    for place, column in enumerate((column for column in form.columns if column.choices), start=1):
        for number, text in enumerate((column.name, *column.choices), start=1):
            set_text(lists.cell(number, place), text[:_LIMIT])
        of = get_column_letter(place)
        source = f"{LISTS}!${of}$2:${of}${len(column.choices) + 1}"
        choice = DataValidation(type="list", formula1=source, allow_blank=True)
        choice.showErrorMessage = True
        choice.errorStyle = "stop" if column.only else "warning"
        choice.errorTitle = xml_text(column.name)[:32]
        choice.error = xml_text(f"Please choose one of: {', '.join(column.choices)}.")[:_LIMIT]
        letter = get_column_letter(form.columns.index(column) + 1)
        choice.add(f"{letter}2:{letter}{len(form.rows) + 1 + form.spare}")
        book[form.title].add_data_validation(choice)


def add_styles(book: Workbook) -> None:
    """Name the four looks of a cell; in all of them what is typed stays text: no formula, number or date."""
    from openpyxl.styles import Alignment, Font, NamedStyle, PatternFill, Protection

    for name, colour in ((HEADER, _DARK), (SHOWN, None), (WORDS, _YELLOW), (ANSWER, _GREEN)):
        style = NamedStyle(name, number_format="@", alignment=Alignment(wrap_text=True, vertical="top"))
        style.protection = Protection(locked=name in (HEADER, SHOWN))
        if colour:
            style.fill = PatternFill("solid", start_color=colour)
        if name == HEADER:
            style.font = Font(bold=True, color=_WHITE)
        book.add_named_style(style)


def set_text(cell: Cell, text: str, look: str = SHOWN) -> None:
    """Put a text into a cell as text, whatever it begins with; what is too long to be shown is cut."""
    cell.style = look
    if text:
        cell.value = escaped(shown(text))[:CELL_LIMIT]
        cell.data_type = "s"
        cell.quotePrefix = looks_like_formula(text)


def row_height(cells: Iterable[tuple[str, float]]) -> float:
    """Points for the cell with most lines, from (text, width of its column in characters).

    Not every program makes room for wrapped text by itself.
    """
    lines = max(
        sum(-(-max(len(line), 1) // max(1, int(width) - 1)) for line in text.split("\n"))
        for text, width in cells
    )
    return _LINE * min(max(lines, 1), _MOST_LINES)


def fit_landscape(page: Worksheet) -> None:
    """Print the page across the paper, all its columns on one sheet."""
    page.page_setup.orientation = "landscape"
    page.page_setup.fitToHeight = 0
    page.sheet_properties.pageSetUpPr.fitToPage = True


def protect(page: Worksheet) -> None:
    """Lock what is only shown, without a password; widths, heights, sorting and filters stay free."""
    page.protection.sheet = True
    for free in ("formatColumns", "formatRows", "sort", "autoFilter"):
        setattr(page.protection, free, False)  # in this format False means that it is not forbidden


CODING, INSTRUCTIONS = "Coding", "Read this first"
SUFFIXES = (".xlsx", ".csv")


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
        return
    columns = [Column(name, SHOWN, width) for name, width in sheet.shown.items()]
    columns += [Column(name, ANSWER, choices=answers) for name, answers in sheet.choices.items()]
    blank = [""] * len(sheet.choices)
    form = Form(
        CODING,
        columns,
        [[*row, *blank] for row in rows],
        INSTRUCTIONS,
        [(line, False) for line in sheet.instructions],
        freeze=f"{chr(ord('A') + len(sheet.shown))}2",
    )
    book = workbook_of(form, path)
    book.active = 1  # people see the notice before any text
    save(book, path)


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
