"""Feedback at a pause: how many others had heard a pair, in coarse steps, as of the start of a wave.

It is shown at a pause and on the last page only, and draws do not use it. Only ratings from before the present wave
count, and feedback is given only about cards that were drawn since. So it never includes a person's own answer, nor
answers given after the person read it. People still learn of others' answers; `benchmarks/feedback_and_conformity.py`
estimates the effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from endoxa_collect.cards.counts import root_of, roots_of
from endoxa_collect.models import CLOSED, Campaign, CardState, Moderation, Pair, Person, Rating

STEPS = (3, 10, 30)
"""Thresholds shown. Smaller counts are not shown."""

MOST_ECHOES = 3
"""Pairs that a pause tells of: it stays short."""


def step(count: int) -> int:
    """The largest of `STEPS` that a count reaches; 0 for none."""
    return max((threshold for threshold in STEPS if threshold <= count), default=0)


def wave_of(campaign: Campaign) -> datetime | None:
    """When the present wave began; None in a rehearsal, and where nothing is told."""
    if not campaign.settings.feedback or campaign.began_at is None:
        return None
    now = timezone.now()
    return now - (now - campaign.began_at) % timedelta(minutes=campaign.settings.wave_length)


def echoes(person: Person) -> list[tuple[Pair, int]]:
    """Pairs of the cards since the pause before that the person had heard, the latest first, and how many others had.

    Only at a pause: on the page of a card it would read as if it were about the pair that is to be rated, and even
    below it, it would stand before a rating. See `docs/collect/cards.md`.

    Never of the answer that can be taken back: it would be given once more after it was told.
    """
    wave = wave_of(person.campaign)
    if wave is None:
        return []
    closed = person.cards.filter(state__in=CLOSED).order_by("-closed_at", "-number")
    latest = closed.select_related("pair", "rating")[1 : person.campaign.settings.sampler.break_after + 1]
    pairs = [
        card.pair
        for card in latest
        if card.pair is not None
        and card.state == CardState.ANSWERED
        and card.rating.value > 1
        and card.drawn_at >= wave
    ]
    known = _known_to_others(person, dict.fromkeys(pairs, datetime.min.replace(tzinfo=UTC)), wave)
    return [(pair, known[pair.pk]) for pair in pairs if known[pair.pk]][:MOST_ECHOES]


def recognised(person: Person) -> int:
    """How many others had heard a pair after the person added it: the largest of `STEPS` over their pairs, else 0.

    Pairs that the person also rated are left out, and so are pairs that nothing may be told of.
    """
    wave = wave_of(person.campaign)
    if wave is None:
        return 0
    rated = {root_of(rating.pair) for rating in person.ratings.select_related("pair")}
    added: dict[Pair, datetime] = {}
    for mention in person.mentions.select_related("pair").order_by("created_at"):
        pair = root_of(mention.pair)
        if pair not in rated:
            added.setdefault(pair, mention.created_at)
    return max(_known_to_others(person, added, wave).values(), default=0)


def _known_to_others(person: Person, since: Mapping[Pair, datetime], wave: datetime) -> Mapping[int, int]:
    """By id of a pair, in steps: others who rated it, or what counts as it, 2 or more after a time and before the wave.

    Nothing is told of a pair that is not live, is flagged or covered. The latest rating of each person counts.
    """
    may_be_told = {
        pair.pk: at for pair, at in since.items() if pair.moderation == Moderation.LIVE and not pair.may_hurt
    }
    people: Counter[int] = Counter()
    if may_be_told:
        roots = roots_of(person.campaign_id)
        together = [*may_be_told, *(pk for pk, root in roots.items() if root in may_be_told)]
        ratings = Rating.objects.filter(pair__in=together, created_at__lt=wave, person__aside=False)
        rows = ratings.exclude(person=person).order_by("created_at", "pk")
        latest = {
            (roots.get(pk, pk), other): value
            for pk, other, value, at in rows.values_list("pair", "person", "value", "created_at")
            if at > may_be_told[roots.get(pk, pk)]
        }
        people.update(pk for (pk, _), value in latest.items() if value > 1)
    return Counter({pk: step(count) for pk, count in people.items()})
