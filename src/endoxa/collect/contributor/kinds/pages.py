"""The page of a list or comparison card."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.contributor.cards.forms import REPORTS, SKIPS
from endoxa.collect.models import MixedCard


def mixed_page(request: HttpRequest, card: MixedCard, around: dict[str, Any]) -> HttpResponse:
    """Show a card; `around` is the context that all card pages share."""
    context = {
        **around,
        "card": card,
        "from_country": geography.from_country(card.country, get_language() or "en"),
        "rows": list(card.answers.select_related("pair").order_by("position")),
        "skips": SKIPS,
        "reports": REPORTS,
    }
    return render(request, f"contributor/mixed_{card.kind}.html", context)
