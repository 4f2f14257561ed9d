"""What people add to a card in their own words: other countries, other things that are said, answers to a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from endoxa.collect.cards import answering
from endoxa.collect.contributor.access import answers_last
from endoxa.collect.contributor.cards.fields import more_form, prompt_form
from endoxa.collect.contributor.cards.forms import MoreForm, PromptForm
from endoxa.collect.contributor.cards.leading import own_card, to_card
from endoxa.collect.contributor.cards.said import said_on
from endoxa.collect.contributor.cards.showing import pair_context, prompt_page
from endoxa.collect.entry.errors import EntryError
from endoxa.collect.entry.proposing import Proposal, propose, tick_countries
from endoxa.collect.models import Card, CardState, Person, State, Via
from endoxa.collect.security.limits import PROPOSALS, PROPOSALS_OF_ALL, refuse


@require_http_methods(["GET", "HEAD", "POST"])
@own_card
def add(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep what was filled in and stay with the card."""
    return _handle(request, person, token, leaving=False)


@require_http_methods(["GET", "HEAD", "POST"])
@own_card
@answers_last
def finish(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep what was filled in and go on to the next card."""
    return _handle(request, person, token, leaving=True)


def _handle(request: HttpRequest, person: Person, token: UUID, *, leaving: bool) -> HttpResponse:
    card = answering.card_of(person, token)
    if not _takes_words(card) or _too_late(person, card):
        return to_card()
    if request.method != "POST":
        return to_card() if card.pair is None else _page(request, person, card, more_form(card, person))
    form = _form(card, person, request)
    if form.is_valid():
        if form.cleaned_data["text"]:
            for limit, whose in ((PROPOSALS, person.pk), (PROPOSALS_OF_ALL, person.campaign_id)):
                if not limit.count(str(whose)):
                    return refuse(request, limit)
        try:
            proposal = _keep(person, card, form)
        except ValidationError as problem:
            form.add_error(None, problem)
        else:
            return _onward(person, card, proposal, leaving=leaving)
    return _page(request, person, card, form)


def _takes_words(card: Card) -> bool:
    """Whether words belong here: on prompts that were not skipped, on answered pairs that show the fields."""
    if card.pair is None:
        return card.state != CardState.SKIPPED
    return card.adds and card.state == CardState.ANSWERED


def _too_late(person: Person, card: Card) -> bool:
    """Once a campaign is not open: whether the time of the card, in which it may be finished, is over."""
    return person.campaign.state != State.OPEN and card.expires_at < timezone.now()


def _form(card: Card, person: Person, request: HttpRequest) -> MoreForm | PromptForm:
    make = prompt_form if card.pair is None else more_form
    return make(card, person, request.POST)


def _keep(person: Person, card: Card, form: MoreForm | PromptForm) -> Proposal | None:
    """Store ticked countries and words; the proposal that the words made, if there were any.

    Raises:
        ValidationError: they cannot be taken; it names the field.
    """
    if isinstance(form, MoreForm):
        if form.chosen:
            with _beside("countries"):
                tick_countries(person, card, form.chosen)
        country, via = card.country, Via.ATTRIBUTE
    else:
        country, via = form.about, Via.PROMPT
    text, language = form.cleaned_data["text"], form.cleaned_data["language"]
    if not text:
        return None
    with _beside("text"):
        return propose(person, card, country=country, text=text, language=language, via=via)


@contextmanager
def _beside(field: str) -> Iterator[None]:
    """Tell what is wrong beside the field that it is about."""
    try:
        yield
    except EntryError as error:
        raise ValidationError({field: str(error)}) from error


def _onward(person: Person, card: Card, proposal: Proposal | None, *, leaving: bool) -> HttpResponse:
    if leaving and card.pair is None:
        answering.finish_prompt(person, card.token)
    if proposal is not None and proposal.alike:
        address = reverse("contributor:alike", args=[card.token, proposal.mention.public_id])
        return redirect(f"{address}?on=1" if leaving else address)
    if leaving or card.pair is None:
        return to_card()
    return redirect(reverse("contributor:add", args=[card.token]) + "#added")


def _page(request: HttpRequest, person: Person, card: Card, form: MoreForm | PromptForm) -> HttpResponse:
    for name in list(form.errors)[:1]:
        form.fields[name].widget.attrs["autofocus"] = True
    if isinstance(form, PromptForm):
        return prompt_page(request, person, card, form)
    context = {
        **pair_context(request, card),
        "form": form,
        "said": said_on(card),
        "latest": answering.latest_answer(person, person.campaign),
    }
    return render(request, "contributor/card_more.html", context)
