"""Text on its way through a spreadsheet: what must be disguised going out, and what changes by itself coming back.

A cell that begins with one of = + - @ (or a tab, or a line break) is run as a formula by spreadsheet programs.
OWASP's advice for CSV is an apostrophe in front ("CSV Injection", owasp.org); here it can be taken off again without
a loss, because a text that already has one there gets another.
"""

from __future__ import annotations

import re
import unicodedata

CELL_LIMIT = 32_767
"""Characters that a cell of a spreadsheet can hold."""

_FORMULA = r"\s*[=+\-@\t\r\n＝＋－＠]"
_TO_QUOTE = re.compile(rf"'*{_FORMULA}")
_QUOTED = re.compile(rf"'+{_FORMULA}")

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
_UNUSABLE = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}
_ESCAPE_LIKE = re.compile(r"_x(?=[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„‟«»", '"') | {"\u00a0": " "})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def looks_like_formula(text: str) -> bool:
    """True where a spreadsheet program may run the text as a formula."""
    return re.match(_FORMULA, text) is not None


def quoted(text: str) -> str:
    """The text as it can stand in a CSV file that is opened in a spreadsheet program."""
    return f"'{text}" if _TO_QUOTE.match(text) else text


def unquoted(text: str) -> str:
    """Undo `quoted`."""
    return text[1:] if _QUOTED.match(text) else text


def shown(text: str) -> str:
    """The text as an XLSX cell can hold it: control characters become the signs that stand for them (␁)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_PICTURES | _UNUSABLE)


def has_controls(text: str) -> bool:
    """Whether the text holds what `shown` replaces by a sign."""
    return any(ord(letter) in _PICTURES or ord(letter) in _UNUSABLE for letter in text)


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


def same(one: str, other: str) -> bool:
    """Whether two texts differ only in what spreadsheet programs change by themselves.

    That is: blanks at the ends, line endings, straight and curly quotes, no-break spaces, composed and decomposed
    letters, 3 and 3.0, true and TRUE, and control characters that cannot be shown.
    """
    return one == other or _seen(one) == _seen(other)


def _seen(text: str) -> str:
    plain = unicodedata.normalize("NFC", shown(text)).translate(_QUOTES).strip()
    if _NUMBER.fullmatch(plain):
        return repr(float(plain))
    return plain.lower() if plain.lower() in ("true", "false") else plain
