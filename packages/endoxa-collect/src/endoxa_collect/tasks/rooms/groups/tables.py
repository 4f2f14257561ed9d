"""The groups as a file for `endoxa curate associations --groups`, with what was changed and what was flagged."""

from __future__ import annotations

import random
from typing import Any

from endoxa_collect.models import AttributeGroup, GroupChange, GroupMember, Task
from endoxa_collect.tasks.rooms.groups.start import NEAR, OPPOSITES

JUDGEMENTS = "judgements"
COLUMNS = ("attribute", "group_id", "canonical", "polarity", "vader", "count")
"""Columns of `endoxa curate group`, in its order; PostgreSQL keeps no order of the keys of an item."""


def export(task: Task) -> dict[str, list[dict[str, Any]]]:
    """The groups in the columns and the order of the file they came from; changes and flags beside them.

    Changes that were taken back are not in the table of changes. Judges have keys that are new in each export.
    """
    rows = []
    for member in (
        GroupMember.objects.filter(group__task=task).select_related("item", "group").order_by("item__number")
    ):
        content, group = member.item.content, member.group
        names = [
            name for name in (*COLUMNS, *sorted(content)) if name in content and name not in (NEAR, OPPOSITES)
        ]
        cells = {name: content[name] for name in names}
        changed = {"group_id": group.key, "canonical": group.head}
        rows.append({**cells, **changed, **({"polarity": group.polarity} if "polarity" in cells else {})})
    flagged = AttributeGroup.objects.filter(task=task, size__gt=0).exclude(flag="").order_by("key")
    flags = [
        {"group_id": group_row.key, "canonical": group_row.head, "flag": group_row.flag}
        for group_row in flagged
    ]
    return {JUDGEMENTS: rows, "changes": _changes(task), "flags": flags}


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
