"""How a text file is written: its encoding, and for tables the character between the cells.

Spreadsheet programs write what their country is used to: semicolons where the comma is the decimal mark, UTF-16 with
tabs ("Unicode text"), a first line `sep=;`, the Windows code page of the language. All of it is found here, for every
file that a person hands over, and said in one line per file.
"""

from __future__ import annotations

import codecs
import csv
import logging
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from endoxa.sources.headers import LOOKED_AT, find_header, plain_name
from endoxa.sources.source import Source, current_reading, understood_once

_LOG = logging.getLogger(__name__)

LONGEST_CELL = 1 << 24
"""Characters of a cell; more is a quote that was never closed. The default of Python's `csv` is 131,072."""
csv.field_size_limit(LONGEST_CELL)

CODE_PAGES = {
    "cp1250": "bs cs hr hu pl ro sk sl sq sr-latn",
    "cp1251": "be bg kk ky mk mn ru sr sr-cyrl tg tt uk uz-cyrl",
    "cp1252": "af br ca co cy da de en es eu fi fil fo fr fy ga gl gsw gn ha id ig is it lb ln mg mi ms nb nl nn no "
    "nso oc om pt qu rm rw se sn so ss st sv sw tl tn ts ve wo xh yo zu",
    "cp1253": "el",
    "cp1254": "az tr uz",
    "cp1255": "he yi",
    "cp1256": "ar fa ku ps sd ug ur",
    "cp1257": "et lt lv",
    "cp1258": "vi",
    "cp874": "th",
    "cp932": "ja",
    "cp936": "zh zh-hans",
    "cp949": "ko",
    "cp950": "zh-hant zh-hk zh-mo zh-tw",
}
"""Windows code pages and the languages (ISO 639, with a script where it decides) whose default they are.

Source: Microsoft, National Language Support reference, "ANSI code page" of each locale. Languages without one (Hindi,
Bengali, Amharic ...) are written in Unicode only.
"""
_PAGE_OF = {language: page for page, languages in CODE_PAGES.items() for language in languages.split()}

UTF_8 = "utf-8-sig"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BLOCK = 1 << 16
_LONE = re.compile("[\ud800-\udfff]")


def code_page(codes: Collection[str]) -> str | None:
    """The Windows code page in which all the languages are written; None where there is none, or several."""
    pages = {_code_page(code) for code in codes}
    return next(iter(pages)) if len(pages) == 1 else None


def _code_page(code: str) -> str | None:
    tag = code.strip().lower().replace("_", "-")
    return _PAGE_OF.get(tag) or _PAGE_OF.get("-".join(tag.split("-")[:2])) or _PAGE_OF.get(tag.split("-")[0])


