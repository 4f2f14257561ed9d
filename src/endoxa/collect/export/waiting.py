"""How many cards were drawn while a pair waited for its ratings.

With the propensity that is the weight of a rating in means over all pairs (see the manual, "Weights for mean
ratings"). The same is counted in `simulate.memory`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from endoxa.collect.export.pool import Pool
from endoxa.collect.models import Campaign, Card, Moderation, Pair, Rating

_FEWEST = 10
"""Cards that are told apart at least."""


def waited(campaign: Campaign, pool: Pool) -> dict[UUID, int]:
    """Cards about any pair that were drawn while each exported pair waited; at least 1.

    From when it came into the pool until it had ratings by k people, or until now. Cards of people who left are not
    among them.
    """
    shown = Card.objects.filter(campaign=campaign, pair__isnull=False)
    drawn = list(shown.order_by("drawn_at").values_list("drawn_at", flat=True))
    complete = _complete(campaign, pool)
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, merged_into=None)
    found = {}
    for name, created, waiting in live.values_list("public_id", "created_at", "waiting_since"):
        since = max(created, datetime.fromtimestamp(waiting, UTC))
        found[name] = cards_between(drawn, since, complete.get(name))
    return found


def cards_between(drawn: Sequence[datetime], since: datetime, until: datetime | None) -> int:
    """How many of these times, in their order, lie after `since` and not after `until` (None: at all); at least 1."""
    end = len(drawn) if until is None else bisect_right(drawn, until)
    return max(1, end - bisect_right(drawn, since))


def told(cards: int) -> int:
    """The number as it is exported: its first digit and zeros, at least 10.

    Pairs that somebody added on one card came at one moment. The exact number would show that, also of people whose
    answers nobody shall link.
    """
    step: int = 10 ** (len(str(cards)) - 1)
    return max(_FEWEST, (cards + step // 2) // step * step)


def _complete(campaign: Campaign, pool: Pool) -> Mapping[UUID, datetime]:
    """When each pair had ratings by k people."""
    k = campaign.settings.sampler.k
    people: defaultdict[UUID, set[UUID]] = defaultdict(set)
    found: dict[UUID, datetime] = {}
    rows = Rating.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    for pair, person, moment in rows.values_list("pair_id", "person_id", "created_at"):
        root = pool.roots.get(pair)
        if root is not None and root not in found:
            people[root].add(person)
            if len(people[root]) == k:
                found[root] = moment
    return found
