"""The page of the card that waits for a person: a pair to judge, or an open question."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from endoxa.collect import geography
from endoxa.collect.campaign.topics import topic_name
from endoxa.collect.cards import drawing
from endoxa.collect.cards.answering import UnknownCardError, latest_answer
from endoxa.collect.contributor.access import contributor, next_step
from endoxa.collect.contributor.cards import covers as covering
from endoxa.collect.contributor.cards import topics
from endoxa.collect.contributor.cards.fields import prompt_form
from endoxa.collect.contributor.cards.forms import PromptForm
from endoxa.collect.contributor.cards.leading import to_card
from endoxa.collect.contributor.cards.progress import cards_of, pause_due
from endoxa.collect.contributor.cards.said import said_on
from endoxa.collect.contributor.cards.wording import NOTES, PROMPT_SKIPS, RATINGS, REPORTS, SKIPS
from endoxa.collect.models import Card, Person


@require_safe
@contributor
def card(request: HttpRequest, person: Person) -> HttpResponse:
    """The open card of the person, or the next one; a pause first where it is time for one."""
    if not (person.profile_done and person.campaign.settings.cards):
        return redirect(next_step(person))
    done = cards_of(person).cards
    if "on" not in request.GET and pause_due(person, done):
        return redirect("contributor:pause")
    try:
        drawn = drawing.next_card(person)
    except UnknownCardError:
        # They left a moment ago, on another page.
        return redirect("contributor:home")
    if drawn.pair is None:
        return prompt_page(request, person, drawn, prompt_form(drawn, person), done)
    shown = {**pair_context(request, drawn), "ratings": RATINGS, "skips": SKIPS, "reports": REPORTS}
    return render(request, "contributor/card.html", {**_around(request, person, drawn, done), **shown})


def prompt_page(
    request: HttpRequest, person: Person, card: Card, form: PromptForm, done: int | None = None
) -> HttpResponse:
    """The page of a card that asks an open question."""
    context = {
        **_around(request, person, card, cards_of(person).cards if done is None else done),
        "country": geography.name(form.about, get_language() or "en"),
        "form": form,
        "said": said_on(card),
        "skips": PROMPT_SKIPS,
    }
    return render(request, "contributor/card_prompt.html", context)


def pair_context(request: HttpRequest, card: Card) -> dict[str, Any]:
    """What templates need to show the pair of a card."""
    assert card.pair is not None
    return {
        "card": card,
        "pair": card.pair,
        "country": geography.name(card.pair.country, get_language() or "en"),
        "hurtful": card.pair.may_hurt,
        "lifted": covering.lifted(request),
    }


@require_POST
@contributor
def covers(request: HttpRequest, _person: Person) -> HttpResponse:
    """Show pairs that may hurt at once in this browser, or cover them again."""
    response = to_card()
    if request.POST.get("covers") == "lift":
        covering.lift(response)
    else:
        covering.put_back(response)
    return response


def _around(request: HttpRequest, person: Person, card: Card, done: int) -> dict[str, Any]:
    """What stands round any open card: how many are done, a note, and what can be taken back."""
    latest = latest_answer(person, person.campaign)
    return {
        "card": card,
        "done": done,
        "note": NOTES.get(request.GET.get("note", "")),
        "latest": latest,
        "topic": topic_name(topics.offered(latest, person)),
    }
