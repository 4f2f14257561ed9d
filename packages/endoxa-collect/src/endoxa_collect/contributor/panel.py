"""The pages of a panel. Strangers see the first page; everybody else where they are, and nothing before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from endoxa_collect.campaign import in_language
from endoxa_collect.contributor import panel_access
from endoxa_collect.contributor.access import nearest_first
from endoxa_collect.contributor.consent import ConsentBoxes
from endoxa_collect.contributor.panel_access import (
    Ticket,
    TookPartError,
    active,
    judge_of,
    judging,
    next_page,
    not_running,
    page,
    with_task,
)
from endoxa_collect.models import Judge, JudgeState, Task, Turn, TurnState
from endoxa_collect.security.limits import ENROLMENTS, refuse
from endoxa_collect.tasks.handing import (
    STOPPED,
    TaskOverError,
    finish,
    next_turn,
    settings_of,
    undo,
    withdraw,
)
from endoxa_collect.tasks.judging import item_context, take_sent
from endoxa_collect.tasks.rooms import AnswerForm, Step, StepForm, room

read_or_send = require_http_methods(["GET", "HEAD", "POST"])


@read_or_send
@with_task
def start(request: HttpRequest, task: Task) -> HttpResponse:
    """Show the consent page; with the boxes ticked, create a judge. Known judges are sent on."""
    judge = judge_of(request, task)
    if judge is not None:
        return redirect(next_page(judge))
    if not panel_access.running(task):
        return not_running(request, task, None)
    sent = request.method == "POST"
    try:
        ticket = (
            panel_access.ticket_of(request.POST.get("ticket", ""), task)
            if sent
            else panel_access.first_ticket(request, task)
        )
        if ticket is None:
            return page(request, "no_id", task, status=403)
        return _consent(request, task, ticket)
    except TookPartError:
        return page(request, "again", task, status=403)


def _consent(request: HttpRequest, task: Task, ticket: Ticket) -> HttpResponse:
    written, language = task.campaign.settings, str(request.LANGUAGE_CODE)
    initial = {"ticket": ticket.signed()}
    form = ConsentBoxes(
        written, language, request.POST if request.method == "POST" else None, initial=initial
    )
    outdated = form.outdated
    if outdated:
        # Other words need new ticks.
        form = ConsentBoxes(written, language, initial=initial)
    elif form.is_valid():
        if not ENROLMENTS.count(task.code):
            return refuse(request, ENROLMENTS)
        response = redirect("panel:warning", task.code)
        panel_access.remember(response, task, panel_access.enrol(task, ticket, written.consent_version))
        return response
    about = in_language(written.texts.about, language)
    return page(
        request,
        "consent",
        task,
        form=form,
        outdated=outdated,
        lines=[line.strip() for line in about.splitlines() if line.strip()],
        rules=study.rules(settings_of(task)) if (study := room(task.kind).study) else (),
        text=in_language(written.texts.consent, language),
        retention=written.retention,
        with_id=bool(ticket.participant),
    )


@require_safe
@with_task
def declined(request: HttpRequest, task: Task) -> HttpResponse:
    """Thank a person who declined."""
    return page(request, "declined", task)


@read_or_send
@active
def warning(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Say that what comes may hurt, and ask for the group where the task has some; POST goes on."""
    groups = settings_of(judge.task).groups
    answered = not groups or "group" in request.POST
    if request.method == "POST" and answered and request.POST.get("group", "") in (*groups, ""):
        panel_access.join(judge, request.POST.get("group", ""))
        panel_access.complete(judge, panel_access.WARNING)
        return redirect(next_page(judge))
    written, language = judge.task.campaign.settings, str(request.LANGUAGE_CODE)
    text = in_language(written.texts.content_warning, language)
    lines = nearest_first(written, ())
    return page(request, "warning", judge.task, judge, text=text, help_lines=lines, groups=groups)


