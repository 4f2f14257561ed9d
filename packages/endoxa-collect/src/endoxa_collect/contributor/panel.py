"""The pages of a panel. Strangers see the first page; everybody else where they are, and nothing before.

The id that a panel hands over is read from the first request only. It goes into the ticket of the consent, as a keyed
hash; from then on a random cookie says who somebody is, and no parameter does.
"""

from __future__ import annotations

import random
import re
from contextlib import suppress
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse

from endoxa_collect.access import READ, READ_OR_SEND, SEND, Door, allowed, not_running
from endoxa_collect.anonymous import TakenError, enrol, facts_of, forget, judge_of, remember, secret_of
from endoxa_collect.campaign import in_language
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.consent import ConsentForm
from endoxa_collect.frame import nearest_first
from endoxa_collect.models import Judge, JudgeState, Task, Turn, TurnState
from endoxa_collect.security.codes import hash_participant
from endoxa_collect.security.limits import ENROLMENTS
from endoxa_collect.tasks.handing import (
    QUIZ,
    STOPPED,
    TaskOverError,
    fail,
    finish,
    next_turn,
    note,
    settings_of,
    undo,
    withdraw,
)
from endoxa_collect.tasks.judging import item_context, take_sent
from endoxa_collect.tasks.rooms import AnswerForm, Step, StepForm, room

WARNING, BREAK = "warning", "break"
_NO_BREAK = 10
"""Blocks of fewer items have no break."""


