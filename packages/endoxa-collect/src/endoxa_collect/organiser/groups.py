"""The group editor: its forms, the list with one group open, changes, and what a threshold would merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from endoxa_collect.models import Campaign, GroupChange, GroupMember, Judge, Task, TaskState, seen
from endoxa_collect.organiser.access import JUDGES, READ, SEND, account, allowed
from endoxa_collect.organiser.tasks import BEGUN, judge_of
from endoxa_collect.tasks import group_changes as editing
from endoxa_collect.tasks import groups as looking
from endoxa_collect.tasks.handing import TaskOverError, settings_of
from endoxa_collect.tasks.rooms import room

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


def wanted_of(data: QueryDict, task: Task) -> Wanted | None:
    """The change that a form asks for; None where something is missing in it."""
    kind, seen, key = data.get("kind", ""), versions(data.get("groups", "")), data.get("open", "")
    if kind == editing.MERGE:
        into = key if key in seen else next(iter(seen), "")
        return Wanted(kind, seen, editing.merged(into), into) if len(seen) > 1 else None
    make = None
    if key in seen and kind in (editing.SPLIT, editing.MOVE):
        make = _of_members(data, task, kind, seen, key)
    elif key in seen and kind == editing.DESCRIBE and (head := _line(data, "head", LONGEST_HEAD)):
        polarity = data.get("polarity", "")
        make = editing.described(key, head, polarity if polarity in POLARITIES else "")
    elif key in seen and kind == editing.FLAG:
        make = editing.flagged(key, _line(data, "flag", LONGEST_FLAG))
    return Wanted(kind, seen, make, key) if make else None


def _of_members(
    data: QueryDict, task: Task, kind: str, seen: Mapping[str, int], key: str
) -> editing.Make | None:
    """Splitting or moving the attributes that were ticked."""
    ticked = [int(pk) for pk in data.getlist("member") if pk.isascii() and pk.isdecimal()]
    members = GroupMember.objects.filter(pk__in=ticked, group__task=task).select_related("item")
    first = members.order_by("-count", "pk").first()
    if first is None:
        return None
    if kind == editing.SPLIT:
        return editing.split(key, ticked, editing.new_key(task), str(first.item.content["attribute"]))
    target = data.get("target", "")
    return editing.moved(key, target, ticked) if target in seen else None


def versions(text: str) -> dict[str, int]:
    """Versions by key out of "g0001:12 g0004:0"."""
    by_key = {}
    for part in text.split():
        key, _, version = part.rpartition(":")
        if key and version.isascii() and version.isdecimal():
            by_key[unquote(key)] = int(version)
    return by_key


def _line(data: QueryDict, name: str, longest: int) -> str:
    return " ".join(data.get(name, "").split())[:longest]


THRESHOLD, LOWEST, HIGHEST = 0.8, 0.5, 1.0
SHOWN = 60
"""Wordings of a group that the page of a conflict shows."""


@allowed(*JUDGES, methods=READ)
def editor(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """The groups, one of them open."""
    task = _task(campaign, name)
    if not request.session.get(BEGUN.format(task.pk)):
        return render(request, "tasks/begin.html", _frame(request, task))
    return _page(request, task)


@allowed(*JUDGES, methods=READ)
def preview(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """What a threshold would merge; nothing is changed."""
    task = _task(campaign, name)
    try:
        threshold = min(max(float(request.GET.get("at", THRESHOLD)), LOWEST), HIGHEST)
    except ValueError:
        threshold = THRESHOLD
    context = {**_frame(request, task), "preview": looking.preview(task, threshold), "at": f"{threshold:.2f}"}
    return render(request, "tasks/groups_preview.html", context)


@allowed(*JUDGES, methods=SEND)
def change(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Change groups; where somebody else was there first, show both sides."""
    task = _task(campaign, name)
    judge = judge_of(task, account(request))
    wanted = wanted_of(request.POST, task)
    if wanted is None:
        return _page(request, task, note=gettext("Choose what to change first."), status=422)
    try:
        editing.change(
            judge, wanted.kind, wanted.seen, wanted.make, despite=request.POST.get("despite") == "yes"
        )
    except editing.ConflictError as problem:
        return _conflict(request, task, wanted, problem.changed)
    except editing.OppositesError as problem:
        # Are opposites meant to be in one group?
        pairs = problem.pairs[:20]
        members = GroupMember.objects.select_related("item").in_bulk({pk for pair in pairs for pk in pair})
        words = [tuple(str(members[pk].item.content["attribute"]) for pk in pair) for pair in pairs]
        context = {**_frame(request, task), "pairs": words, "fields": _fields(request), "open": wanted.then}
        return render(request, "tasks/groups_opposites.html", context, status=422)
    except editing.UnusableError:
        return _page(request, task, note=gettext("Nothing was changed."), status=422)
    except TaskOverError:
        return redirect("organiser:task", campaign.slug, name)
    return redirect(_address(request, task, wanted.then))


