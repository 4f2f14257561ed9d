"""A review sheet: which rows a reviewer gets, in which columns, written as a workbook with what it was made from."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import polars as pl
from annotated_types import Ge
from pydantic import BaseModel, ConfigDict

import endoxa
from endoxa.curate.review import (
    ANSWERS,
    CELL_LIMIT,
    DECISIONS,
    DISPUTED,
    EARLIER,
    PROPOSAL,
    REASONS,
    ROW_KEY,
    Kind,
    escaped,
    instructions,
    kind_of,
    shown,
)
from endoxa.curate.review.workbook import (
    ANSWER,
    SHOWN,
    SPARE_ROWS,
    WORDS,
    Column,
    Form,
    protect,
    save,
    set_text,
    workbook_of,
)
from endoxa.errors import UserError
from endoxa.schema import Progress
from endoxa.schema.options import ITEMS, OUTPUT, Option, names
from endoxa.sources.frames import read_table
from endoxa.sources.tables import require_columns

Row = dict[str, str]
"""A row of a table; an empty cell is an empty string."""
REVIEW, INSTRUCTIONS, ORIGIN = "Review", "Instructions", "review_origin"
SUFFIX = ".xlsx"
_WIDTHS = {"decision": 11, "reason": 28, "note": 40}
_PIECE = 20_000  # characters of a record per cell, well under the limit


class Origin(BaseModel):
    """What a sheet was made from: the table, its kind, the columns shown and those that may be changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    table: str
    sha256: str
    version: str
    kind: str
    key: str
    shown: tuple[str, ...]
    edited: tuple[str, ...]
    reviewer: str


