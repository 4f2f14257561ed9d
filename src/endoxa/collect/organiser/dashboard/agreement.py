"""How far people agree, as one figure for the whole campaign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, Variance

from endoxa.collect.models import Campaign, Card, CardState, Moderation, Pair, Rating

PAIRS = 10
"""Pairs behind a share that is shown; each of them has the ratings of at least three people."""

_RATINGS = 3


@dataclass(frozen=True)
class Agreement:
    """Percent of the rated pairs whose ratings vary less than the settings' limit of disagreement.

    Rated are live pairs with k ratings or more, and at least three. `before` is the same at an earlier time, of the
    pairs that are live now; None where too few of them were rated then. For merged pairs it is not exact: ratings of
    what was merged into a pair are missing if the pair itself was rated since; else those given since are in it.
    """

    now: int
    before: int | None


def agreement_of(campaign: Campaign, earlier: datetime) -> Agreement | None:
    """Agreement now and earlier; None while there are fewer than `PAIRS`.

    What it was earlier is counted from the pairs that got a rating since then alone, as there are few of them.
    """
    settings = campaign.settings.sampler
    enough = {"ratings__gte": max(_RATINGS, settings.k)}
    counts = {"pairs": Count("pk"), "agreed": Count("pk", filter=Q(variance__lt=settings.disagreement))}
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
    since = Card.objects.filter(campaign=campaign, state=CardState.ANSWERED, closed_at__gt=earlier)
    changed = live.filter(pk__in=since.values("pair"))
    now = live.filter(**enough).aggregate(**counts)
    if now["pairs"] < PAIRS:
        return None
    gone = changed.filter(**enough).aggregate(**counts)
    there = (
        Rating.objects.filter(pair__in=changed, created_at__lte=earlier)
        .values("pair")
        .annotate(ratings=Count("pk"), variance=Variance("value"))
        .filter(**enough)
        .aggregate(pairs=Count("pair"), agreed=Count("pair", filter=Q(variance__lt=settings.disagreement)))
    )
    then = {name: now[name] - gone[name] + there[name] for name in now}
    return Agreement(_percent(now), _percent(then) if then["pairs"] >= PAIRS else None)


def _percent(counted: dict[str, int]) -> int:
    return round(100 * counted["agreed"] / counted["pairs"])
