"""What the judgements of a text come to: natural, corrected, or to be looked at by somebody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from endoxa_collect.tasks.agreeing import DISPUTED, UNJUDGED, WAITING, settle
from endoxa_collect.tasks.room import JudgedItem, TaskSettings
from endoxa_collect.tasks.rooms.words.form import NATURAL, OFFENSIVE, VERDICTS

FAULTY, CORRECTED, SEVERAL, UNCORRECTED = "faulty", "corrected", "several corrections", "no correction"
STATES: Mapping[str, str] = {
    NATURAL: "more than half of the speakers find it natural, and nobody finds it offensive",
    CORRECTED: "more than half find a fault, and one correction was proposed more often than any other",
    SEVERAL: "more than half find a fault, and corrections differ",
    UNCORRECTED: "more than half find a fault, and nobody wrote a correction",
    OFFENSIVE: "more than half find a fault, somebody finds it offensive, and nobody wrote a correction",
    DISPUTED: "speakers do not agree, or most find it natural and somebody offensive",
    WAITING: "another speaker is needed",
    UNJUDGED: "nobody has judged it",
}
"""States of a text, with their meaning."""


def decision_of(answer: Mapping[str, Any]) -> str:
    """Whether a speaker finds a text natural or faulty: on this, two must agree, or a third one is asked."""
    return NATURAL if answer["verdict"] == NATURAL else FAULTY


def results(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """`items`: every text with its state, its correction, and the names of those who wished to be named."""
    # A name typed once stands for all that this person judged.
    names = {
        judgement.judge: judgement.answer["named"]
        for item in items
        for judgement in item.judged
        if judgement.answer["named"]
    }
    return {"items": [_item(settings, item, names) for item in items]}


def _item(settings: TaskSettings, item: JudgedItem, names: Mapping[str, str]) -> dict[str, Any]:
    answers = [judgement.answer for judgement in item.counting]
    state, correction = decided(settings.needed, answers)
    verdicts = Counter(answer["verdict"] for answer in answers)
    proposed = Counter(answer["correction"] for answer in answers if answer["correction"])
    return {
        "item_id": item.key,
        **item.content,
        **item.hidden,
        "words_state": state,
        "correction": correction,
        "speakers": len(answers),
        **{verdict: verdicts[verdict] for verdict, _ in VERDICTS},
        "corrections": " | ".join(proposed),
        "notes": " | ".join(answer["note"] for answer in answers if answer["note"]),
        "names": "; ".join(
            sorted({names[judgement.judge] for judgement in item.counting if judgement.judge in names})
        ),
    }


def decided(needed: int, answers: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """State of a text and its corrected form, by the judgements that count.

    Args:
        needed: speakers that a text needs.
        answers: what they said, in the order in which it was given.
    """
    settled = settle(needed, [decision_of(answer) for answer in answers])
    offensive = any(answer["verdict"] == OFFENSIVE for answer in answers)
    if settled.value is None:
        return settled.state, ""
    if settled.value == NATURAL:
        return (DISPUTED if offensive else NATURAL), ""
    proposed = Counter(answer["correction"] for answer in answers if answer["correction"]).most_common(2)
    if not proposed:
        return (OFFENSIVE if offensive else UNCORRECTED), ""
    if len(proposed) == 2 and proposed[0][1] == proposed[1][1]:
        return SEVERAL, ""
    return CORRECTED, proposed[0][0]
