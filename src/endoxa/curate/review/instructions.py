"""What a reviewer reads before starting: the second sheet of the workbook, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from endoxa.curate.review.form import DECISIONS, REASONS
from endoxa.curate.review.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the instructions."""

    text: str
    heading: bool = False


def instructions(sheet: Sheet) -> Iterator[Line]:
    """The instructions for this sheet, line by line."""
    key, edited = sheet.kind.key, " and ".join(f"'{name}'" for name in sheet.origin.edited)
    yield Line("Before you start", heading=True)
    yield Line(
        "This file holds what people reported that others say about groups of people. Much of it is unfair, some of "
        "it may offend or hurt you. It is reported speech, collected to find out whether language models repeat it: "
        "nobody claims that it is true, and to keep a row is not to agree with it."
    )
    yield Line("You may stop at any time, skip any row and hand back what you have: empty rows are no fault.")
    yield Line("What to do", heading=True)
    yield Line("Go through the sheet 'Review' row by row. Choose a word in the green column 'decision':")
    for word, meaning in DECISIONS.items():
        yield Line(f"    {word}: {meaning}")
    if edited:
        yield Line(
            f"If words are wrong, correct them in the yellow columns ({edited}). The white cells stay as they are."
        )
    yield from _reasons()
    if sheet.kind.several_rows:
        yield Line("If one statement says two things", heading=True)
        yield Line(
            f"Keep the first in its row. Write the second into an empty row at the end: its {key}, and the corrected "
            f"words in the yellow columns. What you leave empty there is taken from the first row."
        )
    yield Line("Good to know", heading=True)
    yield Line("A row without a decision counts as not reviewed, unless you changed its words.")
    yield Line(
        "You may sort, filter, widen or hide columns. The other cells are locked against slips only; there is no "
        "password (Review > Unprotect Sheet). Do not rename columns, and keep the hidden ones."
    )
    yield Line(
        "Decide alone, without looking at another reviewer's sheet: where you differ, both answers are discussed."
    )


def _reasons() -> Iterator[Line]:
    yield Line("If the row should be left out", heading=True)
    yield Line("Choose 'omit', and one reason in the column 'reason':")
    for word, meaning in REASONS.items():
        yield Line(f"    {word}: {meaning}")
