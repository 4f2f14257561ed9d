"""Approving at once what stands on one page of the queue: new pairs that carry no flag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.models import User

from endoxa.collect.entry.errors import EntryError
from endoxa.collect.models import Action, Campaign, Moderation, Pair
from endoxa.collect.organiser.moderation.deciding import Decision, decide
from endoxa.collect.organiser.moderation.queue import claims_of_others


class Shown(NamedTuple):
    """A pair of a page, and the revision of it that the account saw."""

    item: UUID
    seen: str


def plain(pairs: Sequence[Pair], user: User) -> list[Pair]:
    """Those that wait, carry no flag and are not being looked at by another account."""
    claims = claims_of_others(user).filter(pair__in=[pair.pk for pair in pairs])
    taken = set(claims.values_list("pair", flat=True))
    return [
        pair
        for pair in pairs
        if pair.moderation == Moderation.PENDING and not pair.flags and pair.pk not in taken
    ]


def approve_all(campaign: Campaign, user: User, shown: Iterable[Shown]) -> int:
    """Approve each of these that is plain and as it was shown, as a decision of its own; how many that were."""
    return sum(_approve(campaign, user, one) for one in shown)


def _approve(campaign: Campaign, user: User, shown: Shown) -> bool:
    if not plain(list(Pair.objects.filter(campaign=campaign, public_id=shown.item)), user):
        return False
    try:
        decide(campaign, user, shown.item, Decision(Action.APPROVE, shown.seen))
    except EntryError:
        return False
    return True