def _lone_surrogates(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no text become lone surrogates, which no text holds, so that their row can be named."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC80 | byte & 0x7F) for byte in error.object[error.start : error.end]), error.end


_UNDECODABLE = "endoxa-lone-surrogates"
codecs.register_error(_UNDECODABLE, _lone_surrogates)


def undecodable(text: str) -> bool:
    """True where `text` holds something that is not Unicode text (a lone surrogate)."""
    return not text.isascii() and _LONE.search(text) is not None


def decoded(content: bytes, languages: Collection[str] = ()) -> str:
    """The text of a file that is in memory; what cannot be decoded is a lone surrogate (`undecodable`)."""
    return content.decode(_encoding(BytesIO(content), languages) or UTF_8, _UNDECODABLE)


def open_text(path: Path, newline: str) -> TextIO:
    """Open as text, in the encoding that the file has.

    Bytes that are no text become lone surrogates, so that the caller can name the row in which they stand instead of
    failing at the start of a buffer.
    """
    path = Source.of(path)
    encoding = encoding_of(path)
    if encoding != UTF_8:
        log_reading(path, _encoding_named(encoding))
    stream: TextIO = path.open(encoding=encoding, errors=_UNDECODABLE, newline=newline)
    return stream


def encoding_of(path: Path) -> str:
    """The encoding of a file: Unicode in the form that it has, else the Windows code page of its language.

    The language is the one declared (`endoxa.sources.source.reading_files`), or that of its own column `language`.
    Where there is none, UTF-8: what cannot be decoded is then found row by row.
    """
    return _encoding_of(path, current_reading().languages)


@understood_once
def _encoding_of(path: Path, languages: tuple[str, ...]) -> str:
    with path.open("rb") as stream:
        unicode = _encoding(stream, languages)
    return unicode or code_page(_named_languages(path)) or UTF_8


def _encoding(stream: BinaryIO, languages: Collection[str]) -> str | None:
    """None for what is no Unicode text, where the languages name no code page."""
    start = stream.read(4)
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return encoding
    if len(start) == 4 and start.count(0) == 2 and start[0::2] != b"\0\0" and start[1::2] == b"\0\0":
        return "utf-16-le"
    if len(start) == 4 and start.count(0) == 2 and start[0::2] == b"\0\0":
        return "utf-16-be"
    stream.seek(0)
    return UTF_8 if _mostly_utf_8(stream) else code_page(languages)


def _mostly_utf_8(stream: BinaryIO) -> bool:
    """Whether UTF-8 decodes it, or more letters beyond ASCII than it fails on: UTF-8 with damage, not a code page."""
    decoder = codecs.getincrementaldecoder("utf-8")(_UNDECODABLE)
    letters = failures = 0
    while block := stream.read(_BLOCK):
        text = decoder.decode(block)
        if not text.isascii():
            lone = len(_LONE.findall(text))
            letters += len(text) - len(text.encode("ascii", "ignore")) - lone
            failures += lone
    failures += len(decoder.decode(b"", final=True))
    return letters >= failures


def _named_languages(path: Path) -> set[str]:
    """The languages that a table of a Windows encoding names in its column `language`; their codes are ASCII."""
    if path.suffix.lower() not in USUAL_DELIMITERS:
        return set()
    with path.open(encoding="latin-1", newline="") as stream:
        delimiter, skipped = _dialect(stream, path, ("language",))
        rows = csv.reader(stream, delimiter=delimiter)
        header = [plain_name(name) for name in next(islice(rows, skipped, None), [])]
        if "language" not in header:
            return set()
        place = header.index("language")
        try:
            return {cells[place] for cells in rows if len(cells) > place and cells[place].strip()}
        except csv.Error:
            return set()


# --------------------------------------------------------------------------- CSV

USUAL_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may stand between cells, and its name in sentences."""

_SEPARATOR_LINE = re.compile(r'\s*"?sep=(.)"?\s*', re.IGNORECASE)
_SAMPLE = 1 << 16
_SAMPLED_ROWS = 50


def _dialect(stream: TextIO, path: Path, wanted: Collection[str]) -> tuple[str, int]:
    """The character between cells, and the number of lines before the column names.

    A line `sep=;` decides. Else it is the delimiter under which most columns have a known name, then the one under
    which most rows have as many cells as there are columns, then the usual one.

    Args:
        stream: the table, which is at its beginning then.
        path: the file, whose suffix says which delimiter is usual.
        wanted: column names that speak for a delimiter, as `plain_name` gives them.
    """
    sample = stream.read(_SAMPLE)
    stream.seek(0)
    declared = _SEPARATOR_LINE.fullmatch(sample.partition("\n")[0].partition("\r")[0])
    if declared:
        return declared[1], 1
    best = usual = USUAL_DELIMITERS.get(path.suffix.lower(), ",")
    most = (-1, 0.0, False)
    for mark in DELIMITERS:
        sampled = _sampled(sample, mark, complete=len(sample) < _SAMPLE)
        header, *rows = sampled[find_header(sampled, usual=wanted).row :] or [[]]
        named = len({plain_name(name) for name in header} & set(wanted))
        even_rows = sum(len(cells) == len(header) for cells in rows) / max(len(rows), 1)
        possible = len(header) > 1 and (named or even_rows or not rows)
        if possible and (named, even_rows, mark == usual) > most:
            best, most = mark, (named, even_rows, mark == usual)
    return best, 0


def _sampled(sample: str, mark: str, *, complete: bool) -> list[list[str]]:
    reader = csv.reader(StringIO(sample, newline=""), delimiter=mark)
    rows: list[list[str]] = []
    try:
        rows += [cells for cells in islice(reader, _SAMPLED_ROWS) if cells]
    except csv.Error:
        return rows
    cut_off = not complete and len(rows) > 1 and next(reader, None) is None
    return rows[:-1] if cut_off else rows


def csv_records(path: Path, wanted: Collection[str] = ()) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Line number and cells of each record, the column names first; a record that is no CSV is its error.

    Blank lines are left out; memory does not grow with the file.

    Args:
        path: the file, whose suffix says which delimiter is usual.
        wanted: column names that speak for a delimiter, as `plain_name` gives them.
    """
    path = Source.of(path)
    encoding = encoding_of(path)
    with path.open(encoding=encoding, errors=_UNDECODABLE, newline="") as stream:
        delimiter, skipped = _dialect(stream, path, wanted)
        how = [] if encoding == UTF_8 else [_encoding_named(encoding)]
        if delimiter != USUAL_DELIMITERS.get(path.suffix.lower(), ","):
            mark = DELIMITERS.get(delimiter, repr(delimiter))
            how.append(f"cells separated by {mark}")
        if how:
            log_reading(path, ", ".join(how))
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        for _ in range(skipped):
            next(reader, None)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield line, error
                continue
            if cells is None:
                return
            if cells:
                yield line, cells


def named_records(
    path: Path,
    records: Iterator[tuple[int, Any]],
    wanted: Collection[str],
    usual: Collection[str],
    where: str = "",
) -> Iterator[tuple[int, Any]]:
    """Line and cells of each record, the column names first, without what stands above and between.

    Args:
        path: the file, in which something is said to have been read otherwise than it is usually written.
        records: number of the line and cells of each; those of a record that is no CSV are its error.
        wanted: column names that the caller needs, as `plain_name` gives them.
        usual: names that speak for a row.
        where: what else is said of the file.
    """
    start = list(islice(records, LOOKED_AT))
    header = find_header(
        [[] if isinstance(cells, csv.Error) else cells for _, cells in start],
        wanted,
        usual,
        lines=[line for line, _ in start],
        stated=current_reading().header_rows,
    )
    if where or header.how:
        log_reading(path, ", ".join(filter(None, [where, header.how])))
    if start:
        line, cells = start[header.row]
        yield line, cells if isinstance(cells, csv.Error) else list(header.names)
    yield from start[header.first :]
    yield from records


def _encoding_named(encoding: str) -> str:
    if encoding.startswith("utf"):
        return f"{encoding.removesuffix('-le').removesuffix('-be').upper()} text"
    declared = ", ".join(current_reading().languages) or "its column 'language'"
    return f"Windows-{encoding.removeprefix('cp')} text (language: {declared})"


def log_reading(path: Path, how: str) -> None:
    """Say how a file was read, where that is not as it is usually written; once, however often it is opened."""
    source = Source.of(path)
    name = source.title[:1].upper() + source.title[1:] if source.title else str(path)
    if source.is_file_on_disk:
        _log_once(name, how)
    else:
        source.understood(("taken", how), lambda: _log_once.__wrapped__(name, how))


@lru_cache(maxsize=1024)
def _log_once(name: str, how: str) -> None:
    _LOG.warning("%s was read as: %s.", name, how)
