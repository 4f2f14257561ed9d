"""The question after new words: are they the same as one of these? Asked afterwards, so that nothing is suggested."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods

from endoxa.collect import geography
from endoxa.collect.contributor.access import contributor
from endoxa.collect.contributor.cards import covers
from endoxa.collect.contributor.cards.leading import to_card
from endoxa.collect.entry import alike as near
from endoxa.collect.entry.proposing import say_alike
from endoxa.collect.models import Mention, Pair, Person


class SameForm(forms.Form):
    """The pair that says the same; none where the new one is different."""

    same = forms.UUIDField(required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@contributor
def alike(request: HttpRequest, person: Person, token: UUID, mention: UUID) -> HttpResponse:
    """Ask once; `on` in the address leads to the next card afterwards, else back to where words are added."""
    said = _open_question(person, token, mention)
    pairs = _candidates(said) if said else ()
    onward = (
        to_card() if "on" in request.GET else redirect(reverse("contributor:add", args=[token]) + "#added")
    )
    if said is None or not pairs:
        return onward
    if request.method == "POST":
        form = SameForm(request.POST)
        if form.is_valid():
            say_alike(person, said.public_id, form.cleaned_data["same"])
            return onward
    context = {
        "mention": said,
        "country": geography.name(said.pair.country, get_language() or "en"),
        "pairs": [(pair, pair.may_hurt) for pair in pairs],
        "lifted": covers.lifted(request),
    }
    return render(request, "contributor/card_alike.html", context)


def _open_question(person: Person, token: UUID, mention: UUID) -> Mention | None:
    """The mention, if it is this person's, of this card and was not asked about yet."""
    mine = Mention.objects.filter(person=person, card__token=token, public_id=mention, alike__isnull=True)
    return mine.select_related("pair__campaign").first()


def _candidates(mention: Mention) -> tuple[Pair, ...]:
    pair = mention.pair
    return near.alike(pair.campaign, pair.country, pair.language, mention.text, exclude=pair.pk)
