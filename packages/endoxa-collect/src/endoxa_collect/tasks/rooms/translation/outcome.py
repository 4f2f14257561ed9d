"""What the choices come to: a translation for each pair, and how often each engine was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endoxa_collect.tasks.agreeing import settle
from endoxa_collect.tasks.room import Judged, JudgedItem, TaskSettings
from endoxa_collect.tasks.rooms.translation.candidates import ENGINES, numbers, with_engines
from endoxa_collect.tasks.rooms.translation.form import CHOSEN, EDITED, NONE, OWN, decision_of

SELF_WRITTEN, NEITHER = "(own words)", "(neither)"
_CONFIDENCE = 0.95


def results(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """`items` (every pair with what was chosen), `engines` (shares), `pairs` (those with a translation)."""
    made = [_item(settings, item) for item in items]
    # A row for each engine, and for own words and neither.
    engines = items[0].hidden[ENGINES] if items else []
    rows = []
    for number, engine in enumerate(engines, start=1):
        offered = [item for item in items if number in numbers(item.content)]
        answers = [judgement.answer for item in offered for judgement in item.counting]
        chosen = [answer for answer in answers if number in answer["candidates"]]
        rows.append(_share(engine, len(offered), len(answers), chosen))
    answers = [judgement.answer for item in items for judgement in item.counting]
    for name, choice in ((SELF_WRITTEN, OWN), (NEITHER, NONE)):
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
    settled = settle(settings.needed, [decision_of(judgement.answer) for judgement in counting])
    agreed = next(
        (judgement.answer for judgement in counting if decision_of(judgement.answer) == settled.value), None
    )
    row = {"item_id": item.key, **with_engines(item.content, item.hidden)}
    row |= {
        "translated_more": agreed["more"] if agreed else "",
        "translated_less": agreed["less"] if agreed else "",
        "translated_how": agreed["choice"] if agreed else "",
        "translated_from": "; ".join(chosen_engines(item, agreed["candidates"])) if agreed else "",
        "translated_distance": agreed["distance"] if agreed else "",
        "translation_state": settled.state,
        "translation_judgements": len(counting),
        "translation_notes": " | ".join(
            judgement.answer["note"] for judgement in counting if judgement.answer["note"]
        ),
    }
    for number, engine in enumerate(item.hidden[ENGINES], start=1):
        row[f"chosen_{engine}"] = sum(number in judgement.answer["candidates"] for judgement in counting)
    row["chosen_own"] = sum(judgement.answer["choice"] == OWN for judgement in counting)
    row["chosen_none"] = sum(judgement.answer["choice"] == NONE for judgement in counting)
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


def _share(name: str, items: int, judgements: int, chosen: Sequence[Any]) -> dict[str, Any]:
    low, high = _interval(len(chosen), judgements)
    edits = [answer["distance"] for answer in chosen if answer["choice"] == EDITED]
    return {
        "engine": name,
        "items": items,
        "judgements": judgements,
        "chosen": len(chosen),
        "unchanged": sum(answer["choice"] == CHOSEN for answer in chosen),
        "edited": len(edits),
        "mean_distance": f"{sum(edits) / len(edits):.1f}" if edits else "",
        "share": f"{len(chosen) / judgements:.4f}" if judgements else "",
        "low": low,
        "high": high,
    }


def _interval(count: int, total: int) -> tuple[str, str]:
    """95 % interval of a share (Wilson 1927); judgements of one person are taken as independent."""
    from endoxa.stats.intervals import wilson

    if not total:
        return "", ""
    interval = wilson(count, total, _CONFIDENCE)
    return f"{interval.low:.4f}", f"{interval.high:.4f}"
