"""The group editor: attributes that mean the same are put together, by several people at once (AfriStereo, 3.3.3).

Unlike other rooms this one hands nothing out: everybody works on all groups, and sees what others made of them. Here
are the groups as they begin, what pages show of them (the number of queries does not grow with the number of
attributes), and the file for `endoxa curate associations --groups`. Changes are in `group_changes`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, Max, Q, QuerySet
from django.utils.translation import gettext_lazy, ngettext

from endoxa_collect.models import AttributeGroup, GroupChange, GroupMember, Likeness, Task, TaskItem
from endoxa_collect.tasks.rooms import Content, Workspace

NEAR, OPPOSITES = "near", "opposites"
"""Columns that the command line adds: [[number of a row, likeness]], and numbers of rows that say the opposite."""
BATCH = 2_000


ON_A_PAGE = 50
NEAREST = 12
MOST_MEMBERS = 300
"""Members of a group that its page shows; larger groups are cut down by splitting."""
MOST_PAIRS = 4_000
MOST_PROPOSED = 40
SORTS = ("count", "likeness", "size", "name", "flagged")


@dataclass(frozen=True, slots=True)
class Listed:
    """A group in the list. `nearest` is its likeness to the most similar other group, None where none is near."""

    group: AttributeGroup
    nearest: float | None


@dataclass(frozen=True, slots=True)
class Near:
    """Another group near the open one. `opposites` says whether words of them say opposite things."""

    group: AttributeGroup
    score: float
    opposites: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """A group with its members, its nearest groups, and opposites among its members."""

    group: AttributeGroup
    members: tuple[GroupMember, ...]
    near: tuple[Near, ...]
    opposites: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Groups that a threshold would put together, the largest first; `score` is the least that joins them."""

    groups: tuple[AttributeGroup, ...]
    score: float

    @property
    def versions(self) -> str:
        """Keys and versions, as forms carry them."""
        return " ".join(group.seen for group in self.groups)


@dataclass(frozen=True, slots=True)
class Preview:
    """Effect of a threshold: number of groups before and after, the merges, and how many of them are not listed.

    `cut` says that only the `MOST_PAIRS` most alike pairs were looked at, so that more could be merged.
    """

    threshold: float
    before: int
    after: int
    proposed: tuple[Proposed, ...]
    more: int
    refused: int
    cut: bool


def living(task: Task) -> QuerySet[AttributeGroup]:
    """Groups that have members."""
    return AttributeGroup.objects.filter(task=task, size__gt=0)


def listed(task: Task, sort: str, words: str, page: str) -> tuple[Page[Any], list[Listed]]:
    """One page of the groups.

    Args:
        task: the task.
        sort: one of `SORTS`.
        words: only groups whose head or a member has these words.
        page: number of the page.
    """
    matching = living(task)
    if words:
        named = GroupMember.objects.filter(group__task=task, item__content__attribute__icontains=words)
        matching = matching.filter(Q(head__icontains=words) | Q(pk__in=named.values("group")))
    if sort == "flagged":
        matching = matching.exclude(flag="")
    if sort == "likeness":
        best = _best(task).order_by("-best", "one__group").values_list("one__group", flat=True)
        order = {pk: place for place, pk in enumerate(best)}
        groups: Any = sorted(
            matching, key=lambda group: (order.get(group.pk, len(order)), -group.count, group.key)
        )
    else:
        fields = {"size": ("-size", "key"), "name": ("head", "key")}.get(sort, ("-count", "key"))
        groups = matching.order_by(*fields)
    shown = Paginator(groups, ON_A_PAGE).get_page(page)
    nearest = dict(
        _best(task).filter(one__group__in=([group.pk for group in shown])).values_list("one__group", "best")
    )
    return shown, [Listed(group, nearest.get(group.pk)) for group in shown]


def _best(task: Task) -> Any:
    between = Likeness.objects.filter(task=task, opposite=False).exclude(other__group=F("one__group"))
    return between.values("one__group").annotate(best=Max("score"))


