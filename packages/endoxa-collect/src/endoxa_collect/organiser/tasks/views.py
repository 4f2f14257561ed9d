"""Views of tasks: the list, the item in hand, judgements, and what the organiser decides."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Judge, Role, Task, TaskState, Turn, TurnState, record
from endoxa_collect.organiser.access import allowed, roles_of
from endoxa_collect.organiser.tasks.services import (
    BEGUN,
    JUDGES,
    account,
    described,
    judge_of,
    packed,
    undoable,
)
from endoxa_collect.tasks.handing import (
    TaskOverError,
    UnknownTurnError,
    next_turn,
    settings_of,
    skip,
    take,
    undo,
)
from endoxa_collect.tasks.room import AnswerForm
from endoxa_collect.tasks.rooms import room

READERS = (*JUDGES, Role.RESEARCHER)
CHANGES = {
    TaskState.OPEN: "task opened",
    TaskState.PAUSED: "task paused",
    TaskState.CLOSED: "task closed",
}
"""What the log says of a task that an organiser opened, paused or closed."""


@allowed(*READERS)
@require_safe
def tasks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All tasks with their progress."""
    return _list(request, campaign)


def _list(request: HttpRequest, campaign: Campaign, fault: str = "", status: int = 200) -> HttpResponse:
    held = roles_of(request, campaign)
    found = Task.objects.filter(campaign=campaign).order_by("name")
    context = {
        "campaign": campaign,
        "tasks": [described(task) for task in found],
        "judges": bool(held & set(JUDGES)),
        "organiser": Role.ORGANISER in held,
        "exports": bool(held & {Role.ORGANISER, Role.RESEARCHER}),
        "fault": fault,
    }
    return render(request, "tasks/list.html", context, status=status)


@allowed(*JUDGES)
@require_safe
def work(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """The item in hand, or the next one; before the first a word of warning."""
    task, who = _judging(request, campaign, name)
    groups = settings_of(task).groups
    if who is None or not request.session.get(BEGUN.format(task.pk)) or (groups and not who.group):
        return render(request, "tasks/begin.html", _frame(task))
    if workspace := room(task.kind).workspace:
        return redirect(f"organiser:task_{workspace.page}", campaign.slug, name)
    return _item_page(request, task, who)


@allowed(*JUDGES)
@require_POST
def judge(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take a judgement, or let the item go (`action` = skip)."""
    task, who = _judging(request, campaign, name)
    if who is None or room(task.kind).workspace:
        return redirect("organiser:task", campaign.slug, name)
    try:
        token = UUID(request.POST.get("token", ""))
        turn = Turn.objects.select_related("item").get(judge=who, token=token)
    except (ValueError, Turn.DoesNotExist):
        return redirect("organiser:task", campaign.slug, name)
    try:
        if request.POST.get("action") == "skip":
            skip(who, token)
            return redirect("organiser:task", campaign.slug, name)
        form = room(task.kind).form(turn.item.content, turn.shown, request.POST)
        if not form.is_valid():
            return _item_page(request, task, who, turn=turn, form=form, status=422)
        take(who, token, form.answer())
    except UnknownTurnError:
        return _item_page(
            request, task, who, note=gettext("Somebody else has that one now. Here is another.")
        )
    except TaskOverError:
        pass
    return redirect("organiser:task", campaign.slug, name)


@allowed(*JUDGES)
@require_POST
def undo_last(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take the last judgement back, as often as there are some."""
    _, who = _judging(request, campaign, name)
    with suppress(TaskOverError):
        if who is not None:
            undo(who)
    return redirect("organiser:task", campaign.slug, name)


@allowed(*JUDGES)
@require_POST
def begin(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Show the words from now on, until the account signs out; and note the judge's group, where the task has some."""
    task, _ = _judging(request, campaign, name)
    who = judge_of(task, account(request))
    chosen = request.POST.get("group", "")
    if chosen in settings_of(task).groups:
        Judge.objects.filter(pk=who.pk).update(group=chosen)
    request.session[BEGUN.format(task.pk)] = True
    return redirect("organiser:task", campaign.slug, name)


@allowed(Role.ORGANISER)
@require_POST
def change_state(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Open, pause or close a task."""
    task = get_object_or_404(Task, campaign=campaign, name=name)
    state = request.POST.get("state", "")
    if state not in TaskState.values:
        raise Http404
    if task.revealed_at is not None and state != TaskState.CLOSED:
        fault = gettext("This task cannot be opened again: what judges must not know was shown to somebody.")
        return _list(request, campaign, fault, status=409)
    Task.objects.filter(pk=task.pk).update(state=state)
    record(campaign, account(request), CHANGES[TaskState(state)], task=task.name)
    return redirect("organiser:tasks", campaign.slug)


@allowed(Role.ORGANISER, Role.RESEARCHER)
@require_POST
def export(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponseBase:
    """The judgements as tables in an archive."""
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    try:
        archive = packed(task, account(request))
    except UserError:
        fault = gettext("Close this task first: the file would show what judges must not know.")
        return _list(request, campaign, fault, status=409)
    record(campaign, account(request), "task exported", task=task.name)
    file = f"{campaign.slug}-{task.name}-{timezone.now():%Y-%m-%d}.zip"
    return FileResponse(archive, as_attachment=True, filename=file, content_type="application/zip")


def _judging(request: HttpRequest, campaign: Campaign, name: str) -> tuple[Task, Judge | None]:
    """The task, and the judge that the account is in it; None before it has begun."""
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    if room(task.kind).study:
        raise Http404
    return task, Judge.objects.filter(task=task, user=account(request)).select_related("task").first()


def _frame(task: Task) -> dict[str, Any]:
    return {"campaign": task.campaign, "task": task, "room": room(task.kind), "settings": settings_of(task)}


def _item_page(
    request: HttpRequest,
    task: Task,
    judge: Judge,
    *,
    turn: Turn | None = None,
    form: AnswerForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of one item, or that there is nothing more to do."""
    found = room(task.kind)
    done = judge.turns.filter(state=TurnState.JUDGED).count()
    context = {**_frame(task), "note": note, "done": done, "last": undoable(judge)}
    try:
        turn = turn or next_turn(judge)
    except TaskOverError:
        return render(request, "tasks/over.html", context)
    if turn is None:
        return render(request, "tasks/nothing.html", context)
    content, shown = turn.item.content, turn.shown
    form = form or found.form(content, shown)
    context |= {"turn": turn, "content": content, "form": form, **found.context(content, shown)}
    return render(request, found.template, context, status=status)
