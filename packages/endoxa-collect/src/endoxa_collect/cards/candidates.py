"""Candidates: pairs that one person ticked for a country far away, and that nobody needs to rate yet.

Ticks are many and cost little; ratings are what a campaign lacks. A ticked pair asks for its k ratings once a second
person says it, once somebody from the country or near it takes part, or once so few pairs wait for ratings that there
is room for it. Until then it counts as said.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from endoxa_collect import geography
from endoxa_collect.cards.caching import Cache
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import Campaign, Card, CardState, Mention, Moderation, Pair, Person, Via
from endoxa_collect.sampler import SamplerSettings, slots
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS

_REACHED: Cache[int, frozenset[str]] = Cache()
"""By campaign: the countries that somebody who took part is from or near."""


def is_candidate(root: Pair, together: Iterable[int], settings: SamplerSettings) -> bool:
    """Whether a candidate, counted anew, goes on waiting for a second mention; `together` is its `counts.family`.

    Nothing that asked for ratings becomes a candidate again.
    """
    if root.ratings or root.mentions > 1:
        return False
    typed = Mention.objects.filter(pair__in=together).exclude(via=Via.OTHER_COUNTRY).exists()
    return slots.is_candidate(
        ratings=root.ratings,
        mentions=root.mentions,
        typed=typed,
        reached=not typed and _reached(root),
        settings=settings,
    )


def _reached(pair: Pair) -> bool:
    """Whether somebody in the campaign is from the country of a pair or near it, as known some seconds ago."""
    return pair.country in _REACHED.get(pair.campaign_id, lambda: _countries(pair.campaign_id))


def _countries(campaign: int) -> frozenset[str]:
    people = Person.objects.filter(campaign=campaign).values_list("origins", "connections").distinct()
    return frozenset[str]().union(*(_countries_near(origins, felt) for origins, felt in people))


def _countries_near(origins: Iterable[str], felt: Iterable[str]) -> frozenset[str]:
    homes = frozenset(origins)
    return homes | geography.near(homes, frozenset(felt))


def reach(person: Person) -> None:
    """Candidates about the countries of somebody whose profile is new ask for ratings from now on."""
    countries = _countries_near(person.origins, person.connections)
    with locked(person.campaign_id):
        _REACHED.forget(person.campaign_id)
        _promote(Pair.objects.filter(campaign=person.campaign_id, need=CANDIDATE, country__in=countries))


def admit(campaign: Campaign, number: int) -> None:
    """Let up to `number` candidates ask for ratings, the oldest first; under the lock of the campaign."""
    waiting = Pair.objects.filter(campaign=campaign, need=CANDIDATE, moderation=Moderation.LIVE)
    oldest = list(waiting.order_by("created_at", "pk").values_list("pk", flat=True)[:number])
    if oldest:
        _promote(Pair.objects.filter(pk__in=oldest, need=CANDIDATE))


def _promote(pairs: QuerySet[Pair]) -> None:
    pairs.update(need=NEEDS, waiting_since=int(time.time()))


def tick_count(pair: Pair, now: datetime) -> int:
    """How many people were asked, or are being asked, of which other countries these words are said."""
    counting = Q(state=CardState.ANSWERED) | Q(state=CardState.OPEN, expires_at__gt=now)
    same = {"pair__campaign": pair.campaign_id, "pair__language": pair.language, "pair__key": pair.key}
    return len(set(Card.objects.filter(counting, **same, ticks=True).values_list("person", flat=True)))
