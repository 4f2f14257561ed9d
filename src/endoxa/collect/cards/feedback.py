"""Feedback at a pause: how many others had heard a pair, in coarse words, as of the start of a wave.

Nothing of it is read before an answer, and no draw reads it at all. A wave's counts are frozen when it begins and a
card counts only if it was drawn afterwards, so what somebody is told never holds their own answer, nor one that was
given after they were told. It still tells people of others' answers; `benchmarks/feedback_and_conformity.py` shows what
that can do.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from uuid import UUID

from django.conf import settings as django_settings
from django.utils import timezone

from endoxa.collect.cards.counts import family, root_of
from endoxa.collect.cards.locking import locked
from endoxa.collect.models import Campaign, Card, CardState, Moderation, Pair, Person, Rating, State, Wave

STEPS = (3, 10, 30)
"""What is told: at least so many. Fewer than the first are nobody's business."""

_LOOKED: dict[int, float] = {}
"""When this process looked last whether a wave is due, by campaign."""
_LATEST: dict[int, tuple[float, Wave | None]] = {}

Known = tuple[int, int]
"""People and countries, each one of `STEPS` or 0."""


def step(count: int) -> int:
    """The largest of `STEPS` that a count reaches; 0 for none."""
    return max((one for one in STEPS if one <= count), default=0)


def after(card: Card) -> Known | None:
    """What may be told of the pair of a card that was just rated; None for nothing.

    Nothing after a skip, of a pair that is not live, is flagged or covered, while people rehearse, where the
    campaign has it switched off, and where the card was drawn before the present wave.
    """
    if card.pair is None or card.state != CardState.ANSWERED or not card.campaign.settings.feedback:
        return None
    if card.campaign.began_at is None or card.pair.moderation != Moderation.LIVE or card.pair.may_hurt:
        return None
    wave = latest(card.campaign)
    if wave is None or wave.began_at > card.drawn_at:
        return None
    return _of(wave, card.pair.pk)


def recognised(person: Person) -> int:
    """How many others recognised one of the pairs that the person added: one of `STEPS`, the best of them; else 0.

    Only ratings count that others gave after the person had added it and before the present wave. Pairs that the person
    rated, too, are left out, as are those that nothing may be told of.
    """
    campaign = person.campaign
    if not campaign.settings.feedback or campaign.began_at is None:
        return 0
    wave = latest(campaign)
    if wave is None:
        return 0
    added: dict[Pair, datetime] = {}
    for mention in person.mentions.select_related("pair").order_by("created_at"):
        added.setdefault(root_of(mention.pair), mention.created_at)
    rated = {root_of(one.pair).pk for one in person.ratings.select_related("pair")}
    return max(
        (
            step(_heard_since(pair, since, wave, person))
            for pair, since in added.items()
            if pair.moderation == Moderation.LIVE
            and not pair.may_hurt
            and pair.pk not in rated
            # Spares the question where all ratings together are too few.
            and _of(wave, pair.pk)
        ),
        default=0,
    )


def _heard_since(pair: Pair, since: datetime, wave: Wave, person: Person) -> int:
    """Others who had heard a pair, by their ratings between `since` and the start of a wave."""
    given = Rating.objects.filter(
        pair__in=family(pair), created_at__gt=since, created_at__lte=wave.began_at
    ).exclude(person=person)
    values = dict(given.order_by("created_at", "pk").values_list("person_id", "value"))
    return sum(value > 1 for value in values.values())


def _of(wave: Wave, pair: int) -> Known | None:
    found = _frozen(wave.pk, wave.began_at).get(str(pair))
    return (found[0], found[1]) if found else None


@lru_cache(maxsize=8)
def _frozen(wave: int, _began_at: datetime) -> Mapping[str, Known]:
    """The counts of a wave, read once by each process: a large campaign has many, and they never change."""
    # None where the next wave has begun in between.
    return Wave.objects.filter(pk=wave).values_list("known", flat=True).first() or {}


def latest(campaign: Campaign) -> Wave | None:
    """The wave that is under way, as this process knew it within `STATISTICS_SECONDS`."""
    kept = _LATEST.get(campaign.pk)
    if kept is None or time.monotonic() - kept[0] > django_settings.STATISTICS_SECONDS:
        found = Wave.objects.filter(campaign=campaign).defer("known").order_by("-began_at").first()
        kept = _LATEST[campaign.pk] = time.monotonic(), found
    return kept[1]


def begin_if_due(campaign: Campaign, now: datetime | None = None) -> Wave | None:
    """Begin a wave where the present one has lasted as long as the settings say; the new one, if there is one.

    Each process looks once in `STATISTICS_SECONDS`, by an index and without the campaign's lock.
    """
    now = now or timezone.now()
    looked = _LOOKED.get(campaign.pk)
    if looked is not None and time.monotonic() - looked < django_settings.STATISTICS_SECONDS:
        return None
    _LOOKED[campaign.pk] = time.monotonic()
    if not _due(campaign, now):
        return None
    with locked(campaign.pk) as current:
        # Somebody else may have begun it while we waited.
        return begin(current, now) if _due(current, now) else None


def _due(campaign: Campaign, now: datetime) -> bool:
    if not campaign.settings.feedback or campaign.began_at is None or campaign.state != State.OPEN:
        return False
    since = now - timedelta(minutes=campaign.settings.wave_length)
    return not Wave.objects.filter(campaign=campaign, began_at__gt=since).exists()


def begin(campaign: Campaign, now: datetime) -> Wave:
    """Freeze what is known now. Earlier waves go: nothing is told from them any more."""
    Wave.objects.filter(campaign=campaign).delete()
    return Wave.objects.create(campaign=campaign, began_at=now, known=_known(campaign))


def _known(campaign: Campaign) -> dict[str, Known]:
    """Steps of each live pair by people who rated it 2 or more, anew from the rows; merged pairs count as one."""
    roots = _roots(campaign)
    latest_value: dict[tuple[int, UUID], tuple[int, tuple[str, ...]]] = {}
    given = (
        Rating.objects.filter(person__campaign=campaign)
        .order_by("created_at", "pk")
        .values_list("pair_id", "person_id", "value", "person__origins")
    )
    for pair, person, value, origins in given.iterator():
        latest_value[roots.get(pair, pair), person] = value, tuple(origins)
    people: defaultdict[int, int] = defaultdict(int)
    places: defaultdict[int, set[str]] = defaultdict(set)
    for (pair, _), (value, origins) in latest_value.items():
        if value > 1:
            people[pair] += 1
            # One place for each person, or one with two origins would stand for two.
            places[pair] |= set(origins[:1])
    return {str(pair): (step(n), step(len(places[pair]))) for pair, n in people.items() if step(n)}


def _roots(campaign: Campaign) -> dict[int, int]:
    merged = Pair.objects.filter(campaign=campaign, merged_into__isnull=False)
    into = dict(merged.values_list("pk", "merged_into_id"))

    def root(pair: int) -> int:
        while (above := into.get(pair)) is not None:
            pair = above
        return pair

    return {pair: root(pair) for pair in into}
