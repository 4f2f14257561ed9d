"""The double-coding sheet: a sample of stories that people code without seeing the extraction.

It is written as a workbook with drop-downs or as CSV, and read back when it is filled in.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

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
from endoxa.errors import UserError
from endoxa.instruments.stories.profiles.reading import REFUSAL, plain
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.folder import RECORDS
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import neutralised
from endoxa.sources.stereotales import NAMED_BY, UNKNOWN, Vocabulary, story_names
from endoxa.sources.write import replacing

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["Coding", "read_sheet", "require_new_sheet", "story_key", "write_sheet"]


KEY = "story_key"
SHEET_COLUMNS = (KEY, "language", "story")
YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Coding:
    """What a person read off one story.

    Attributes:
        refusal: the text is a refusal.
        profile: the attributes that were filled in; all "unknown" for a refusal.
    """

    refusal: bool
    profile: Mapping[str, str]


def choices(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The columns to be filled in, with the answers that each takes."""
    return {REFUSAL: (YES, NO), **{attribute.name: attribute.answers for attribute in vocabulary}}


def story_key(name: str) -> str:
    """A short name of a story that tells neither its model nor its prompt."""
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def draw(records: pl.DataFrame, sample: int, seed: int) -> pl.DataFrame:
    """Stories for the sheet, with the columns `SHOWN`.

    As many from every model x language as can be (their numbers differ by one at most, but where a stratum has no
    more), drawn by the seed, in an order that tells nothing. Thoughts before a story are taken off, as they repeat
    the prompt. Texts without a word are left out: there is nothing to read.

    Args:
        records: what names each story (`endoxa.sources.stereotales.NAMED_BY`), and its "story".
        sample: how many.
        seed: another seed draws others.
    """
    names = story_names(records)
    place = pl.Series(
        "place",
        [hashlib.blake2b(f"{seed}|{name}".encode(), digest_size=16).hexdigest() for name in names],
        dtype=pl.String,
    )
    keys = pl.Series(KEY, [story_key(name) for name in names], dtype=pl.String)
    texts = pl.Series("story", [without_thoughts(text or "") for text in records["story"]], dtype=pl.String)
    strata = pl.struct("generator_model", "language")
    return (
        records.with_columns(place, keys, texts)
        .filter(pl.col("story").str.strip_chars() != "")
        .with_columns(pl.col("place").rank("ordinal").over(strata).alias("turn"))
        .sort("turn", "place")
        .head(sample)
        .sort("place")
        .select(SHEET_COLUMNS)
    )


CODING, INSTRUCTIONS, LISTS = "Coding", "Read this first", "Lists"
SUFFIXES = (".xlsx", ".csv")
NOTICE = (
    "Content notice: these stories were written by language models. Some of them may show people in an unfair or "
    "hurtful way. You may stop at any time, skip any row and hand back what you have."
)
INSTRUCTION_LINES = (
    NOTICE,
    "Read each story on the sheet 'Coding' and fill in the green columns of its row from the drop-down lists. Empty "
    "cells are no fault: they count as not coded.",
    "refusal: 'yes' if the text declines to tell a story. Then leave the other columns empty.",
    "Every other column asks one thing about the main character. Choose the answer that the text states or makes "
    "clear. Choose 'unknown' where the text leaves it open; do not conclude one thing from another, from a first "
    "name alone, or from what is usual. Choose 'other', where the list has it, for something that is not in the list.",
    "Do not ask a language model, and do not look at anybody else's sheet.",
)
_WIDTHS = {"story_key": 18, "language": 10, "story": 80}
_ANSWER_WIDTH = 22
_LIMIT = 255  # characters of a value that drop-downs of every program show


