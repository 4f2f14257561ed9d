"""What a task has come to: progress, and its judgements as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count
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
from endoxa_collect.tasks.handing import settings_of, settle
from endoxa_collect.tasks.rooms import Judged, JudgedItem, Room, Rows, room

if TYPE_CHECKING:
    import polars as pl

COMMON: dict[str, str] = {
    "item_id": "name of the item, as in the file it came from",
    "rater": "key of the judge; another one in each export",
    "group": "group that the judge named, or empty",
    "counts": "'true' where the judgement counts; 'false' where the judge failed or left",
    "hour": "when, to the hour (UTC)",
}
"""Columns that every table of judgements has, beside those of its room and of its items."""


JUDGEMENTS, ITEMS = "judgements", "items"
"""Names of the tables that every room has, or most."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task is.

    Attributes:
        items: how many there are.
        done: items with enough judgements.
        judgements: that count.
        least: judgements of the item that has the fewest.
        most: of the one that has the most.
        judges: who judged at least once, by state.
        in_hand: items that somebody has now.
    """

    items: int
    done: int
    judgements: int
    least: int
    most: int
    judges: dict[str, int]
    in_hand: int


def progress(task: Task) -> Progress:
    """Counts of a task, checks left out."""
    items = TaskItem.objects.filter(task=task, check_item=False)
    counts = list(items.values_list("judged", "done"))
    judged = [count for count, _ in counts]
    states = Judge.objects.filter(task=task).values_list("state").annotate(n=Count("pk"))
    leased = Turn.objects.filter(item__task=task, state=TurnState.OPEN, expires_at__gt=timezone.now()).values(
        "item"
    )
    return Progress(
        items=len(counts),
        done=sum(done for _, done in counts),
        judgements=sum(judged),
        least=min(judged, default=0),
        most=max(judged, default=0),
        judges=dict(states),
        in_hand=leased.distinct().count(),
    )


def judgements(task: Task) -> Iterator[Judged]:
    """Every judgement in force but those of checks, by item in the order of the file; judges by keys that are new."""
    keys = {
        pk: f"r{number:03d}"
        for number, pk in enumerate(
            Judge.objects.filter(task=task).order_by("?").values_list("pk", flat=True), 1
        )
    }
    rows = (
        Judgement.objects.filter(turn__item__task=task, turn__item__check_item=False, undone=False)
        .select_related("turn__item", "turn__judge")
        .order_by("turn__item__number", "at", "pk")
    )
    for row in rows.iterator(chunk_size=2000):
        item, judge = row.turn.item, row.turn.judge
        yield Judged(
            key=item.key,
            content=item.content,
            hidden=item.hidden,
            judge=keys[judge.pk],
            group=judge.group,
            answer=row.answer,
            hour=f"{row.at:%Y-%m-%dT%H}:00",
            counts=judge.state in COUNTING,
        )


def reveal(task: Task, user: User | AnonymousUser | None) -> None:
    """Note that what was hidden from judges is shown to somebody.

    Raises:
        UserError: the task is still open, so that judges could learn of it.
    """
    if not room(task.kind).blind_until_closed:
        return
    if task.state != TaskState.CLOSED:
        raise UserError(
            f"What judges of '{task.name}' must not know would be in this file. Close the task first: "
            f"endoxa collect task close DIR {task.name}."
        )
    if task.revealed_at is None:
        Task.objects.filter(pk=task.pk).update(revealed_at=timezone.now())
    record(task.campaign, user, "task unblinded", task=task.name)


def tables(task: Task, user: User | AnonymousUser | None = None) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Every judgement, and what the items come to; None where the room has no outcomes.

    People of a panel who went away without a word are held to the rule of attention checks before.

    Raises:
        UserError: see `reveal`.
    """
    frames = all_tables(task, user)
    return frames[JUDGEMENTS], frames.get(ITEMS)


def all_tables(task: Task, user: User | AnonymousUser | None = None) -> dict[str, pl.DataFrame]:
    """The tables of a task by their names: `JUDGEMENTS`, `ITEMS` where the room has outcomes, and those of the room.

    Raises:
        UserError: see `reveal`.
    """
    reveal(task, user)
    settle(task)
    if workspace := room(task.kind).workspace:
        return {name: _frame(rows, list(rows[0])) for name, rows in workspace.tables(task).items() if rows}
    return made_tables(room(task.kind), settings_of(task), _judged_items(task))


def made_tables(task_room: Room, settings: Any, items: Sequence[JudgedItem]) -> dict[str, pl.DataFrame]:
    """The tables of a room by their names, out of all items in the order of the file."""
    columns = _content_columns(items)
    rows = [_row(task_room.row(judgement), judgement, columns) for item in items for judgement in item.judged]
    made = {JUDGEMENTS: _frame(rows, [*COMMON, *columns, *task_room.answers])}
    if task_room.tables is not None:
        for name, cells in task_room.tables(settings, items).items():
            if cells:
                made[name] = _frame(cells, list(cells[0]))
    elif task_room.outcome is not None:
        outcomes = []
        for item in items:
            if item.judged:
                shown = {name: item.content.get(name, item.hidden.get(name)) for name in columns}
                outcomes.append({"item_id": item.key, **shown, **task_room.outcome(settings, item.judged)})
        made[ITEMS] = _frame(outcomes, ["item_id", *columns, *task_room.outcome_columns])
    return made


def write_results(task: Task, output: Path, user: User | AnonymousUser | None = None) -> list[Path]:
    """Write the judgements, and beside them the outcomes (`NAME_items`) and the room's tables; returns the files.

    Raises:
        UserError: see `reveal`; a file that cannot be written.
    """
    return write_tables(all_tables(task, user), output)


def write_tables(tables: Mapping[str, pl.DataFrame], output: Path) -> list[Path]:
    """Write the judgements as `output` and every other table beside it; returns the files.

    Raises:
        UserError: a file that cannot be written.
    """
    from endoxa.sources.frames import write_table

    paths = []
    for name, table in tables.items():
        path = output if name == JUDGEMENTS else output.with_name(f"{output.stem}_{name}{output.suffix}")
        write_table(table, path)
        paths.append(path)
    return paths


def _judged_items(task: Task) -> list[JudgedItem]:
    """Every item in the order of the file with its judgements; checks only where there are some."""
    judged = {
        key: tuple(group) for key, group in groupby(judgements(task), key=lambda judgement: judgement.key)
    }
    return [
        JudgedItem(item.key, item.content, item.hidden, judged.get(item.key, ()))
        for item in TaskItem.objects.filter(task=task).order_by("number")
        if item.key in judged or not item.check_item
    ]


def _frame(rows: Rows, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    names = dict.fromkeys(columns)
    texts = [{name: _text(row.get(name)) for name in names} for row in rows]
    return pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))


def _content_columns(items: Sequence[JudgedItem]) -> list[str]:
    names: dict[str, None] = {}
    for item in items:
        names |= dict.fromkeys([*item.content, *item.hidden])
    return [name for name in names if name not in COMMON]


def _row(cells: Any, judgement: Judged, columns: list[str]) -> dict[str, Any]:
    common = {
        "item_id": judgement.key,
        "rater": judgement.judge,
        "group": judgement.group,
        "counts": "true" if judgement.counts else "false",
        "hour": judgement.hour,
    }
    content = {name: judgement.content.get(name, judgement.hidden.get(name)) for name in columns}
    return {**common, **content, **cells}


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
