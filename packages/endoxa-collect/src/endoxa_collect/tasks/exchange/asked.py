"""What other tools show and ask for an item of each kind, and what comes back from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django import forms

from endoxa.errors import UserError
from endoxa_collect.tasks.room import Content, Judged, JudgedItem, Room


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
        judgement = Judged(
            key, content, hidden[key], judges[who], "", filled.answer(), result.hour, counts=True
        )
        answers[key].append(judgement)
    return [JudgedItem(key, contents[key], hidden[key], tuple(answers[key])) for key, _, _ in items], faults
