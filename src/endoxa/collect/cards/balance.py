"""The forecast of a campaign and what follows from it, from the answers of the last minutes."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.db.models import Count, F, Sum
from django.utils import timezone

from endoxa.collect.models import Campaign, Card, CardState, Moderation, Pair, Source
from endoxa.collect.sampler import Balance, Forecast, forecast
from endoxa.collect.sampler.types import NEEDS

WINDOW_MINUTES = 10
"""Minutes whose answers say how many people are active and how fast they are."""

_FIRST_PACE = 1.5
"""Ratings per person and minute before anything is known."""

_SECONDS = 3.0
_KEPT: dict[int, tuple[float, Forecast]] = {}


def balance_of(campaign: Campaign, now: datetime | None = None) -> Balance:
    """What an organiser ordered, else what the controller says; up to three seconds old."""
    if campaign.balance:
        return Balance(campaign.balance)
    kept = _KEPT.get(campaign.pk)
    if kept is None or time.monotonic() - kept[0] > _SECONDS:
        kept = _KEPT[campaign.pk] = time.monotonic(), forecast_of(campaign, now)
    return kept[1].balance


def forecast_of(campaign: Campaign, now: datetime | None = None) -> Forecast:
    """The forecast from the last `WINDOW_MINUTES` of a campaign."""
    now = now or timezone.now()
    settings = campaign.settings
    opened = campaign.opened_at or now
    since = max(now - timedelta(minutes=WINDOW_MINUTES), opened)
    seconds = max((now - since).total_seconds(), 60.0)
    lately = Card.objects.filter(
        campaign=campaign, state=CardState.ANSWERED, closed_at__gte=since, closed_at__lte=now
    )
    seen = lately.aggregate(people=Count("person", distinct=True), cards=Count("id"))
    people, cards = max(1, seen["people"]), seen["cards"]
    added = Pair.objects.filter(
        campaign=campaign, source=Source.CONTRIBUTOR, moderation=Moderation.LIVE, created_at__gte=since
    ).count()
    return forecast(
        backlog=_backlog(campaign, now),
        people=people,
        pace=cards / people / (seconds / 60) if cards else _FIRST_PACE,
        minutes=settings.minutes - (now - opened).total_seconds() / 60,
        new_pairs=added / cards if cards else 0.0,
        k=settings.sampler.k,
    )


def _backlog(campaign: Campaign, now: datetime) -> int:
    """Ratings missing up to k, less live leases on pairs that need them."""
    k = campaign.settings.sampler.k
    needing = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, need=NEEDS)
    missing = needing.aggregate(total=Sum(k - F("ratings")))["total"] or 0
    held = Card.objects.filter(
        campaign=campaign, state=CardState.OPEN, expires_at__gt=now, pair__need=NEEDS
    ).count()
    return max(0, int(missing) - held)
