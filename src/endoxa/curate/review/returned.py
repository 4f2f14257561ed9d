"""Sheets that came back, read and checked: what reviewers say row by row, and their votes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.curate.review import (
    ANSWERS,
    DECISIONS,
    EDIT,
    KEEP,
    KINDS,
    REASONS,
    ROW_KEY,
    UNSURE,
    same,
    unescaped,
)
from endoxa.curate.review.sheet import ORIGIN, REVIEW, SUFFIX, Origin, OriginRow
from endoxa.errors import UserError
from endoxa.sources.spreadsheets import opened_workbook

if TYPE_CHECKING:
    from openpyxl.cell import Cell


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reviewer says about one row.

    Attributes:
        reviewer: who says it.
        sheet: file of the sheet.
        number: row in the sheet.
        origin: the row as it was handed out; of an added row, the first row of its id.
        added: whether the reviewer added the row.
        decision: keep, edit, omit, unsure, or empty. Changed words make an edit of an empty decision and of 'keep'.
        reason: why it is to be left out, or empty.
        note: a remark, or empty.
        words: the columns that could be changed, as they are to stand in the table.
        incomplete: whether the reviewer has not said everything, so that it counts as unsure.
    """

    reviewer: str
    sheet: Path
    number: int
    origin: OriginRow
    added: bool
    decision: str
    reason: str
    note: str
    words: Mapping[str, str]
    incomplete: bool = False

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.sheet.name}, row {self.number}"

    @property
    def changes_words(self) -> bool:
        """Whether a word differs from what was handed out."""
        return self.words != self.origin.words

    @property
    def says(self) -> tuple[object, ...]:
        """All that is said."""
        return self.decision, self.reason, self.note, self.words

    @property
    def says_something(self) -> bool:
        """Whether the reviewer did anything in this row."""
        return bool(self.decision or self.reason or self.note) or self.changes_words

    @property
    def row(self) -> str:
        """Name of the row; of an added row, its id and a hash of its words, so that it is the same every time."""
        if not self.added:
            return self.origin.row
        words = json.dumps(sorted(self.words.items()))
        return f"{self.origin.key}+{hashlib.sha256(words.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Returned:
    """A sheet that came back: its file, whose it is, what it was made from, and its answers in its order."""

    path: Path
    reviewer: str
    origin: Origin
    origins: Mapping[str, OriginRow]
    answers: tuple[Answer, ...]


def is_sheet(path: Path) -> bool:
    """Whether the file is a review sheet."""
    if path.suffix.lower() != SUFFIX:
        return False
    with opened_workbook(path) as book:
        return ORIGIN in book.sheetnames


def read_sheets(paths: Sequence[Path]) -> list[Returned]:
    """Sheets that came back; two of one reviewer are told apart by their file names.

    Raises:
        UserError: a file is no review sheet, lacks a column, or a cell holds what cannot be.
    """
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise UserError(f"The sheet {path} is given twice. Name each sheet once.")
    sheets = [_read(path) for path in paths]
    names = Counter(sheet.reviewer for sheet in sheets)
    distinct: dict[str, Returned] = {}
    for sheet in sheets:
        name = f"{sheet.reviewer} ({sheet.path.stem})" if names[sheet.reviewer] > 1 else sheet.reviewer
        if name in distinct:
            raise UserError(
                f"Two sheets of the same reviewer have the name '{sheet.path.name}'. Rename one of the files."
            )
        distinct[name] = replace(
            sheet, reviewer=name, answers=tuple(replace(answer, reviewer=name) for answer in sheet.answers)
        )
    return list(distinct.values())


