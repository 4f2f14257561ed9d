"""The pages of a list or comparison card."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from endoxa_collect import geography
from endoxa_collect.contributor.cards.forms import REPORTS, SKIPS
from endoxa_collect.models import MixedCard


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
    row = next((one for one in rows if str(one.public_id) == request.GET.get("row")), None)
    context = {"card": card, "rows": rows, "row": row, "reports": REPORTS}
    return render(request, "contributor/mixed_report.html", context)
