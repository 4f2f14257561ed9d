"""Pairs in an export: which are included, the weight of merged pairs, and the number of draws between ratings.

With the propensity, the number of cards drawn meanwhile is the weight of a rating in means over all pairs (see the
manual, "Weights for mean ratings"). The same is counted in `simulate.memory`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from endoxa.collect.models import Campaign, Card, Moderation, Pair, Rating

_FEWEST = 10
"""Smallest number of cards that is exported."""

_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Pool:
    """The pairs of a campaign as an export knows them.

    `names` has the public id of every pair by primary key, `roots` that of the pair it counts for; pairs that
    are not shown to contributors (pending, hidden) have no root.
    """

    names: Mapping[int, UUID]
    roots: Mapping[int, UUID]

    @property
    def held_back(self) -> int:
        """Pairs that wait for a moderator or were hidden."""
        return len(self.names) - len(self.roots)


def read_pool(campaign: Campaign) -> Pool:
    """Names and roots of all pairs."""
    rows = Pair.objects.filter(campaign=campaign).values_list("pk", "public_id", "merged_into", "moderation")
    pairs = {pk: (name, into, moderation) for pk, name, into, moderation in rows}
    roots: dict[int, UUID] = {}
    for pk in pairs:
        root = pk
        while (into := pairs[root][1]) is not None:
            root = into
        if pairs[root][2] == Moderation.LIVE:
            roots[pk] = pairs[root][0]
    return Pool({pk: name for pk, (name, _, _) in pairs.items()}, roots)


def waited(campaign: Campaign, pool: Pool) -> dict[UUID, int]:
    """Cards about any pair that were drawn while each exported pair waited; at least 1.

    From when it, or a pair that was merged into it, came into the pool until both had ratings by k people together, or
    until now. Cards of people who left are not among them.
    """
    shown = Card.objects.filter(campaign=campaign, pair__isnull=False)
    drawn = list(shown.order_by("drawn_at").values_list("drawn_at", flat=True))
    complete = _complete(campaign, pool)
    found = {}
    for root, (first, since) in _beginnings(campaign, pool).items():
        until = complete.get(root)
        # One that had its ratings, and was hidden or handed on after, began to wait when it was made.
        found[root] = cards_between(drawn, first if until and until <= since else since, until)
    return found


def cards_between(drawn: Sequence[datetime], since: datetime, until: datetime | None) -> int:
    """How many of these times, in their order, lie after `since` and not after `until` (None: at all); at least 1."""
    end = len(drawn) if until is None else bisect_right(drawn, until)
    return max(1, end - bisect_right(drawn, since))


def rounded(cards: int) -> int:
    """The number as it is exported: its first digit and zeros, at least 10.

    Pairs that somebody added on one card came at one moment. The exact number would show that, also of people whose
    answers nobody shall link.
    """
    step: int = 10 ** (len(str(cards)) - 1)
    return max(_FEWEST, (cards + step // 2) // step * step)


def _beginnings(campaign: Campaign, pool: Pool) -> Mapping[UUID, tuple[datetime, datetime]]:
    """When the first pair that counts for each exported one was made, and when the first of them began to wait."""
    found: dict[UUID, tuple[datetime, datetime]] = {}
    rows = Pair.objects.filter(campaign=campaign)
    for pair, created, waiting, before in rows.values_list(
        "pk", "created_at", "waiting_since", "before_merge"
    ):
        root = pool.roots.get(pair)
        if root is None:
            continue
        # What waited for a moderator until it was merged was on no card before.
        shown = before != Moderation.PENDING
        since = max(created, datetime.fromtimestamp(waiting, UTC)) if shown else _NEVER
        first = found.get(root, (_NEVER, _NEVER))
        found[root] = (min(created, first[0]), min(since, first[1]))
    return found


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
