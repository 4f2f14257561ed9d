"""The review round trip: a table becomes a sheet for reviewers, and their sheets become a reviewed table.

`make_sheet` and `write_sheet` hand out; `read_sheets` and `apply_review` take back. Where reviewers disagree, or the
table was changed meanwhile, that is listed and not decided silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import polars as pl

from endoxa.curate.review.form import (
    DECISIONS,
    EDIT,
    OMIT,
    REASONS,
    REVIEW_COLUMNS,
    ROW_KEY,
    UNSURE,
    Kind,
    kind_of,
)
from endoxa.curate.review.merge import (
    RESOLVES,
    Change,
    Conflict,
    Merged,
    Resolve,
    Voice,
    joined,
    merge_row,
    outcome_words,
    places,
    settle,
    voices_words,
)
from endoxa.curate.review.returned import SHEET_SUFFIXES, Answer, Returned, is_sheet, read_sheets, votes
from endoxa.curate.review.sheet import Choice, Row, Sheet, fingerprint, make_sheet, rows_of, with_row_keys
from endoxa.curate.review.workbook import write_csv_sheet, write_workbook
from endoxa.errors import UserError
from endoxa.schema import Progress
from endoxa.sources.frames import read_table

NEW_ROW = "(new row)"
"""What stands for a column where a whole row is meant."""

_ADDED, _NOT_ADDED = "added", "not added"


@dataclass(frozen=True, slots=True)
class Additions:
    """Rows to add, by the id of the rows they belong to, with changes and conflicts."""

    rows: Mapping[str, Sequence[Row]]
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def merge_additions(
    siblings: Mapping[str, Row], used_ids: set[str], answers: Sequence[Answer], resolve: Resolve
) -> Additions:
    """The rows that reviewers add.

    Whoever decided on a row of the same id and did not add the row speaks against it.

    Args:
        siblings: the first row of every id, as reviewed; an added row takes its other columns from there.
        used_ids: names of the rows that the table has: what was added before is not added again.
        answers: everything that reviewers say, in the order of the sheets.
        resolve: what to do where they disagree.
    """
    proposed: dict[str, list[Answer]] = {}
    for answer in answers:
        if answer.added and answer.decision != OMIT and answer.row not in used_ids:
            proposed.setdefault(answer.row, []).append(answer)
    rows: dict[str, list[Row]] = {}
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    for name, adding in proposed.items():
        identifier = adding[0].origin.key
        voices = _voices(identifier, adding, answers)
        outcome = settle(voices, resolve)
        if outcome.value == _ADDED:
            row = _new_row(name, siblings[identifier], adding)
            rows.setdefault(identifier, []).append(row)
            words = ", ".join(f"{column}: {word}" for column, word in adding[0].words.items())
            changes.append(Change(name, NEW_ROW, "", words, joined(outcome.by, in_order=True)))
        if not outcome.agreed:
            conflicts.append(
                Conflict(
                    row=name,
                    column=NEW_ROW,
                    problem="only some reviewers add this row",
                    voices=voices_words(voices),
                    outcome=outcome_words(outcome, "disputed: not added"),
                    sheets=places(adding),
                    settled=outcome.value is not None,
                )
            )
    return Additions(rows, tuple(changes), tuple(conflicts))


def _voices(identifier: str, adding: Sequence[Answer], answers: Sequence[Answer]) -> list[Voice]:
    """Who adds the row, and who decided on the same id without adding it; in the order of the sheets."""
    adders = dict.fromkeys(answer.reviewer for answer in adding)
    deciding = [
        answer.reviewer
        for answer in answers
        if answer.origin.key == identifier and answer.decision not in ("", UNSURE)
    ]
    names = dict.fromkeys([*deciding, *adders])
    return [Voice(name, _ADDED if name in adders else _NOT_ADDED) for name in names]


def _new_row(name: str, sibling: Row, adding: Sequence[Answer]) -> Row:
    notes = dict.fromkeys(f"{answer.reviewer}: {answer.note}" for answer in adding if answer.note)
    return {
        **sibling,
        **adding[0].words,
        "omit": "false",
        "omit_reason": "",
        "reviewed_by": joined((answer.reviewer for answer in adding), in_order=False),
        "review_decision": EDIT,
        "review_note": " | ".join(notes),
        ROW_KEY: name,
    }


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What comes of a review.

    Attributes:
        table: the reviewed table: its own columns, then `REVIEW_COLUMNS`.
        changes: one row per cell that changed and per row that was added, with the columns of `Change`.
        conflicts: one row per disagreement and per answer that could not be applied, with those of `Conflict`.
        left_out: how many rows were decided to be left out.
        dropped: whether those rows are not in the table any more.
        incomplete: how many answers were not said to the end, and count as unsure.
    """

    table: pl.DataFrame
    changes: pl.DataFrame
    conflicts: pl.DataFrame
    left_out: int
    dropped: bool
    incomplete: int


