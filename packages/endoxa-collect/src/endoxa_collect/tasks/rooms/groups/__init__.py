"""The group editor: attributes that mean the same are put together, by several people at once (AfriStereo, 3.3.3).

Unlike other rooms this one hands nothing out: everybody works on all groups, and sees what others made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy, ngettext

from endoxa_collect.models import AttributeGroup, GroupChange, Task
from endoxa_collect.tasks.room import AnswerForm, Content, Judged, Room, Workspace
from endoxa_collect.tasks.rooms.groups.start import NEAR, OPPOSITES, make_groups
from endoxa_collect.tasks.rooms.groups.tables import export

__all__ = ["ROOM"]

LONGEST = 200


def _check(content: Content) -> Iterable[str]:
    for name in ("attribute", "group_id", "canonical"):
        if len(str(content.get(name, ""))) > (80 if name == "group_id" else LONGEST):
            yield f"'{name}' is too long."
    count = str(content.get("count", "")).strip()
    if count and not count.isdecimal():
        yield f"the count '{count}' is no whole number."


def _no_row(_judgement: Judged) -> Mapping[str, str]:
    return {}


def _progress(task: Task) -> str:
    """Groups, wordings and changes so far."""
    groups = AttributeGroup.objects.filter(task=task, size__gt=0).count()
    changes = GroupChange.objects.filter(task=task, undone_at=None).count()
    counts = (
        ngettext("%(n)d group", "%(n)d groups", groups) % {"n": groups},
        ngettext("%(n)d change", "%(n)d changes", changes) % {"n": changes},
    )
    return ", ".join(counts)


ROOM = Room(
    kind="groups",
    title=gettext_lazy("Group editor"),
    columns={
        "attribute": "an attribute as it stands in the statements",
        "group_id": "its group",
        "canonical": "the term that stands for the group",
    },
    optional={
        "polarity": "'positive', 'negative' or 'neutral'",
        "count": "respondents who said it",
    },
    hidden=frozenset({NEAR, OPPOSITES}),
    form=AnswerForm,
    template="",
    answers={},
    row=_no_row,
    check=_check,
    workspace=Workspace(page="groups", progress=_progress, begin=make_groups, tables=export),
)
