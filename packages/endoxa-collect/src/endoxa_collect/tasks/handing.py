"""Handing items out, taking judgements, taking them back: every change under the lock of the campaign.

What the page of an item shows, and what is sent from it, is the same for accounts and for people of a panel.

Which item comes next: the one with the fewest judgements and live leases, among those this judge has not had; of equals
the one with the fewest judgements, since leases may come to nothing; then in random order, or with the same share of
every stratum where the room has some. So all items of a task end with nearly the same number. A lease that ran out is
free by itself.

Where a room's `needed` is a minimum, items that have enough are still handed out: whoever comes gets a whole block, and
the fewest come first all the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from endoxa_collect.cards.locking import afterwards, locked
from endoxa_collect.models import (
    COUNTING,
    Campaign,
    Judge,
    Judgement,
    JudgeState,
    Task,
    TaskItem,
    TaskState,
    Turn,
    TurnState,
    record,
)
from endoxa_collect.privacy import erase_traces
from endoxa_collect.tasks.rooms import AnswerForm, TaskSettings, room
from endoxa_collect.withdrawals import What, hashed, noted

HAD = (TurnState.OPEN, TurnState.JUDGED, TurnState.SKIPPED)
"""States of turns after which an item does not come to the same judge again."""


class TaskOverError(Exception):
    """The task is paused or closed, or the judge has failed or left."""


class UnknownTurnError(Exception):
    """Unknown turn of this judge, or the turn expired and another judge has the item."""


def settings_of(task: Task) -> Any:
    """The task's settings, of the type that its room declares."""
    return room(task.kind).settings.model_validate(task.settings)


def next_turn(judge: Judge, *, now: datetime | None = None) -> Turn | None:
    """The item this judge has in hand, its time renewed, or newly drawn ones; None where nothing is left for them.

    A reload therefore shows the same item.

    Raises:
        TaskOverError: see there.
    """
    now = now or timezone.now()
    with locked(judge.task.campaign_id):
        task = open_task(judge)
        settings: TaskSettings = settings_of(task)
        until = now + timedelta(minutes=settings.minutes)
        open_turns = Turn.objects.filter(judge=judge, state=TurnState.OPEN)
        first = open_turns.order_by("number").select_related("item").first()
        if first is not None and first.expires_at > now:
            open_turns.update(expires_at=until)
            first.expires_at = until
            return first
        open_turns.update(state=TurnState.LAPSED)
        drawn = _draw(judge, task, settings, now, until)
        return drawn[0] if drawn else None


def open_task(judge: Judge) -> Task:
    """The task as it stands now.

    Raises:
        TaskOverError: see there.
    """
    state = Judge.objects.filter(pk=judge.pk).values_list("state", flat=True).first()
    task = Task.objects.get(pk=judge.task_id)
    if task.state != TaskState.OPEN or state != JudgeState.ACTIVE:
        raise TaskOverError
    return task


def _draw(judge: Judge, task: Task, settings: TaskSettings, now: datetime, until: datetime) -> list[Turn]:
    """Hand out a block of items, with the checks between them."""
    kind = room(task.kind)
    had = Turn.objects.filter(judge=judge, state__in=HAD)
    most = settings.block
    if kind.study:
        most -= had.filter(item__check_item=False).count()
    latest = Turn.objects.filter(judge=judge).aggregate(number=Max("number"))["number"]
    first = 0 if latest is None else latest + 1
    rng = random.Random(f"{judge.pk}/{first}")  # noqa: S311  (an order, no secret)
    items = _urgent(judge, task, most, rng, now=now) if most > 0 else []
    if not items:
        return []
    checks = TaskItem.objects.filter(task=task, check_item=True).exclude(pk__in=had.values("item"))
    items += list(checks)
    rng.shuffle(items)
    drawn = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("drawn", {})
    turns = [
        Turn(
            item=item,
            judge=judge,
            number=first + place,
            shown=drawn | kind.draw(item.content, random.Random(f"{judge.pk}/{item.pk}")),  # noqa: S311
            drawn_at=now,
            expires_at=until,
        )
        for place, item in enumerate(items)
    ]
    Turn.objects.bulk_create(turns)
    # New random places, so that no two judges see items in one order.
    for item in items:
        item.place = rng.random()
    TaskItem.objects.bulk_update(items, ["place"])
    return turns


def _urgent(judge: Judge, task: Task, most: int, rng: random.Random, *, now: datetime) -> list[TaskItem]:
    """The items that need somebody most, among those that this judge has not had."""
    kind, settings = room(task.kind), settings_of(task)
    had = Turn.objects.filter(judge=judge, state__in=HAD).values("item")
    leased = Count("turns", filter=Q(turns__state=TurnState.OPEN, turns__expires_at__gt=now))
    free = TaskItem.objects.filter(task=task, check_item=False).exclude(pk__in=had).annotate(leased=leased)
    if not kind.study:
        # An item that is not done after as many judgements as planned needs one more at a time.
        free = free.filter(Q(leased=0) | Q(judged__lt=settings.needed - F("leased")), done=False)
    ordered = free.annotate(load=F("judged") + F("leased")).order_by("load", "judged", "place", "pk")
    if not kind.study:
        return list(ordered[:most])
    chosen: list[TaskItem] = []
    for _, level in groupby(ordered, key=attrgetter("load", "judged")):
        equals: list[TaskItem] = list(level)
        if len(equals) > most - len(chosen):
            equals = _shared(equals, kind.study.stratum, rng)[: most - len(chosen)]
        chosen += equals
        if len(chosen) == most:
            break
    return chosen


