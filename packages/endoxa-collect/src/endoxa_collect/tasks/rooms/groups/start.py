"""From the rows of a file to groups, members, and how alike they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from endoxa_collect.models import AttributeGroup, GroupMember, Likeness, Task

NEAR, OPPOSITES = "near", "opposites"
"""Columns that the command line adds: [[number of a row, likeness]], and numbers of rows that say the opposite."""
BATCH = 2_000


def make_groups(task: Task) -> None:
    """Make the groups of a task whose items have just been stored."""
    items = list(task.items.order_by("number"))
    rows = {item.number: item for item in items}
    sizes = Counter(str(item.content["group_id"]) for item in items)
    counts: Counter[str] = Counter()
    for item in items:
        counts[str(item.content["group_id"])] += _count(item.content)
    first: dict[str, Mapping[str, Any]] = {}
    for item in items:
        first.setdefault(str(item.content["group_id"]), item.content)
    groups = AttributeGroup.objects.bulk_create(
        [
            AttributeGroup(
                task=task,
                key=key,
                head=str(content["canonical"]),
                polarity=str(content.get("polarity") or ""),
                size=sizes[key],
                count=counts[key],
            )
            for key, content in first.items()
        ],
        batch_size=BATCH,
    )
    by_key = {group.key: group for group in groups}
    made = GroupMember.objects.bulk_create(
        [
            GroupMember(item=item, group=by_key[str(item.content["group_id"])], count=_count(item.content))
            for item in items
        ],
        batch_size=BATCH,
    )
    members = dict(zip(rows, made, strict=True))
    scores: dict[tuple[int, int], tuple[float, bool]] = {}
    for item in items:
        for number, score in item.hidden.get(NEAR) or ():
            _note(scores, item.number, int(number), float(score), opposite=False)
        for number in item.hidden.get(OPPOSITES) or ():
            _note(scores, item.number, int(number), 0.0, opposite=True)
    Likeness.objects.bulk_create(
        [
            Likeness(task=task, one=members[left], other=members[right], score=score, opposite=opposite)
            for (left, right), (score, opposite) in scores.items()
            if left in members and right in members
        ],
        batch_size=BATCH,
    )


def _note(
    scores: dict[tuple[int, int], tuple[float, bool]],
    first: int,
    second: int,
    score: float,
    *,
    opposite: bool,
) -> None:
    """Keep what is known of two rows, in both directions."""
    for pair in ((first, second), (second, first)):
        before = scores.get(pair, (0.0, False))
        scores[pair] = (max(before[0], score), before[1] or opposite)


def _count(content: Mapping[str, Any]) -> int:
    return int(str(content.get("count") or "1"))
