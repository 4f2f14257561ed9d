"""The pages that a phone has at hand for the time without a network, the worker that shows them, and what it asks for.

They are those of cards that hold their places (`cards.drawing`), with the pause where one is due between them, or of
questions of the survey without an answer.
"""

from __future__ import annotations

from pathlib import Path

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page

from endoxa_collect.access import READ, READ_OR_SEND, Door, allowed, to_card
from endoxa_collect.cards.answering import UnknownCardError
from endoxa_collect.cards.drawing import cards_ahead
from endoxa_collect.contributor import cards, progress, survey
from endoxa_collect.models import CardState, Person

_WORKER = Path(__file__).parents[1] / "static" / "endoxa" / "worker.js"
_NO_NETWORK = "contributor/offline.html"


@allowed(Door.ANYBODY, methods=READ)
def worker(_request: HttpRequest) -> HttpResponse:
    """The worker, from the root of the site, since a worker serves only what lies beside it."""
    return HttpResponse(_WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")


@allowed(Door.ANYBODY, methods=READ)
def no_network(request: HttpRequest) -> HttpResponse:
    """What the worker shows in the place of a page that is not at hand."""
    return render(request, _NO_NETWORK)


@allowed(Door.CONTRIBUTOR, methods=READ)
def one_card(_request: HttpRequest, _person: Person, token: object) -> HttpResponse:  # noqa: ARG001
    """The address under which a phone keeps a card; with a network it leads to the card whose turn it is."""
    return to_card()


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
@gzip_page
def at_hand(request: HttpRequest, person: Person) -> HttpResponse:
    """A form token that is valid now; for POST also pages to keep, without those in `have`.

    `keep` are all addresses that are worth keeping, in the order in which they are shown; `more` says whether there
    would be further pages.
    """
    content: dict[str, object] = {"csrf": get_token(request)}
    if request.method == "POST":
        have = set(request.POST.getlist("have"))
        pages, more = _pages(request, person, have)
        content |= {
            "keep": list(pages),
            "pages": {address: page for address, page in pages.items() if page},
            "more": more,
        }
    return JsonResponse(content)


def _pages(request: HttpRequest, person: Person, have: set[str]) -> tuple[dict[str, str], bool]:
    """Pages by address, "" for those that the phone has; and whether there would be more."""
    pages, more = {}, False
    step = survey.next_step(person)
    if step == "contributor:card":
        try:
            before, more = cards_ahead(person)
        except UnknownCardError:
            before = []
        done = progress.cards_of(person).cards
        for place, card in enumerate(before):
            if card.state == CardState.AHEAD and progress.is_rest(person, done + place):
                rest = reverse("contributor:pause")
                if rest in pages:
                    # A phone has one page of this address: further cards come once it is online.
                    more = False
                    break
                pages[rest] = _text(cards.rest_page(request, person)) if rest not in have else ""
            address = reverse("contributor:one_card", args=[card.token])
            new = address not in have
            pages[address] = (
                _text(cards.card_page(request, person, card, done + place, ahead=True)) if new else ""
            )
            if card.pair is not None and card.adds:
                page = cards.more_page(request, person, card) if new else None
                pages[reverse("contributor:add", args=[card.token])] = _text(page) if page else ""
    elif step == "contributor:survey":
        for question in survey.pending(survey.steps_of(person)):
            address = reverse("contributor:survey_question", args=[question])
            pages[address] = "" if address in have else _text(survey.question_page(request, person, question))
    address = reverse("contributor:no_network")
    pages[address] = "" if address in have else _text(render(request, _NO_NETWORK))
    return pages, more


def _text(response: HttpResponse) -> str:
    return response.content.decode()