@read_or_send
@active
def step(request: HttpRequest, judge: Judge, name: str) -> HttpResponse:
    """A page of the room before the first item; one with a form goes on when there are no mistakes."""
    stage = panel_access.steps_of(judge.task).get(name)
    if stage is None:
        raise Http404
    read = name in judge.steps.get("done", [])
    if not panel_access.reached(judge, name) or (read and stage.form):
        return redirect(next_page(judge))
    if request.method != "POST":
        return _step_page(request, judge, stage)
    form = stage.form(request.POST) if stage.form else None
    if form is not None and not form.is_valid():
        return _step_page(request, judge, stage, form)
    mistakes = form.mistakes() if form else []
    if not mistakes:
        panel_access.complete(judge, name)
    else:
        sent = request.POST.get("tries", "")
        panel_access.count_try(judge, stage, int(sent) if re.fullmatch("[0-9]{1,3}", sent) else -1)
        judge.refresh_from_db(fields=["state", "steps"])
        if judge.state == JudgeState.ACTIVE:
            return _step_page(request, judge, stage, form, mistakes)
    return redirect(next_page(judge))


def _step_page(
    request: HttpRequest,
    judge: Judge,
    stage: Step,
    form: StepForm | None = None,
    mistakes: Sequence[str] = (),
) -> HttpResponse:
    study = room(judge.task.kind).study
    return page(
        request,
        stage.template,
        judge.task,
        judge,
        status=422 if form else 200,
        rules=study.rules(settings_of(judge.task)) if study else (),
        form=form or (stage.form and stage.form()),
        mistakes=mistakes,
        tries=judge.steps.get("tries", 0),
    )


@read_or_send
@active
def item(request: HttpRequest, judge: Judge) -> HttpResponse:
    """The item in hand, or the next one; POST takes a judgement, or lets the item go (`action` = skip)."""
    here = next_page(judge)
    if request.method != "POST":
        return _item_page(request, judge) if here == request.path else redirect(here)
    if here not in {reverse(f"panel:{name}", args=[judge.task.code]) for name in ("item", "break")}:
        return redirect(here)
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
    context = {
        **item_context(judge, turn, form),
        "judge": judge,
        "page": "panel/item.html",
        "done": panel_access.done_by(judge),
        "note": note,
    }
    return render(request, room(task.kind).template, context, status=422 if form else 200)


@require_POST
@active
def undo_last(request: HttpRequest, judge: Judge) -> HttpResponse:  # noqa: ARG001
    """Take the last judgement back, as often as there are some."""
    with suppress(TaskOverError):
        undo(judge)
    return redirect("panel:item", judge.task.code)


@read_or_send
@active
def pause(request: HttpRequest, judge: Judge) -> HttpResponse:
    """A break after half of the block; POST goes on."""
    if not panel_access.break_due(judge):
        return redirect(next_page(judge))
    if request.method == "POST":
        panel_access.take_break(judge)
        return redirect(next_page(judge))
    return page(request, "break", judge.task, judge, done=panel_access.done_by(judge))


@read_or_send
@judging
def stop(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Ask whether to go on, to stop and keep the answers, or to delete them (`action` = keep, delete)."""
    action = request.POST.get("action", "")
    if action == "delete":
        withdraw(judge)
        response = redirect("panel:deleted", judge.task.code)
        panel_access.forget(response, judge.task)
        return response
    if action == "keep":
        finish(judge, why=STOPPED)
        return redirect("panel:end", judge.task.code)
    return page(request, "stop", judge.task, judge, onward=next_page(judge))


@require_safe
@judging
def over(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Thank people who have ended, with the link back to the panel."""
    if judge.state == JudgeState.ACTIVE:
        return redirect(next_page(judge))
    written, language = judge.task.campaign.settings, str(request.LANGUAGE_CODE)
    why, chosen = judge.steps.get("why", ""), settings_of(judge.task)
    failed = judge.state == JudgeState.FAILED
    link = chosen.screened if failed else "" if why else chosen.completion
    return page(
        request,
        "end",
        judge.task,
        judge,
        why=why,
        link=link,
        text=in_language(written.texts.thanks, language),
        help_lines=nearest_first(written, ()),
    )


@require_safe
@with_task
def deleted(request: HttpRequest, task: Task) -> HttpResponse:
    """Say that everything is gone."""
    return page(request, "deleted", task)


app_name = "panel"
urlpatterns: list[URLPattern] = [
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
