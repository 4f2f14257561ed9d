"""Label Studio: tasks as JSON with predictions, a labelling configuration (XML), and its JSON export back.

Formats: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export (JSON, not JSON-MIN).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from endoxa.errors import UserError
from endoxa_collect.tasks.exchange.asked import Question, Returned, kind_of, questions, suggestions
from endoxa_collect.tasks.room import Content, Room

KEY = "endoxa_id"
"""Name of the item in the data of a task."""


def tasks(task_room: Room, items: Sequence[tuple[str, Content]]) -> list[dict[str, Any]]:
    """Tasks to import; what is suggested is a prediction."""
    made: list[dict[str, Any]] = []
    target = next(iter(kind_of(task_room).shown))
    fields = questions(task_room)
    for key, content in items:
        data = {name: str(content.get(name) or "") for name in kind_of(task_room).shown}
        suggested = suggestions(task_room, content)
        result = [
            _result(field, target, suggested[field.name]) for field in fields if field.name in suggested
        ]
        predictions = [{"model_version": "endoxa", "result": result}] if result else []
        made.append({"data": {KEY: key, **data}, "predictions": predictions})
    return made


def _result(question: Question, target: str, value: str) -> dict[str, Any]:
    kind, cell = ("choices", {"choices": [value]}) if question.choices else ("textarea", {"text": [value]})
    return {"from_name": question.name, "to_name": target, "type": kind, "value": cell}


def configuration(task_room: Room) -> str:
    """The labelling configuration: what is shown, and a field for every question."""
    view = ET.Element("View")
    ET.SubElement(view, "Header", value="Quoted words of others. Stop whenever you like.", size="5")
    target = next(iter(kind_of(task_room).shown))
    for name, title in kind_of(task_room).shown.items():
        ET.SubElement(view, "Header", value=title, size="5")
        ET.SubElement(view, "Text", name=name, value=f"${name}")
    for question in questions(task_room):
        ET.SubElement(view, "Header", value=question.title, size="5")
        named = {
            "name": question.name,
            "toName": target,
            "required": "true" if question.required else "false",
        }
        if question.choices:
            box = ET.SubElement(view, "Choices", named, choice="single", showInline="false")
            for value, text in question.choices:
                ET.SubElement(box, "Choice", value=value, hint=text)
        else:
            ET.SubElement(view, "TextArea", named, maxSubmissions="1", editable="true", rows="2")
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def returned(exported: object) -> Iterator[Returned]:
    """Annotations of a JSON export; those that were cancelled (skipped) are left out.

    Raises:
        UserError: the content is not an export of Label Studio.
    """
    if not isinstance(exported, list):
        raise UserError("Not a JSON export of Label Studio: expected a list of tasks.")
    for number, task in enumerate(exported, start=1):
        if not isinstance(task, Mapping) or KEY not in (task.get("data") or {}):
            raise UserError(
                f"Task {number} of the export has no '{KEY}' in its data. Export as JSON (not JSON-MIN) from a project "
                "whose tasks were made by endoxa."
            )
        for annotation in task.get("annotations") or ():
            if not annotation.get("was_cancelled"):
                completed_by = annotation.get("completed_by")
                if isinstance(completed_by, Mapping):
                    completed_by = completed_by.get("id", completed_by.get("email"))
                moment = annotation.get("created_at")
                yield Returned(
                    key=str(task["data"][KEY]),
                    who=str(completed_by),
                    cells=dict(filter(None, map(_cell, annotation.get("result") or ()))),
                    hour=(f"{moment[:13]}:00" if isinstance(moment, str) and moment[10:11] == "T" else ""),
                )


def _cell(result: Mapping[str, Any]) -> tuple[str, str] | None:
    value = result.get("value") or {}
    answer = value.get("choices", value.get("text"))
    if answer is None or "from_name" not in result:
        return None
    texts = answer if isinstance(answer, list) else [answer]
    return str(result["from_name"]), str(texts[-1]) if texts else ""
