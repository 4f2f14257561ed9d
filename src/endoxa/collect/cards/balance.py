"""The forecast of a campaign from the answers of the last minutes, and the balance that follows from it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from endoxa.collect.cards.candidates import admit
from endoxa.collect.models import CLOSED, Campaign, Card, CardState, Moderation, Pair, Source
from endoxa.collect.sampler import KEPT_SECONDS, Balance, Expected, Forecast, Outlook, forecast
from endoxa.collect.sampler.tiers import NEEDING
from endoxa.collect.sampler.types import CANDIDATE, NEEDS

_COMING = (Moderation.LIVE, Moderation.PENDING)


class _Kept(NamedTuple):
    read_at: float
    balance: Balance
    prompts: float


_KEPT: dict[int, _Kept] = {}


def balance_of(campaign: Campaign, now: datetime | None = None) -> Balance:
    """What an organiser ordered, else what the controller says; up to five seconds old.

    A process remembers what it said last, so that the balance does not go to and fro (`Outlook.balance_after`).
    """
    if campaign.balance:
        return Balance(campaign.balance)
    return _kept(campaign, now).balance


def prompts_of(campaign: Campaign, now: datetime | None = None) -> float:
    """Share of cards that ask an open question instead of showing a pair (`Outlook.prompts`); as old as the balance.

    None of them while an organiser's order is in force: the order says what is wanted.
    """
    return 0.0 if campaign.balance else _kept(campaign, now).prompts


def _kept(campaign: Campaign, now: datetime | None) -> _Kept:
    """What the controller said last; where that is too old it is asked anew, and candidates come in as it allows."""
    kept = _KEPT.get(campaign.pk)
    if kept is None or time.monotonic() - kept.read_at > KEPT_SECONDS:
        seen = outlook_of(campaign, now or timezone.now())
        before = kept.balance if kept else None
        kept = _KEPT[campaign.pk] = _Kept(time.monotonic(), seen.balance_after(before), seen.prompts)
        if seen.room:
            admit(campaign, seen.room)
    return kept


def window_of(campaign: Campaign) -> timedelta:
    """How far back one looks to see how a campaign is doing now."""
    return timedelta(minutes=_expected(campaign).window)


@dataclass(frozen=True)
class Lately:
    """The last minutes (at least one) of a campaign, from `since`: cards closed and how many pairs contributors added.

    Pairs that moderators hid or merged do not count, nor do candidates, which ask for no ratings.
    """

    since: datetime
    cards: QuerySet[Card]
    new_pairs: int
    minutes: float


def lately(campaign: Campaign, now: datetime) -> Lately:
    """The time within `window_of` and not before the campaign began."""
    since = max(now - window_of(campaign), campaign.began_at or campaign.created_at)
    closed = Card.objects.filter(campaign=campaign, state__in=CLOSED)
    added = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR, moderation__in=_COMING)
    added = added.exclude(need=CANDIDATE)
    return Lately(
        since=since,
        cards=closed.filter(closed_at__gt=since, closed_at__lte=now),
        new_pairs=added.filter(created_at__gt=since, created_at__lte=now).count(),
        minutes=max(1.0, (now - since).total_seconds() / 60),
    )


def forecast_of(campaign: Campaign, now: datetime | None = None) -> Forecast:
    """What to expect at the end, from the last minutes of a campaign."""
    return forecast(outlook_of(campaign, now or timezone.now()))


def outlook_of(campaign: Campaign, now: datetime) -> Outlook:
    """A campaign as it stands; where the last minutes say nothing yet, as its settings expect it.

    Pairs that wait for a moderator count as if they were live: they will ask for ratings too.
    """
    settings = campaign.settings
    age = (now - (campaign.began_at or now)).total_seconds() / 60
    people, each, new_pairs = _pace(lately(campaign, now))
    expected = _expected(campaign)
    return Outlook(
        backlog=_backlog(campaign, now),
        pace=expected.pace(age, people, each),
        minutes=settings.minutes - age,
        leaving=expected.leaving,
        new_pairs=new_pairs,
        k=settings.sampler.k,
        ordered=Balance(campaign.balance) if campaign.balance else None,
        most_prompts=settings.sampler.prompt_early,
    )


def _expected(campaign: Campaign) -> Expected:
    settings = campaign.settings
    return Expected(settings.setting == "workshop", settings.expected_people, settings.minutes)


def _pace(recent: Lately) -> tuple[int, float, float]:
    """People, ratings of each a minute, and new pairs per rating; only ratings of pairs that needed them count."""
    needed = recent.cards.filter(state=CardState.ANSWERED, tier__in=NEEDING)
    found = needed.aggregate(people=Count("person", distinct=True), cards=Count("id"))
    people, cards = found["people"], found["cards"]
    each = cards / people / recent.minutes if people else 0.0
    return people, each, recent.new_pairs / cards if cards else 0.0


def _backlog(campaign: Campaign, now: datetime) -> int:
    """Ratings missing up to k, less live leases on pairs that need them."""
    k = campaign.settings.sampler.k
    needing = Pair.objects.filter(campaign=campaign, moderation__in=_COMING, need=NEEDS)
    missing = needing.aggregate(total=Sum(k - F("ratings")))["total"] or 0
    held = Card.objects.filter(
        campaign=campaign, state=CardState.OPEN, expires_at__gt=now, pair__need=NEEDS
    ).count()
    return max(0, int(missing) - held)
