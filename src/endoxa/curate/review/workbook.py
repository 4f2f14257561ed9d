"""A review sheet as an XLSX workbook: drop-downs, coloured cells to fill in, the others protected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.curate.review.form import ANSWERS, DECISIONS, REASONS, ROW_KEY
from endoxa.curate.review.instructions import instructions
from endoxa.curate.review.origin import ORIGIN, to_text
from endoxa.curate.review.sheet import Sheet
from endoxa.curate.review.text import CELL_LIMIT, escaped, looks_like_formula, shown
from endoxa.datasets.write import replacing
from endoxa.errors import UserError

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

REVIEW, INSTRUCTIONS = "Review", "Instructions"
SPARE_ROWS = 50
"""Empty rows at the end, for statements that a reviewer splits."""

_MOST_ROWS = 1_048_576 - 1 - SPARE_ROWS
_NARROWEST, _WIDEST = 10, 50  # characters
_INSTRUCTION_WIDTH = 100
_LINE, _MOST_LINES = 15.0, 20  # points; a row of more lines cannot be scrolled
_ANSWER_WIDTHS = {"decision": 11, "reason": 28, "note": 40}
_HEADER, _SHOWN, _WORDS, _ANSWER = "endoxa header", "endoxa shown", "endoxa words", "endoxa answer"
_DARK, _YELLOW, _GREEN, _WHITE = "FF1F3A5F", "FFFFF4CC", "FFE2F0D9", "FFFFFFFF"
_PIECE = 20_000  # characters of a record per cell, well under the limit


def write_workbook(sheet: Sheet, path: Path) -> None:
    """Write the sheet as a workbook of three sheets: Review, Instructions, and a hidden one with its origin.

    Raises:
        UserError: openpyxl is missing, a text or the table is too long, or the place cannot be written.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise UserError(
            f"{path}: writing a spreadsheet needs openpyxl. Install it with: pip install 'endoxa[curate]'"
        ) from error
    if len(sheet.rows) > _MOST_ROWS:
        raise UserError(f"{path}: {len(sheet.rows)} rows are more than a spreadsheet holds: draw a --sample.")
    _require_short_texts(sheet)
    book = Workbook()
    _styles(book)
    _fill_review(book.active, sheet)
    _fill_instructions(book.create_sheet(INSTRUCTIONS), sheet)
    _fill_origin(book, sheet)
    whole = BytesIO()
    book.save(whole)  # at once, so that a full disk leaves no half zip file to be closed
    with replacing(path) as part:
        part.write_bytes(whole.getvalue())


def _require_short_texts(sheet: Sheet) -> None:
    for row in sheet.rows:
        for name in sheet.origin.edited:
            if len(escaped(shown(row.get(name, "")))) > CELL_LIMIT:
                raise UserError(
                    f"Row '{row[ROW_KEY]}', column '{name}': holds more than the {CELL_LIMIT} characters of a "
                    "spreadsheet's cell; write the sheet as .csv."
                )


def _styles(book: Workbook) -> None:
    """Name the four looks of a cell; in all of them what is typed stays text: no formula, number or date."""
    from openpyxl.styles import Alignment, Font, NamedStyle, PatternFill, Protection

    for name, colour in ((_HEADER, _DARK), (_SHOWN, None), (_WORDS, _YELLOW), (_ANSWER, _GREEN)):
        style = NamedStyle(name, number_format="@", alignment=Alignment(wrap_text=True, vertical="top"))
        style.protection = Protection(locked=name in (_HEADER, _SHOWN))
        if colour:
            style.fill = PatternFill("solid", start_color=colour)
        if name == _HEADER:
            style.font = Font(bold=True, color=_WHITE)
        book.add_named_style(style)


def _fill_review(page: Worksheet, sheet: Sheet) -> None:
    page.title = REVIEW
    spare = SPARE_ROWS if sheet.kind.several_rows else 0
    looks = {name: _ANSWER if name in ANSWERS else _SHOWN for name in sheet.columns}
    looks |= dict.fromkeys(sheet.origin.edited, _WORDS)
    for place, name in enumerate(sheet.columns, start=1):
        _set_text(page.cell(1, place), name, _HEADER)
    for number, row in enumerate(sheet.rows, start=2):
        for place, name in enumerate(sheet.columns, start=1):
            _set_text(page.cell(number, place), row.get(name, "") if name not in ANSWERS else "", looks[name])
    looks[sheet.kind.key] = _WORDS
    for number in range(len(sheet.rows) + 2, len(sheet.rows) + 2 + spare):
        for place, name in enumerate(sheet.columns, start=1):
            _set_text(page.cell(number, place), "", looks[name])
    _lay_out(page, sheet)
    _add_choices(page, sheet.columns, len(sheet.rows) + 1 + spare)
    _protect(page)
    page.auto_filter.ref = page.dimensions


