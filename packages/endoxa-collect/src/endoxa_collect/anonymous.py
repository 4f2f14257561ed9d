"""Somebody anonymous: how they come in exactly once, how they are known again, and whose page is whose.

Contributors and people of a panel are known by a random cookie of which only a hash is stored. The page that asks for
consent carries a ticket, and the cookie follows from it: sending the form twice, as a double tap does, makes one
person. A ticket is good for an hour. Sent again by somebody who left meanwhile, from a page that was still open, it
makes a new person with another cookie and another receipt code, so nothing leads from one to the other.

Several people may use one phone, one after the other. A page that stayed open would store the answers of one of them
as those of the next: so every form says for whom its page was made, and is refused from anybody else.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import IntegrityError
from django.db.models import CharField, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.deprecation import MiddlewareMixin

from endoxa_collect.compiled import compiled, only
from endoxa_collect.frame import speak_within
from endoxa_collect.models import AuditEntry, Campaign, Judge, Person, State, Task
from endoxa_collect.security.codes import COOKIE, COVERS_COOKIE, hash_secret, letters_of
from endoxa_collect.tasks.rooms import room

PANEL_COOKIE = "endoxa_judge"
"""Name of the cookie of people of a panel; a browser has one for each task, limited to its pages."""
_PANEL = "/t/"
_SALT = "endoxa.ticket"
_SECONDS = 3_600


def task_of_code(code: str) -> Task | None:
    """The task that a code opens to a panel; None for codes that are unknown and for tasks of drafts."""
    wanted = letters_of(code)
    task = Task.objects.select_related("campaign").filter(code=wanted).first() if wanted else None
    return task if task and room(task.kind).panel and task.campaign.state != State.DRAFT else None


def new_ticket(*facts: str) -> str:
    """A random ticket, signed with the time; `facts` that the first request brought come back with it."""
    return signing.dumps([secrets.token_hex(16), *facts], salt=_SALT)


def facts_of(ticket: str, *, in_force: bool = False) -> list[str] | None:
    """The facts in a ticket; None if the site did not make it, or where it must be `in_force`, not within an hour."""
    try:
        return list(signing.loads(ticket, salt=_SALT, max_age=_SECONDS if in_force else None)[1:])
    except signing.BadSignature:
        return None


def secret_of(ticket: str, campaign: Campaign, kind: type[Person | Judge] = Person) -> str:
    """The cookie value, 128 bits, of whoever sends the consent form of a campaign with this ticket.

    It follows from the ticket and from the latest withdrawal: who left is one of those who left before, so there is no
    need to keep which tickets were theirs. Who sent the form before and is still there keeps their value, whoever else
    left since.
    """
    left = AuditEntry.objects.filter(campaign=campaign, action__in=("withdrawal", "judge withdrawn"))
    left = left.order_by("-pk")
    # A ticket is good for one hour, and the log holds withdrawals by the hour.
    since = timezone.now() - timedelta(hours=3)
    before = left.filter(at__lt=since).values_list("pk", flat=True).first()
    # After which withdrawal a ticket that is in force may have been sent, the latest first; None: before any.
    eras = [*left.filter(at__gte=since).values_list("pk", flat=True), before]
    values = [
        salted_hmac(_SALT, f"{ticket} {campaign.pk} {era}", algorithm="sha256").hexdigest()[:32]
        for era in eras
    ]
    hashes = [hash_secret(value) for value in values]
    present = set(kind.objects.filter(secret_hash__in=hashes).values_list("secret_hash", flat=True))
    return next((value for value, hashed in zip(values, hashes, strict=True) if hashed in present), values[0])


class TakenError(Exception):
    """This person is there already under another cookie.

    A contributor went on elsewhere with the receipt code; somebody of a panel came with the same id in another browser.
    """


def enrol(kind: type[Person | Judge], secret: str, **facts: object) -> bool:
    """Store a new person with these fields; whether there is one: who sent the form twice is there already.

    Raises:
        TakenError: see there.
    """
    try:
        return kind.objects.get_or_create(secret_hash=hash_secret(secret), defaults=facts)[1]
    except IntegrityError as error:
        raise TakenError from error


def holder(request: HttpRequest) -> Person | None:
    """The contributor whose browser asks; None for strangers."""
    person: Person | None = request.person  # type: ignore[attr-defined]
    return person


def person_of(secret: str) -> Person | None:
    """The contributor whose cookie this is."""
    return only(_of_cookie(hash_secret(secret)))


@compiled(CharField())
def _of_cookie(secret_hash: str) -> QuerySet[Person]:
    return Person.objects.select_related("campaign").filter(secret_hash=secret_hash)


def judge_of(request: HttpRequest, task: Task) -> Judge | None:
    """Who this browser is in a task; None for strangers."""
    secret = request.COOKIES.get(PANEL_COOKIE, "")
    judge = Judge.objects.filter(task=task, secret_hash=hash_secret(secret)).first() if secret else None
    if judge is not None:
        judge.task = task
    return judge


def set_cookie(response: HttpResponse, name: str, value: str, *, path: str = "/") -> None:
    """Give the browser a cookie that no script reads and no other site sends, for sixty days."""
    response.set_cookie(
        name, value, max_age=60 * 86_400, path=path, httponly=True, secure=settings.HTTPS, samesite="Lax"
    )


def remember(request: HttpRequest, response: HttpResponse, secret: str, *, path: str = "/") -> None:
    """Give the browser the cookie of somebody new; `path` is that of a task for people of a panel."""
    if path == "/" and COOKIE in request.COOKIES:
        _clear(response)
    set_cookie(response, _cookie(path), secret, path=path)


def forget(response: HttpResponse, *, path: str = "/") -> None:
    """Take the cookie back, and what the phone kept."""
    if path == "/":
        _clear(response)
    response.delete_cookie(_cookie(path), path=path, samesite="Lax")


def _clear(response: HttpResponse) -> None:
    """Leave nothing of a person on the phone for the next one: no pages, no answers, no uncovered pairs."""
    response["Clear-Site-Data"] = '"cache", "storage"'
    put_covers_back(response)


def put_covers_back(response: HttpResponse) -> None:
    """Cover pairs that may hurt again."""
    response.delete_cookie(COVERS_COOKIE, samesite="Lax", path="/card/")


def _cookie(path: str) -> str:
    return PANEL_COOKIE if path.startswith(_PANEL) else COOKIE


def owner_of(secret_hash: str) -> str:
    """A name for the holder of a cookie that nobody can make up; nobody can tell the person from it."""
    return salted_hmac("endoxa.owner", secret_hash, algorithm="sha256").hexdigest()[:16]


def owner_field(request: HttpRequest) -> tuple[str, str] | None:
    """Name and value of the field that all forms of a page carry: "" for strangers; None on the pages of accounts."""
    if request.path.startswith("/organise/"):
        return None
    # Forms of panels that lead out of a panel's pages carry nobody: there, a browser does not send the cookie.
    cookie = _cookie(request.path)
    secret = request.COOKIES.get(cookie, "")
    return "judge" if cookie == PANEL_COOKIE else "owner", owner_of(hash_secret(secret)) if secret else ""


class SomebodyMiddleware(MiddlewareMixin):
    """Sets `request.person` from the cookie and speaks the language they chose; None for strangers and accounts.

    Refuses forms of pages that were made for another person than the one whose browser sends them.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Find the person."""
        secret = request.COOKIES.get(COOKIE, "")
        person = person_of(secret) if secret and not request.path.startswith("/organise/") else None
        request.person = person  # type: ignore[attr-defined]
        if person is not None:
            translation.activate(person.ui_language)
            speak_within(request, person.campaign)

    def process_view(
        self, request: HttpRequest, _view: object, _positional: object, named: Mapping[str, Any]
    ) -> HttpResponse | None:
        """The page that says so, once the token of the form was looked at; None where the form may be taken."""
        field = owner_field(request)
        if request.method != "POST" or field is None:
            return None
        name, owner = field
        if request.POST.get(name, owner) == owner or (owner and _consented(request, named) == owner):
            return None
        onward = (
            reverse("panel:start", args=[named["code"]]) if name == "judge" else reverse("contributor:home")
        )
        return render(request, "contributor/somebody_else.html", {"onward": onward}, status=403)


def _consented(request: HttpRequest, named: Mapping[str, Any]) -> str:
    """Whom the consent form that is sent makes: a second tap comes with the cookie that the first one brought."""
    ticket, person = request.POST.get("ticket", ""), holder(request)
    if request.path.startswith(_PANEL):
        task = task_of_code(named["code"])
        secret = secret_of(ticket, task.campaign, Judge) if task else ""
    else:
        secret = secret_of(ticket, person.campaign) if person else ""
    return owner_of(hash_secret(secret))