def apply_review(
    path: Path, sheets: Sequence[Returned], *, resolve: Resolve = "none", drop_omitted: bool | None = None
) -> Reviewed:
    """Merge sheets into the table that they were made from; the same sheets twice give the same table.

    Args:
        path: the table.
        sheets: what came back, in the order that counts for `resolve='first'`.
        resolve: what to do where reviewers disagree (`settle.RESOLVES`); every disagreement is listed anyway.
        drop_omitted: whether rows decided to be left out are taken out of the table; None: as is usual for this
            kind of table (`Kind.keeps_omitted`).

    Raises:
        UserError: the table cannot be read, or a sheet was made from another table.
    """
    named = {name for sheet in sheets for name in (*sheet.origin.shown, *sheet.origin.edited)}
    table = read_table(path, optional=sorted(named))
    kind = kind_of(table.columns, path)
    blank = dict.fromkeys(REVIEW_COLUMNS, "")
    now = {row[ROW_KEY]: blank | row for row in with_row_keys(rows_of(table), kind, path)}
    for sheet in sheets:
        _require_made_from(sheet, kind, path, now)
    first = _first_of_id(now, kind)
    current, stale = _current_answers(sheets, now, first)
    merged = _merge_rows(now, current, resolve)
    rows = {name: merged_row.row for name, merged_row in merged.items()}
    additions = merge_additions(_first_of_id(rows, kind), set(rows), current, resolve)
    complete = _with_added(list(rows.values()), additions.rows, kind)
    drop = not kind.keeps_omitted if drop_omitted is None else drop_omitted
    left_out = sum(row["review_decision"] == OMIT for row in complete)
    parts: tuple[Merged | Additions, ...] = (*merged.values(), additions)
    return Reviewed(
        table=_frame(
            [row for row in complete if not (drop and row["review_decision"] == OMIT)], table.columns
        ),
        changes=_records(Change, [change for part in parts for change in part.changes]),
        conflicts=_records(Conflict, [*stale, *(conflict for part in parts for conflict in part.conflicts)]),
        left_out=left_out,
        dropped=drop,
        incomplete=sum(answer.incomplete for answer in current),
    )


def _require_made_from(sheet: Returned, kind: Kind, path: Path, now: Mapping[str, Row]) -> None:
    """Raise UserError unless at least one row of the sheet stands in the table as it was shown."""
    origin = sheet.origin
    if origin.kind == kind.name and any(
        sheet_origin.row in now
        and fingerprint(now[sheet_origin.row], origin.shown) == sheet_origin.fingerprint
        for sheet_origin in sheet.origins.values()
    ):
        return
    raise UserError(
        f"{sheet.path} was made from another table ({origin.table}, {origin.kind}): {path} contains none of its "
        "rows as shown to the reviewer. Name the table that the sheet was made from."
    )


