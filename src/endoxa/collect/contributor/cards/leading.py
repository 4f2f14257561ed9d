"""Where the pages of cards lead to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from endoxa.collect.cards.answering import UnknownCardError
from endoxa.collect.contributor.access import Page, contributor
from endoxa.collect.models import Person


def to_card(note: str = "") -> HttpResponseRedirect:
    """To the card that waits for the person, with one of `wording.NOTES` above it."""
    address = reverse("contributor:card")
    return HttpResponseRedirect(f"{address}?note={note}" if note else address)


def own_card(page: Page) -> Callable[..., HttpResponse]:
    """Open a page about one card to the contributor who was given it; others are led to their own card."""

    @contributor
    @wraps(page)
    def view(request: HttpRequest, person: Person, *args: Any, **named: Any) -> HttpResponse:
        try:
            return page(request, person, *args, **named)
        except UnknownCardError:
            return to_card("moved")

    return view
