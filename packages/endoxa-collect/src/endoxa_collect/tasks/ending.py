"""How people of a panel end: they finish, stop early, fail a rule stated beforehand, or take everything back."""

from __future__ import annotations

from django.utils import timezone

from endoxa_collect.cards.locking import afterwards, locked
from endoxa_collect.models import (
    Campaign,
    Judge,
    Judgement,
    JudgeState,
    Task,
    TaskItem,
    Turn,
    TurnState,
    record,
)
from endoxa_collect.privacy import erase_traces
from endoxa_collect.tasks.handing import end, recount, settings_of
from endoxa_collect.tasks.rooms import room
from endoxa_collect.withdrawals import What, hashed, noted

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


def settle(task: Task) -> int:
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
