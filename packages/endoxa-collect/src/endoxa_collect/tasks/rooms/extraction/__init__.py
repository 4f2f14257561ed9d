"""Review of what was read from statements: is it about these people, and is this what is said of them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.agreeing import STATES, needed_with_third
from endoxa_collect.tasks.room import Answer, Content, Judged, Room, TaskSettings
from endoxa_collect.tasks.rooms.extraction.form import REASONS, ExtractionForm, decisions_of, read
from endoxa_collect.tasks.rooms.extraction.outcome import ROW_KEY, reviewed, with_rows_named
from endoxa_collect.tasks.rooms.extraction.spans import ATTRIBUTE, IDENTITY, has, parts

__all__ = ["ROOM", "STATES", "ExtractionSettings"]


class ExtractionSettings(TaskSettings):
    """Settings of a review.

    Attributes:
        needed: reviewers a statement needs; two or more who disagree get another one.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 2


def _needed(settings: ExtractionSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, decisions_of(answers))


def _check(content: Content) -> Iterator[str]:
    missing = [name for name in ("identity", "attribute") if name not in content]
    if missing:
        yield f"no column '{missing[0]}'. Expected a table of `endoxa curate extract`."


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    words = read(content)
    statement = str(content["statement"])
    marked = parts(statement, words["identity"], words["attribute"])
    original = str(content.get("original_statement") or "")
    translated = original.split() != statement.split()
    return {
        "parts": marked,
        "identity_found": has(marked, IDENTITY) or not words["identity"],
        "attribute_found": has(marked, ATTRIBUTE) or not words["attribute"],
        "original": original if translated else "",
        "reasons": [(str(key), value, text) for key, (value, text) in enumerate(REASONS.items(), start=1)],
        "proposed": str(content.get("omit", "")).lower() == "true",
        "proposed_reason": REASONS.get(str(content.get("omit_reason", "")), ""),
        "percent": _percent(str(content.get("confidence", ""))),
    }


def _percent(confidence: str) -> str:
    """A confidence between 0 and 1 in whole percent; empty if it is missing or invalid."""
    try:
        share = float(confidence)
    except ValueError:
        return ""
    return f"{share:.0%}" if 0 <= share <= 1 else ""


def _row(judgement: Judged) -> dict[str, Any]:
    answer = judgement.answer
    pairs = [*answer["pairs"], ("", ""), ("", "")]
    return {
        "decision": answer["decision"],
        "reason": answer["reason"],
        "judged_identity": pairs[0][0],
        "judged_attribute": pairs[0][1],
        "second_identity": pairs[1][0],
        "second_attribute": pairs[1][1],
        "note": answer["note"],
    }


ROOM = Room(
    kind="extraction",
    title=gettext_lazy("Review of statements"),
    columns={
        "statement_id": "name of the statement, as `endoxa curate extract` gives it",
        "statement": "what was said, in words",
    },
    optional={
        "identity": "whom it is about, as it was read; may be empty",
        "attribute": "what is said of them, as it was read; may be empty",
        "original_statement": "the words before translation",
        "rule": "rule that read it",
        "confidence": "how sure the rule is, from 0 to 1",
        "omit": "'true' where leaving it out is proposed",
        "omit_reason": "why",
        "other_reading": "what a second reader read in it, where the two differ",
        ROW_KEY: "name of the row; made where it is missing",
    },
    settings=ExtractionSettings,
    form=ExtractionForm,
    template="tasks/extraction.html",
    answers={
        "decision": "'keep', 'edit', 'split' or 'omit'",
        "reason": "why it is left out, with 'omit'",
        "judged_identity": "whom it is about, as the reviewer has it; empty with 'omit'",
        "judged_attribute": "what is said of them, as the reviewer has it; empty with 'omit'",
        "second_identity": "whom the second half is about, with 'split'",
        "second_attribute": "what the second half says, with 'split'",
        "note": "what the reviewer wrote",
    },
    row=_row,
    needed=_needed,
    context=_context,
    check=_check,
    ids=(ROW_KEY,),
    prepare=with_rows_named,
    tables=reviewed,
)