def _shared(
    items: Iterable[TaskItem], stratum: Callable[[Mapping[str, Any]], str], rng: random.Random
) -> list[TaskItem]:
    """The items in an order whose every beginning has nearly the same share of each stratum (systematic sampling)."""
    strata: dict[str, list[TaskItem]] = {}
    for item in items:
        strata.setdefault(stratum(item.content), []).append(item)
    placed = [
        ((number + start) / len(stratum_items), rng.random(), item)
        for stratum_items in strata.values()
        for start in (rng.random(),)
        for number, item in enumerate(stratum_items)
    ]
    return [item for *_, item in sorted(placed, key=itemgetter(0, 1))]


def take(
    judge: Judge, token: UUID, answer: Mapping[str, Any] | None, *, now: datetime | None = None
) -> Judgement | None:
    """Keep a judgement, or let an item go (None): it does not come to this judge again.

    A form that is sent twice gives the first judgement.

    Raises:
        TaskOverError: the task or the judge is through.
        UnknownTurnError: see there.
    """
    now = now or timezone.now()
    with locked(judge.task.campaign_id):
        turn = Turn.objects.select_related("item__task").filter(judge=judge, token=token).first()
        if turn is None:
            raise UnknownTurnError
        there = Judgement.objects.filter(turn=turn, undone=False).first()
        if there is not None:
            return there
        task = open_task(judge)
        again = Turn.objects.filter(item=turn.item, judge=judge, state__in=HAD)
        enough = turn.item.done and not room(task.kind).study
        if turn.state == TurnState.LAPSED and (enough or again.exists()):
            raise UnknownTurnError
        turn.state, turn.closed_at = TurnState.SKIPPED if answer is None else TurnState.JUDGED, now
        turn.save(update_fields=["state", "closed_at"])
        if answer is None:
            return None
        made = Judgement.objects.create(turn=turn, answer=dict(answer), at=now)
        recount(task, [turn.item])
        return made


def undo(judge: Judge, *, now: datetime | None = None) -> Turn | None:
    """Take back what this judge did last, and put the item into their hands again; None where nothing is left.

    It can be repeated until nothing is left. What was said is kept, marked as undone.

    Raises:
        TaskOverError: the task or the judge is through.
    """
    now = now or timezone.now()
    with locked(judge.task.campaign_id):
        task = open_task(judge)
        closed = Turn.objects.filter(judge=judge, state__in=(TurnState.JUDGED, TurnState.SKIPPED))
        turn = closed.select_related("item").order_by("-closed_at", "-number").first()
        if turn is None:
            return None
        Judgement.objects.filter(turn=turn, undone=False).update(undone=True)
        minutes = settings_of(task).minutes
        turn.state, turn.closed_at = TurnState.OPEN, None
        turn.drawn_at, turn.expires_at = now, now + timedelta(minutes=minutes)
        # It comes before what is already in hand.
        first = Turn.objects.filter(judge=judge, state=TurnState.OPEN).order_by("number").first()
        if first is not None and first.number < turn.number:
            turn.number, first.number = first.number, turn.number
            first.save(update_fields=["number"])
        turn.save()
        recount(task, [turn.item])
        return turn


def end(judge: Judge, state: JudgeState) -> None:
    """Somebody finished, failed or left: their leases are free, and where they failed or left nothing counts."""
    with locked(judge.task.campaign_id):
        Judge.objects.filter(pk=judge.pk).update(state=state)
        judge.state = state
        Turn.objects.filter(judge=judge, state=TurnState.OPEN).update(state=TurnState.LAPSED)
        if state not in COUNTING:
            items = TaskItem.objects.filter(turns__judge=judge, turns__state=TurnState.JUDGED).distinct()
            recount(judge.task, list(items))


def recount(task: Task, items: list[TaskItem]) -> None:
    """Count the judgements of items anew, and whether they have enough."""
    kind, settings = room(task.kind), settings_of(task)
    answers_of: dict[int, list[dict[str, Any]]] = {item.pk: [] for item in items}
    counted = Judgement.objects.filter(
        turn__item__in=answers_of, undone=False, turn__judge__state__in=COUNTING
    ).order_by("at", "pk")
    for item_id, answer in counted.values_list("turn__item", "answer"):
        answers_of[item_id].append(answer)
    for item in items:
        answers = answers_of[item.pk]
        item.judged = len(answers)
        item.done = not item.check_item and item.judged >= kind.needed(settings, item.content, answers)
    TaskItem.objects.bulk_update(items, ["judged", "done"])


QUIZ, ATTENTION, STOPPED = "quiz", "attention", "stopped"
"""Why somebody ended before the end, in `Judge.steps["why"]`."""


