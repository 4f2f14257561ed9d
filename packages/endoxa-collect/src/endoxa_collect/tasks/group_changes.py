"""Changing groups: every change under the lock of the campaign, refused where somebody else was there first.

A change is about some groups at the versions that its author saw. Where one of them has another version by now, nothing
is done, and the page shows both sides. What a change did is kept with what was before, so it can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models import Sum
from django.utils import timezone

from endoxa_collect.cards.locking import locked
from endoxa_collect.models import AttributeGroup, GroupChange, GroupMember, Judge, Likeness, Task
from endoxa_collect.tasks.handing import open_task

MERGE, SPLIT, MOVE, DESCRIBE, FLAG = "merge", "split", "move", "describe", "flag"
_NUMBERED = re.compile(r"([A-Za-z]*)(\d+)")


@dataclass(frozen=True, slots=True)
class Group:
    """A group as a change sees it.

    Attributes:
        head: the term that stands for it.
        polarity: its polarity, or "".
        flag: why somebody should look at it, or "".
        members: its attributes (ids of members), in the order of their ids.
        version: number of the change that last touched it.
    """

    head: str
    polarity: str
    flag: str
    members: tuple[int, ...]
    version: int


Groups = Mapping[str, Group]
Make = Callable[[Groups], Groups]


class ConflictError(Exception):
    """Somebody else changed one of the groups since it was seen.

    Attributes:
        changed: keys of these groups.
    """

    def __init__(self, changed: Sequence[str]) -> None:
        super().__init__(", ".join(changed))
        self.changed = tuple(changed)


class UnusableError(Exception):
    """Nothing would be changed, or the groups named are not there."""


class OppositesError(Exception):
    """Words that say opposite things would be in one group, and nobody said that this is meant.

    Attributes:
        pairs: ids of members that say opposite things, two and two.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        super().__init__(len(pairs))
        self.pairs = tuple(pairs)


def change(
    judge: Judge, kind: str, seen: Mapping[str, int], make: Make, *, despite: bool = False
) -> GroupChange:
    """Change groups.

    Args:
        judge: who does.
        kind: MERGE, SPLIT, MOVE, DESCRIBE or FLAG.
        seen: versions of the groups it is about, as the author saw them.
        make: the groups afterwards, from those of `seen`; groups that it does not name stay as they are.
        despite: opposites may be in one group.

    Raises:
        TaskOverError: the task is paused or closed.
        ConflictError, UnusableError, OppositesError: see there.
    """
    with locked(judge.task.campaign_id):
        task = open_task(judge)
        before = read(task, seen)
        if set(before) != set(seen):
            raise UnusableError
        if changed := [key for key, version in seen.items() if before[key].version != version]:
            raise ConflictError(changed)
        after = {key: group for key, group in make(before).items() if group != before.get(key)}
        if not after:
            raise UnusableError
        if not despite and (pairs := _new_opposites(before, after)):
            raise OppositesError(pairs)
        touched = {key: before[key] for key in after if key in before}
        empty = {
            key: replace(group, members=(), version=0) for key, group in after.items() if key not in before
        }
        made = GroupChange.objects.create(
            task=task,
            judge=judge,
            kind=kind,
            before={key: asdict(group) for key, group in (touched | empty).items()},
            after={},
            at=timezone.now(),
        )
        after = {key: replace(group, version=made.pk) for key, group in after.items()}
        made.after = {key: asdict(group) for key, group in after.items()}
        made.save(update_fields=["after"])
        _write(task, after)
        return made


def undo(judge: Judge) -> GroupChange | None:
    """Take back the judge's last change that stands; None where there is none.

    Raises:
        TaskOverError: the task is paused or closed.
        ConflictError: somebody else changed its groups since.
    """
    with locked(judge.task.campaign_id):
        task = open_task(judge)
        last = undoable(judge)
        if last is None:
            return None
        now = read(task, last.after)
        if changed := [key for key in last.after if key not in now or now[key].version != last.pk]:
            raise ConflictError(changed)
        _write(task, {key: of_json(group) for key, group in last.before.items()})
        last.undone_at = timezone.now()
        last.save(update_fields=["undone_at"])
        return last


def undoable(judge: Judge) -> GroupChange | None:
    """The judge's last change that stands."""
    return GroupChange.objects.filter(judge=judge, undone_at=None).order_by("-pk").first()


