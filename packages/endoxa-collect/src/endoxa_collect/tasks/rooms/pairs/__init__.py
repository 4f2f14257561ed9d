"""Builder of pairs: a stereotype is fixed, its opposite is suggested; people check it, change it or reject the pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.agreeing import needed_with_third
from endoxa_collect.tasks.minimal import hints
from endoxa_collect.tasks.room import Answer, Content, Judged, Room, TaskSettings
from endoxa_collect.tasks.rooms.pairs.form import REASONS, PairForm, decision_of
from endoxa_collect.tasks.rooms.pairs.outcome import results

__all__ = ["ROOM", "PairSettings"]

_HOW = {
    "antonym": gettext_lazy("Suggested: an opposite."),
    "negation": gettext_lazy("Suggested: a negation."),
}


class PairSettings(TaskSettings):
    """Settings of the builder.

    Attributes:
        needed: people who look at a pair; two or more without a majority get another one.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 1


def _needed(settings: PairSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, [decision_of(answer) for answer in answers])


def _prepare(rows: Sequence[Content]) -> list[dict[str, Any]]:
    """A table of `endoxa build pairs` has its suggestion in `sent_less`."""
    if "suggested" in rows[0] or "sent_less" not in rows[0]:
        return [dict(row) for row in rows]
    return [{**row, "suggested": row["sent_less"]} for row in rows]


def _check(content: Content) -> Iterator[str]:
    if "suggested" not in content:
        yield "no column 'suggested' or 'sent_less'. Expected the second sentence; it may be empty."


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "how": _HOW.get(str(content.get("how") or ""), ""),
        "hints": hints(str(content.get("language") or "")),
        "reasons": [(str(key), value, text) for key, (value, text) in enumerate(REASONS.items(), start=1)],
    }


def _row(judgement: Judged) -> dict[str, Any]:
    answer = judgement.answer
    return {
        "state": answer["state"],
        "reason": answer["reason"],
        "judged_less": answer["sent_less"],
        "checks": " ".join(answer["checks"]),
        "note": answer["note"],
    }


ROOM = Room(
    kind="pairs",
    title=gettext_lazy("Sentence pairs"),
    columns={"sent_more": "the stereotype as a sentence; it is fixed"},
    optional={
        "suggested": "the second sentence as suggested; may be empty. Where it is missing, `sent_less` is taken",
        "sent_less": "the second sentence, as in a table of `endoxa build pairs`",
        "identity": "the group, which must stay the same",
        "language": "ISO 639 code, for checks and hints",
        "how": "'antonym' or 'negation': how the suggestion was made",
    },
    settings=PairSettings,
    form=PairForm,
    template="tasks/pairs.html",
    answers={
        "state": "'ok', 'changed' or 'rejected'",
        "reason": "why it was rejected",
        "judged_less": "the second sentence; empty where the pair was rejected",
        "checks": "what `endoxa datasets check` finds in the pair, by name",
        "note": "what the judge wrote",
    },
    row=_row,
    needed=_needed,
    context=_context,
    check=_check,
    prepare=_prepare,
    tables=results,
)
