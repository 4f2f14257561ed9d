"""Rows that are not read: those that people took back from a campaign, and drafts that nobody approved.

`endoxa collect export` writes `withdrawals.csv` beside its tables: the ids of rows that people took back. Whoever reads
a table of such a folder leaves these rows out (`endoxa.sources.tables`); a newer `withdrawals.csv` put in the place of
the old one is all that an older release needs.

`endoxa author` writes tables with a column `status`; `endoxa curate review` fills it in. What people rejected is never
measured or released; what nobody has judged only with `--set include_drafts=yes`.
"""

from __future__ import annotations

import csv
import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.schema.drafts import APPROVED, DRAFT, REJECTED
from endoxa.sources.dialects import csv_records, undecodable
from endoxa.sources.source import Source, current_reading, understood_once

if TYPE_CHECKING:
    import polars as pl


WITHDRAWALS = "withdrawals.csv"
WITHDRAWAL_COLUMNS = ("row_id", "table")
MARK = "export.json"
KIND = "endoxa campaign export"

ID_COLUMNS = ("row_id", "association_id", "statement_id", "rater", "respondent")
"""Columns whose ids can have been withdrawn; a row goes with any of them."""

_PART = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\d+")


@understood_once
def is_collected(path: Path) -> bool:
    """Whether a file lies in a folder that a campaign was exported to."""
    if isinstance(path, Source) and not path.is_file_on_disk:
        return False
    mark = path.parent / MARK
    try:
        return mark.is_file() and json.loads(mark.read_text(encoding="utf-8")).get("kind") == KIND
    except (ValueError, AttributeError, OSError):
        return False


def read_withdrawals(path: Path) -> frozenset[str]:
    """Ids of withdrawn rows.

    Raises:
        UserError: the file cannot be read, or is no list of withdrawals.
    """
    try:
        records = csv_records(path)
        header = next(records, (1, []))[1]
        if isinstance(header, csv.Error) or not set(WITHDRAWAL_COLUMNS) <= set(header):
            raise UserError(f"{path} is no list of withdrawals: it needs the columns row_id, table.")
        place = header.index("row_id")
        ids: set[str] = set()
        for line, cells in records:
            if isinstance(cells, csv.Error) or len(cells) <= place or undecodable(cells[place]):
                raise UserError(f"{path} cannot be read (line {line}): take it from the campaign again.")
            ids.add(cells[place])
        return frozenset(ids - {""})
    except OSError as problem:
        raise UserError(f"{path} cannot be read ({problem}): take it from the campaign again.") from problem


@understood_once
def withdrawn_beside(path: Path) -> frozenset[str]:
    """Ids of the rows that were withdrawn from the export that a table belongs to; none for any other table.

    Raises:
        UserError: the list is there and cannot be read.
    """
    if isinstance(path, Source) and not path.is_file_on_disk:
        return frozenset()
    listed = Source.of(str(path.parent / WITHDRAWALS))
    if path.stem == Path(WITHDRAWALS).stem or not listed.is_file():
        return frozenset()
    header = next(csv_records(listed), (1, []))[1]
    if isinstance(header, csv.Error) or tuple(header[: len(WITHDRAWAL_COLUMNS)]) != WITHDRAWAL_COLUMNS:
        return frozenset()  # somebody else's file of that name
    return read_withdrawals(listed)


def is_withdrawn(cells: Mapping[str, str | None], withdrawn: frozenset[str]) -> bool:
    """Whether a row was withdrawn, or a part of what was (a statement of an answer: the answer's id and a number)."""
    named = (str(cells.get(name) or "") for name in ID_COLUMNS)
    return any(name in withdrawn or _PART.sub(r"\1", name) in withdrawn for name in named if name)


def respecting_withdrawals(frame: pl.DataFrame, withdrawn: frozenset[str]) -> pl.DataFrame:
    """The rows of a table that nobody withdrew.

    Args:
        frame: any table with one of `ID_COLUMNS`.
        withdrawn: what `read_withdrawals` read, perhaps from a newer list than the one beside the table.
    """
    import polars as pl

    named = [name for name in ID_COLUMNS if name in frame.columns]
    if not named or not withdrawn:
        return frame
    rows = frame.select(pl.col(named).cast(pl.String)).iter_rows(named=True)
    return frame.filter(pl.Series([not is_withdrawn(row, withdrawn) for row in rows], dtype=pl.Boolean))


_LOG = logging.getLogger(__name__)


def is_left_out(cells: Mapping[str, object]) -> bool:
    """Whether a row is a draft that is not to be read."""
    if "status" not in cells:
        return False
    status = str(cells["status"] or "").strip().casefold()
    if status == REJECTED:
        return True
    unjudged = status == DRAFT or ("draft_id" in cells and status != APPROVED)
    return unjudged and not current_reading().include_drafts


def say_left_out(path: Path, left_out: int, kept: int) -> None:
    """Say how many rows of a file were left out, once for a run or command.

    Raises:
        UserError: no other row is there.
    """
    if not left_out:
        return
    how = current_reading()
    if path not in how.left_out:
        _LOG.warning("%s", _note(path, left_out, include=bool(how.include_drafts)))
    if how.include_drafts is not None:
        how.left_out[path] = left_out
    if not kept:
        raise UserError(
            f"{path} has no row that people approved. Have drafts judged (`endoxa curate review`), or give "
            "--set include_drafts=yes to use those that nobody has judged."
        )


def left_out_notes() -> list[str]:
    """A sentence for each file of which drafts were left out so far (`endoxa.sources.source.reading_files`)."""
    how = current_reading()
    return [_note(path, count, include=bool(how.include_drafts)) for path, count in how.left_out.items()]


def _note(path: Path, count: int, *, include: bool) -> str:
    reason = (
        "rejected by people" if include else "rejected or not yet judged by people (--set include_drafts=yes)"
    )
    return f"{count} {'draft' if count == 1 else 'drafts'} of {path.name} left out: {reason}."
