"""Feedback at a pause: how many others had heard a pair, in coarse steps, as of the start of a wave.

It is shown at a pause and on the last page only, and draws do not use it. A wave's counts are frozen when it begins,
and feedback is given only about cards that were drawn afterwards. So it never includes a person's own answer, nor
answers given after the person read it. People still learn of others' answers; `benchmarks/feedback_and_conformity.py`
estimates the effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from django.db.models import Count, Q
from django.utils import timezone

from endoxa_collect.cards.counts import family, root_of
from endoxa_collect.cards.locking import Cache, locked, remembered
from endoxa_collect.models import Campaign, Card, CardState, Moderation, Pair, Person, Rating, State, Wave

STEPS = (3, 10, 30)
"""Thresholds shown. Smaller counts are not shown."""

_LOOKED: Cache[int, None] = Cache()
"""Campaigns of which this process knows whether a wave is due."""

Tally = tuple[int, int]
"""People and countries, each one of `STEPS` or 0."""


def step(count: int) -> int:
    """The largest of `STEPS` that a count reaches; 0 for none."""
    return max((threshold for threshold in STEPS if threshold <= count), default=0)


def after(card: Card) -> Tally | None:
    """What may be shown about the pair of a card that was just rated; None for nothing.

    Nothing is shown after a skip, about a pair that is not live, is flagged or covered, in a rehearsal, if the
    campaign has switched it off, and if the card was drawn before the current wave.
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
    """How many others had heard a pair that the person added: the largest of `STEPS` over their pairs, else 0.

    Only ratings count that others gave after the person had added it and before the present wave. Pairs that the person
    also rated are left out, and so are pairs that nothing may be told of.
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
    rated = {root_of(rating.pair).pk for rating in person.ratings.select_related("pair")}
    most = 0
    for pair, since in added.items():
        fits = pair.moderation == Moderation.LIVE and not pair.may_hurt and pair.pk not in rated
        # Spares the question where all ratings together are too few.
        if fits and _of(wave, pair.pk):
            ratings = Rating.objects.filter(
                pair__in=family(pair), created_at__gt=since, created_at__lt=wave.began_at
            ).exclude(person=person)
            values = dict(ratings.order_by("created_at", "pk").values_list("person_id", "value"))
            most = max(most, step(sum(value > 1 for value in values.values())))
    return most


def _of(wave: Wave, pair: int) -> Tally | None:
    tally = _frozen(wave.pk, wave.began_at).get(str(pair))
    return (tally[0], tally[1]) if tally else None


@lru_cache(maxsize=8)
def _frozen(wave: int, _began_at: datetime) -> Mapping[str, Tally]:
    """The counts of a wave, read once by each process: a large campaign has many, and they never change."""
    # None where the next wave has begun in between.
    return Wave.objects.filter(pk=wave).values_list("known", flat=True).first() or {}


@remembered
def latest(campaign: Campaign) -> Wave | None:
    """The wave that is under way, as this process knew it within `STATISTICS_SECONDS`."""
    return Wave.objects.filter(campaign=campaign).defer("known").order_by("-began_at").first()


def begin_if_due(campaign: Campaign, now: datetime | None = None) -> Wave | None:
    """Begin a wave where the present one has lasted as long as the settings say; the new one, if there is one.

    Each process looks once in `STATISTICS_SECONDS`, by an index, and counts without the campaign's lock.
    """
    now = now or timezone.now()
    if _LOOKED.is_fresh(campaign.pk):
        return None
    _LOOKED.put(campaign.pk, None)
    if not _due(campaign, now):
        return None
    tallies = _tallies(campaign, now)
    with locked(campaign.pk) as current:
        # Somebody else may have begun it while we waited.
        return _begin(current, now, tallies) if _due(current, now) else None


def _due(campaign: Campaign, now: datetime) -> bool:
    if not campaign.settings.feedback or campaign.began_at is None or campaign.state != State.OPEN:
        return False
    since = now - timedelta(minutes=campaign.settings.wave_length)
    return not Wave.objects.filter(campaign=campaign, began_at__gt=since).exists()


def begin(campaign: Campaign, now: datetime) -> Wave:
    """Freeze what is known now. Earlier waves go: nothing is shown from them any more."""
    return _begin(campaign, now, _tallies(campaign, now))


def _begin(campaign: Campaign, now: datetime, tallies: Mapping[str, Tally]) -> Wave:
    Wave.objects.filter(campaign=campaign).delete()
    return Wave.objects.create(campaign=campaign, began_at=now, known=tallies)


def _tallies(campaign: Campaign, now: datetime) -> dict[str, Tally]:
    """Steps of each pair by people who had rated it 2 or more by then; merged pairs count as one.

    The database counts. Only ratings of merged pairs are read, of which the latest of each person counts.
    """
    roots = _roots(campaign)
    together = {*roots, *roots.values()}
    ratings = Rating.objects.filter(pair__campaign=campaign, person__aside=False, created_at__lt=now)
    # One place for each person, or one with two origins would stand for two.
    counted = (
        ratings.filter(value__gt=1)
        .values_list("pair_id")
        .annotate(people=Count("pk"), places=Count("person__origins__0", distinct=True))
        .filter(people__gte=STEPS[0])
        .order_by()
    )
    tallies = {
        str(pair): (step(people), step(places)) for pair, people, places in counted if pair not in together
    }
    merged = Pair.objects.filter(campaign=campaign, merged_into__isnull=False)
    among = Q(pair__in=merged.values("pk")) | Q(pair__in=merged.values("merged_into"))
    rows = ratings.filter(among).order_by("created_at", "pk")
    latest_value = {
        (roots.get(pair, pair), person): (value, origins)
        for pair, person, value, origins in rows.values_list(
            "pair_id", "person_id", "value", "person__origins"
        )
    }
    heard: defaultdict[int, list[list[str]]] = defaultdict(list)
    for (pair, _), (value, origins) in latest_value.items():
        if value > 1:
            heard[pair].append(origins[:1])
    return tallies | {
        str(pair): (step(len(homes)), step(len({country for home in homes for country in home})))
        for pair, homes in heard.items()
        if step(len(homes))
    }


def _roots(campaign: Campaign) -> dict[int, int]:
    merged = Pair.objects.filter(campaign=campaign, merged_into__isnull=False)
    into = dict(merged.values_list("pk", "merged_into_id"))

    def root(pair: int) -> int:
        while (above := into.get(pair)) is not None:
            pair = above
        return pair

    return {pair: root(pair) for pair in into}