def of_json(stored: Mapping[str, Any]) -> Group:
    """A group as a change keeps it."""
    return Group(**{**stored, "members": tuple(stored["members"])})


def read(task: Task, keys: Iterable[str]) -> dict[str, Group]:
    """Groups by key as they are now."""
    groups = {stored.key: stored for stored in AttributeGroup.objects.filter(task=task, key__in=list(keys))}
    members: dict[int, list[int]] = {}
    pairs = GroupMember.objects.filter(group__in=[stored.pk for stored in groups.values()]).order_by("pk")
    for pk, group in pairs.values_list("pk", "group_id"):
        members.setdefault(group, []).append(pk)
    return {
        key: Group(
            stored.head, stored.polarity, stored.flag, tuple(members.get(stored.pk, ())), stored.version
        )
        for key, stored in groups.items()
    }


def _write(task: Task, groups: Groups) -> None:
    """Store groups as they are given; members that they name leave the groups they were in."""
    for key, group in groups.items():
        stored, _ = AttributeGroup.objects.update_or_create(
            task=task,
            key=key,
            defaults={
                "head": group.head,
                "polarity": group.polarity,
                "flag": group.flag,
                "version": group.version,
            },
        )
        GroupMember.objects.filter(pk__in=group.members, group__task=task).exclude(group=stored).update(
            group=stored
        )
    for key in groups:
        stored = AttributeGroup.objects.get(task=task, key=key)
        counted = stored.members.aggregate(count=Sum("count"))["count"]
        AttributeGroup.objects.filter(pk=stored.pk).update(size=stored.members.count(), count=counted or 0)


def _new_opposites(before: Groups, after: Groups) -> list[tuple[int, int]]:
    """Opposites that come into one group by a change."""
    opposites = []
    for key, group in after.items():
        had = set(before[key].members) if key in before else set()
        if set(group.members) <= had:
            continue
        pairs = Likeness.objects.filter(opposite=True, one__in=group.members, other__in=group.members)
        old = [set(group.members) for group in before.values()]
        for first, second in pairs.values_list("one_id", "other_id"):
            if first < second and not any({first, second} <= members for members in old):
                opposites.append((first, second))
    return opposites


def merged(into: str) -> Make:
    """All groups as one, with the head of `into`."""

    def make(groups: Groups) -> Groups:
        if into not in groups or len(groups) < 2:
            raise UnusableError
        members = tuple(sorted(pk for group in groups.values() for pk in group.members))
        flags = [group.flag for group in groups.values() if group.flag]
        empty = {key: replace(group, members=()) for key, group in groups.items() if key != into}
        return {**empty, into: replace(groups[into], members=members, flag="; ".join(flags)[:300])}

    return make


def split(key: str, members: Iterable[int], new: str, head: str) -> Make:
    """Some members of a group as a new one."""
    chosen = frozenset(members)

    def make(groups: Groups) -> Groups:
        old = groups[key]
        left = tuple(pk for pk in old.members if pk not in chosen)
        moving = tuple(pk for pk in old.members if pk in chosen)
        if not left or not moving:
            raise UnusableError
        return {key: replace(old, members=left), new: Group(head, old.polarity, "", moving, 0)}

    return make


def moved(source: str, target: str, members: Iterable[int]) -> Make:
    """Some members of a group in another one."""
    chosen = frozenset(members)

    def make(groups: Groups) -> Groups:
        old, other = groups[source], groups[target]
        moving = tuple(pk for pk in old.members if pk in chosen)
        if not moving or source == target:
            raise UnusableError
        left = tuple(pk for pk in old.members if pk not in chosen)
        return {
            source: replace(old, members=left),
            target: replace(other, members=tuple(sorted((*other.members, *moving)))),
        }

    return make


def described(key: str, head: str, polarity: str) -> Make:
    """A group with another head and polarity."""
    return lambda groups: {key: replace(groups[key], head=head, polarity=polarity)}


def flagged(key: str, flag: str) -> Make:
    """A group with a flag; "" takes it away."""
    return lambda groups: {key: replace(groups[key], flag=flag)}


def new_key(task: Task) -> str:
    """The next key of a group, in the manner of the others: g0042."""
    numbers = [0]
    letters, width = "g", 4
    for key in AttributeGroup.objects.filter(task=task).values_list("key", flat=True):
        if match := _NUMBERED.fullmatch(key):
            letters, width = match[1], len(match[2])
            numbers.append(int(match[2]))
    return f"{letters}{max(numbers) + 1:0{width}d}"
