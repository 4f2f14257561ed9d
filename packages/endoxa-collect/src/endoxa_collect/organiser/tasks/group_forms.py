"""The forms of the group editor: which change they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from django.http import QueryDict

from endoxa_collect.models import GroupMember, Task
from endoxa_collect.tasks.rooms.groups import editing

POLARITIES = ("positive", "negative", "neutral")
LONGEST_HEAD, LONGEST_FLAG = 200, 300


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change as a form asks for it.

    Attributes:
        kind: what is done.
        seen: versions of its groups, by key.
        make: the groups afterwards.
        then: key of the group that is open afterwards.
    """

    kind: str
    seen: Mapping[str, int]
    make: editing.Make
    then: str


def wanted_of(given: QueryDict, task: Task) -> Wanted | None:
    """The change that a form asks for; None where something is missing in it."""
    kind, seen, key = given.get("kind", ""), versions(given.get("groups", "")), given.get("open", "")
    if kind == editing.MERGE:
        into = key if key in seen else next(iter(seen), "")
        return Wanted(kind, seen, editing.merged(into), into) if len(seen) > 1 else None
    make = None
    if key in seen and kind in (editing.SPLIT, editing.MOVE):
        make = _of_members(given, task, kind, seen, key)
    elif key in seen and kind == editing.DESCRIBE and (head := _line(given, "head", LONGEST_HEAD)):
        polarity = given.get("polarity", "")
        make = editing.described(key, head, polarity if polarity in POLARITIES else "")
    elif key in seen and kind == editing.FLAG:
        make = editing.flagged(key, _line(given, "flag", LONGEST_FLAG))
    return Wanted(kind, seen, make, key) if make else None


def _of_members(
    given: QueryDict, task: Task, kind: str, seen: Mapping[str, int], key: str
) -> editing.Make | None:
    """Splitting or moving the attributes that were ticked."""
    ticked = [int(pk) for pk in given.getlist("member") if pk.isascii() and pk.isdecimal()]
    found = GroupMember.objects.filter(pk__in=ticked, group__task=task).select_related("item")
    first = found.order_by("-count", "pk").first()
    if first is None:
        return None
    if kind == editing.SPLIT:
        return editing.split(key, ticked, editing.new_key(task), str(first.item.content["attribute"]))
    target = given.get("target", "")
    return editing.moved(key, target, ticked) if target in seen else None


def versions(text: str) -> dict[str, int]:
    """Versions by key out of "g0001:12 g0004:0"."""
    found = {}
    for part in text.split():
        key, _, version = part.rpartition(":")
        if key and version.isascii() and version.isdecimal():
            found[unquote(key)] = int(version)
    return found


def _line(given: QueryDict, name: str, longest: int) -> str:
    return " ".join(given.get(name, "").split())[:longest]
