"""The figures of the dashboard: counts of the whole, never of one person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, Sum
from django.db.models.functions import Least
from django.utils import timezone

from endoxa.collect.cards.balance import forecast_of, lately, window_of
from endoxa.collect.models import CLOSED, Campaign, Card, CardState, Mention, Moderation, Pair
from endoxa.collect.organiser.dashboard.agreement import Agreement, agreement_of
from endoxa.collect.organiser.dashboard.coverage import FEWEST, Coverage, together
from endoxa.collect.organiser.keeping import kept
from endoxa.collect.organiser.moderation.queue import waiting
from endoxa.collect.sampler import Forecast


@dataclass(frozen=True)
class Doing:
    """What at least three people together did within the last minutes or day (`cards.balance.lately`).

    `pace` is in answers a minute, of all together; `skips` do not include `reports`. Each of the two is None unless at
    least three people did it.
    """

    people: int
    answers: int
    pace: float
    new_pairs: int
    skips: int | None
    reports: int | None


@dataclass(frozen=True)
class Figures:
    """One look at a campaign.

    Attributes:
        taken_at: when the figures were counted.
        pairs: live pairs.
        done: live pairs with k ratings or more.
        waiting: pairs in the moderators' queue: those that wait, and live ones with flags or reports.
        coverage: by country; small groups of people merged.
        lately: None while fewer than three people were active, whose own doing would show.
        agreement: None while there are too few pairs.
        forecast: what to expect at the end.
        minutes_left: of the planned time; negative when it is over.
    """

    taken_at: datetime
    pairs: int
    done: int
    waiting: int
    coverage: tuple[Coverage, ...]
    lately: Doing | None
    agreement: Agreement | None
    forecast: Forecast
    minutes_left: float

    @property
    def share(self) -> float:
        """Share of live pairs with k ratings or more, 0 to 1."""
        return self.done / self.pairs if self.pairs else 0.0


def figures_of(campaign: Campaign) -> Figures:
    """The figures, up to three seconds old."""
    return kept(campaign, "cards", lambda: count(campaign, timezone.now()))


def count(campaign: Campaign, now: datetime) -> Figures:
    """Count them anew, with a dozen queries whatever the size of the campaign."""
    countries = _countries(campaign)
    opened = campaign.began_at or now
    return Figures(
        taken_at=now,
        pairs=sum(one.pairs for one in countries),
        done=sum(one.done for one in countries),
        waiting=waiting(campaign, organiser=True).count(),
        coverage=together(countries, _people(campaign)),
        lately=_doing(campaign, now),
        agreement=agreement_of(campaign, now - window_of(campaign)),
        forecast=forecast_of(campaign, now),
        minutes_left=campaign.settings.minutes - (now - opened).total_seconds() / 60,
    )


def _countries(campaign: Campaign) -> list[Coverage]:
    k = campaign.settings.sampler.k
    rows = (
        Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
        .values("country")
        .annotate(pairs=Count("id"), done=Count("id", filter=Q(ratings__gte=k)), has=Sum(Least("ratings", k)))
        .order_by("country")
    )
    return [
        Coverage(row["country"], row["pairs"], row["done"], row["has"], wanted=k * row["pairs"])
        for row in rows
    ]


def _people(campaign: Campaign) -> Mapping[str, set[UUID]]:
    """Who answered a card about a country or proposed something for it."""
    cards = Card.objects.filter(campaign=campaign, state__in=CLOSED)
    mentions = Mention.objects.filter(pair__campaign=campaign)
    found: dict[str, set[UUID]] = defaultdict(set)
    for country, person in cards.values_list("country", "person_id").distinct():
        found[country].add(person)
    for country, person in mentions.values_list("pair__country", "person_id").distinct():
        found[country].add(person)
    return found


def _doing(campaign: Campaign, now: datetime) -> Doing | None:
    recent = lately(campaign, now)
    reported = Q(skip__reason__startswith="report_")
    skipped = Q(state=CardState.SKIPPED) & ~reported
    seen: dict[str, Any] = recent.cards.aggregate(
        people=Count("person", distinct=True),
        answers=Count("id", filter=Q(state=CardState.ANSWERED)),
        reports=Count("id", filter=reported),
        reporters=Count("person", filter=reported, distinct=True),
        skips=Count("id", filter=skipped),
        skippers=Count("person", filter=skipped, distinct=True),
    )
    if seen["people"] < FEWEST:
        return None
    return Doing(
        people=seen["people"],
        answers=seen["answers"],
        pace=seen["answers"] / recent.minutes,
        new_pairs=recent.new_pairs,
        skips=seen["skips"] if seen["skippers"] >= FEWEST else None,
        reports=seen["reports"] if seen["reporters"] >= FEWEST else None,
    )
