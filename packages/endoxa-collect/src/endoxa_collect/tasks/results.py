"""What a task has come to: progress, and its judgements as tables."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Max, Min, Q, Sum
from django.utils import timezone

from endoxa.errors import UserError
from endoxa_collect.models import (
    COUNTING,
    Judge,
    Judgement,
    Task,
    TaskItem,
    TaskState,
    Turn,
    TurnState,
    record,
)
from endoxa_collect.tasks.handing import fail_absent, settings_of
from endoxa_collect.tasks.rooms import Judged, JudgedItem, Rows, room

if TYPE_CHECKING:
    import polars as pl

COMMON = ("item_id", "rater", "group", "counts", "hour")
"""Columns that every table of judgements has, beside those of its room and of its items."""


class OpenTaskError(UserError):
    """A task must be closed first: its tables show what its judges must not know."""


JUDGEMENTS = "judgements"
"""Name of the table that every task has."""


def progress(task: Task) -> dict[str, Any]:
    """How far a task is, checks left out.

    `items` and how many of them are `done`; `judgements` that count, the `least` and the `most` of an item; `judges`
    who judged at least once, by state; items that somebody has now (`in_hand`).
    """
    counts = TaskItem.objects.filter(task=task, check_item=False).aggregate(
        items=Count("pk"),
        done=Count("pk", filter=Q(done=True)),
        judgements=Sum("judged", default=0),
        least=Min("judged", default=0),
        most=Max("judged", default=0),
    )
    states = Judge.objects.filter(task=task).values_list("state").annotate(n=Count("pk"))
    leased = Turn.objects.filter(item__task=task, state=TurnState.OPEN, expires_at__gt=timezone.now()).values(
        "item"
    )
    return {**counts, "judges": dict(states), "in_hand": leased.distinct().count()}


def judged_items(task: Task) -> list[JudgedItem]:
    """Every item in the order of the file with the judgements in force; judges by keys that are new.

    Checks are left out.
    """
    judges = Judge.objects.filter(task=task).order_by("?").values_list("pk", flat=True)
    keys = {pk: f"r{number:03d}" for number, pk in enumerate(judges, 1)}
    judged: defaultdict[int, list[Judged]] = defaultdict(list)
    rows = Judgement.objects.filter(turn__item__task=task, turn__item__check_item=False, undone=False)
    for row in rows.select_related("turn__judge").order_by("at", "pk").iterator(chunk_size=2000):
        judge = row.turn.judge
        hour = f"{row.at:%Y-%m-%dT%H}:00"
        judged[row.turn.item_id].append(
            Judged(keys[judge.pk], judge.group, row.answer, hour, counts=judge.state in COUNTING)
        )
    return [
        JudgedItem(item.key, item.content, item.hidden, tuple(judged[item.pk]))
        for item in TaskItem.objects.filter(task=task, check_item=False).order_by("number")
    ]


def reveal(task: Task, user: User | AnonymousUser | None) -> None:
    """Note that what was hidden from judges is shown to somebody.

    Raises:
        OpenTaskError: judges could learn of it.
    """
    kind = room(task.kind)
    if not kind.hidden:
        return
    if task.state != TaskState.CLOSED:
        raise OpenTaskError(
            f"What judges of '{task.name}' must not know would be in this file. Close the task "
            "first, on the organisers' page Tasks."
        )
    if task.revealed_at is None:
        Task.objects.filter(pk=task.pk).update(revealed_at=timezone.now())
    record(task.campaign, user, "task unblinded", task=task.name)


def all_tables(task: Task, user: User | AnonymousUser | None = None) -> dict[str, pl.DataFrame]:
    """The tables of a task by their names: `JUDGEMENTS`, and those that the room makes of all items.

    Raises:
        UserError: see `reveal`.
    """
    reveal(task, user)
    fail_absent(task)
    kind, items = room(task.kind), judged_items(task)
    columns = [
        name
        for name in dict.fromkeys(name for item in items for name in (*item.content, *item.hidden))
        if name not in COMMON
    ]

    rows = [
        {
            "item_id": item.key,
            "rater": judged.judge,
            "group": judged.group,
            "counts": judged.counts,
            "hour": judged.hour,
            **{name: item.content.get(name, item.hidden.get(name)) for name in columns},
            **kind.row(judged.answer, item.hidden),
        }
        for item in items
        for judged in item.judged
    ]
    made = {JUDGEMENTS: _frame(rows, (*COMMON, *columns, *kind.answers))}
    tables = kind.tables(settings_of(task), items)
    return made | {name: _frame(cells) for name, cells in tables.items() if cells}


def write_results(task: Task, output: Path, user: User | AnonymousUser | None = None) -> list[Path]:
    """Write the judgements, and beside them the outcomes (`NAME_items`) and the room's tables; returns the files.

    Raises:
        UserError: see `reveal`; a file that cannot be written.
    """
    from endoxa.sources.frames import write_table

    paths = []
    for name, table in all_tables(task, user).items():
        path = output if name == JUDGEMENTS else output.with_name(f"{output.stem}_{name}{output.suffix}")
        write_table(table, path)
        paths.append(path)
    return paths


def _frame(rows: Rows, columns: Iterable[str] = ()) -> pl.DataFrame:
    """The rows as texts, with the columns first."""
    import polars as pl

    names = dict.fromkeys((*columns, *(name for row in rows for name in row)))
    texts = [{name: _text(row.get(name)) for name in names} for row in rows]
    return pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