@allowed(*JUDGES, methods=SEND)
def take_back(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take the account's last change back, as often as there are some."""
    task = _task(campaign, name)
    try:
        undone = editing.undo(judge_of(task, account(request)))
    except editing.ConflictError as problem:
        keys = ", ".join(problem.changed)
        note = gettext("Your last change cannot be taken back: somebody else changed %(keys)s since.") % {
            "keys": keys
        }
        return _page(request, task, note=note, status=409)
    except TaskOverError:
        return redirect("organiser:task", campaign.slug, name)
    return redirect(_address(request, task, next(iter(undone.before), "") if undone else ""))


def _task(campaign: Campaign, name: str) -> Task:
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    if not room(task.kind).workspace:
        raise Http404
    return task


def _frame(request: HttpRequest, task: Task) -> dict[str, Any]:
    judge = Judge.objects.filter(task=task, user=account(request)).first()
    return {
        "campaign": task.campaign,
        "task": task,
        "room": room(task.kind),
        "settings": settings_of(task),
        "judge": judge,
        "last_change": editing.undoable(judge) if judge else None,
        "closed": task.state != TaskState.OPEN,
        "lowest": LOWEST,
        "at": f"{THRESHOLD:.2f}",
    }


def _page(request: HttpRequest, task: Task, *, note: str = "", status: int = 200) -> HttpResponse:
    sent = request.POST if request.method == "POST" else request.GET
    sort = sent.get("sort", "count")
    sort = sort if sort in looking.SORTS else "count"
    words = sent.get("q", "").strip()[:100]
    page, groups = looking.listed(task, sort, words, sent.get("page", "1"))
    key = sent.get("open", "")
    context = {
        **_frame(request, task),
        "page_of_groups": page,
        "groups": groups,
        "sort": sort,
        "q": words,
        "opened": looking.opened(task, key) if key else None,
        "missing": bool(key),
        "polarities": [
            ("positive", gettext("favourable")),
            ("negative", gettext("unfavourable")),
            ("neutral", gettext("neither")),
        ],
        "note": note,
        "sorts": [
            ("count", gettext("most respondents first")),
            ("likeness", gettext("most like another group first")),
            ("size", gettext("most attributes first")),
            ("name", gettext("by the alphabet")),
            ("flagged", gettext("flagged ones only")),
        ],
        "place": urlencode({"sort": sort, "q": words, "page": page.number}),
    }
    return render(request, "tasks/groups.html", context, status=status)


def _address(request: HttpRequest, task: Task, key: str) -> str:
    place = {name: request.POST[name] for name in ("sort", "q", "page") if request.POST.get(name)}
    where = reverse("organiser:task_groups", args=[task.campaign.slug, task.name])
    return f"{where}?{urlencode({**place, 'open': key})}#opened"


@dataclass(frozen=True, slots=True)
class Side:
    """A group as somebody left it, or wanted it."""

    key: str
    head: str
    words: tuple[str, ...]
    who: str


def _conflict(request: HttpRequest, task: Task, wanted: Wanted, changed: Sequence[str]) -> HttpResponse:
    """Both sides of a conflict: what somebody else made of the groups, and what was wanted."""
    now = editing.read(task, wanted.seen)
    theirs = [_side(task, key, now[key], now[key].version) for key in changed if key in now]
    mine: list[Side] = []
    with suppress(editing.UnusableError, KeyError):
        mine = [_side(task, key, group, 0) for key, group in wanted.make(_as_seen(task, wanted, now)).items()]
    context = {
        **_frame(request, task),
        "theirs": theirs,
        "mine": mine,
        "versions": " ".join(seen(key, group.version) for key, group in now.items()),
        "fields": _fields(request, without=("groups",)),
        "open": wanted.then,
    }
    return render(request, "tasks/groups_conflict.html", context, status=409)


def _as_seen(task: Task, wanted: Wanted, now: Mapping[str, editing.Group]) -> dict[str, editing.Group]:
    """The groups as the author of a change saw them: what later changes kept of before."""
    seen = dict(now)
    for key, version in wanted.seen.items():
        if key in now and now[key].version != version:
            later = GroupChange.objects.filter(task=task, pk__gt=version, before__has_key=key)
            if first := later.order_by("pk").first():
                seen[key] = editing.of_json(first.before[key])
    return seen


def _side(task: Task, key: str, group: editing.Group, version: int) -> Side:
    members = GroupMember.objects.filter(pk__in=group.members[:SHOWN], group__task=task).select_related(
        "item"
    )
    words = tuple(str(member.item.content["attribute"]) for member in members.order_by("-count", "pk"))
    made = GroupChange.objects.filter(pk=version).select_related("judge__user").first()
    user = made.judge.user if made else None
    return Side(key, group.head, words, user.get_username() if user else "")


def _fields(request: HttpRequest, without: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """What a form sent, to be sent again."""
    left_out = {"csrfmiddlewaretoken", *without}
    return [
        (name, value) for name, values in request.POST.lists() if name not in left_out for value in values
    ]


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/tasks/<slug:name>/groups/", editor, name="task_groups"),
    path("<slug:slug>/tasks/<slug:name>/groups/preview/", preview, name="task_groups_preview"),
    path("<slug:slug>/tasks/<slug:name>/groups/change/", change, name="task_groups_change"),
    path("<slug:slug>/tasks/<slug:name>/groups/undo/", take_back, name="task_groups_undo"),
]
