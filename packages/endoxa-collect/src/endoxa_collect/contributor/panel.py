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
from endoxa_collect.tasks import handing
from endoxa_collect.tasks.handing import TaskOverError, item_context, note, settings_of, take_sent
from endoxa_collect.tasks.rooms import AnswerForm, Step, room

WARNING, BREAK = "warning", "break"
_NO_BREAK = 10
"""Blocks of fewer items have no break."""


def _page(
    request: HttpRequest, template: str, who: Task | Judge, status: int = 200, **more: Any
) -> HttpResponse:
    """A page of a task for a judge, or of a task for strangers; `more` is what its template needs besides."""
    task, judge = (who.task, who) if isinstance(who, Judge) else (who, None)
    study, settings = room(task.kind).study, settings_of(task)
    rules = study.rules(settings) if study else ()
    context = {"task": task, "judge": judge, "settings": settings, "rules": rules, **more}
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
    response = redirect("panel:step", task.code, WARNING)
    remember(request, response, secret, path=_home(task))
    return response


def _home(task: Task) -> str:
    return reverse("panel:start", args=[task.code])


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
    code, pending = judge.task.code, [*_pending(judge), *([BREAK] if _break_due(judge) else [])]
    if judge.state != JudgeState.ACTIVE:
        return reverse("panel:end", args=[code])
    return reverse("panel:step", args=[code, pending[0]]) if pending else reverse("panel:item", args=[code])


def _complete(judge: Judge, name: str) -> None:
    """A page was read, or its form was right."""
    with locked(judge.task.campaign_id):
        done = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("done", [])
        if name not in done:
            note(judge, done=[*done, name])


@allowed(Door.WORKING, methods=READ_OR_SEND)
def step(request: HttpRequest, judge: Judge, name: str) -> HttpResponse:
    """A page before the first item, or the break; it goes on when there are no mistakes in what is asked."""
    task, here = judge.task, next_page(judge)
    stages = {**_steps(task), BREAK: Step(BREAK, BREAK)}
    if name not in stages:
        raise Http404
    stage = stages[name]
    # Pages that were read may be read again, but for those with a form.
    if request.path != here and (stage.form or name not in judge.steps.get("done", [])):
        return redirect(here)
    sent = request.POST if request.method == "POST" else None
    form = stage.form(sent) if stage.form else None
    groups = settings_of(task).groups if name == WARNING else ()
    group = request.POST.get("group") if groups else ""
    mistakes: list[str] = []
    if sent is not None and (form is None or form.is_valid()) and group in (*groups, ""):
        mistakes = form.mistakes() if form else []
        if not mistakes:
            if groups:
                Judge.objects.filter(pk=judge.pk).update(group=group)
            _complete(judge, name)
            return redirect(next_page(judge))
        _count_try(judge, stage, request.POST.get("tries", ""))
        judge.refresh_from_db(fields=["state", "steps"])
        if judge.state != JudgeState.ACTIVE:
            return redirect(next_page(judge))
    written = task.campaign.settings
    context = {
        **stage.shown,
        "form": form,
        "mistakes": mistakes,
        "tries": judge.steps.get("tries", 0),
        "text": in_language(written.texts.content_warning, str(request.LANGUAGE_CODE)),
        "help_lines": nearest_first(written, ()),
        "groups": groups,
        "done": _done(judge),
    }
    return _page(request, stage.template, judge, status=422 if form and sent else 200, **context)


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
            handing.fail(judge, handing.QUIZ)


def _done(judge: Judge) -> dict[str, int]:
    """How many items somebody has judged, checks included, as they see it; `most` is 0 where none is fixed."""
    turns = judge.turns.exclude(state=TurnState.LAPSED)
    handed = turns.count() if room(judge.task.kind).study else 0
    return {"number": turns.filter(state=TurnState.JUDGED).count(), "most": handed}


def _break_due(judge: Judge) -> bool:
    """Whether half of the block is done, and somebody has not had their break."""
    if BREAK in judge.steps.get("done", []):
        return False
    done = _done(judge)
    return done["most"] >= _NO_BREAK and done["number"] * 2 >= done["most"]


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
            turn, form = handing.next_turn(judge), None
    except TaskOverError:
        return redirect("panel:start", task.code)
    if turn is None:
        handing.finish(judge)
        return redirect("panel:end", task.code)
    shown = {"judge": judge, "page": "panel/item.html", "done": _done(judge), "note": note}
    context = {**item_context(judge, turn, form), **shown}
    return render(request, room(task.kind).template, context, status=422 if form else 200)


@allowed(Door.WORKING, methods=SEND)
def undo_last(_request: HttpRequest, judge: Judge) -> HttpResponse:
    """Take the last judgement back, as often as there are some."""
    with suppress(TaskOverError):
        handing.undo(judge)
    return redirect("panel:item", judge.task.code)


@allowed(Door.JUDGE, methods=READ_OR_SEND)
def stop(request: HttpRequest, judge: Judge) -> HttpResponse:
    """Ask whether to go on, to stop and keep the answers, or to delete them (`action` = keep, delete)."""
    action = request.POST.get("action", "")
    if action == "delete":
        handing.withdraw(judge)
        response = redirect("panel:deleted", judge.task.code)
        forget(response, path=_home(judge.task))
        return response
    if action == "keep":
        handing.finish(judge, why=handing.STOPPED)
        return redirect("panel:end", judge.task.code)
    return _page(request, "stop", judge, onward=next_page(judge))


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
    return _page(request, "end", judge, **context)


@allowed(Door.TASK, methods=READ)
def last_word(request: HttpRequest, task: Task, template: str) -> HttpResponse:
    """Thank a person who declined, or say that everything is gone."""
    return _page(request, template, task)


app_name = "panel"
urlpatterns = [
    path("<str:code>/", start, name="start"),
    path("<str:code>/no-thanks/", last_word, {"template": "declined"}, name="declined"),
    path("<str:code>/before/<slug:name>/", step, name="step"),
    path("<str:code>/item/", item, name="item"),
    path("<str:code>/undo/", undo_last, name="undo"),
    path("<str:code>/stop/", stop, name="stop"),
    path("<str:code>/end/", over, name="end"),
    path("<str:code>/deleted/", last_word, {"template": "deleted"}, name="deleted"),
]
