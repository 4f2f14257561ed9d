"""Argilla 2: records and settings as JSON, and exported records back.

Formats: those of `rg.Settings.from_json`, `dataset.records.from_json` and `dataset.records.to_json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from endoxa.errors import UserError
from endoxa_collect.tasks.exchange.asked import Question, Returned, kind_of, questions, suggestions
from endoxa_collect.tasks.room import Content, Room

_AGENT = "endoxa"


def records(task_room: Room, items: Sequence[tuple[str, Content]]) -> list[dict[str, Any]]:
    """Records to load; the name of an item is the record's id, what is suggested is a suggestion."""
    return [
        {
            "id": key,
            "fields": {name: str(content.get(name) or "") for name in kind_of(task_room).shown},
            "metadata": {},
            "suggestions": {
                name: {"value": value, "score": None, "agent": _AGENT}
                for name, value in suggestions(task_room, content).items()
            },
            "responses": {},
            "vectors": {},
        }
        for key, content in items
    ]


def settings(task_room: Room) -> dict[str, Any]:
    """Settings of a dataset: what is shown, and the questions."""
    first = next(iter(kind_of(task_room).shown))
    fields = [
        {
            "name": name,
            "title": title,
            "required": name == first,
            "settings": {"type": "text", "use_markdown": False},
        }
        for name, title in kind_of(task_room).shown.items()
    ]
    return {
        "guidelines": "Quoted words of others. Stop whenever you like.",
        "allow_extra_metadata": True,
        "fields": fields,
        "questions": [_question(question) for question in questions(task_room)],
        "vectors": [],
        "metadata": [],
    }


def _question(question: Question) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": "text", "use_markdown": False}
    if question.choices:
        options = [{"value": value, "text": text, "description": None} for value, text in question.choices]
        kind = {"type": "label_selection", "options": options}
    return {
        "name": question.name,
        "title": question.title,
        "description": None,
        "required": question.required,
        "settings": kind,
    }


def returned(exported: object) -> Iterator[Returned]:
    """Responses of exported records, together by person.

    Raises:
        UserError: the content is not an export of Argilla.
    """
    if not isinstance(exported, list):
        raise UserError("Not an export of Argilla: expected a list of records.")
    for number, record in enumerate(exported, start=1):
        if not isinstance(record, Mapping) or not record.get("id") or "responses" not in record:
            raise UserError(
                f"Record {number} has no id or no responses. Export with "
                "dataset.records(with_responses=True).to_json(FILE)."
            )
        people: dict[str, dict[str, str]] = {}
        for name, responses in record["responses"].items():
            for response in responses:
                people.setdefault(str(response["user_id"]), {})[name] = str(response["value"])
        for who, cells in people.items():
            yield Returned(key=str(record["id"]), who=who, cells=cells)
