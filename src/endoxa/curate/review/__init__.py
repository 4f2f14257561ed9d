"""The review round trip: a table becomes a sheet for reviewers, and their sheets become a reviewed table."""

from endoxa.curate.review.form import DECISIONS, REASONS, REVIEW_COLUMNS
from endoxa.curate.review.merge import Resolve, Reviewed, apply_review
from endoxa.curate.review.returned import Returned, is_sheet, read_sheets, votes
from endoxa.curate.review.sheet import Choice, Sheet, make_sheet, write_sheet
from endoxa.curate.review.workbook import (
    CodingSheet,
    read_coding_sheet,
    require_new_sheet,
    write_coding_sheet,
)

__all__ = [
    "DECISIONS", "REASONS", "REVIEW_COLUMNS", "Choice", "CodingSheet", "Resolve", "Returned", "Reviewed",
    "Sheet", "apply_review", "is_sheet", "make_sheet", "read_coding_sheet", "read_sheets", "require_new_sheet", "votes",
    "write_coding_sheet", "write_sheet",
]  # fmt: skip