def _first_of_id(rows: Mapping[str, Row], kind: Kind) -> dict[str, Row]:
    first: dict[str, Row] = {}
    for row in rows.values():
        first.setdefault(row[kind.key], row)
    return first


def _current_answers(
    sheets: Sequence[Returned], now: Mapping[str, Row], first: Mapping[str, Row]
) -> tuple[list[Answer], list[Conflict]]:
    """The answers about rows that still are what the reviewer saw, and conflicts for the others."""
    current: list[Answer] = []
    conflicts: list[Conflict] = []
    for sheet in sheets:
        for answer in sheet.answers:
            if not answer.says_something or (answer.added and answer.row in now):
                continue
            row = first.get(answer.origin.key) if answer.added else now.get(answer.row)
            if row is None:
                # A row that is not there and shall not be there is no conflict.
                if answer.decision != OMIT:
                    conflicts.append(_stale(answer, "the row is not in the table any more"))
            elif fingerprint(row, sheet.origin.shown) != answer.origin.fingerprint:
                conflicts.append(_stale(answer, "the table's row was changed since the sheet was made"))
            else:
                current.append(answer)
    return current, conflicts


def _stale(answer: Answer, problem: str) -> Conflict:
    return Conflict(
        row=answer.row,
        column="",
        problem=problem,
        voices=f"{answer.reviewer}: {answer.decision or 'a note'}",
        outcome="not applied",
        sheets=answer.place,
        settled=False,
    )


def _merge_rows(now: Mapping[str, Row], answers: Sequence[Answer], resolve: Resolve) -> dict[str, Merged]:
    of_row: dict[str, list[Answer]] = {}
    for answer in answers:
        if not answer.added:
            of_row.setdefault(answer.row, []).append(answer)
    return {name: merge_row(row, of_row.get(name, ()), resolve) for name, row in now.items()}


def _with_added(rows: Sequence[Row], added: Mapping[str, Sequence[Row]], kind: Kind) -> list[Row]:
    """The rows, with those that were added after the last one of their id."""
    last = {row[kind.key]: place for place, row in enumerate(rows)}
    complete: list[Row] = []
    for place, row in enumerate(rows):
        complete.append(row)
        if last[row[kind.key]] == place:
            complete += added.get(row[kind.key], ())
    return complete


def _frame(rows: Sequence[Row], columns: Sequence[str]) -> pl.DataFrame:
    """The rows as a table of text; what is empty is null."""
    names = [*columns, *(name for name in REVIEW_COLUMNS if name not in columns)]
    return pl.DataFrame(
        {name: [row[name] or None for row in rows] for name in names}, schema=dict.fromkeys(names, pl.String)
    )


def _records(kind: type[Change | Conflict], records: Sequence[Change | Conflict]) -> pl.DataFrame:
    types = {field.name: pl.Boolean if field.name == "settled" else pl.String for field in fields(kind)}
    return pl.DataFrame([asdict(record) for record in records], schema=types)


__all__ = [
    "DECISIONS",
    "REASONS",
    "RESOLVES",
    "REVIEW_COLUMNS",
    "Choice",
    "Resolve",
    "Returned",
    "Reviewed",
    "Sheet",
    "apply_review",
    "is_sheet",
    "make_sheet",
    "read_sheets",
    "votes",
    "write_sheet",
]


def write_sheet(sheet: Sheet, path: Path, progress: Progress = lambda *_: None) -> None:
    """Write a sheet as .xlsx or .csv; folders are made.

    Args:
        sheet: what is written.
        path: where; its suffix says how.
        progress: told how many rows are written.

    Raises:
        UserError: another suffix, or a place that cannot be written.
    """
    writers = {".xlsx": write_workbook, ".csv": write_csv_sheet}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise UserError(
            f"'{path}' cannot be written: a sheet's name must end in {' or '.join(SHEET_SUFFIXES)}."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem
    writer(sheet, path, progress)
