"""Access for contributors: the cookie that identifies them, and the pages they may open."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse

from endoxa_collect.cards.answering import CoveredError, UnknownCardError
from endoxa_collect.models import Person, State
from endoxa_collect.security.codes import COOKIE, hash_secret

Page = Callable[Concatenate[HttpRequest, Person, ...], HttpResponse]
"""A view that is handed the person."""


class ContributorMiddleware:
    """Sets `request.person` from the cookie: a `Person`, or None for strangers and on the pages of accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Find the person, then answer."""
        secret = request.COOKIES.get(COOKIE, "")
        wanted = secret and not request.path.startswith("/organise/")
        request.person = person_of(secret) if wanted else None  # type: ignore[attr-defined]
        return self._get_response(request)


def holder(request: HttpRequest) -> Person | None:
    """The contributor whose browser asks; None for strangers."""
    person: Person | None = request.person  # type: ignore[attr-defined]
    return person


def person_of(secret: str) -> Person | None:
    """The person whose cookie this is."""
    return Person.objects.select_related("campaign").filter(secret_hash=hash_secret(secret)).first()


def remember(response: HttpResponse, secret: str) -> None:
    """Give the browser its cookie."""
    set_cookie(response, COOKIE, secret, days=60)


def set_cookie(response: HttpResponse, name: str, value: str, *, days: int, path: str = "/") -> None:
    """Give the browser a cookie that no script reads and no other site sends."""
    response.set_cookie(
        name,
        value,
        max_age=days * 86_400,
        path=path,
        httponly=True,
        secure=settings.HTTPS,
        samesite="Lax",
    )


def forget(response: HttpResponse) -> None:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, samesite="Lax")


def answers_last(page: Page) -> Page:
    """Let a page inside `contributor` take what is sent after the campaign was paused or closed.

    It is for people who had a card in their hands then; the page itself sees to it that it takes nothing new.
    """
    page.answers_last = True  # type: ignore[attr-defined]
    return page


def contributor(page: Page) -> Callable[..., HttpResponse]:
    """Open a page to contributors of an open campaign; strangers are sent to the first page.

    Outside of that nothing is shown and nothing sent is taken (403), but see `answers_last`. Those who left while the
    page was at work are sent to the first page, too.
    """

    @wraps(page)
    def view(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        person = holder(request)
        if person is None:
            return redirect("contributor:home")
        sent = request.method == "POST"
        if person.campaign.state != State.OPEN and not (sent and getattr(page, "answers_last", False)):
            return closed(request, status=403 if sent else 200)
        try:
            return page(request, person, *args, **named)
        except (DatabaseError, ObjectDoesNotExist):
            # The person left in another tab while this page was answered.
            if Person.objects.filter(pk=person.pk).exists():
                raise
            return redirect("contributor:home")

    return view


def to_card(note: str = "") -> HttpResponseRedirect:
    """To the card that waits for the person, with one of `forms.NOTES` above it."""
    address = reverse("contributor:card")
    return HttpResponseRedirect(f"{address}?note={note}" if note else address)


def card_holder(page: Page) -> Callable[..., HttpResponse]:
    """Open a page about one card to the contributor who was given it; others are led to their own card.

    Where the page needs words that the person did not open, it leads back to the card, with a note.
    """

    @contributor
    @wraps(page)
    def view(request: HttpRequest, person: Person, *args: Any, **named: Any) -> HttpResponse:
        try:
            return page(request, person, *args, **named)
        except UnknownCardError:
            return to_card("moved")
        except CoveredError:
            # The script cannot read redirects, and shall not take this for an answer that was kept.
            return to_card("covered") if request.accepts("text/html") else HttpResponse(status=422)

    return view


def closed(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    """The page of a campaign that is paused or over. The site works, so the status is not 503."""
    return render(request, "contributor/closed.html", status=status)


def next_step(person: Person) -> str:
    """Name of the page that comes next: profile, then the survey, then cards."""
    settings = person.campaign.settings
    if not person.profile_done:
        return "contributor:profile"
    answered = set(person.statements.values_list("question", flat=True))
    if settings.survey and any(question.name not in answered for question in settings.questions):
        return "contributor:survey"
    return "contributor:card" if settings.cards else "contributor:thanks"