def opened(task: Task, key: str) -> Opened | None:
    """The group with this key; None if it is missing or empty."""
    group = living(task).filter(key=key).first()
    if group is None:
        return None
    members = tuple(group.members.select_related("item").order_by("-count", "pk")[:MOST_MEMBERS])
    names = {member.pk: str(member.item.content["attribute"]) for member in members}
    links = Likeness.objects.filter(task=task, one__group=group)
    inside = links.filter(opposite=True, other__group=group, one__lt=F("other"))
    opposites = tuple(
        (names[first], names[second])
        for first, second in inside.values_list("one", "other")
        if first in names and second in names
    )
    outside = links.exclude(other__group=group)
    best = outside.values("other__group").annotate(best=Max("score")).filter(best__gt=0)
    scores = dict(best.order_by("-best", "other__group").values_list("other__group", "best")[:NEAREST])
    against = set(outside.filter(opposite=True).values_list("other__group", flat=True))
    groups = AttributeGroup.objects.in_bulk(scores)
    near = tuple(Near(groups[pk], score, pk in against) for pk, score in scores.items())
    return Opened(group, members, near, opposites)


def preview(task: Task, threshold: float) -> Preview:
    """What would be merged at a threshold: single linkage over likeness, never two groups with opposites between them.

    Nothing is changed. The pairs are taken from the most alike on, at most `MOST_PAIRS` of them.
    """
    before = living(task).count()
    pairs = (
        Likeness.objects.filter(task=task, opposite=False, score__gte=threshold, one__lt=F("other"))
        .exclude(other__group=F("one__group"))
        .order_by("-score", "pk")
        .values_list("one__group", "other__group", "score")[:MOST_PAIRS]
    )
    links = list(pairs)
    against = _opposed(task, {pk for first, second, _ in links for pk in (first, second)})
    unions, refused = unite(links, against)
    groups = AttributeGroup.objects.in_bulk({pk for union, _ in unions for pk in union})
    proposed = [
        Proposed(
            tuple(sorted((groups[pk] for pk in union), key=lambda group: (-group.count, group.key))), score
        )
        for union, score in unions
    ]
    proposed.sort(key=lambda proposal: (-proposal.score, proposal.groups[0].key))
    gone = sum(len(proposal.groups) - 1 for proposal in proposed)
    return Preview(
        threshold,
        before,
        before - gone,
        tuple(proposed[:MOST_PROPOSED]),
        max(len(proposed) - MOST_PROPOSED, 0),
        refused,
        len(links) == MOST_PAIRS,
    )


def _opposed(task: Task, groups: Iterable[int]) -> set[tuple[int, int]]:
    """Groups of which words say opposite things, in both orders."""
    wanted = set(groups)
    pairs = Likeness.objects.filter(task=task, opposite=True).values_list("one__group", "other__group")
    return {(first, second) for first, second in pairs if first in wanted and second in wanted}


def unite(
    links: Sequence[tuple[int, int, float]], against: set[tuple[int, int]]
) -> tuple[list[tuple[frozenset[int], float]], int]:
    """Components of links, the strongest first; a link that would put opposites together is refused.

    Args:
        links: two groups and their likeness, the most alike first.
        against: two groups with opposites between them, in both orders.

    Returns:
        Components of two groups or more with the least likeness that joins them, and the number of links refused.
    """
    home: dict[int, set[int]] = {}
    least: dict[int, float] = {}
    refused = 0
    for first, second, score in links:
        left, right = home.setdefault(first, {first}), home.setdefault(second, {second})
        if left is right:
            continue
        if any((a, b) in against for a in left for b in right):
            refused += 1
            continue
        left |= right
        least[id(left)] = score
        for pk in right:
            home[pk] = left
    unions: Mapping[int, set[int]] = {id(union): union for union in home.values() if len(union) > 1}
    return [(frozenset(union), least[key]) for key, union in unions.items()], refused


JUDGEMENTS = "judgements"
COLUMNS = ("attribute", "group_id", "canonical", "polarity", "vader", "count")
"""Columns of `endoxa curate group`, in its order; PostgreSQL keeps no order of the keys of an item."""
LONGEST = 200


