"""Sheets that came back, read and checked: what reviewers say row by row, and their votes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from endoxa.curate.review.form import (
    ANSWERS,
    DECISIONS,
    EDIT,
    KEEP,
    REASONS,
    ROW_KEY,
    UNSURE,
    kind_named,
    restored,
    same,
)
from endoxa.curate.review.sheet import Origin, OriginRow, RawSheet
from endoxa.curate.review.workbook import is_csv_sheet, is_review_workbook, read_csv_sheet, read_workbook
from endoxa.errors import UserError


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
        return any(word != self.origin.words[name] for name, word in self.words.items())

    @property
    def says_something(self) -> bool:
        """Whether the reviewer did anything in this row."""
        return bool(self.decision or self.reason or self.note) or self.changes_words

    def says_the_same(self, other: Answer) -> bool:
        """Whether both say the same about a row."""
        return (self.decision, self.reason, self.note, self.words) == (
            other.decision,
            other.reason,
            other.note,
            other.words,
        )

    @property
    def row(self) -> str:
        """Name of the row; of an added row, its id and a hash of its words, so that it is the same every time."""
        if not self.added:
            return self.origin.row
        words = json.dumps(sorted(self.words.items()))
        return f"{self.origin.key}+{hashlib.sha256(words.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Returned:
    """A sheet that came back.

    Attributes:
        path: its file.
        reviewer: whose it is.
        origin: what it was made from.
        origins: its rows as they were handed out, by name.
        answers: the rows that it holds, in its order.
    """

    path: Path
    reviewer: str
    origin: Origin
    origins: Mapping[str, OriginRow]
    answers: tuple[Answer, ...]


SHEET_SUFFIXES = (".xlsx", ".csv")


def is_sheet(path: Path) -> bool:
    """Whether the file is a review sheet."""
    if path.suffix.lower() == ".xlsx":
        return is_review_workbook(path)
    return path.suffix.lower() == ".csv" and is_csv_sheet(path)


def read_sheets(paths: Sequence[Path]) -> list[Returned]:
    """Sheets that came back; two of one reviewer are told apart by their file names.

    Raises:
        UserError: a file is no review sheet, lacks a column, or a cell holds what cannot be.
    """
    twice = [path for place, path in enumerate(paths) if path in paths[:place]]
    if twice:
        raise UserError(f"The sheet {twice[0]} is given twice. Name each sheet once.")
    sheets = [_read(path) for path in paths]
    names = [sheet.reviewer for sheet in sheets]
    distinct = [
        _renamed(sheet, f"{sheet.reviewer} ({sheet.path.stem})") if names.count(sheet.reviewer) > 1 else sheet
        for sheet in sheets
    ]
    for place, sheet in enumerate(distinct):
        if sheet.reviewer in [earlier.reviewer for earlier in distinct[:place]]:
            raise UserError(
                f"Two sheets of the same reviewer have the name '{sheet.path.name}'. Rename one of the files."
            )
    return distinct


def _renamed(sheet: Returned, reviewer: str) -> Returned:
    answers = tuple(replace(answer, reviewer=reviewer) for answer in sheet.answers)
    return replace(sheet, reviewer=reviewer, answers=answers)


def _read(path: Path) -> Returned:
    readers = {".xlsx": read_workbook, ".csv": read_csv_sheet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(
            f"{path} is not a review sheet. Expected a file that ends in {' or '.join(SHEET_SUFFIXES)}."
        )
    raw = reader(path)
    if kind_named(raw.origin.kind) is None:
        raise UserError(
            f"{raw.path} was made by endoxa {raw.origin.version}, which used another format. Use that version."
        )
    for name in (raw.origin.key, *raw.origin.edited, *ANSWERS):
        if raw.header.count(name) != 1:
            problem = "has no column" if name not in raw.header else "has two columns called"
            raise UserError(f"{raw.path} {problem} '{name}'. Return the sheet with its original columns.")
    reviewer = raw.origin.reviewer or path.stem.replace(";", ",")
    filled = (raw.origin.key, ROW_KEY, *raw.origin.edited, *ANSWERS)
    read_answers = [
        _answer(raw, reviewer, number, cells)
        for number, cells in raw.rows
        if any(cells.get(name, "").strip() for name in filled)
    ]
    rows: dict[str, list[Answer]] = {}  # by name, in the order of the sheet
    for answer in read_answers:
        if not answer.added:
            rows.setdefault(answer.origin.row, []).append(answer)
    first = {
        row: next((answer for answer in answers if answer.says_something), answers[0])
        for row, answers in rows.items()
    }
    copies = [copy for row, answers in rows.items() for copy in _copies(raw, first[row], answers)]
    added = [answer for answer in read_answers if answer.added] + copies
    split = {answer.origin.key for answer in added}
    return Returned(
        path,
        reviewer,
        raw.origin,
        raw.origins,
        (
            *(_completed_decision(answer, split=answer.origin.key in split) for answer in first.values()),
            *(_completed(answer, first.get(answer.origin.row)) for answer in added),
        ),
    )


def _completed_decision(answer: Answer, *, split: bool) -> Answer:
    """The answer; what is not said to the end becomes 'unsure', with a note that says why.

    Args:
        answer: what a reviewer says about a row.
        split: whether the reviewer added a row to it, which is an edit too.
    """
    if answer.decision == EDIT and not answer.changes_words and not split:
        return _doubted(answer, "chose 'edit' and changed nothing")
    if answer.reason and not answer.decision:
        return _doubted(answer, f"gave the reason '{answer.reason}' and no decision")
    return answer


def _doubted(answer: Answer, why: str) -> Answer:
    return replace(answer, decision=UNSURE, note=f"{answer.note} ({why})".strip(), incomplete=True)


def _copies(raw: RawSheet, first: Answer, answers: Sequence[Answer]) -> Iterator[Answer]:
    """Rows of one name that say something else than the first: added by copying.

    Raises:
        UserError: the table can have one row of that name only.
    """
    for answer in answers:
        if not answer.says_something or answer.says_the_same(first):
            continue
        if not _several(raw):
            raise UserError(
                f"{answer.sheet}, row {answer.number}: '{first.origin.key}' also appears in row {first.number}, with "
                "another text or decision. Keep one of them."
            )
        yield replace(answer, added=True)


def _completed(answer: Answer, first: Answer | None) -> Answer:
    """An added row, with what it leaves empty taken from the reviewer's first row of that name.

    Raises:
        UserError: it has no words at all.
    """
    if not any(answer.words.values()):
        raise UserError(
            f"{answer.sheet}, row {answer.number}: a new row for '{answer.origin.key}' without text. Fill in "
            f"{' or '.join(answer.words)}, or delete the row."
        )
    words = first.words if first else answer.origin.words
    return replace(answer, words={name: word or words[name] for name, word in answer.words.items()})


def _several(raw: RawSheet) -> bool:
    kind = kind_named(raw.origin.kind)
    return kind is not None and kind.several_rows


def _origin(raw: RawSheet, number: int, cells: Mapping[str, str]) -> tuple[OriginRow, bool]:
    """The row as it was handed out, and whether this one was added to it."""
    name = cells.get(ROW_KEY, "").strip()
    if name:
        if name not in raw.origins:
            raise UserError(
                f"{raw.path}, row {number}, column '{ROW_KEY}': '{name}' is not in the original sheet. Restore the "
                "original value."
            )
        return raw.origins[name], False
    identifier = cells.get(raw.origin.key, "").strip()
    if not identifier:
        raise UserError(
            f"{raw.path}, row {number}, column '{raw.origin.key}': empty. Enter the id of the row that the text "
            "belongs to."
        )
    of_id = [origin for origin in raw.origins.values() if same(origin.key, identifier)]
    if not of_id:
        raise UserError(
            f"{raw.path}, row {number}, column '{raw.origin.key}': '{identifier}' is not in the original sheet. "
            "Restore "
            "the original value."
        )
    if ROW_KEY in raw.header and _several(raw):
        return of_id[0], True
    if len(of_id) > 1:
        raise UserError(
            f"{raw.path}, row {number}: '{identifier}' appears in several rows, and the hidden column '{ROW_KEY}' that "
            "distinguishes them is missing. Return the sheet with all its columns."
        )
    return of_id[0], False


def _answer(raw: RawSheet, reviewer: str, number: int, cells: Mapping[str, str]) -> Answer:
    origin, added = _origin(raw, number, cells)
    text = cells.get("decision", "")
    decision = text.strip().lower()
    if decision and decision not in DECISIONS:
        raise UserError(
            f"{raw.path}, row {number}, column 'decision': '{text.strip()}' is invalid. Expected one of: "
            f"{', '.join(DECISIONS)}, or empty."
        )
    answer = Answer(
        reviewer=reviewer,
        sheet=raw.path,
        number=number,
        origin=origin,
        added=added,
        decision=decision,
        reason=_reason(cells.get("reason", "")),
        note=" ".join(cells.get("note", "").split()),
        words={name: _word(cells.get(name, ""), origin.words[name]) for name in raw.origin.edited},
    )
    if answer.changes_words and answer.decision in ("", KEEP):
        return replace(answer, decision=EDIT)
    return answer


def _word(text: str, original: str) -> str:
    """The words of a cell: exactly the original where a spreadsheet program alone has changed them."""
    return original if same(text, original) else restored(text.strip(), original)


def _reason(text: str) -> str:
    """The reason as it is written in the list, or as the reviewer wrote it."""
    reason = " ".join(text.split())
    return reason.lower() if reason.lower() in REASONS else reason


def votes(sheets: Sequence[Returned], column: str) -> list[tuple[str, str, str]]:
    """What each reviewer says about each row: (row, reviewer, vote), for rows that were decided on.

    Args:
        sheets: the sheets.
        column: 'decision', or a column that could be changed.

    Raises:
        UserError: the sheets have no such column.
    """
    for sheet in sheets:
        if column != "decision" and column not in sheet.origin.edited:
            allowed = ", ".join(("decision", *sheet.origin.edited))
            raise UserError(
                f"{sheet.path} has no votes in the column '{column}'. Columns with votes: {allowed}."
            )
    return [
        (answer.row, answer.reviewer, answer.decision if column == "decision" else answer.words[column])
        for sheet in sheets
        for answer in sheet.answers
        if answer.decision and not answer.added and (column == "decision" or answer.decision != UNSURE)
    ]
