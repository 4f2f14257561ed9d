"""What the pages of a panel do: tickets of the first request, who a browser is, and which page comes next.

The id that a panel hands over is read from the first request only. It goes into a ticket, as a keyed hash and signed,
that comes back with the consent form; from then on a random cookie says who somebody is, and no parameter does.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate

from django.core import signing
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import resolve, reverse
from django.utils.crypto import salted_hmac

from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.access import set_cookie, speak_within
from endoxa_collect.contributor.joining import tidy
from endoxa_collect.models import Judge, JudgeState, State, Task, TaskState, TurnState
from endoxa_collect.security.codes import hash_participant, hash_secret
from endoxa_collect.security.limits import JOIN_BROWSER, JOIN_SITE, may_guess, missed, refuse
from endoxa_collect.tasks.handing import QUIZ, fail, note, settings_of
from endoxa_collect.tasks.rooms import Step, room

COOKIE = "endoxa_judge"
"""Name of the cookie of people of a panel; a browser has one for each task, limited to its pages."""
_DAYS = 30
_SALT = "endoxa.panel"
_TICKET_SECONDS = 24 * 3_600
WARNING = "warning"
_NO_BREAK = 10
"""Blocks of fewer items have no break."""


class TookPartError(Exception):
    """Somebody with this id of the panel takes part already, or did."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the first request brought: the task, a random number, the hash of the panel's id for the person or ""."""

    task: int
    number: str
    participant: str

    def secret(self) -> str:
        """Cookie value of the person who consents with this ticket: 128 bits; the same if the form is sent twice."""
        text = f"{self.task} {self.number} {self.participant}"
        return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()[:32]

    def signed(self) -> str:
        """The ticket as a form value."""
        return signing.dumps([self.task, self.number, self.participant], salt=_SALT)


def task_of_code(code: str) -> Task | None:
    """The task that a code opens to a panel; None for codes that are unknown and for tasks of drafts."""
    wanted = tidy(code)
    task = Task.objects.select_related("campaign").filter(code=wanted).first() if wanted else None
    return task if task and room(task.kind).panel and task.campaign.state != State.DRAFT else None


def running(task: Task) -> bool:
    """Whether people can judge now."""
    return task.state == TaskState.OPEN and task.campaign.state == State.OPEN


def judge_of(request: HttpRequest, task: Task) -> Judge | None:
    """Who this browser is in a task; None for strangers."""
    secret = request.COOKIES.get(COOKIE, "")
    judge = Judge.objects.filter(task=task, secret_hash=hash_secret(secret)).first() if secret else None
    if judge is not None:
        judge.task = task
    return judge


def first_ticket(request: HttpRequest, task: Task) -> Ticket | None:
    """The ticket of a first request; None where the task asks for the panel's id and there is none.

    Raises:
        TookPartError: see there.
    """
    name = settings_of(task).participant
    panel_id = request.GET.get(name, "").strip()[:200] if name else ""
    if name and not panel_id:
        return None
    participant = hash_participant(task.pk, panel_id) if panel_id else ""
    if participant and Judge.objects.filter(task=task, participant=participant).exists():
        raise TookPartError
    return Ticket(task.pk, secrets.token_hex(16), participant)


def ticket_of(text: str, task: Task) -> Ticket | None:
    """The ticket that came back with a form; None if we did not make it for this task within a day."""
    try:
        made_for, number, participant = signing.loads(text, salt=_SALT, max_age=_TICKET_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Ticket(task.pk, str(number), str(participant)) if made_for == task.pk else None


def enrol(task: Task, ticket: Ticket, version: int) -> str:
    """Make the judge who agreed, or find the one of a form that was sent twice; gives the cookie's value.

    Raises:
        TookPartError: see there.
    """
    secret = ticket.secret()
    hashed = hash_secret(secret)
    with locked(task.campaign_id):
        if Judge.objects.filter(secret_hash=hashed).exists():
            return secret
        if ticket.participant and Judge.objects.filter(task=task, participant=ticket.participant).exists():
            raise TookPartError
        study = room(task.kind).study
        drawn = study.person(random.SystemRandom()) if study else {}
        Judge.objects.create(
            task=task,
            secret_hash=hashed,
            participant=ticket.participant,
            steps={"consent": version, "drawn": drawn},
        )
    return secret


def remember(response: HttpResponse, task: Task, secret: str) -> None:
    """Give the browser its cookie."""
    set_cookie(response, COOKIE, secret, days=_DAYS, path=_home(task))


def forget(response: HttpResponse, task: Task) -> None:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, path=_home(task), samesite="Lax")


def _home(task: Task) -> str:
    return reverse("panel:start", args=[task.code])


def steps_of(task: Task) -> dict[str, Step]:
    """The room's own pages before the first item, by name."""
    study = room(task.kind).study
    return {step.name: step for step in study.steps(settings_of(task))} if study else {}


def next_page(judge: Judge) -> str:
    """Address of the page where somebody is: warning, the room's own pages, break, items, or the end."""
    code = judge.task.code
    if judge.state != JudgeState.ACTIVE:
        return reverse("panel:end", args=[code])
    done = judge.steps.get("done", [])
    if WARNING not in done:
        return reverse("panel:warning", args=[code])
    pending = next((name for name in steps_of(judge.task) if name not in done), None)
    if pending is not None:
        return reverse("panel:step", args=[code, pending])
    return reverse("panel:break" if break_due(judge) else "panel:item", args=[code])


