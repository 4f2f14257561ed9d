"""What the choices come to: a translation for each pair, and how often each engine was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endoxa_collect.tasks.agreeing import settle
from endoxa_collect.tasks.room import Judged, JudgedItem, TaskSettings
from endoxa_collect.tasks.rooms.translation.candidates import ENGINES, numbers, with_engines
from endoxa_collect.tasks.rooms.translation.form import CHOSEN, EDITED, NONE, OWN, said

OWN_WORDS, NEITHER = "(own words)", "(neither)"
_CONFIDENCE = 0.95


def results(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """`items` (every pair with what was chosen), `engines` (shares), `pairs` (those with a translation)."""
    made = [_item(settings, item) for item in items]
    # A row for each engine, and for own words and neither.
    engines = items[0].hidden[ENGINES] if items else []
    rows = []
    for number, engine in enumerate(engines, start=1):
        offered = [item for item in items if number in numbers(item.content)]
        answers = [one.answer for item in offered for one in item.counting]
        taken = [answer for answer in answers if number in answer["candidates"]]
        rows.append(_share(engine, len(offered), len(answers), taken))
    answers = [one.answer for item in items for one in item.counting]
    for name, choice in ((OWN_WORDS, OWN), (NEITHER, NONE)):
        rows.append(
            _share(
                name, len(items), len(answers), [answer for answer in answers if answer["choice"] == choice]
            )
        )
    return {
        "items": made,
        "engines": rows,
        "pairs": [_pair(row) for row in made if row["translated_more"]],
    }


def _item(settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
    counting = item.counting
    settled = settle(settings.needed, [said(one.answer) for one in counting])
    taken = next((one.answer for one in counting if said(one.answer) == settled.value), None)
    row = {"item_id": item.key, **with_engines(item.content, item.hidden)}
    row |= {
        "translated_more": taken["more"] if taken else "",
        "translated_less": taken["less"] if taken else "",
        "translated_how": taken["choice"] if taken else "",
        "translated_from": "; ".join(chosen_engines(item, taken["candidates"])) if taken else "",
        "translated_distance": taken["distance"] if taken else "",
        "translation_state": settled.state,
        "translation_judgements": len(counting),
        "translation_notes": " | ".join(one.answer["note"] for one in counting if one.answer["note"]),
    }
    for number, engine in enumerate(item.hidden[ENGINES], start=1):
        row[f"chosen_{engine}"] = sum(number in one.answer["candidates"] for one in counting)
    row["chosen_own"] = sum(one.answer["choice"] == OWN for one in counting)
    row["chosen_none"] = sum(one.answer["choice"] == NONE for one in counting)
    return row


def chosen_engines(item: JudgedItem | Judged, candidates: Sequence[int]) -> list[str]:
    """Names of engines by their numbers."""
    return [item.hidden[ENGINES][number - 1] for number in candidates]


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    """A pair as models are probed with it: the translation in the columns of the sentences."""
    kept = {name: value for name, value in row.items() if not name.startswith(("candidate_", "chosen_"))}
    return {
        **kept,
        "sent_more": row["translated_more"],
        "sent_less": row["translated_less"],
        "source_more": row["sent_more"],
        "source_less": row["sent_less"],
    }


def _share(name: str, items: int, judgements: int, taken: Sequence[Any]) -> dict[str, Any]:
    low, high = _interval(len(taken), judgements)
    edits = [one["distance"] for one in taken if one["choice"] == EDITED]
    return {
        "engine": name,
        "items": items,
        "judgements": judgements,
        "chosen": len(taken),
        "unchanged": sum(one["choice"] == CHOSEN for one in taken),
        "edited": len(edits),
        "mean_distance": f"{sum(edits) / len(edits):.1f}" if edits else "",
        "share": f"{len(taken) / judgements:.4f}" if judgements else "",
        "low": low,
        "high": high,
    }


def _interval(count: int, total: int) -> tuple[str, str]:
    """95 % interval of a share (Wilson 1927); judgements of one person are taken as independent."""
    from endoxa.stats.intervals import wilson

    if not total:
        return "", ""
    found = wilson(count, total, _CONFIDENCE)
    return f"{found.low:.4f}", f"{found.high:.4f}"
