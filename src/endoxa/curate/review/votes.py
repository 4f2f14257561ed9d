"""Votes of reviewers, for the agreement between them."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.curate.review.answer import Returned
from endoxa.curate.review.form import UNSURE
from endoxa.errors import UserError


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
            known = ", ".join(("decision", *sheet.origin.edited))
            raise UserError(f"{sheet.path} has no votes in a column '{column}'; it has them in: {known}.")
    return [
        (answer.row, answer.reviewer, answer.decision if column == "decision" else answer.words[column])
        for sheet in sheets
        for answer in sheet.answers
        if answer.decision and not answer.added and (column == "decision" or answer.decision != UNSURE)
    ]
