"""Pages to read: help, and what is kept."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from endoxa.collect import geography
from endoxa.collect.contributor.help_lines import nearest_first
from endoxa.collect.contributor.identity import holder


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Help lines, nearest first, and how to skip, stop and leave."""
    person = holder(request)
    language: str = request.LANGUAGE_CODE
    lines = nearest_first(person.campaign.settings, person.origins) if person else ()
    shown = [(geography.name(line.country, language) if line.country else "", line) for line in lines]
    return render(request, "contributor/help.html", {"lines": shown})


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What is kept about a contributor, until when, and what they may ask for."""
    person = holder(request)
    return render(
        request, "contributor/privacy.html", {"settings": person.campaign.settings if person else None}
    )
