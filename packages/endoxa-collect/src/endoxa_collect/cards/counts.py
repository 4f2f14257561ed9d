"""Counts of a pair, always from the rows behind it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import pvariance
from typing import NamedTuple
from uuid import UUID

from django.db.models import Case, Value, When

from endoxa_collect.cards.candidates import is_candidate
from endoxa_collect.cards.hurting import judge
from endoxa_collect.models import Campaign, Mention, Pair, Rating
from endoxa_collect.sampler import SamplerSettings, Slot
from endoxa_collect.sampler.slots import CANDIDATE, FULL, NEEDS, OPEN, TOPUP, need

_FROM_RATINGS = ["ratings", "own_filled", "near_filled", "variance", "need"]


def root_of(pair: Pair) -> Pair:
    """The pair that a merged one stands for; itself where it is not merged."""
    while pair.merged_into is not None:
        pair = pair.merged_into
    return pair


def recount(campaign: Campaign, pairs: Iterable[Pair], *, judged: bool = True) -> None:
    """Count ratings, mentions, variance and need of these pairs and of what they were merged into anew.

    A person counts once: where they rated several pairs that were merged, their latest rating counts. Whether they may
    hurt is decided anew, too, unless `judged` is False.
    """
    settings = campaign.settings
    for root in {root_of(pair) for pair in pairs}:
        together = family(root)
        root.mentions = Mention.objects.filter(pair__in=together).values("person_id").distinct().count()
        before = root.need
        _set_ratings(root, ratings_of(together), settings.sampler)
        fields = [*_FROM_RATINGS, "mentions"]
        if before == CANDIDATE and is_candidate(root, together, settings.sampler):
            root.need = CANDIDATE
        elif before == CANDIDATE:
            # It waits for ratings from now on.
            root.waiting_since = int(time.time())
            fields.append("waiting_since")
        root.save(update_fields=fields)
        if judged:
            judge(root, together, settings.hurt_answers)


def family(root: Pair) -> list[int]:
    """Ids of a pair and of all that was merged into it."""
    members, latest = [root.pk], [root.pk]
    while latest:
        latest = list(Pair.objects.filter(merged_into__in=latest).values_list("pk", flat=True))
        members += latest
    return members


class CountedRating(NamedTuple):
    """A rating: ids of its person and pair, its value, the slot it fills, and whether the country is their own."""

    person: UUID
    value: int
    pair: int
    slot: str
    in_group: bool

    @property
    def counts_for(self) -> Slot:
        """Whom the rating was for. Of those that no slot asked for, the ones from the country count as such."""
        if self.slot:
            return Slot(self.slot)
        return Slot.OWN if self.in_group else Slot.ANYONE


def ratings_of(together: list[int]) -> list[CountedRating]:
    """All ratings of a pair and of what was merged into it (`family`), the oldest first."""
    rows = Rating.objects.filter(pair__in=together).order_by("created_at", "pk")
    return [
        CountedRating._make(row)
        for row in rows.values_list("person_id", "value", "pair_id", "card__slot", "in_group")
    ]


def recount_ratings(root: Pair, ratings: Iterable[CountedRating], settings: SamplerSettings) -> None:
    """Set what follows from ratings of one pair, from all `ratings`, the oldest first."""
    _set_ratings(root, ratings, settings)
    root.save(update_fields=_FROM_RATINGS)


def _set_ratings(root: Pair, ratings: Iterable[CountedRating], settings: SamplerSettings) -> None:
    latest = list({rating.person: rating for rating in ratings}.values())
    values = [rating.value for rating in latest]
    root.ratings = len(values)
    root.own_filled = sum(rating.counts_for is Slot.OWN for rating in latest)
    root.near_filled = sum(rating.counts_for is Slot.NEAR for rating in latest)
    root.variance = pvariance(values) if len(values) > 1 else None
    root.need = need(root.ratings, root.variance, settings)


def recount_needs(campaign: Campaign, settings: SamplerSettings) -> None:
    """Apply new limits to all pairs of a campaign, in one statement; says the same as `need`.

    Candidates stay such, unless a second mention is no longer asked for. The limits are handed over, since the version
    that holds them may not be read, and kept, before it is committed.
    """
    Pair.objects.filter(campaign=campaign).update(
        need=Case(
            *([When(need=CANDIDATE, then=Value(CANDIDATE))] if settings.second_mention else []),
            When(ratings__lt=settings.k, then=Value(NEEDS)),
            When(ratings__gte=settings.k_max, then=Value(FULL)),
            When(variance__gte=settings.disagreement, then=Value(TOPUP)),
            default=Value(OPEN),
        )
    )