def _set_text(cell: Cell, text: str, look: str = _SHOWN) -> None:
    """Put a text into a cell as text, whatever it begins with; what is too long to be shown is cut."""
    cell.style = look
    if text:
        cell.value = escaped(shown(text))[:CELL_LIMIT]
        cell.data_type = "s"
        cell.quotePrefix = looks_like_formula(text)


def _lay_out(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.utils import get_column_letter

    for place, name in enumerate(sheet.columns, start=1):
        column = page.column_dimensions[get_column_letter(place)]
        column.width = _ANSWER_WIDTHS.get(name) or _width(name, [row.get(name, "") for row in sheet.rows])
        column.hidden = name == ROW_KEY
    widths = [page.column_dimensions[get_column_letter(at + 1)].width for at in range(len(sheet.columns))]
    for number, row in enumerate(sheet.rows, start=2):
        texts = [row.get(name, "") if name not in (*ANSWERS, ROW_KEY) else "" for name in sheet.columns]
        page.row_dimensions[number].height = _height(zip(texts, widths, strict=True))
    page.freeze_panes = "B2"
    page.print_title_rows = "1:1"
    page.page_setup.orientation = "landscape"
    page.page_setup.fitToHeight = 0
    page.sheet_properties.pageSetUpPr.fitToPage = True


def _height(cells: Iterable[tuple[str, float]]) -> float:
    """Room for the cell with most lines: not every program makes room for wrapped text by itself."""
    lines = max(
        sum(-(-max(len(line), 1) // max(1, int(width) - 1)) for line in text.split("\n"))
        for text, width in cells
    )
    return _LINE * min(max(lines, 1), _MOST_LINES)


def _width(name: str, texts: Sequence[str]) -> int:
    """Wide enough for nine texts of ten; longer ones are wrapped."""
    lengths = sorted(map(len, texts))
    common = lengths[int(0.9 * (len(lengths) - 1))]
    return max(_NARROWEST, min(_WIDEST, max(len(name), common) + 2))


def _add_choices(page: Worksheet, columns: Sequence[str], last: int) -> None:
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    for name, words, only in (("decision", DECISIONS, True), ("reason", REASONS, False)):
        choice = DataValidation(type="list", formula1=f'"{",".join(words)}"', allow_blank=True)
        choice.showErrorMessage = True
        choice.errorStyle = "stop" if only else "warning"
        choice.errorTitle = name
        choice.error = f"Please choose one of: {', '.join(words)}."
        letter = get_column_letter(columns.index(name) + 1)
        choice.add(f"{letter}2:{letter}{last}")
        page.add_data_validation(choice)


def _protect(page: Worksheet) -> None:
    """Lock what is only shown, without a password; widths, heights, sorting and filters stay free."""
    page.protection.sheet = True
    for free in ("formatColumns", "formatRows", "sort", "autoFilter"):
        setattr(page.protection, free, False)  # in this format False means that it is not forbidden


def _fill_instructions(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.styles import Font

    page.column_dimensions["A"].width = _INSTRUCTION_WIDTH
    page.page_setup.orientation = "landscape"
    page.page_setup.fitToHeight = 0
    page.sheet_properties.pageSetUpPr.fitToPage = True
    for number, line in enumerate(instructions(sheet), start=1):
        cell = page.cell(number, 1)
        _set_text(cell, line.text)
        cell.font = Font(bold=line.heading, size=13 if line.heading else 11)
        page.row_dimensions[number].height = _height([(line.text, _INSTRUCTION_WIDTH)]) + 3 * line.heading
    _protect(page)


def _fill_origin(book: Workbook, sheet: Sheet) -> None:
    page = book.create_sheet(ORIGIN)
    page.sheet_state = "hidden"
    for number, text in enumerate(_origin_lines(sheet), start=1):
        for place, start in enumerate(range(0, len(text), _PIECE), start=1):
            _set_text(page.cell(number, place), text[start : start + _PIECE])
    _protect(page)


def _origin_lines(sheet: Sheet) -> Iterator[str]:
    yield to_text(sheet.origin)
    yield from map(to_text, sheet.origins)
