"""What the pages of a panel do: tickets of the first request, who a browser is, and which page comes next.

The id that a panel hands over is read from the first request only. It goes into a ticket, as a keyed hash and signed,
that comes back with the consent form; from then on a random cookie says who somebody is, and no parameter does.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.joining.services import tidy
from endoxa_collect.models import Judge, JudgeState, State, Task, TaskState, TurnState
from endoxa_collect.security.codes import hash_participant, hash_secret
from endoxa_collect.tasks.ending import QUIZ, fail, note
from endoxa_collect.tasks.handing import settings_of
from endoxa_collect.tasks.room import Step
from endoxa_collect.tasks.rooms import room

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
    found = Task.objects.select_related("campaign").filter(code=wanted).first() if wanted else None
    return found if found and room(found.kind).panel and found.campaign.state != State.DRAFT else None


def running(task: Task) -> bool:
    """Whether people can judge now."""
    return task.state == TaskState.OPEN and task.campaign.state == State.OPEN


def judge_of(request: HttpRequest, task: Task) -> Judge | None:
    """Who this browser is in a task; None for strangers."""
    secret = request.COOKIES.get(COOKIE, "")
    found = Judge.objects.filter(task=task, secret_hash=hash_secret(secret)).first() if secret else None
    if found is not None:
        found.task = task
    return found


def first_ticket(request: HttpRequest, task: Task) -> Ticket | None:
    """The ticket of a first request; None where the task asks for the panel's id and there is none.

    Raises:
        TookPartError: see there.
    """
    name = settings_of(task).participant
    given = request.GET.get(name, "").strip()[:200] if name else ""
    if name and not given:
        return None
    participant = hash_participant(task.pk, given) if given else ""
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
    response.set_cookie(
        COOKIE,
        secret,
        max_age=_DAYS * 86_400,
        path=_home(task),
        httponly=True,
        secure=settings.HTTPS,
        samesite="Lax",
    )


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
    return name in order and all(one in done for one in order[: order.index(name)])


def join(judge: Judge, group: str) -> None:
    """Store the group of a person; "" if they prefer not to say or the task does not ask."""
    Judge.objects.filter(pk=judge.pk).update(group=group)


def complete(judge: Judge, name: str) -> None:
    """A page before the first item was read, or its form was right."""
    with locked(judge.task.campaign_id):
        done = Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("done", [])
        if name not in done:
            note(judge, done=[*done, name])


def missed(judge: Judge, one: Step, sent: int) -> int:
    """Count a try with mistakes, after which somebody may have failed; how many tries there were.

    Args:
        judge: who tried.
        one: the page.
        sent: the tries that there had been when the page was shown: a form that is sent twice counts once.
    """
    with locked(judge.task.campaign_id):
        tries = int(Judge.objects.values_list("steps", flat=True).get(pk=judge.pk).get("tries", 0))
        if sent != tries:
            return tries
        note(judge, tries=tries + 1)
        if tries + 1 >= one.tries:
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
    found, own = room(judge.task.kind), judge.turns.exclude(state=TurnState.LAPSED)
    handed = own.count() if found.study else None
    return Done(own.filter(state=TurnState.JUDGED).count(), handed)


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
