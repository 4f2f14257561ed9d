"""Join codes, which open the first pages of a campaign, and tickets of the consent form.

Sending a form twice, as a double tap does, makes one person: its ticket is good for an hour. Sent again by somebody who
left meanwhile, from a page that was still open, it makes a new person with another cookie and another receipt code, so
nothing leads from one to the other.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Collection
from datetime import timedelta
from functools import wraps
from typing import Concatenate

from django.conf import settings as django_settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.crypto import salted_hmac

from endoxa_collect import geography
from endoxa_collect.cards.caching import Cache
from endoxa_collect.contributor.access import closed
from endoxa_collect.contributor.frame import speak_within
from endoxa_collect.models import AuditEntry, Campaign, JoinCode, Person, State
from endoxa_collect.security.codes import hash_secret
from endoxa_collect.security.limits import JOIN_BROWSER, JOIN_SITE, may_guess, missed, refuse

_SALT = "endoxa.ticket"
_SECONDS = 3_600

LEAST = 5
"""People from a country before its box moves up, as in exports (`export.columns.LEAST`)."""

Page = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]
"""A view that is handed the campaign in the place of its code."""


def new_ticket() -> str:
    """A random ticket, signed with the time."""
    return TimestampSigner(salt=_SALT).sign(secrets.token_hex(16))


def in_force(ticket: str) -> bool:
    """Whether the site made this ticket within the last hour."""
    try:
        TimestampSigner(salt=_SALT).unsign(ticket, max_age=_SECONDS)
    except BadSignature:
        return False
    return True


def secret_of(ticket: str, campaign: Campaign) -> str:
    """The cookie value, 128 bits, of whoever sends the consent form of a campaign with this ticket.

    It follows from the ticket and from the latest withdrawal: who left is one of those who left before, so there is no
    need to keep which tickets were theirs. Who sent the form before and is still there keeps their value, whoever else
    left since.
    """
    values = [_value(ticket, campaign, era) for era in _eras(campaign)]
    hashes = [hash_secret(value) for value in values]
    there = set(Person.objects.filter(secret_hash__in=hashes).values_list("secret_hash", flat=True))
    known = (value for value, hashed in zip(values, hashes, strict=True) if hashed in there)
    return next(known, values[0])


def _eras(campaign: Campaign) -> list[int | None]:
    """The withdrawals after which a ticket that is in force may have been sent, the latest first; None: before any."""
    left = AuditEntry.objects.filter(campaign=campaign, action="withdrawal").order_by("-pk")
    # A ticket is good for one hour, and the log holds withdrawals by the hour.
    since = timezone.now() - timedelta(hours=3)
    before = left.filter(at__lt=since).values_list("pk", flat=True).first()
    return [*left.filter(at__gte=since).values_list("pk", flat=True), before]


def _value(ticket: str, campaign: Campaign, era: int | None) -> str:
    return salted_hmac(_SALT, f"{ticket} {campaign.pk} {era}", algorithm="sha256").hexdigest()[:32]


def _asked_for(request: HttpRequest) -> list[str]:
    """Languages that the browser asks for, as it names them (es-CO), in its order."""
    tags = (part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(","))
    return [tag for tag in tags if tag]


def country_of_browser(request: HttpRequest, campaign: Collection[str] = ()) -> str:
    """The country in a language that the browser asks for (es-CO: CO); "" where it names none.

    The first that is one of the `campaign`: a phone in English mostly asks for en-US before it asks for es-CO. It only
    decides which boxes come first and is not stored.
    """
    regions = [tag.rpartition("-")[2].upper() for tag in _asked_for(request) if "-" in tag]
    known = [region for region in regions if region in geography.codes()]
    return next((region for region in known if region in campaign), known[0] if known else "")


def speaks(request: HttpRequest, languages: Collection[str]) -> bool:
    """Whether somebody chose a language on this phone, or the browser asks for one of these."""
    chosen = request.COOKIES.get(django_settings.LANGUAGE_COOKIE_NAME, "")
    return chosen in languages or any(tag.partition("-")[0] in languages for tag in _asked_for(request))


_ORIGINS: Cache[int, tuple[str, ...]] = Cache()
"""What `frequent_origins` said last, by campaign."""


def frequent_origins(campaign: Campaign) -> tuple[str, ...]:
    """Countries that `LEAST` people of a campaign or more come from, most first; known within `STATISTICS_SECONDS`.

    Rarer ones are nobody's business: a box that moves up would tell that somebody has come.
    """
    return _ORIGINS.get(campaign.pk, lambda: _often(campaign))


def _often(campaign: Campaign) -> tuple[str, ...]:
    origins = Person.objects.filter(campaign=campaign, profile_done=True).values_list("origins", flat=True)
    people = Counter(code for codes in origins.iterator() for code in codes)
    return tuple(code for code, number in people.most_common() if number >= LEAST)


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
        if not campaign.settings.joined:
            return render(request, "contributor/tasks_only.html", status=404)
        return page(request, campaign, tidy(code))

    return view
