"""Checks of the text of a cell: blanks, line breaks, damage done by encodings and by mark-up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from endoxa.datasets.check.item import Checked, Item
from endoxa.datasets.check.problem import Problem

_LINE_BREAK = re.compile("[\n\r\v\f\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]{2,}")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")


def surrounding_blanks(item: Checked) -> Iterator[Problem]:
    """Blanks before or after a sentence: they become tokens of their own and are scored."""
    for column, text in item.sentences():
        if text != text.strip():
            message = "starts or ends with a blank, which is scored as part of the sentence"
            yield item.problem("note", "surrounding-blanks", column, message, text)


def line_break(item: Checked) -> Iterator[Problem]:
    """A line break inside a sentence, usually left by a spreadsheet: a token that the other side lacks."""
    for column, text in item.sentences():
        if _LINE_BREAK.search(text.strip()):
            message = "holds a line break, which is scored as part of the sentence"
            yield item.problem("warning", "line-break", column, message, text)


def replacement_character(item: Checked) -> Iterator[Problem]:
    """U+FFFD stands where a program met bytes that it could not decode: a letter is lost."""
    for column, text in item.sentences():
        if "\ufffd" in text:
            message = "holds the replacement character U+FFFD: a letter was lost in an earlier conversion"
            yield item.problem("warning", "replacement-character", column, message, text)


def mojibake(item: Checked) -> Iterator[Problem]:
    """UTF-8 that was once read as Windows-1252 (a letter with an accent has become two characters).

    A run of non-ASCII characters that is valid UTF-8 when its characters are taken for bytes does not occur
    in real text; the same idea as ftfy's (Speer 2019).
    """
    for column, text in item.sentences():
        if any(_was_utf8(run) for run in _NOT_ASCII.findall(text)):
            message = "holds letters garbled by a wrong encoding (UTF-8 read as Windows-1252)"
            yield item.problem("warning", "mojibake", column, message, text)


def _was_utf8(run: str) -> bool:
    for encoding in ("cp1252", "latin-1"):
        try:
            return run.encode(encoding).decode("utf-8") != run
        except (UnicodeEncodeError, UnicodeDecodeError):
            continue
    return False


def html_entity(item: Checked) -> Iterator[Problem]:
    """Mark-up left in the text (an ampersand, a code, a semicolon), which no model reads as the character."""
    for column, text in item.sentences():
        if _ENTITY.search(text):
            message = "holds an HTML entity instead of the character it stands for"
            yield item.problem("warning", "html-entity", column, message, text)


def invisible_character(item: Checked) -> Iterator[Problem]:
    """Characters that are not seen but scored: zero-width space, soft hyphen, direction marks, controls.

    The zero-width joiner and non-joiner are left alone: scripts of India and Persian are written with them.
    """
    for column, text in item.sentences():
        if _INVISIBLE.search(text):
            message = "holds an invisible character (zero-width space, soft hyphen or control character)"
            yield item.problem("warning", "invisible-character", column, message, text)


def final_punctuation(item: Item) -> Iterator[Problem]:
    """A full stop (or its like) ends one sentence only: a token that has nothing to do with the stereotype.

    Blodgett et al. 2021 count such uncontrolled differences among the pitfalls of pair data.
    """
    more, less = (_ends(text) for _, text in item.sentences())
    if more != less:
        column = "sent_less" if more else "sent_more"
        message = "lacks the final punctuation that the other sentence has"
        yield item.problem("warning", "final-punctuation", column, message, item.cell(column))


def _ends(text: str) -> bool:
    return text.rstrip(" \t\r\n\"'”’»)").endswith(
        (".", "!", "?", "…", "।", "॥", "。", "！", "？", "؟", "۔", "።")
    )
