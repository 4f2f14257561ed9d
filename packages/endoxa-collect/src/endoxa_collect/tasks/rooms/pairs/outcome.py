"""What the judgements come to: the state of every pair, and a file of those that were accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endoxa_collect.tasks.agreeing import settle
from endoxa_collect.tasks.room import JudgedItem, TaskSettings
from endoxa_collect.tasks.rooms.pairs.form import CHANGED, REJECTED, decision_of, first


def results(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """`items` (every pair with its state) and `pairs` (accepted ones, as `endoxa probe pairs` reads them)."""
    made = [_item(settings, item) for item in items]
    accepted = [row for row in made if row["pair_state"] and row["pair_state"] != REJECTED]
    return {"items": made, "pairs": accepted}


def _item(settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
    counting = item.counting
    settled = settle(settings.needed, [decision_of(judgement.answer) for judgement in counting])
    agreeing = [
        judgement.answer
        for judgement in counting
        if settled.value is not None and decision_of(judgement.answer) == settled.value
    ]
    agreed = agreeing[0] if agreeing else None
    row = {"item_id": item.key, **item.content, **item.hidden}
    row["sent_less"] = row.get("sent_less") or row["suggested"]
    if agreed is not None and agreed["state"] == CHANGED:
        # Cells that follow from the second sentence, where the table has them.
        more = first(item.content)
        less = agreed["sent_less"]
        from endoxa.sources.typography import differing_spans, words

        sides = words(more), words(less)
        spans = differing_spans(*sides)
        changed = " ".join(word.text for span in spans for word in sides[1][span.start_less : span.end_less])
        follows = {
            "attribute_less": changed,
            "how": "edited",
            "words_difference": str(len(sides[0]) - len(sides[1])),
            "characters_difference": str(len(more) - len(less)),
        }
        row |= {"sent_less": less, **{name: value for name, value in follows.items() if name in row}}
    reasons = dict.fromkeys(answer["reason"] for answer in agreeing if answer["reason"])
    return {
        **row,
        "pair_state": agreed["state"] if agreed else "",
        "pair_reason": "; ".join(reasons),
        "pair_checks": " ".join(agreed["checks"]) if agreed else "",
        "pair_notes": " | ".join(
            f"{judgement.judge}: {judgement.answer['note']}"
            for judgement in counting
            if judgement.answer["note"]
        ),
        "review_state": settled.state,
        "review_judgements": len(counting),
    }
