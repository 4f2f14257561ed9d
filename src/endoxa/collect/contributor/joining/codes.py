"""Join codes: who holds a live one may open the first pages of a campaign."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from endoxa.collect.contributor.access import closed
from endoxa.collect.contributor.language import speak_within
from endoxa.collect.models import Campaign, JoinCode, State
from endoxa.collect.security.limits import JOIN_BROWSER, JOIN_SITE, may_guess, missed, refuse

Page = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]
"""A view that is handed the campaign in the place of its code."""


def tidy(typed: str) -> str:
    """A code as it is stored, from one that was typed small, with spaces or with dashes."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def campaign_of_code(code: str) -> Campaign | None:
    """The campaign that a code opens; None for codes that are unknown, over or revoked, and for drafts."""
    found = JoinCode.objects.in_force().filter(code=tidy(code)).select_related("campaign").first()
    return found.campaign if found and found.campaign.state != State.DRAFT else None


def with_code(page: Page) -> Callable[..., HttpResponse]:
    """Open a page `/j/<code>/...` to holders of a live code of an open campaign.

    All other codes get one and the same answer, and are counted.
    """

    @wraps(page)
    def view(request: HttpRequest, code: str) -> HttpResponse:
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        campaign = campaign_of_code(code)
        if campaign is None:
            if full := missed(request, JOIN_BROWSER, JOIN_SITE):
                return refuse(request, full)
            return render(request, "contributor/no_such_code.html", status=404)
        speak_within(request, campaign)
        if campaign.state != State.OPEN:
            return closed(request)
        return page(request, campaign, tidy(code))

    return view
