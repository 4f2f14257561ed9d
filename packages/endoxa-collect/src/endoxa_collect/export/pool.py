"""Pairs in an export: which are included, and which pair a merged one counts for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from endoxa_collect.models import Campaign, Moderation, Pair


@dataclass(frozen=True)
class Pool:
    """The pairs of a campaign as an export knows them.

    `names` has the public id of every pair by primary key, `roots` that of the pair it counts for; pairs that
    are not shown to contributors (pending, hidden) have no root.
    """

    names: Mapping[int, UUID]
    roots: Mapping[int, UUID]

    @property
    def excluded(self) -> int:
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