class GroupRoom(Workspace):
    """Everybody works on all groups."""

    kind = "groups"
    title = gettext_lazy("Group editor")
    columns = {
        "attribute": "an attribute as it stands in the statements",
        "group_id": "its group",
        "canonical": "the term that stands for the group",
    }
    optional = {
        "polarity": "'positive', 'negative' or 'neutral'",
        "count": "respondents who said it",
    }
    hidden = frozenset({NEAR, OPPOSITES})
    page = "groups"

    def check(self, content: Content) -> Iterable[str]:
        """Words must fit into the tables, and counts be numbers."""
        for name in ("attribute", "group_id", "canonical"):
            if len(str(content.get(name, ""))) > (80 if name == "group_id" else LONGEST):
                yield f"'{name}' is too long."
        count = str(content.get("count", "")).strip()
        if count and not count.isdecimal():
            yield f"the count '{count}' is no whole number."

    def progress(self, task: Task) -> str:
        """Groups and changes so far."""
        groups = living(task).count()
        changes = GroupChange.objects.filter(task=task, undone_at=None).count()
        counts = (
            ngettext("%(n)d group", "%(n)d groups", groups) % {"n": groups},
            ngettext("%(n)d change", "%(n)d changes", changes) % {"n": changes},
        )
        return ", ".join(counts)

    def begin(self, task: Task) -> None:
        """Make the groups of a task whose items have just been stored, and note how alike their members are."""
        items_of: defaultdict[str, list[TaskItem]] = defaultdict(list)
        for item in task.items.order_by("number"):
            items_of[str(item.content["group_id"])].append(item)
        groups = [
            AttributeGroup(
                task=task,
                key=key,
                head=str(items[0].content["canonical"]),
                polarity=str(items[0].content.get("polarity") or ""),
                size=len(items),
                count=sum(map(_count, items)),
            )
            for key, items in items_of.items()
        ]
        AttributeGroup.objects.bulk_create(groups, batch_size=BATCH)
        made = [
            GroupMember(item=item, group=group, count=_count(item))
            for group in groups
            for item in items_of[group.key]
        ]
        made.sort(key=lambda member: member.item.number)
        GroupMember.objects.bulk_create(made, batch_size=BATCH)
        members = {member.item.number: member for member in made}
        # What is known of two rows, in both directions.
        scores: dict[tuple[int, int], tuple[float, bool]] = {}
        for number, member in members.items():
            hidden = member.item.hidden
            near = [(int(other), float(score), False) for other, score in hidden.get(NEAR) or ()]
            against = [(int(other), 0.0, True) for other in hidden.get(OPPOSITES) or ()]
            for other, score, opposite in (*near, *against):
                for pair in ((number, other), (other, number)):
                    before = scores.get(pair, (0.0, False))
                    scores[pair] = (max(before[0], score), before[1] or opposite)
        Likeness.objects.bulk_create(
            [
                Likeness(task=task, one=members[left], other=members[right], score=score, opposite=opposite)
                for (left, right), (score, opposite) in scores.items()
                if left in members and right in members
            ],
            batch_size=BATCH,
        )

    def export(self, task: Task) -> dict[str, list[dict[str, Any]]]:
        """The groups in the columns and the order of the file they came from; changes and flags beside them.

        Changes that were taken back are not in the table of changes. Judges have keys that are new in each export.
        """
        rows = []
        members = GroupMember.objects.filter(group__task=task).select_related("item", "group")
        for member in members.order_by("item__number"):
            content, group = member.item.content, member.group
            names = [name for name in (*COLUMNS, *sorted(content)) if name in content]
            changed = {"group_id": group.key, "canonical": group.head, "polarity": group.polarity}
            rows.append({name: changed.get(name, content[name]) for name in names})
        flagged = living(task).exclude(flag="").order_by("key")
        flags = [{"group_id": group.key, "canonical": group.head, "flag": group.flag} for group in flagged]
        return {JUDGEMENTS: rows, "changes": _changes(task), "flags": flags}


def _count(item: TaskItem) -> int:
    return int(str(item.content.get("count") or "1"))


def _changes(task: Task) -> list[dict[str, Any]]:
    names = dict(AttributeGroup.objects.filter(task=task).values_list("key", "head"))
    made = list(GroupChange.objects.filter(task=task, undone_at=None).order_by("pk"))
    judges = sorted({change.judge_id for change in made}, key=str)
    random.SystemRandom().shuffle(judges)
    keys = {judge: f"r{number:03d}" for number, judge in enumerate(judges, start=1)}
    return [
        {
            "change": change.kind,
            "rater": keys[change.judge_id],
            "hour": f"{change.at:%Y-%m-%dT%H}:00",
            "groups": "; ".join(sorted(change.after)),
            "heads": "; ".join(
                change.after[key]["head"] or names.get(key, "") for key in sorted(change.after)
            ),
        }
        for change in made
    ]


ROOM = GroupRoom()
