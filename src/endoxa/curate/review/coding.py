"""Coding sheets: people code texts on drop-downs, without seeing what models or rules read in them.

A sheet is written as a workbook or as CSV, and read back when it is filled in.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.curate.review.workbook import ANSWER, SHOWN, Column, Form, save, workbook_of
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import neutralised
from endoxa.sources.write import replacing

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
