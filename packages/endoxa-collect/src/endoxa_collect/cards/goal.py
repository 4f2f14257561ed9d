"""What everybody works at together: how many pairs of a country have all the ratings they need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from endoxa_collect.cards.caching import Cache
from endoxa_collect.models import Campaign, Moderation, Pair, Person
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS

SHOWN = 3
"""Maximum number of countries on a page. Neither countries nor people are ranked."""

_KEPT: Cache[int, Mapping[str, Goal]] = Cache()
"""By campaign."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Of `whole` live pairs about a country (ISO 3166; "" for all) `done` have the k ratings they need."""

    country: str
    done: int
    whole: int


def goals_of(person: Person) -> tuple[Goal, ...]:
    """The person's own countries that have pairs, then those they feel close to; all together where there are none."""
    goals = _read(person.campaign)
    wanted = dict.fromkeys([*person.origins, *person.connections])
    shown = tuple(goals[country] for country in wanted if country in goals)[:SHOWN]
    if shown or not goals:
        return shown
    return (Goal("", sum(goal.done for goal in goals.values()), sum(goal.whole for goal in goals.values())),)


def _read(campaign: Campaign) -> Mapping[str, Goal]:
    return _KEPT.get(campaign.pk, lambda: _counted(campaign))


def _counted(campaign: Campaign) -> Mapping[str, Goal]:
    """One pass over the index `pair_by_cell`."""
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
    done: defaultdict[str, int] = defaultdict(int)
    totals: defaultdict[str, int] = defaultdict(int)
    # Candidates do not ask for ratings.
    live = live.exclude(need=CANDIDATE)
    for country, need, n in live.values_list("country", "need").annotate(n=Count("pk")).order_by():
        totals[country] += n
        done[country] += n if need != NEEDS else 0
    return {country: Goal(country, done[country], n) for country, n in totals.items()}
