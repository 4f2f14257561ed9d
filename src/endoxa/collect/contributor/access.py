"""Which pages a contributor may open when."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from endoxa.collect.models import Person, State

Page = Callable[Concatenate[HttpRequest, Person, ...], HttpResponse]
"""A view that is handed the person."""


def contributor(page: Page) -> Callable[..., HttpResponse]:
    """Open a page to contributors of an open campaign; strangers are sent to the first page."""

    @wraps(page)
    def view(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        person: Person | None = request.person  # type: ignore[attr-defined]
        if person is None:
            return redirect("contributor:home")
        if person.campaign.state != State.OPEN and request.method == "GET":
            return render(request, "contributor/closed.html", {"person": person}, status=503)
        return page(request, person, *args, **named)

    return view


def next_step(person: Person) -> str:
    """Name of the page that comes next: profile, then the survey, then cards."""
    settings = person.campaign.settings
    if not person.profile_done:
        return "contributor:profile"
    answered = set(person.statements.values_list("question", flat=True))
    if settings.survey and any(question.name not in answered for question in settings.questions):
        return "contributor:survey"
    return "contributor:card" if settings.cards else "contributor:thanks"