def _read(path: Path) -> Returned:
    if path.suffix.lower() != SUFFIX:
        raise UserError(f"{path} is not a review sheet. Expected a file that ends in {SUFFIX}.")
    header, origin, origins, lines = _lines_of(path)
    kind = next((kind for kind in KINDS if kind.name == origin.kind), None)
    if kind is None:
        raise UserError(
            f"{path} was made by endoxa {origin.version}, which used another format. Use that version."
        )
    for name in (origin.key, *origin.edited, *ANSWERS):
        if header.count(name) != 1:
            problem = "has no column" if name not in header else "has two columns called"
            raise UserError(f"{path} {problem} '{name}'. Return the sheet with its original columns.")
    reviewer = origin.reviewer or path.stem.replace(";", ",")
    splits = kind.several_rows and ROW_KEY in header
    read: list[Answer] = []
    for number, cells in lines:
        if any(cells.get(name, "").strip() for name in (origin.key, ROW_KEY, *origin.edited, *ANSWERS)):
            row, added_row = _origin_of(path, number, cells, origin, origins, splits=splits)
            decision, reason, note, words = _filled(f"{path}, row {number}", cells, row)
            read.append(Answer(reviewer, path, number, row, added_row, decision, reason, note, words))
    first, added = _parted(read, several=kind.several_rows)
    split = {answer.origin.key for answer in added}
    complete = [_complete(answer, split=answer.origin.key in split) for answer in first.values()]
    for answer in added:
        if not any(answer.words.values()):
            raise UserError(
                f"{path}, row {answer.number}: a new row for '{answer.origin.key}' without text. Fill in "
                f"{' or '.join(answer.words)}, or delete the row."
            )
        words = first[answer.origin.row].words if answer.origin.row in first else answer.origin.words
        whole = {name: word or words[name] for name, word in answer.words.items()}
        complete.append(replace(answer, words=whole))
    return Returned(path, reviewer, origin, origins, tuple(complete))


def _parted(read: Sequence[Answer], *, several: bool) -> tuple[dict[str, Answer], list[Answer]]:
    """The answer about each row that was handed out, by its name, and the rows that the reviewer added.

    Of rows of one name the first that says something counts; the others were added by copying it.

    Raises:
        UserError: the table can have one row of that name only.
    """
    added = [answer for answer in read if answer.added]
    copies: dict[str, list[Answer]] = {}
    for answer in read:
        if not answer.added:
            copies.setdefault(answer.origin.row, []).append(answer)
    first: dict[str, Answer] = {}
    for name, answers in copies.items():
        first[name] = next((answer for answer in answers if answer.says_something), answers[0])
        others = [answer for answer in answers if answer.says_something and answer.says != first[name].says]
        if others and not several:
            copy = others[0]
            raise UserError(
                f"{copy.sheet}, row {copy.number}: '{copy.origin.key}' also appears in row {first[name].number}, with "
                "another text or decision. Keep one of them."
            )
        added += [replace(answer, added=True) for answer in others]
    return first, added


def _complete(answer: Answer, *, split: bool) -> Answer:
    """The answer; what is not said to the end becomes 'unsure', with a note that says why.

    Args:
        answer: what a reviewer says about a row.
        split: whether the reviewer added a row to it, which is an edit too.
    """
    why = ""
    if answer.decision == EDIT and not answer.changes_words and not split:
        why = "chose 'edit' and changed nothing"
    elif answer.reason and not answer.decision:
        why = f"gave the reason '{answer.reason}' and no decision"
    return (
        replace(answer, decision=UNSURE, note=f"{answer.note} ({why})".strip(), incomplete=True)
        if why
        else answer
    )


def _origin_of(
    path: Path,
    number: int,
    cells: Mapping[str, str],
    origin: Origin,
    origins: Mapping[str, OriginRow],
    *,
    splits: bool,
) -> tuple[OriginRow, bool]:
    """The row as it was handed out, and whether this one was added to it."""
    where, gone = f"{path}, row {number}", "is not in the original sheet. Restore the original value."
    if name := cells.get(ROW_KEY, "").strip():
        if name not in origins:
            raise UserError(f"{where}, column '{ROW_KEY}': '{name}' {gone}")
        return origins[name], False
    key = cells.get(origin.key, "").strip()
    if not key:
        raise UserError(
            f"{where}, column '{origin.key}': empty. Enter the id of the row that the text belongs to."
        )
    of_id = [row for row in origins.values() if same(row.key, key)]
    if not of_id:
        raise UserError(f"{where}, column '{origin.key}': '{key}' {gone}")
    if len(of_id) > 1 and not splits:
        raise UserError(
            f"{where}: '{key}' appears in several rows, and the hidden column '{ROW_KEY}' that distinguishes them is "
            "missing. Return the sheet with all its columns."
        )
    return of_id[0], splits