def reached(judge: Judge, name: str) -> bool:
    """Whether somebody has come as far as a page before the first item, or farther."""
    order = [WARNING, *steps_of(judge.task)]
    done = set(judge.steps.get("done", []))
    return name in order and all(page in done for page in order[: order.index(name)])


def join(judge: Judge, group: str) -> None:
    """Store the group of a person; "" if they prefer not to say or the task does not ask."""
    Judge.objects.filter(pk=judge.pk).update(group=group)


def complete(judge: Judge, name: str) -> None:
    """A page before the first item was read, or its form was right."""
    with locked(judge.task.campaign_id):
        done = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("done", [])
        if name not in done:
            note(judge, done=[*done, name])


def count_try(judge: Judge, step: Step, sent: int) -> int:
    """Count a try with mistakes, after which somebody may have failed; how many tries there were.

    Args:
        judge: who tried.
        step: the page.
        sent: the tries that there had been when the page was shown: a form that is sent twice counts once.
    """
    with locked(judge.task.campaign_id):
        tries = int(Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("tries", 0))
        if sent != tries:
            return tries
        note(judge, tries=tries + 1)
        if tries + 1 >= step.tries:
            fail(judge, QUIZ)
        return tries + 1


@dataclass(frozen=True, slots=True)
class Done:
    """How far somebody is among the items: `most` is None where no number is fixed."""

    number: int
    most: int | None

    @property
    def half(self) -> bool:
        """Whether half of the items are done, or more."""
        return self.most is not None and self.number * 2 >= self.most


def done_by(judge: Judge) -> Done:
    """How many items somebody has judged, checks included, as they see it."""
    turns = judge.turns.exclude(state=TurnState.LAPSED)
    handed = turns.count() if room(judge.task.kind).study else None
    return Done(turns.filter(state=TurnState.JUDGED).count(), handed)


def break_due(judge: Judge) -> bool:
    """Whether half of the block is done, and somebody has not had their break."""
    if judge.steps.get("break") or not room(judge.task.kind).study:
        return False
    done = done_by(judge)
    return done.half and (done.most or 0) >= _NO_BREAK and done.number > 0


def take_break(judge: Judge) -> None:
    """Somebody has had their break."""
    with locked(judge.task.campaign_id):
        note(judge, **{"break": True})


TaskPage = Callable[Concatenate[HttpRequest, Task, ...], HttpResponse]
"""A view that is handed the task."""
JudgePage = Callable[Concatenate[HttpRequest, Judge, ...], HttpResponse]
"""A view that is handed the judge."""


def with_task(view: TaskPage) -> Callable[..., HttpResponse]:
    """Open a page `/t/<code>/...` to holders of a code; all others get one and the same answer, and are counted."""

    @wraps(view)
    def guarded(request: HttpRequest, code: str, **named: Any) -> HttpResponse:
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        task = task_of_code(code)
        if task is None:
            if full := missed(request, JOIN_BROWSER, JOIN_SITE):
                return refuse(request, full)
            return render(request, "contributor/no_such_code.html", status=404)
        if code != task.code and request.method != "POST":
            # Typed small or with dashes: the cookie is for the address as we write it.
            address = reverse(resolve(request.path).view_name, kwargs={**named, "code": task.code})
            return redirect(f"{address}?{request.META['QUERY_STRING']}")
        speak_within(request, task.campaign)
        return view(request, task, **named)

    return guarded


def judging(view: JudgePage) -> Callable[..., HttpResponse]:
    """Open a page to people who agreed to take part; strangers are sent to the first page.

    Those who deleted everything in another tab, while this one is being answered, are sent there, too.
    """

    @wraps(view)
    def guarded(request: HttpRequest, task: Task, **named: Any) -> HttpResponse:
        judge = judge_of(request, task)
        if judge is None:
            return redirect("panel:start", task.code)
        try:
            return view(request, judge, **named)
        except (DatabaseError, ObjectDoesNotExist):
            if Judge.objects.filter(pk=judge.pk).exists():
                raise
            return redirect("panel:start", task.code)

    return with_task(guarded)


def active(view: JudgePage) -> Callable[..., HttpResponse]:
    """Open a page to people who have not ended, while the task is open."""

    @wraps(view)
    def guarded(request: HttpRequest, judge: Judge, **named: Any) -> HttpResponse:
        if judge.state != JudgeState.ACTIVE:
            return redirect(next_page(judge))
        if not running(judge.task):
            return not_running(request, judge.task, judge)
        return view(request, judge, **named)

    return judging(guarded)


def page(
    request: HttpRequest,
    template: str,
    task: Task,
    judge: Judge | None = None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """A page of a task, for a judge or a stranger; `more` is what its template needs besides."""
    context = {"task": task, "judge": judge, "room": room(task.kind), "settings": settings_of(task), **more}
    return render(request, f"panel/{template}.html", context, status=status)


def not_running(request: HttpRequest, task: Task, judge: Judge | None) -> HttpResponse:
    """The page of a task that is paused or closed; what was sent is refused."""
    return page(request, "closed", task, judge, status=403 if request.method == "POST" else 200)
