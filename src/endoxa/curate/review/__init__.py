"""The review round trip: a table becomes a sheet for reviewers, and their sheets become a reviewed table.

`make_sheet` and `write_sheet` hand out; `read_sheets` and `apply_review` take back. Where reviewers disagree, or the
table was changed meanwhile, that is listed and not decided silently.
"""

from __future__ import annotations

from pathlib import Path

from endoxa.curate.review.apply import Reviewed, apply_review
from endoxa.curate.review.form import DECISIONS, REASONS, REVIEW_COLUMNS
from endoxa.curate.review.merge import RESOLVES, Resolve
from endoxa.curate.review.returned import SHEET_SUFFIXES, Returned, is_sheet, read_sheets, votes
from endoxa.curate.review.sheet import Choice, Sheet, make_sheet
from endoxa.curate.review.workbook import write_csv_sheet, write_workbook
from endoxa.errors import UserError
from endoxa.schema import Progress

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
