"""Items for other annotation tools, and their results back: for labs that already work in Label Studio or Argilla.

What is asked, and what makes an answer valid, is the form of the room: an answer that comes back from elsewhere goes
through the same form as one from our own pages. Formats:

- Argilla 2: those of `rg.Settings.from_json`, `dataset.records.from_json` and `dataset.records.to_json`;
- Label Studio: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export (JSON, not JSON-MIN).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from django import forms

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa_collect.tasks.adding import read_items, settings_from
from endoxa_collect.tasks.results import made_tables, write_tables
from endoxa_collect.tasks.rooms import Content, Judged, JudgedItem, Room, room


@dataclass(frozen=True, slots=True)
class Kind:
    """Content of the page of an item in another tool.

    Attributes:
        shown: columns that are shown, with their titles.
        fields: fields of the room's form, with their titles.
        fixed: cells of the form that nobody is asked for.
    """

    shown: Mapping[str, str]
    fields: Mapping[str, str]
    fixed: Mapping[str, str] = field(default_factory=dict)


KINDS: dict[str, Kind] = {
    "votes": Kind(
        {"identity": "They", "attribute": "are said to be or do"},
        {"vote": "Do people say this? Not whether it is true."},
    ),
    "extraction": Kind(
        {"statement": "Somebody wrote", "original_statement": "Before translation"},
        {
            "identity": "Who it is said of",
            "attribute": "What is said of them",
            "second_identity": "If it says two things: who the second is said of",
            "second_attribute": "If it says two things: what the second says",
            "reason": "If it is to be left out: why",
            "note": "Note",
        },
    ),
    "pairs": Kind(
        {"sent_more": "What people say"},
        {
            "sent_less": "The opposite of the same people, which differs in nothing else",
            "reason": "If the pair is to be rejected: why",
            "note": "Note",
        },
        {"action": "despite"},
    ),
}
"""Kinds that other tools can be asked for. Translations are not: their order is drawn and their engines are hidden."""


@dataclass(frozen=True, slots=True)
class Question:
    """A field of the form: with choices, or in words."""

    name: str
    title: str
    choices: tuple[tuple[str, str], ...]
    required: bool


@dataclass(frozen=True, slots=True)
class Returned:
    """What somebody said of an item in another tool.

    Attributes:
        key: the item.
        who: the other tool's name of them, which is not kept.
        cells: fields of the form; what is not there stays as it was suggested.
        hour: when, to the hour, or empty.
    """

    key: str
    who: str
    cells: Mapping[str, str]
    hour: str = ""


def kind_of(task_room: Room) -> Kind:
    """What is shown and asked.

    Raises:
        UserError: items of this kind cannot go elsewhere.
    """
    if task_room.kind not in KINDS:
        raise UserError(
            f"Tasks of kind '{task_room.kind}' cannot be done in another tool (possible: {', '.join(sorted(KINDS))})."
        )
    return KINDS[task_room.kind]


def questions(task_room: Room) -> list[Question]:
    """What is asked, as the form of the room has it."""
    made = []
    for name, title in kind_of(task_room).fields.items():
        form_field = task_room.form.base_fields[name]
        choices: tuple[tuple[str, str], ...] = ()
        if isinstance(form_field, forms.ChoiceField):
            choices = tuple(
                (str(value), str(text))
                for value, text in task_room.form.base_fields[name].choices  # type: ignore[attr-defined]
            )
        made.append(Question(name, title, choices, form_field.required))
    return made


def suggestions(task_room: Room, content: Content) -> dict[str, str]:
    """Initial values of the fields."""
    titles = kind_of(task_room).fields
    return {
        name: str(value)
        for name, value in task_room.form(content, {}).initial.items()
        if name in titles and str(value).strip()
    }


def judged_items(
    task_room: Room, items: Sequence[tuple[str, Content, Content]], returned: Iterable[Returned]
) -> tuple[list[JudgedItem], list[str]]:
    """Items (key, content, hidden) with the answers that came back, and sentences about those that are not valid.

    Who answered gets a key (r001 ...). Of several answers of one person to an item the last one counts.

    Raises:
        UserError: an answer about an item that is not in the file.
    """
    contents = {key: content for key, content, _ in items}
    hidden = {key: what for key, _, what in items}
    last: dict[tuple[str, str], Returned] = {}
    for result in returned:
        if result.key not in contents:
            raise UserError(
                f"The results hold an item '{result.key}' that is not in the file of items. Name the file that the "
                "tasks were made from."
            )
        last.pop((result.key, result.who), None)
        last[result.key, result.who] = result
    judges = {who: f"r{number:03d}" for number, who in enumerate(dict.fromkeys(who for _, who in last), 1)}
    answers: dict[str, list[Judged]] = {key: [] for key in contents}
    faults = []
    for (key, who), result in last.items():
        content = contents[key]
        filled = task_room.form(
            content, {}, {**suggestions(task_room, content), **result.cells, **kind_of(task_room).fixed}
        )
        if not filled.is_valid():
            problems = "; ".join(str(text) for texts in filled.errors.values() for text in texts)
            faults.append(f"item '{key}', {judges[who]}: {problems}")
            continue
        answers[key].append(Judged(judges[who], "", filled.answer(), result.hour, counts=True))
    return [JudgedItem(key, contents[key], hidden[key], tuple(answers[key])) for key, _, _ in items], faults


_AGENT = "endoxa"


def argilla_records(task_room: Room, items: Sequence[tuple[str, Content]]) -> list[dict[str, Any]]:
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


def argilla_settings(task_room: Room) -> dict[str, Any]:
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
        "questions": [_argilla_question(question) for question in questions(task_room)],
        "vectors": [],
        "metadata": [],
    }


def _argilla_question(question: Question) -> dict[str, Any]:
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


def argilla_returned(exported: object) -> Iterator[Returned]:
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


KEY = "endoxa_id"
"""Name of the item in the data of a task."""


def label_studio_tasks(task_room: Room, items: Sequence[tuple[str, Content]]) -> list[dict[str, Any]]:
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


def label_studio_configuration(task_room: Room) -> str:
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


def label_studio_returned(exported: object) -> Iterator[Returned]:
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


LABEL_STUDIO, ARGILLA = "label-studio", "argilla"
TOOLS = (LABEL_STUDIO, ARGILLA)


def write_for(tool: str, kind: str, items: Path, output: Path) -> list[Path]:
    """Write items for another tool, and beside them how it is to ask; returns the files.

    Raises:
        UserError: unknown tool or kind, items that cannot be used, a file that cannot be written.
    """
    require_tool(tool)
    task_room = room(kind)
    kind_of(task_room)
    rows = [(item.key, item.content) for item in read_items(task_room, settings_from(task_room, {}), items)]
    if tool == LABEL_STUDIO:
        beside = output.with_suffix(".xml")
        texts = {
            output: _json(label_studio_tasks(task_room, rows)),
            beside: label_studio_configuration(task_room),
        }
    else:
        beside = output.with_name(f"{output.stem}_settings.json")
        texts = {output: _json(argilla_records(task_room, rows)), beside: _json(argilla_settings(task_room))}
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise UserError(f"'{path}' cannot be written: {problem.strerror or problem}.") from problem
    return list(texts)


def read_from(
    tool: str,
    kind: str,
    items: Path,
    results: Path,
    output: Path,
    *,
    options: Mapping[str, Any],
    skip_invalid: bool = False,
) -> tuple[list[Path], list[str]]:
    """Read results of another tool, and write the tables of `endoxa collect task export`.

    Returns:
        the files, and a sentence for every answer that is not valid.

    Raises:
        UserError: see `write_for`; results that cannot be read; answers that are not valid, unless they are skipped.
    """
    require_tool(tool)
    task_room = room(kind)
    kind_of(task_room)
    settings = settings_from(task_room, options)
    rows = [(item.key, item.content, item.hidden) for item in read_items(task_room, settings, items)]
    returned = label_studio_returned if tool == LABEL_STUDIO else argilla_returned
    judged, faults = judged_items(task_room, rows, returned(_read(results)))
    if faults and not skip_invalid:
        raise UserError(
            f"{results}, {faults[0]} Correct it there, or leave such answers out with --skip-invalid."
        )
    return write_tables(made_tables(task_room, settings, judged), output), faults


def require_tool(tool: str) -> None:
    """Raise UserError where the tool is not one of `TOOLS`."""
    if tool not in TOOLS:
        raise UserError(f"Unknown tool '{tool}'. Expected one of: {', '.join(TOOLS)}.")


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _read(path: Path) -> object:
    require_file(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise UserError(f"{path} is not JSON: {problem}.") from problem