def _filled(
    where: str, cells: Mapping[str, str], origin: OriginRow
) -> tuple[str, str, str, Mapping[str, str]]:
    """Decision, reason, note and words of a row; words that were changed are an edit.

    Raises:
        UserError: there is no such decision; `where` is named.
    """
    decision = cells.get("decision", "").strip().lower()
    if decision and decision not in DECISIONS:
        raise UserError(
            f"{where}, column 'decision': '{cells['decision'].strip()}' is invalid. Expected one of: "
            f"{', '.join(DECISIONS)}, or empty."
        )
    reason, note = (" ".join(cells.get(name, "").split()) for name in ("reason", "note"))
    words = {  # exactly the original where a spreadsheet program alone has changed it
        name: old if same(text := cells.get(name, ""), old) else text.strip()
        for name, old in origin.words.items()
    }
    if words != origin.words and decision in ("", KEEP):
        decision = EDIT
    return decision, reason.lower() if reason.lower() in REASONS else reason, note, words


def _lines_of(path: Path) -> tuple[list[str], Origin, dict[str, OriginRow], list[tuple[int, dict[str, str]]]]:
    """The names of the columns, what the sheet was made from, and the numbers and texts of its rows."""
    with opened_workbook(path) as book:
        for name in (REVIEW, ORIGIN):
            if name not in book.sheetnames:
                raise UserError(
                    f"{path} has no sheet '{name}'. Return the original file with all its sheets."
                )
        texts = ["".join(map(_text, line)) for line in book[ORIGIN].iter_rows()]
        lines = [list(line) for line in book[REVIEW].iter_rows()]
    try:
        origin_text, *row_texts = texts
        origin = Origin.model_validate_json(origin_text)
        rows = [OriginRow.model_validate_json(text) for text in row_texts if text]
    except ValueError as error:
        raise UserError(
            f"{path}: the hidden sheet '{ORIGIN}' was edited. Copy the answers into the original file."
        ) from error
    header = [_text(cell).strip() for cell in lines[0]] if lines else []
    filled = {origin.key, ROW_KEY, *origin.edited, *ANSWERS}
    cells = []
    for number, line in enumerate(lines[1:], start=2):
        named = {name: cell for name, cell in zip(header, line, strict=False) if name in filled}
        for name, cell in named.items():
            if fault := _fault(cell):
                raise UserError(
                    f"{path}, row {number}, column '{name}': found {fault}. Enter the text itself."
                )
        cells.append((number, {name: _text(cell) for name, cell in named.items()}))
    return header, origin, {row.row: row for row in rows}, cells


def _text(cell: Cell) -> str:
    """The text of a cell as people see it: 3.0 is '3'."""
    value = cell.value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else unescaped(str(value))


def _fault(cell: Cell) -> str:
    kinds = {"f": f"the formula {cell.value}", "e": f"the error {cell.value}"}
    return kinds.get(cell.data_type, "") or (
        f"a date or time ({cell.value})" if isinstance(cell.value, date | time) else ""
    )


def votes(sheets: Sequence[Returned], column: str) -> list[tuple[str, str, str]]:
    """What each reviewer says about each row that was decided on: (row, reviewer, vote).

    Raises:
        UserError: the sheets have no such column.
    """
    cast = []
    for sheet in sheets:
        if column not in (allowed := ("decision", *sheet.origin.edited)):
            raise UserError(
                f"{sheet.path} has no votes in the column '{column}'. Columns with votes: {', '.join(allowed)}."
            )
        for answer in sheet.answers:
            if answer.decision and not answer.added and (column == "decision" or answer.decision != UNSURE):
                vote = answer.decision if column == "decision" else answer.words[column]
                cast.append((answer.row, answer.reviewer, vote))
    return cast
