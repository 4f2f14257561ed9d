"""What people add to a card: words, further countries, whether a pair is the same as another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from endoxa_collect import groups
from endoxa_collect.cards import answering
from endoxa_collect.contributor.access import answers_last, card_holder, contributor, to_card
from endoxa_collect.contributor.card_forms import (
    MoreForm,
    PromptForm,
    more_form,
    prompt_form,
    says_nothing,
)
from endoxa_collect.contributor.cards import pair_context, prompt_page
from endoxa_collect.contributor.progress import (
    additions_to,
    covers_lifted,
)
from endoxa_collect.contributor.sending import note_kept, was_kept
from endoxa_collect.entry import likeness
from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.entry.proposing import Proposal, propose, say_alike, tick_countries
from endoxa_collect.models import Card, CardState, Mention, Pair, Person, State, Via
from endoxa_collect.security.limits import PROPOSALS, PROPOSALS_OF_ALL, refuse


@require_http_methods(["GET", "HEAD", "POST"])
@card_holder
def add(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep what was filled in and stay with the card."""
    return _handle(request, person, token, leaving=False)


@require_http_methods(["GET", "HEAD", "POST"])
@card_holder
@answers_last
def finish(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep what was filled in and go on to the next card."""
    return _handle(request, person, token, leaving=True)


def _handle(request: HttpRequest, person: Person, token: UUID, *, leaving: bool) -> HttpResponse:
    card = answering.card_of(person, token)
    if was_kept(request, person):
        return to_card()
    # Words belong to prompts that were not skipped, and to answered pairs that show the fields.
    takes_words = (
        card.state != CardState.SKIPPED
        if card.pair is None
        else card.adds and card.state == CardState.ANSWERED
    )
    # Once a campaign is not open, a card may be finished within its time.
    late = person.campaign.state != State.OPEN and card.expires_at < timezone.now()
    if late or not takes_words:
        return to_card() if request.accepts("text/html") else HttpResponse(status=422)
    if request.method != "POST":
        return to_card() if card.pair is None else more_page(request, person, card)
    return _sent(request, person, card, leaving=leaving)


def _sent(request: HttpRequest, person: Person, card: Card, *, leaving: bool) -> HttpResponse:
    if says_nothing(request.POST):
        note_kept(request, person)
        return _onward(person, card, None, leaving=leaving)
    form = (prompt_form if card.pair is None else more_form)(card, person, request.POST)
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
            note_kept(request, person)
            return _onward(person, card, proposal, leaving=leaving)
    return _page(request, person, card, form)


def _keep(person: Person, card: Card, form: MoreForm | PromptForm) -> Proposal | None:
    """Store ticked countries and words; the proposal that the words made, if there were any.

    Raises:
        ValidationError: they cannot be taken; it names the field.
    """
    if isinstance(form, MoreForm):
        if form.chosen:
            with _beside("countries"):
                tick_countries(person, card, form.chosen)
        if form.cleaned_data.get("hurts"):
            answering.answer_hurts(person, card, form.cleaned_data["hurts"])
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
    return redirect(reverse("contributor:add", args=[card.token]) + "#more")


def more_page(request: HttpRequest, person: Person, card: Card) -> HttpResponse:
    """The page that asks for words after a rating."""
    return _page(request, person, card, more_form(card, person))


def _page(request: HttpRequest, person: Person, card: Card, form: MoreForm | PromptForm) -> HttpResponse:
    for name in list(form.errors)[:1]:
        form.fields[name].widget.attrs["autofocus"] = True
    if isinstance(form, PromptForm):
        return prompt_page(request, person, card, form)
    context = {
        **pair_context(request, card),
        "form": form,
        "additions": additions_to(card),
        "latest": card if answering.is_latest(card) else None,
    }
    return render(request, "contributor/card_more.html", context)


class SameForm(forms.Form):
    """The pair that says the same; none where the new one is different."""

    same = forms.UUIDField(required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@contributor
def alike(request: HttpRequest, person: Person, token: UUID, mention: UUID) -> HttpResponse:
    """Ask once; `on` in the address leads to the next card afterwards, else back to where words are added."""
    # If it is this person's, of this card, and was not asked about yet.
    unasked = Mention.objects.filter(person=person, card__token=token, public_id=mention, alike__isnull=True)
    added = unasked.select_related("pair__campaign").first()
    pairs: tuple[Pair, ...] = ()
    if added is not None:
        pair = added.pair
        pairs = likeness.alike(pair.campaign, pair.country, pair.language, added.text, exclude=pair.pk)
    onward = (
        to_card() if "on" in request.GET else redirect(reverse("contributor:add", args=[token]) + "#more")
    )
    if added is None or not pairs:
        return onward
    if request.method == "POST":
        form = SameForm(request.POST)
        if form.is_valid():
            say_alike(person, added.public_id, form.cleaned_data["same"])
            return onward
    context = {
        "mention": added,
        **groups.spoken(added.pair.country, get_language() or "en", person.campaign.settings),
        "pairs": pairs,
        "lifted": covers_lifted(request),
    }
    return render(request, "contributor/card_alike.html", context)


urlpatterns: list[URLPattern] = [
    path("card/<uuid:token>/add/", add, name="add"),
    path("card/<uuid:token>/finish/", finish, name="finish"),
    path("card/<uuid:token>/alike/<uuid:mention>/", alike, name="alike"),
]
