"""Taps on a card: an answer, a reason to skip, take back. Each is safe to send twice and ends in a redirect."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from endoxa.collect.cards import answering
from endoxa.collect.contributor.access import answers_last
from endoxa.collect.contributor.cards import topics
from endoxa.collect.contributor.cards.forms import RatingForm, SkipForm
from endoxa.collect.contributor.cards.leading import own_card, to_card
from endoxa.collect.models import Person, Rating, Skip


@require_POST
@own_card
@answers_last
def rate(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep an answer; then what else the person may add, else the next card."""
    form = RatingForm(request.POST)
    if not form.is_valid():
        return to_card("unclear")
    value = form.cleaned_data["value"]
    answered = answering.rate(person, token, value)
    if answered.again and not Rating.objects.filter(card=answered.card, value=value).exists():
        return _not_kept(request)
    return redirect("contributor:add", token) if answered.card.adds else to_card()


@require_POST
@own_card
@answers_last
def skip(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Close a card without an answer."""
    form = SkipForm(request.POST)
    if not form.is_valid():
        return to_card("unclear")
    reason = form.cleaned_data["reason"]
    answered = answering.skip(person, token, reason)
    if answered.again and not Skip.objects.filter(card=answered.card, reason=reason).exists():
        return _not_kept(request)
    return to_card()


@require_POST
@own_card
def undo(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Take back what was answered to a card, all that was added to it, and the wish to avoid its topic."""
    skipped = Skip.objects.filter(card__token=token, person=person).exists()
    card = answering.undo(person, token)
    if skipped and not Skip.objects.filter(card=card).exists():
        topics.allow(person, card)
    return to_card()


@require_POST
@own_card
def avoid(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Show this person no more cards about the topic of a card."""
    topics.avoid(person, answering.card_of(person, token))
    return to_card()


def _not_kept(request: HttpRequest) -> HttpResponse:
    """Say that another answer stays. The script, which cannot read where it is led to, is told by status 409."""
    return to_card("first") if request.accepts("text/html") else HttpResponse(status=409)
