"""Making a task: items out of a table, checked row by row before anything is kept."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pydantic
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.text import slugify

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Task, TaskItem, record
from endoxa_collect.security.codes import new_code
from endoxa_collect.tasks.rooms import Room, TaskSettings, room

SOURCE = "source"
"""Column of who or what made an item; hidden unless the task shows it."""
CODE_LENGTH = 10
NAME_LENGTH = 40
MOST_ITEMS = 50_000


def add_task(
    campaign: Campaign,
    kind: str,
    items: Path,
    *,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    panel: bool = False,
    user: User | AnonymousUser | None = None,
) -> Task:
    """Make a task from a table of items.

    Args:
        campaign: where it belongs.
        kind: kind of the task, see `endoxa_collect.tasks.rooms`.
        items: CSV, TSV, JSONL or Parquet; the columns that the room declares.
        name: of the task; by default its kind.
        options: settings, by their names.
        panel: give it a code by which people of a panel join; rooms for panels only always have one.
        user: who makes it, for the log; None is the command line.

    Raises:
        UserError: unknown kind, setting or column, a row that cannot be used, two rows with one name, a taken name.
    """
    task_room = room(kind)
    settings = settings_from(task_room, options or {})
    if panel and not task_room.panel:
        raise UserError(f"Tasks of kind '{kind}' are for accounts, not for a panel: leave out --panel.")
    wanted = slugify(name or kind)
    if not 0 < len(wanted) <= NAME_LENGTH:
        raise UserError(
            f"'{name}' cannot be the name of a task. Expected 1 to {NAME_LENGTH} letters and digits (--name)."
        )
    if Task.objects.filter(campaign=campaign, name=wanted).exists():
        raise UserError(f"The campaign has a task '{wanted}' already: choose another name (--name).")
    made = read_items(task_room, settings, items)
    with transaction.atomic():
        task = Task.objects.create(
            campaign=campaign,
            name=wanted,
            kind=kind,
            settings=settings.model_dump(mode="json"),
            code=new_code(CODE_LENGTH) if panel or task_room.study else "",
        )
        for item in made:
            item.task = task
        TaskItem.objects.bulk_create(made, batch_size=1000)
        number = sum(not item.check_item for item in made)
        record(campaign, user, "task made", task=wanted, kind=kind, items=number)
    return task


def read_items(task_room: Room, settings: TaskSettings, path: Path) -> list[TaskItem]:
    """The items of a table for a room; nothing is stored.

    Raises:
        UserError: a column is missing, a row cannot be used, two rows with one name.
    """
    from endoxa.sources.frames import read_table

    rows = read_table(path, tuple(task_room.columns), respect_statuses=False).to_dicts()
    return _items(task_room, settings, path, rows)


def options_of(texts: Iterable[str]) -> dict[str, Any]:
    """Settings out of NAME=VALUE; several values stand behind commas in brackets: groups=[a,b].

    Raises:
        UserError: one is not of this form.
    """
    options: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise UserError(f"The setting '{text}' is not of the form NAME=VALUE, for example needed=3.")
        listed = value.startswith("[") and value.endswith("]")
        options[name.strip()] = [part.strip() for part in value[1:-1].split(",")] if listed else value.strip()
    return options


def settings_from(task_room: Room, options: Mapping[str, Any]) -> TaskSettings:
    """Settings of a room out of what was asked for.

    Raises:
        UserError: unknown settings, or values that cannot be.
    """
    try:
        return task_room.settings.model_validate(options)
    except pydantic.ValidationError as problem:
        first = problem.errors()[0]
        name = ".".join(map(str, first["loc"]))
        allowed = ", ".join(task_room.settings.model_fields)
        raise UserError(
            f"The setting '{name}' cannot be {first.get('input')!r}: {first['msg']}. "
            f"Settings of {task_room.kind}: {allowed}."
        ) from None


def _items(
    task_room: Room, settings: TaskSettings, path: Path, rows: Sequence[Mapping[str, Any]]
) -> list[TaskItem]:
    if not rows:
        raise UserError(f"{path} has no rows. Expected one for each item.")
    if len(rows) > MOST_ITEMS:
        raise UserError(f"{path} has {len(rows)} rows; a task holds at most {MOST_ITEMS}. Split the file.")
    filled = [{name: "" if value is None else value for name, value in row.items()} for row in rows]
    prepared = task_room.prepare(filled)
    named = (
        None if task_room.study else next((column for column in task_room.ids if column in prepared[0]), None)
    )
    secret = task_room.hidden if settings.shows_source else task_room.hidden | {SOURCE}
    keys: dict[str, int] = {}
    made = []
    for number, row in enumerate(prepared, start=1):
        key = str(row[named]).strip() if named else str(number)
        _refuse(task_room, path, number, row, key)
        cells: Mapping[str, Any] = row
        if task_room.study:
            cells = task_room.study.item(row)
            key = str(cells[task_room.ids[0]])
        if keys.setdefault(key, number) != number:
            if task_room.study:
                continue
            raise UserError(
                f"{path}, row {number}: the {named} '{key}' stands in row {keys[key]} already. Give each row its own."
            )
        content = {name: value for name, value in cells.items() if name not in secret}
        hidden = {name: value for name, value in cells.items() if name in secret}
        made.append(
            TaskItem(number=number, key=key, content=content, hidden=hidden, place=random.random())  # noqa: S311
        )
    return made + [
        TaskItem(
            number=len(rows) + place,
            key=check.key,
            content=dict(check.content),
            hidden=dict(check.hidden),
            check_item=True,
        )
        for place, check in enumerate(task_room.study.checks(settings) if task_room.study else (), start=1)
    ]


def _refuse(task_room: Room, path: Path, number: int, cells: Mapping[str, Any], key: str) -> None:
    empty = next((name for name in task_room.columns if not str(cells.get(name, "")).strip()), None)
    if empty is not None:
        raise UserError(
            f"{path}, row {number}: the column '{empty}' is empty. Expected {task_room.columns[empty]}."
        )
    if not key or len(key) > 200:
        raise UserError(
            f"{path}, row {number}: the name of the item has {len(key)} characters, expected 1 to 200."
        )
    for problem in task_room.check(cells):
        raise UserError(f"{path}, row {number}: {problem}")
