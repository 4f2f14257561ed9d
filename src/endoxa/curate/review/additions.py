"""Rows that reviewers add: a statement that says two things becomes two rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from endoxa.curate.review.answer import Answer
from endoxa.curate.review.form import EDIT, OMIT, ROW_KEY, UNSURE
from endoxa.curate.review.merge import Change, Conflict, joined, outcome_told, places, told
from endoxa.curate.review.rows import Row
from endoxa.curate.review.settle import Resolve, Voice, settle

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
    siblings: Mapping[str, Row], taken: set[str], answers: Sequence[Answer], resolve: Resolve
) -> Additions:
    """The rows that reviewers add.

    Whoever decided on a row of the same id and did not add the row speaks against it.

    Args:
        siblings: the first row of every id, as reviewed; an added row takes its other columns from there.
        taken: names of the rows that the table has: what was added before is not added again.
        answers: everything that reviewers say, in the order of the sheets.
        resolve: what to do where they disagree.
    """
    proposed: dict[str, list[Answer]] = {}
    for answer in answers:
        if answer.added and answer.decision != OMIT and answer.row not in taken:
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
                    voices=told(voices),
                    outcome=outcome_told(outcome, "disputed: not added"),
                    sheets=places(adding),
                    settled=outcome.value is not None,
                )
            )
    return Additions(rows, tuple(changes), tuple(conflicts))


def _voices(identifier: str, adding: Sequence[Answer], answers: Sequence[Answer]) -> list[Voice]:
    """Who adds the row, and who decided on the same id without adding it; in the order of the sheets."""
    adders = {answer.reviewer for answer in adding}
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
