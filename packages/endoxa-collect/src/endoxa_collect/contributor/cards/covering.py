"""Views of covered cards: show the words, show all words in this browser, say whether words could hurt."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from endoxa_collect.cards import answering, covers
from endoxa_collect.contributor.access import contributor, own_card, to_card
from endoxa_collect.contributor.cards import services
from endoxa_collect.contributor.cards.forms import HURTS, HurtForm
from endoxa_collect.contributor.cards.views import pair_context
from endoxa_collect.models import Person


@require_POST
@own_card
def reveal(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Show the words of a covered card, and come back to it: now it can be rated."""
    answering.card_of(person, token)
    covers.reveal(person, token)
    return to_card()


@require_POST
@contributor
def set_covers(request: HttpRequest, _person: Person) -> HttpResponse:
    """Show pairs that may hurt at once in this browser, or cover them again."""
    response = to_card()
    if request.POST.get("covers") == "lift":
        services.lift_covers(response)
    else:
        services.put_covers_back(response)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@own_card
def hurt(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Ask whether the words of an answered card could hurt someone; where that is no question, the next card."""
    card = answering.card_of(person, token)
    if not covers.asks(card):
        return to_card()
    if request.method == "POST":
        form = HurtForm(request.POST)
        if form.is_valid():
            covers.answer(person, card, form.cleaned_data["hurts"])
        return to_card()
    latest = card if answering.is_latest(card) else None
    context = {**pair_context(request, card), "choices": HURTS, "latest": latest}
    return render(request, "contributor/card_hurt.html", context)
