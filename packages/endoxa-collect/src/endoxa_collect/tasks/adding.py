"""Making a task, and adding to one: items out of a table of any size, checked row by row, all of them or none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, tee
from pathlib import Path
from typing import Any

import pydantic
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Task, TaskItem, TaskState, record
from endoxa_collect.security.codes import new_code
from endoxa_collect.tablefile import TableError, TableRow, read_rows
from endoxa_collect.tasks.rooms import Room, TaskSettings, room

SOURCE = "source"
"""Column of who or what made an item; hidden unless the task shows it."""
CODE_LENGTH = 10
NAME_LENGTH = 40
_KEY_LENGTH = 200
_BATCH = 1_000


@dataclass(frozen=True)
class Added:
    """What became of a table of items: `before` were in the task already and stay as they are."""

    task: Task
    items: int
    before: int


def add_task(
    campaign: Campaign,
    kind: str,
    items: Path,
    *,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    panel: bool = False,
    user: User | AnonymousUser | None = None,
) -> Added:
    """Make a task from a table of items, or add those that it does not have to a task with this name.

    Args:
        campaign: where it belongs.
        kind: kind of the task, see `endoxa_collect.tasks.rooms`.
        items: any table, see `endoxa_collect.tablefile`; the columns that the room declares.
        name: of the task; by default its kind.
        options: settings, by their names.
        panel: give it a code by which people of a panel join; rooms for panels only always have one.
        user: who makes it, for the log; None is the command line.

    Raises:
        UserError: unknown kind, setting or column, a row that cannot be used, two rows with one name, a task with this
            name that is of another kind, has other settings, or is over. Nothing is kept then.
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
    with transaction.atomic():
        task, is_new = Task.objects.select_for_update().get_or_create(
            campaign=campaign,
            name=wanted,
            defaults={
                "kind": kind,
                "settings": settings.model_dump(mode="json"),
                "code": new_code(CODE_LENGTH) if panel or task_room.study else "",
            },
        )
        if not is_new:
            settings = _settings_in_force(task, kind, settings if options else None, panel=panel)
        added = _add_items(task, task_room, settings, items, is_new=is_new)
        record(campaign, user, "task made", task=wanted, kind=kind, items=added.items)
    return added


def _settings_in_force(task: Task, kind: str, asked: TaskSettings | None, *, panel: bool) -> TaskSettings:
    """The settings of a task that is there already, if it is the one that was meant."""
    settings = settings_from(room(task.kind), task.settings)
    if task.revealed_at or task.state == TaskState.CLOSED:
        raise UserError(f"The task '{task.name}' of the campaign is over. Choose another name (--name).")
    if task.kind != kind or (panel and not task.code) or asked not in (None, settings):
        raise UserError(
            f"The campaign has a task '{task.name}' already, of kind {task.kind} and perhaps with other settings. "
            "Choose another name (--name), or leave --set and --panel out to add items to it."
        )
    return settings


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


def _add_items(task: Task, task_room: Room, settings: TaskSettings, path: Path, *, is_new: bool) -> Added:
    """Store the items of a table that the task does not have, a batch at a time, and with a new task its checks."""
    last = 0 if is_new else task.items.aggregate(last=Max("number"))["last"] or 0
    made = _items(task, task_room, settings, path, last)
    added = before = 0
    while batch := list(islice(made, _BATCH)):
        by_key: dict[str, TaskItem] = {}
        there = dict(task.items.filter(key__in={item.key for _, item in batch}).values_list("key", "number"))
        for row, item in batch:
            if there.get(item.key, last + 1) <= last:
                before += 1
            elif item.key not in there and item.key not in by_key:
                by_key[item.key] = item
            elif not task_room.study:
                raise TableError(
                    f"{row.place}: an earlier row has the name '{item.key}' already. Give each row its own."
                )
        TaskItem.objects.bulk_create(by_key.values())
        added += len(by_key)
    checks = task_room.study.checks(settings) if task_room.study and is_new else ()
    TaskItem.objects.bulk_create(
        TaskItem(
            task=task,
            number=added + place,
            key=check.key,
            content=dict(check.content),
            hidden=dict(check.hidden),
            check_item=True,
        )
        for place, check in enumerate(checks, start=1)
    )
    return Added(task, added, before)


def _items(
    task: Task, task_room: Room, settings: TaskSettings, path: Path, last: int
) -> Iterator[tuple[TableRow, TaskItem]]:
    """The items of a table with their rows, numbered after the last of the task."""
    secret = task_room.hidden if settings.shows_source else task_room.hidden | {SOURCE}
    rows, same = tee(read_rows(path, tuple(task_room.columns)))
    prepared = task_room.prepare(row.cells for row in same)
    for number, (row, content) in enumerate(zip(rows, prepared, strict=True), start=last + 1):
        named = next((column for column in task_room.ids if column in content), None)
        key = str(content[named]).strip() if named and not task_room.study else str(number)
        _refuse(task_room, row, content, key)
        cells: Mapping[str, Any] = content
        if task_room.study:
            cells = task_room.study.item(content)
            key = str(cells[task_room.ids[0]])
        elif last and not named:
            raise UserError(
                f"The campaign has a task '{task.name}' already, and without names of items (column "
                f"'{task_room.ids[0]}') those in {path} cannot be told from its own: choose another name (--name)."
            )
        yield (
            row,
            TaskItem(
                task=task,
                number=number,
                key=key,
                content={name: value for name, value in cells.items() if name not in secret},
                hidden={name: value for name, value in cells.items() if name in secret},
                place=random.random(),  # noqa: S311
            ),
        )


def _refuse(task_room: Room, row: TableRow, content: Mapping[str, Any], key: str) -> None:
    empty = next((name for name in task_room.columns if not str(content.get(name, "")).strip()), None)
    if empty is not None:
        raise row.fault(empty, f"it is empty. Expected {task_room.columns[empty]}")
    if not 0 < len(key) <= _KEY_LENGTH:
        raise TableError(
            f"{row.place}: the name of the item has {len(key)} characters, expected 1 to {_KEY_LENGTH}."
        )
    for problem in task_room.check(content):
        raise TableError(f"{row.place}: {problem}")
