"""Sentences with a gap and the words that people wrote for it (HESEIA), as one statement for each word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from endoxa.curate.survey.rows import NO_AXIS
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.sources.frames import read_table
from endoxa.sources.layouts import SENTENCES, Layout, recognised_as
from endoxa.sources.source import Source, reading_files

GAP = "*"
_LISTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
"""Entries of a list as Python writes it, `['pobres', 'ricos']`; what is not quoted (`none`) is no entry."""
_BLANK_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?])")


def sentences_of(path: Path) -> tuple[Source, str] | None:
    """The sentences of a published file, and what to say of how it was read; None for other files.

    The table has `statement`, `axis`, `respondent` (number of the row in which the sentence stands first) and the
    file's other columns. These files do not say who wrote a row, so a sentence counts once, with the axis of its first
    row, however often it is there.

    Raises:
        UserError: the file cannot be read, or has no sentence.
    """
    recognised = recognised_as(path)
    if recognised is None or recognised.layout.unit != SENTENCES:
        return None
    with reading_files(sheet=recognised.sheet):
        rows = read_table(path, tuple(recognised.columns), as_written=True).rename(recognised.columns)
    filled: dict[str, dict[str, str]] = {}
    for statement in _statements(rows, recognised.layout):
        filled.setdefault(statement["statement"].casefold(), statement)
    if not filled:
        raise UserError(
            f"{path} has no sentence: every one has a gap, and no words for it. Use the authors' file."
        )
    how = (
        f"{path} was read as {recognised.layout.name}: {plural(len(filled), 'different sentence')} from "
        f"{plural(rows.height, 'row')}. The file does not say who wrote a row, so rows count as respondents, nor which "
        "sentences are stereotypes: let people judge them (endoxa curate review)."
    )
    return Source.of_frame(pl.DataFrame(list(filled.values())), str(path), str(path)), how


def _statements(rows: pl.DataFrame, layout: Layout) -> Iterator[dict[str, str]]:
    others = [name for name in rows.columns if name not in layout.roles.values()]
    for number, cells in enumerate(rows.iter_rows(named=True), start=1):
        sentence, words = (cells.get(layout.roles.get(role, "")) or "" for role in ("statement", "words"))
        axis = _axis(cells[layout.roles["axis"]] or "", layout.axes)
        for word in listed(words) if GAP in sentence else [""]:
            text = " ".join(sentence.replace(GAP, f" {word} ", 1).split())
            yield {
                "statement": _BLANK_BEFORE_MARK.sub("", text).rstrip(" ."),
                "axis": axis,
                "respondent": str(number),
                **{name: cells[name] or "" for name in others},
            }


def listed(cell: str) -> list[str]:
    """The entries of a list that Python wrote, without marks behind them."""
    return [word.strip(" .") for pair in _LISTED.findall(cell) if (word := "".join(pair)).strip(" .")]


def _axis(cell: str, axes: Mapping[str, str]) -> str:
    """Our names of the axes that are known, in the order of the alphabet; the file's are free text."""
    letters = unicodedata.normalize("NFKD", cell.casefold())
    plain = listed("".join(letter for letter in letters if not unicodedata.combining(letter)))
    return ", ".join(sorted({axes[name] for name in plain if name in axes})) or NO_AXIS
