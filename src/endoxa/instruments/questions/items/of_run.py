"""The questions of a finished run, from the file that it names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.report import inputs
from endoxa.report.inputs import Run
from endoxa.schema import QaItem

MISSING = "{} is not found from here: make the report in the folder where the run was made"
CHANGED = "{} has changed since the run"
UNREADABLE = "{} does not hold it in a form that can be read"


def items_of_run(run: Run, wanted: Collection[str]) -> tuple[dict[str, QaItem], str]:
    """The questions with these ids, and why others are not known: pages go without them."""
    from endoxa.sources.bbq.items import read_items
    from endoxa.sources.files import sha256

    entry = run.facts.get("data")
    data: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
    settings = run.facts.get("settings") or {}
    path, digest = Path(inputs.text(data, "path")), data.get("sha256")
    if settings.get("names"):
        path, digest = Path(settings["names"]), (run.facts.get("identity") or {}).get("names")
    try:
        if not path.is_file():
            return {}, MISSING.format(path)
        if sha256(path) != digest:
            return {}, CHANGED.format(path)
        columns = settings.get("columns") or {}
        questions = read_items(path, only=wanted, columns=columns)
        items = {item.item_id: item for item in islice(questions, len(wanted))}
    except (OSError, UserError):
        return {}, UNREADABLE.format(path)
    return items, UNREADABLE.format(path)


def question_shown(item: QaItem, order: str | None) -> str:
    """'CONTEXT QUESTION (A) ... (B) ... (C) ...' with the options in the order shown."""
    return f"{item.context} {item.question} {options_shown(item, order)}"


def options_shown(item: QaItem, order: str | None) -> str:
    """'(A) ... (B) ... (C) ...' in the order shown."""
    places = [int(place) for place in order or ""] or [0, 1, 2]
    return " ".join(f"({letter}) {item.options[place]}" for letter, place in zip("ABC", places, strict=True))