class OriginRow(BaseModel):
    """A row as it was handed out: its name, its id, a hash of what was only shown, and the words to be changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    row: str
    key: str
    fingerprint: str
    decision: str
    words: dict[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which part of a table a reviewer gets; a sample takes whole ids, the same for all who get the same seed.

    Attributes:
        reviewer: Sheet: reviewer's name.
        sample: Sheet: number of ids to sample, with all rows of each.
        only_proposed: Sheet: only rows proposed for omission.
        only_disputed: Sheet: only rows with disagreement between reviewers.
        columns: Sheet: columns to show instead of the default ones.
        edit: Sheet: columns that may be edited instead of the default ones.
        seed: Random seed of --sample, and of the intervals of agreement.
    """

    reviewer: Annotated[str, Option(group=OUTPUT, metavar="NAME", default="name of the returned file")] = ""
    sample: Annotated[int | None, Ge(1), Option(group=ITEMS)] = None
    only_proposed: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    only_disputed: Annotated[bool, Option(group=ITEMS, only_on=True)] = False
    columns: Annotated[tuple[str, ...] | None, Option(group=OUTPUT, metavar="A,B,...", parse=names)] = None
    edit: Annotated[tuple[str, ...] | None, Option(group=OUTPUT, metavar="A,B,...", parse=names)] = None
    seed: Annotated[int, Option(group=ITEMS)] = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A review sheet; the answers and the name of the row are its last columns."""

    origin: Origin
    kind: Kind
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    origins: tuple[OriginRow, ...]


def rows_of(table: pl.DataFrame) -> list[Row]:
    """The rows of a table of text, nulls as empty strings."""
    return [{name: value or "" for name, value in row.items()} for row in table.iter_rows(named=True)]


def with_row_keys(rows: Sequence[Row], kind: Kind, source: Path) -> list[Row]:
    """The rows with `review_row`: the one they have, else '<id>#<n>' for the n-th row of the id.

    Raises:
        UserError: a row without an id, or two rows of one name.
    """
    seen: Counter[str] = Counter()
    named: dict[str, Row] = {}
    for number, row in enumerate(rows, start=1):
        key = row.get(kind.key, "")
        where = f"{source}, row {number}, column"
        if not key.strip():
            raise UserError(f"{where} '{kind.key}': empty. Expected a unique id.")
        seen[key] += 1
        if seen[key] > 1 and not kind.several_rows:
            raise UserError(
                f"{where} '{kind.key}': '{key}' also appears in an earlier row. Give all {kind.name} unique ids."
            )
        name = row.get(ROW_KEY) or f"{key}#{seen[key]}"
        if name in named:
            raise UserError(f"{where} '{ROW_KEY}': '{name}' also appears in an earlier row. Make it unique.")
        named[name] = {**row, ROW_KEY: name}
    return list(named.values())


def fingerprint(row: Mapping[str, str], columns: Sequence[str]) -> str:
    """A short hash of what the row says in these columns: equal while nothing in them was changed."""
    words = json.dumps([[name, row.get(name, "")] for name in columns])
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def make_sheet(path: Path, choice: Choice) -> Sheet:
    """The review sheet of a table.

    Raises:
        UserError: the table cannot be read, is of no known kind or lacks a column, or no row is chosen.
    """
    named = [*(choice.columns or ()), *(choice.edit or ())]
    table = read_table(path, optional=named)
    kind = kind_of(table.columns, path)
    require_columns(path, table.columns, named)
    if ";" in choice.reviewer:
        raise UserError(f"--reviewer: '{choice.reviewer}' contains ';', which separates names. Leave it out.")
    if clash := sorted(set(choice.columns or ()) & set(ANSWERS)):
        raise UserError(
            f"The column '{clash[0]}' cannot be shown: its name is used for the reviewer's answers. Rename it."
        )

    def present(names: Sequence[str], but: Sequence[str] = ()) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name in names if name in table.columns and name not in but))

    edited = present(choice.edit or kind.edited)
    seen = present(choice.columns or kind.shown, (kind.key, *edited, *PROPOSAL, *EARLIER, ROW_KEY))
    rows = _chosen(with_row_keys(rows_of(table), kind, path), kind, choice, path)
    origin = Origin(
        table=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        version=endoxa.__version__,
        kind=kind.name,
        key=kind.key,
        shown=seen,
        edited=edited,
        reviewer=choice.reviewer.strip(),
    )
    origins = tuple(
        OriginRow(
            row=row[ROW_KEY],
            key=row[kind.key],
            fingerprint=fingerprint(row, seen),
            decision=row.get("review_decision", ""),
            words={name: row[name] for name in edited},
        )
        for row in rows
    )
    columns = (kind.key, *seen, *present((*PROPOSAL, *EARLIER)), *edited, *ANSWERS, ROW_KEY)
    return Sheet(origin, kind, columns, tuple(rows), origins)


def _chosen(rows: list[Row], kind: Kind, choice: Choice, path: Path) -> list[Row]:
    """The rows of the choice, in the order of the table."""
    wanted = (choice.only_proposed, "omit", "true"), (choice.only_disputed, "review_decision", DISPUTED)
    for column, value in [(column, value) for asked, column, value in wanted if asked]:
        rows = [row for row in rows if row.get(column, "").strip().lower() == value]
        if not rows:
            raise UserError(
                f"{path}, column '{column}': no row has the value '{value}'. There is nothing to review."
            )
    if choice.sample is not None:
        ids = sorted({row[kind.key] for row in rows})
        drawn = set(random.Random(choice.seed).sample(ids, min(choice.sample, len(ids))))  # noqa: S311 - no secret
        rows = [row for row in rows if row[kind.key] in drawn]
    return rows


def write_sheet(sheet: Sheet, path: Path, progress: Progress = lambda *_: None) -> None:
    """Write a sheet as .xlsx: Review, Instructions, and a hidden page with its origin.

    Raises:
        UserError: another suffix, openpyxl is missing, a text is too long, or the place cannot be written.
    """
    if path.suffix.lower() != SUFFIX:
        raise UserError(f"'{path}' cannot be written: a sheet's name must end in {SUFFIX}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem
    if len(sheet.rows) > 1_048_576 - 1 - SPARE_ROWS:
        raise UserError(
            f"{path}: {len(sheet.rows)} rows exceed the maximum of a spreadsheet. Use --sample N."
        )
    for row in sheet.rows:
        for name in sheet.origin.edited:
            if len(escaped(shown(row.get(name, "")))) > CELL_LIMIT:
                raise UserError(
                    f"Row '{row[ROW_KEY]}', column '{name}': the text exceeds the maximum of {CELL_LIMIT} characters "
                    "of a spreadsheet cell. Shorten it in the table."
                )
    form = Form(
        REVIEW,
        [_column(sheet, name) for name in sheet.columns],
        [["" if name in ANSWERS else row.get(name, "") for name in sheet.columns] for row in sheet.rows],
        INSTRUCTIONS,
        instructions(sheet.kind, sheet.origin.edited),
        spare=SPARE_ROWS if sheet.kind.several_rows else 0,
    )
    book = workbook_of(form, path, progress)
    page = book.create_sheet(ORIGIN)
    page.sheet_state = "hidden"
    for number, record in enumerate((sheet.origin, *sheet.origins), start=1):
        text = json.dumps(record.model_dump(), ensure_ascii=False)
        for place, start in enumerate(range(0, len(text), _PIECE), start=1):
            set_text(page.cell(number, place), text[start : start + _PIECE])
    protect(page)
    progress("saving the workbook", len(sheet.rows), len(sheet.rows))
    save(book, path)


def _column(sheet: Sheet, name: str) -> Column:
    """A column, wide enough for nine texts of ten; longer ones are wrapped."""
    look = ANSWER if name in ANSWERS else WORDS if name in sheet.origin.edited else SHOWN
    lengths = sorted(len(row.get(name, "")) for row in sheet.rows)
    common = lengths[int(0.9 * (len(lengths) - 1))]
    width = _WIDTHS.get(name) or max(10, min(50, max(len(name), common) + 2))
    choices = {"decision": DECISIONS, "reason": REASONS}.get(name, {})
    return Column(name, look, width, tuple(choices), only=name == "decision", hidden=name == ROW_KEY)