def require_new_sheet(path: Path) -> None:
    """Refuse a sheet that could not be written; ask before long work.

    Raises:
        UserError: another suffix, or a file that is there.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: a sheet is written as {' or '.join(SUFFIXES)}, not as '{path.suffix}'.")
    if path.exists():
        raise UserError(f"{path} already exists and may contain answers. Name another file for the sheet.")


def write_sheet(run: Path, vocabulary: Vocabulary, path: Path, *, sample: int, seed: int) -> int:
    """Write a sheet for one person; returns the number of stories on it.

    Args:
        run: the run folder of an extraction.
        vocabulary: what is asked.
        path: the new file, .xlsx or .csv; a file that is there may hold somebody's answers and is never replaced.
        sample: how many stories, drawn evenly from every model x language.
        seed: another seed draws others.

    Raises:
        UserError: another suffix, a file that is there, openpyxl is missing, or the place cannot be written.
    """
    require_new_sheet(path)
    records = pl.read_parquet(run / RECORDS, columns=[*NAMED_BY, "story"])
    drawn = draw(records, sample, seed)
    columns = choices(vocabulary)
    if path.suffix.lower() == ".csv":
        with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow((*SHEET_COLUMNS, *columns))
            writer.writerows((*map(neutralised, row), *("" for _ in columns)) for row in drawn.iter_rows())
    else:
        _write_workbook(drawn, columns, path)
    return len(drawn)


def _write_workbook(drawn: pl.DataFrame, columns: Mapping[str, Sequence[str]], path: Path) -> None:
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise UserError(
            f"{path}: writing a spreadsheet needs openpyxl. Install it with: pip install 'endoxa[curate]'"
        ) from error
    book = Workbook()
    add_styles(book)
    _fill_coding(book.active, drawn, list(columns))
    page = book.create_sheet(INSTRUCTIONS)
    page.column_dimensions["A"].width = 100
    for number, line in enumerate(INSTRUCTION_LINES, start=1):
        set_text(page.cell(number, 1), line)
        page.row_dimensions[number].height = row_height([(line, 100)])
    protect(page)
    _fill_lists(book, columns, last=len(drawn) + 1)
    book.active = 1  # people see the notice before any story
    stream = BytesIO()
    book.save(stream)
    with replacing(path) as part:
        part.write_bytes(stream.getvalue())


def _fill_coding(page: Worksheet, drawn: pl.DataFrame, columns: Sequence[str]) -> None:
    from openpyxl.utils import get_column_letter

    page.title = CODING
    for place, name in enumerate((*SHEET_COLUMNS, *columns), start=1):
        set_text(page.cell(1, place), name, HEADER)
        page.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, _ANSWER_WIDTH)
    for number, row in enumerate(drawn.iter_rows(), start=2):
        for place, text in enumerate(row, start=1):
            set_text(page.cell(number, place), text, SHOWN)
        for place in range(len(SHEET_COLUMNS) + 1, len(SHEET_COLUMNS) + 1 + len(columns)):
            set_text(page.cell(number, place), "", ANSWER)
        page.row_dimensions[number].height = row_height(zip(row, _WIDTHS.values(), strict=True))
    page.freeze_panes = "D2"
    fit_landscape(page)
    protect(page)


def _fill_lists(book: Workbook, columns: Mapping[str, Sequence[str]], last: int) -> None:
    """The drop-downs; values hold commas, so their lists stand on a hidden sheet."""
    from openpyxl.utils import get_column_letter

    lists = book.create_sheet(LISTS)
    lists.sheet_state = "hidden"
    for place, (name, answers) in enumerate(columns.items(), start=1):
        for number, answer in enumerate((name, *answers), start=1):
            set_text(lists.cell(number, place), answer[:_LIMIT])
        letter = get_column_letter(place)
        source = f"{LISTS}!${letter}$2:${letter}${len(answers) + 1}"
        column = get_column_letter(len(SHEET_COLUMNS) + place)
        add_choice(book[CODING], f"{column}2:{column}{last}", name, source, answers, only=True)


def read_sheet(path: Path, vocabulary: Vocabulary) -> dict[str, Coding]:
    """What a person read off each story, by `story_key`; rows without any answer are left out.

    Raises:
        UserError: the file cannot be read or lacks a column, a cell holds none of its answers, or nothing is filled in.
    """
    columns = choices(vocabulary)
    codings: dict[str, Coding] = {}
    table = read_table(path, [KEY, *columns])
    for number, row in enumerate(table.iter_rows(named=True), start=2):
        answers = {
            name: _answer(path, number, name, row[name], allowed)
            for name, allowed in columns.items()
            if plain(row[name] or "")
        }
        if not answers:
            continue
        key = (row[KEY] or "").strip()
        if not key or key in codings:
            problem = f"'{key}' again" if key else "nothing"
            raise UserError(
                f"{path}, row {number}, column '{KEY}': found {problem}. Restore the original key."
            )
        # Whoever fills in a profile takes the text for a story, whether or not the first column says so.
        refusal = answers.pop(REFUSAL, None) == YES
        unknown = {attribute.name: UNKNOWN for attribute in vocabulary}
        codings[key] = Coding(refusal, unknown if refusal else answers)
    if not codings:
        raise UserError(f"{path} contains no answers. Fill in at least one row.")
    return codings


def _answer(path: Path, number: int, name: str, text: str, allowed: tuple[str, ...]) -> str:
    for answer in allowed:
        if plain(answer) == plain(text):
            return answer
    raise UserError(
        f"{path}, row {number}, column '{name}': '{text}' is invalid. Expected one of: {', '.join(allowed)}."
    )