def passed(judge: Judge) -> bool:
    """Whether what a judge said of items with a known answer keeps the rule of the task."""
    judgements = Judgement.objects.filter(turn__judge=judge, turn__item__check_item=True, undone=False)
    answers = [
        (judgement.turn.item.hidden, judgement.answer)
        for judgement in judgements.select_related("turn__item")
    ]
    study = room(judge.task.kind).study
    return study is None or study.passed(settings_of(judge.task), answers)


def finish(judge: Judge, *, why: str = "") -> None:
    """Somebody is through (`why` is "" then) or stops early and keeps what they judged; the rule of checks decides.

    A person who breaks that rule has failed: their judgements do not count, and the items are handed out again. The
    second call does nothing.
    """
    with locked(judge.task.campaign_id):
        now = Judge.objects.select_related("task").get(pk=judge.pk)
        if now.state != JudgeState.ACTIVE:
            return
        kept = passed(now)
        note(now, why=why if kept else ATTENTION)
        end(now, JudgeState.FINISHED if kept else JudgeState.FAILED)


def fail(judge: Judge, why: str) -> None:
    """Somebody failed before the first item."""
    with locked(judge.task.campaign_id):
        note(judge, why=why)
        end(judge, JudgeState.FAILED)


def note(judge: Judge, **facts: object) -> None:
    """Keep something among a judge's steps; call it under the lock of the campaign, or lose what others noted."""
    steps = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk)
    judge.steps = {**steps, **facts}
    Judge.objects.filter(pk=judge.pk).update(steps=judge.steps)


def fail_absent(task: Task) -> int:
    """Apply the rule of checks to people of a panel who went away without a word; how many have failed.

    Their leases are over, so nobody waits for them. Those who keep the rule stay as they are: what they judged counts,
    and they may come back.
    """
    live = Turn.objects.filter(state=TurnState.OPEN, expires_at__gt=timezone.now()).values("judge")
    away = Judge.objects.filter(task=task, user=None, state=JudgeState.ACTIVE).exclude(pk__in=live)
    failed = [judge for judge in away.select_related("task") if not passed(judge)]
    for judge in failed:
        fail(judge, ATTENTION)
    return len(failed)


def withdraw(judge: Judge) -> int:
    """Delete somebody of a panel with everything they said; how many judgements went. The second call does nothing.

    Items are counted anew, and need somebody again. A line in the list of withdrawals, which names nobody, sees to it
    that a restored backup forgets them, too. Files that were exported before keep what they hold.
    """
    with locked(judge.task.campaign_id) as campaign:
        current = Judge.objects.select_related("task").filter(pk=judge.pk).first()
        if current is None:
            return 0
        items = list(TaskItem.objects.filter(turns__judge=current).distinct())
        gone = Judgement.objects.filter(turn__judge=current).count()
        with noted(campaign, What.PERSON, current.pk):
            current.delete()
        recount(judge.task, items)
        entry = record(campaign, None, "judge withdrawn", task=judge.task.name, judgements=gone)
        # Whoever saw somebody leave learns nothing from the minute.
        entry.at = entry.at.replace(minute=0, second=0, microsecond=0)
        entry.save(update_fields=["at"])
        afterwards(erase_traces)
        return gone


def withdraw_again(campaign: Campaign, hashes: set[str]) -> int:
    """Delete the people of a panel whom a list of withdrawals names (by hash), after a backup was restored."""
    judges = Judge.objects.select_related("task").filter(task__campaign=campaign, user=None)
    named = [judge for judge in judges if hashed(judge.pk) in hashes]
    for judge in named:
        withdraw(judge)
    return len(named)


def item_context(judge: Judge, turn: Turn, form: AnswerForm | None) -> dict[str, Any]:
    """What the template of an item needs."""
    task, kind = judge.task, room(judge.task.kind)
    content = turn.item.content
    return {
        "task": task,
        "campaign": task.campaign,
        "room": kind,
        "settings": settings_of(task),
        "turn": turn,
        "content": content,
        "form": form or kind.form(content, turn.shown),
        **kind.context(content),
    }


def take_sent(
    request: HttpRequest, judge: Judge, page: Callable[..., HttpResponse], onward: Callable[[], HttpResponse]
) -> HttpResponse:
    """Take a judgement, or let the item go (`action` = skip); then what comes next (`onward`).

    `page` shows the next item; with a turn and its form, what was wrong there; with `note`, that somebody else has it.
    """
    try:
        token = UUID(request.POST.get("token", ""))
        turn = Turn.objects.select_related("item").get(judge=judge, token=token)
    except (ValueError, Turn.DoesNotExist):
        return onward()
    kind = room(judge.task.kind)
    form = kind.form(turn.item.content, turn.shown, request.POST)
    skipped = not kind.study and request.POST.get("action") == "skip"
    if not skipped and not form.is_valid():
        return page(turn, form)
    try:
        take(judge, token, None if skipped else form.answer())
    except UnknownTurnError:
        return page(note=gettext("Somebody else has that one now. Here is another."))
    except TaskOverError:
        pass
    return onward()