def _page(
    request: HttpRequest,
    template: str,
    task: Task,
    judge: Judge | None = None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """A page of a task, for a judge or a stranger; `more` is what its template needs besides."""
    study = room(task.kind).study
    context = {
        "task": task,
        "judge": judge,
        "settings": settings_of(task),
        "rules": study.rules(settings_of(task)) if study else (),
        **more,
    }
    return render(request, f"panel/{template}.html", context, status=status)


@allowed(Door.TASK, methods=READ_OR_SEND)
def start(request: HttpRequest, task: Task) -> HttpResponse:
    """Show the consent page; with the boxes ticked, create a judge. Known judges are sent on."""
    judge = judge_of(request, task)
    if judge is not None:
        return redirect(next_page(judge))
    if closed := not_running(request, task):
        return closed
    facts = _facts(request, task)
    if facts is None:
        return _page(request, "no_id", task, status=403)
    _task, participant = facts
    written, language = task.campaign.settings, str(request.LANGUAGE_CODE)
    sent = request.POST if request.method == "POST" else None
    if participant and not sent and Judge.objects.filter(task=task, participant=participant).exists():
        return _page(request, "again", task, status=403)
    form = ConsentForm(written, language, sent, facts=facts, panel=True)
    if form.is_valid():
        ENROLMENTS.spend(task.code)
        return _enrolled(request, task, form.cleaned_data["ticket"], participant)
    form.focus()
    about = in_language(written.texts.about, language)
    return _page(
        request,
        "consent",
        task,
        form=form,
        lines=[line.strip() for line in about.splitlines() if line.strip()],
        text=in_language(written.texts.consent, language),
        retention=written.retention,
        with_id=bool(participant),
    )


def _facts(request: HttpRequest, task: Task) -> tuple[str, str] | None:
    """The task, and a hash of the panel's id for the person, "" where it has none: of the ticket or the first request.

    None where the task asks for an id and there is none.
    """
    if request.method == "POST":
        facts = facts_of(request.POST.get("ticket", ""))
        return (facts[0], facts[1]) if facts and facts[0] == str(task.pk) else None
    name = settings_of(task).participant
    panel_id = request.GET.get(name, "").strip()[:200] if name else ""
    if name and not panel_id:
        return None
    return str(task.pk), hash_participant(task.pk, panel_id) if panel_id else ""


def _enrolled(request: HttpRequest, task: Task, ticket: str, participant: str) -> HttpResponse:
    study, secret = room(task.kind).study, secret_of(ticket, task.campaign, Judge)
    drawn = study.person(random.SystemRandom()) if study else {}
    steps = {"consent": task.campaign.settings.consent_version, "drawn": drawn}
    try:
        enrol(Judge, secret, task=task, participant=participant, steps=steps)
    except TakenError:
        return _page(request, "again", task, status=403)
    response = redirect("panel:warning", task.code)
    remember(request, response, secret, path=_home(task))
    return response


def _home(task: Task) -> str:
    return reverse("panel:start", args=[task.code])


@allowed(Door.TASK, methods=READ)
def declined(request: HttpRequest, task: Task) -> HttpResponse:
    """Thank a person who declined."""
    return _page(request, "declined", task)


def _steps(task: Task) -> dict[str, Step]:
    """The pages before the first item, by name: the warning, then the room's own."""
    study = room(task.kind).study
    steps = study.steps(settings_of(task)) if study else ()
    return {step.name: step for step in (Step(WARNING, WARNING), *steps)}


def _pending(judge: Judge) -> list[str]:
    """Names of the pages before the first item that somebody has not read."""
    return [name for name in _steps(judge.task) if name not in judge.steps.get("done", [])]


def next_page(judge: Judge) -> str:
    """Address of the page where somebody is: warning, the room's own pages, break, items, or the end."""
    code, pending = judge.task.code, _pending(judge)
    if judge.state != JudgeState.ACTIVE:
        return reverse("panel:end", args=[code])
    if pending and pending[0] != WARNING:
        return reverse("panel:step", args=[code, pending[0]])
    return reverse(f"panel:{WARNING if pending else BREAK if _break_due(judge) else 'item'}", args=[code])


def _complete(judge: Judge, name: str) -> None:
    """A page was read, or its form was right."""
    with locked(judge.task.campaign_id):
        done = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("done", [])
        if name not in done:
            note(judge, done=[*done, name])


@allowed(Door.WORKING, methods=READ_OR_SEND)
def warning(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Say that what comes may hurt, and ask for the group where the task has some; POST goes on."""
    groups, group = settings_of(judge.task).groups, request.POST.get("group", "")
    answered = not groups or "group" in request.POST
    if request.method == "POST" and answered and group in (*groups, ""):
        Judge.objects.filter(pk=judge.pk).update(group=group)
        _complete(judge, WARNING)
        return redirect(next_page(judge))
    written = judge.task.campaign.settings
    text = in_language(written.texts.content_warning, str(request.LANGUAGE_CODE))
    lines = nearest_first(written, ())
    return _page(request, "warning", judge.task, judge, text=text, help_lines=lines, groups=groups)


@allowed(Door.WORKING, methods=READ_OR_SEND)
def step(request: HttpRequest, judge: Judge, name: str) -> HttpResponse:
    """A page of the room before the first item; one with a form goes on when there are no mistakes."""
    steps, pending = _steps(judge.task), _pending(judge)
    if name not in steps or name == WARNING:
        raise Http404
    stage = steps[name]
    # Pages that were read may be read again, but for those with a form.
    if name in pending[1:] or (stage.form and name not in pending):
        return redirect(next_page(judge))
    form = stage.form(request.POST if request.method == "POST" else None) if stage.form else None
    if request.method != "POST" or (form and not form.is_valid()):
        return _step_page(request, judge, stage, form)
    mistakes = form.mistakes() if form else []
    if mistakes:
        _count_try(judge, stage, request.POST.get("tries", ""))
        judge.refresh_from_db(fields=["state", "steps"])
        if judge.state == JudgeState.ACTIVE:
            return _step_page(request, judge, stage, form, mistakes)
    else:
        _complete(judge, name)
    return redirect(next_page(judge))


def _step_page(
    request: HttpRequest, judge: Judge, stage: Step, form: StepForm | None, mistakes: list[str] | None = None
) -> HttpResponse:
    status, tries = 422 if form and form.is_bound else 200, judge.steps.get("tries", 0)
    context = {"form": form, "mistakes": mistakes, "tries": tries}
    return _page(request, stage.template, judge.task, judge, status=status, **context)


def _count_try(judge: Judge, stage: Step, sent: str) -> None:
    """Count a try with mistakes, after which somebody may have failed.

    `sent` are the tries that there had been when the page was shown: a form that is sent twice counts once.
    """
    with locked(judge.task.campaign_id):
        tries = int(Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("tries", 0))
        if not re.fullmatch("[0-9]{1,3}", sent) or int(sent) != tries:
            return
        note(judge, tries=tries + 1)
        if tries + 1 >= stage.tries:
            fail(judge, QUIZ)


def _done(judge: Judge) -> dict[str, int | None]:
    """How many items somebody has judged, checks included, as they see it; `most` is None where none is fixed."""
    turns = judge.turns.exclude(state=TurnState.LAPSED)
    handed = turns.count() if room(judge.task.kind).study else None
    return {"number": turns.filter(state=TurnState.JUDGED).count(), "most": handed}


def _break_due(judge: Judge) -> bool:
    """Whether half of the block is done, and somebody has not had their break."""
    if BREAK in judge.steps.get("done", []) or not room(judge.task.kind).study:
        return False
    turns = judge.turns.exclude(state=TurnState.LAPSED)
    handed, judged = turns.count(), turns.filter(state=TurnState.JUDGED).count()
    return handed >= _NO_BREAK and judged * 2 >= handed


@allowed(Door.WORKING, methods=READ_OR_SEND)
def pause(request: HttpRequest, judge: Judge) -> HttpResponse:
    """A break after half of the block; POST goes on."""
    if request.method == "POST" and _break_due(judge):
        _complete(judge, BREAK)
    if not _break_due(judge):
        return redirect(next_page(judge))
    return _page(request, BREAK, judge.task, judge, done=_done(judge))


@allowed(Door.WORKING, methods=READ_OR_SEND)
def item(request: HttpRequest, judge: Judge) -> HttpResponse:
    """The item in hand, or the next one; POST takes a judgement, or lets the item go (`action` = skip)."""
    if _pending(judge) or (request.method != "POST" and _break_due(judge)):
        return redirect(next_page(judge))
    if request.method != "POST":
        return _item_page(request, judge)
    return take_sent(request, judge, partial(_item_page, request, judge), lambda: redirect(next_page(judge)))


def _item_page(
    request: HttpRequest,
    judge: Judge,
    turn: Turn | None = None,
    form: AnswerForm | None = None,
    note: str = "",
) -> HttpResponse:
    task = judge.task
    try:
        if turn is None or turn.state != TurnState.OPEN:
            turn, form = next_turn(judge), None
    except TaskOverError:
        return redirect("panel:start", task.code)
    if turn is None:
        finish(judge)
        return redirect("panel:end", task.code)
    shown = {"judge": judge, "page": "panel/item.html", "done": _done(judge), "note": note}
    context = {**item_context(judge, turn, form), **shown}
    return render(request, room(task.kind).template, context, status=422 if form else 200)


@allowed(Door.WORKING, methods=SEND)
def undo_last(_request: HttpRequest, judge: Judge) -> HttpResponse:
    """Take the last judgement back, as often as there are some."""
    with suppress(TaskOverError):
        undo(judge)
    return redirect("panel:item", judge.task.code)


@allowed(Door.JUDGE, methods=READ_OR_SEND)
def stop(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Ask whether to go on, to stop and keep the answers, or to delete them (`action` = keep, delete)."""
    action = request.POST.get("action", "")
    if action == "delete":
        withdraw(judge)
        response = redirect("panel:deleted", judge.task.code)
        forget(response, path=_home(judge.task))
        return response
    if action == "keep":
        finish(judge, why=STOPPED)
        return redirect("panel:end", judge.task.code)
    return _page(request, "stop", judge.task, judge, onward=next_page(judge))


@allowed(Door.JUDGE, methods=READ)
def over(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Thank people who have ended, with the link back to the panel."""
    if judge.state == JudgeState.ACTIVE:
        return redirect(next_page(judge))
    written, chosen = judge.task.campaign.settings, settings_of(judge.task)
    why, failed = judge.steps.get("why", ""), judge.state == JudgeState.FAILED
    context = {
        "why": why,
        "link": chosen.screened if failed else "" if why else chosen.completion,
        "text": in_language(written.texts.thanks, str(request.LANGUAGE_CODE)),
        "help_lines": nearest_first(written, ()),
    }
    return _page(request, "end", judge.task, judge, **context)


@allowed(Door.TASK, methods=READ)
def deleted(request: HttpRequest, task: Task) -> HttpResponse:
    """Say that everything is gone."""
    return _page(request, "deleted", task)


app_name = "panel"
urlpatterns = [
    path("<str:code>/", start, name="start"),
    path("<str:code>/no-thanks/", declined, name="declined"),
    path("<str:code>/warning/", warning, name="warning"),
    path("<str:code>/before/<slug:name>/", step, name="step"),
    path("<str:code>/item/", item, name="item"),
    path("<str:code>/undo/", undo_last, name="undo"),
    path("<str:code>/break/", pause, name="break"),
    path("<str:code>/stop/", stop, name="stop"),
    path("<str:code>/end/", over, name="end"),
    path("<str:code>/deleted/", deleted, name="deleted"),
]
