"""Format of every spreadsheet that people fill in: styles, text cells, locked cells, drop-downs, escaping."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from endoxa.schema.characters import xml_text
from endoxa.sources.spreadsheets import looks_like_formula

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet


CELL_LIMIT = 32_767
"""Characters that a cell of a spreadsheet can hold."""

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
_ESCAPE_LIKE = re.compile(r"_x(?=[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„‟«»", '"') | {"\u00a0": " "})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def shown(text: str) -> str:
    """The text as an XLSX cell can hold it: control characters become the signs that stand for them (␁)."""
    return xml_text(text.replace("\r\n", "\n").replace("\r", "\n").translate(_PICTURES))


def has_controls(text: str) -> bool:
    """Whether the text holds what `shown` replaces by a sign."""
    return xml_text(text) != text


def restored(text: str, original: str) -> str:
    """Put back the control characters of `original` that `shown` had replaced."""
    controls = {_PICTURES[ord(letter)]: letter for letter in original if ord(letter) in _PICTURES}
    return text.translate(controls)


def escaped(text: str) -> str:
    """Text in which nothing is taken for one of XLSX's escapes ('_x0041_' would be read as 'A')."""
    return _ESCAPE_LIKE.sub("_x005F_x", text)


def unescaped(text: str) -> str:
    """Undo `escaped`, and the escapes that spreadsheet programs write."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)


def same(first: str, second: str) -> bool:
    """Whether two texts differ only in what spreadsheet programs change by themselves.

    That is: blanks at the ends, line endings, straight and curly quotes, no-break spaces, composed and decomposed
    letters, 3 and 3.0, true and TRUE, and control characters that cannot be shown.
    """
    return first == second or _seen(first) == _seen(second)


def _seen(text: str) -> str:
    plain = unicodedata.normalize("NFC", shown(text)).translate(_QUOTES).strip()
    if _NUMBER.fullmatch(plain):
        return repr(float(plain))
    return plain.lower() if plain.lower() in ("true", "false") else plain


HEADER, SHOWN, WORDS, ANSWER = "endoxa header", "endoxa shown", "endoxa words", "endoxa answer"
"""Looks of a cell: column name, only shown, words that may be changed, answer to be filled in."""

_DARK, _YELLOW, _GREEN, _WHITE = "FF1F3A5F", "FFFFF4CC", "FFE2F0D9", "FFFFFFFF"
_LINE, _MOST_LINES = 15.0, 20  # points; a row of more lines cannot be scrolled


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


def add_choice(
    page: Worksheet, cells: str, name: str, source: str, words: Sequence[str], *, only: bool
) -> None:
    """Give cells a drop-down list.

    Args:
        page: where.
        cells: their range ("B2:B9").
        name: what is chosen, for the message.
        source: the list as a formula: '"a,b"', or a range of another sheet.
        words: the list, for the message.
        only: whether anything else is refused, or only warned of.
    """
    from openpyxl.worksheet.datavalidation import DataValidation

    choice = DataValidation(type="list", formula1=source, allow_blank=True)
    choice.showErrorMessage = True
    choice.errorStyle = "stop" if only else "warning"
    choice.errorTitle = xml_text(name)[:32]
    choice.error = xml_text(f"Please choose one of: {', '.join(words)}.")[:255]
    choice.add(cells)
    page.add_data_validation(choice)
