"""A rest between cards, and the end."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from endoxa.collect.campaign.settings import in_language
from endoxa.collect.cards.answering import latest_answer
from endoxa.collect.contributor.access import contributor, next_step
from endoxa.collect.contributor.cards.progress import progress_of
from endoxa.collect.contributor.help_lines import nearest_first
from endoxa.collect.models import Person

_HELP_LINES = 3
"""The nearest ones; the page of help has all."""


@require_safe
@contributor
def pause(request: HttpRequest, person: Person) -> HttpResponse:
    """Go on or stop; the person's own counts and what they are good for."""
    context = {
        "progress": progress_of(person),
        "latest": latest_answer(person, person.campaign),
        "somebody_listens": bool(person.campaign.settings.help_lines),
    }
    return render(request, "contributor/pause.html", context)


@require_safe
@contributor
def thanks(request: HttpRequest, person: Person) -> HttpResponse:
    """Thanks, counts, what happens next; the way back and the way out."""
    settings = person.campaign.settings
    onward = next_step(person)
    context = {
        "progress": progress_of(person),
        "text": in_language(settings.texts.thanks, get_language() or "en"),
        "onward": "" if onward == "contributor:thanks" else onward,
        "help_lines": nearest_first(settings, person.origins)[:_HELP_LINES],
    }
    return render(request, "contributor/thanks.html", context)
