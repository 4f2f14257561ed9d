"""List and comparison cards: their pages, answers, skips, reports and undo."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_POST

from endoxa_collect import geography
from endoxa_collect.cards import kinds
from endoxa_collect.contributor.access import answers_last, card_holder, to_card
from endoxa_collect.contributor.card_forms import REPORTS, SKIPS
from endoxa_collect.models import CLOSED, CardState, MixedCard, MixedKind, Person


def mixed_page(request: HttpRequest, card: MixedCard, around: dict[str, Any]) -> HttpResponse:
    """Show a card; `around` is the context that all card pages share."""
    context = {
        **around,
        "card": card,
        "from_country": geography.from_country(card.country, get_language() or "en"),
        "rows": list(card.answers.select_related("pair").order_by("position")),
        "skips": SKIPS,
        # "Next" without a tick: asked once whether that is meant.
        "none": request.GET.get("note") == "none",
    }
    return render(request, f"contributor/mixed_{card.kind}.html", context)


def report_page(request: HttpRequest, card: MixedCard) -> HttpResponse:
    """Ask which of the pairs is reported; once `row` in the address names one, why. Each is one screen of a phone."""
    rows = list(card.answers.select_related("pair").order_by("position"))
    row = next((answer for answer in rows if str(answer.public_id) == request.GET.get("row")), None)
    context = {"card": card, "rows": rows, "row": row, "reports": REPORTS}
    return render(request, "contributor/mixed_report.html", context)


class HeardForm(forms.Form):
    """The pairs that were ticked, by the public ids of their rows."""

    heard = forms.TypedMultipleChoiceField(required=False, coerce=UUID)

    def __init__(self, data: Any, *, rows: list[UUID]) -> None:
        super().__init__(data)
        self.fields["heard"].choices = [(str(row), "") for row in rows]  # type: ignore[attr-defined]


class ComparisonForm(forms.Form):
    """One of four choices."""

    choice = forms.ChoiceField(choices=[(name, "") for name in kinds.CHOICES])


class ReasonForm(forms.Form):
    """Why a card is skipped."""

    reason = forms.ChoiceField(choices=[(value, "") for value, _ in SKIPS])


class ReportForm(forms.Form):
    """One pair of the card, by the public id of its row, and what is wrong with it."""

    row = forms.TypedChoiceField(coerce=UUID)
    reason = forms.ChoiceField(choices=[(value, "") for value, _ in REPORTS])

    def __init__(self, data: Any, *, rows: list[UUID]) -> None:
        super().__init__(data)
        self.fields["row"].choices = [(str(row), "") for row in rows]  # type: ignore[attr-defined]


@require_POST
@card_holder
@answers_last
def answer(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep what was ticked or chosen."""
    card = kinds.mixed_of(person, token)
    if card.kind == MixedKind.HEARD:
        ticked = HeardForm(request.POST, rows=list(card.answers.values_list("public_id", flat=True)))
        if not ticked.is_valid():
            return to_card("unclear")
        if not (ticked.cleaned_data["heard"] or "none" in request.POST) and card.state not in CLOSED:
            # One careless tap would say of five pairs that nobody has heard them.
            return to_card("none")
        kinds.answer_heard(person, token, ticked.cleaned_data["heard"])
    else:
        chosen = ComparisonForm(request.POST)
        if not chosen.is_valid():
            return to_card("unclear")
        kinds.answer_comparison(person, token, chosen.cleaned_data["choice"])
    return to_card()


@require_POST
@card_holder
@answers_last
def skip(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Close a card without an answer."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return to_card("unclear")
    kinds.skip_mixed(person, token, form.cleaned_data["reason"])
    return to_card()


@require_http_methods(["GET", "HEAD", "POST"])
@card_holder
@answers_last
def report(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Ask which pair, then why; then put it before moderators, and close the card."""
    card = kinds.mixed_of(person, token)
    if request.method != "POST":
        return report_page(request, card) if card.state == CardState.OPEN else to_card()
    form = ReportForm(request.POST, rows=list(card.answers.values_list("public_id", flat=True)))
    if not form.is_valid():
        return to_card("unclear")
    kinds.report_row(person, token, form.cleaned_data["row"], form.cleaned_data["reason"])
    return to_card()


@require_POST
@card_holder
def undo(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Take back what was answered, and show the card again."""
    kinds.undo_mixed(person, token)
    return to_card()


urlpatterns: list[URLPattern] = [
    path("mixed/<uuid:token>/", answer, name="mixed"),
    path("mixed/<uuid:token>/skip/", skip, name="mixed_skip"),
    path("mixed/<uuid:token>/report/", report, name="mixed_report"),
    path("mixed/<uuid:token>/undo/", undo, name="mixed_undo"),
]
