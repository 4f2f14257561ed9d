"""Pairs pick their raters (`sampler.matching`): who takes part, what waits, and the pair that waits for each person.

`match_all` and `find` are called under the lock of the campaign.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from endoxa.collect import sampler
from endoxa.collect.cards.balance import View
from endoxa.collect.models import CLOSED, Campaign, Card, CardState, Match, Mention, Moderation, Pair, Person
from endoxa.collect.sampler import KEPT_SECONDS, Rater, Slot, Waiting
from endoxa.collect.sampler.slots import NEEDS, wanted

_AHEAD = 6
"""Pairs that are read for each person who is free, of each kind."""

STAYS = timedelta(minutes=1)
"""Time for which somebody counts as here after a card: they add words, or answer a list."""

_MANY = 500
"""Pairs about some countries from which on sorting them takes longer than walking all pairs in order."""

_FIELDS = (
    "id",
    "country",
    "language",
    "topic",
    "negative",
    "ratings",
    "own_filled",
    "near_filled",
    "waiting_since",
)


@dataclass(frozen=True)
class Asking:
    """A person who waits for a card, with what they had: pairs they answered, said or were shown, and `rater`."""

    person: Person
    had: frozenset[int]
    rater: Rater


class _Reserved(NamedTuple):
    """A slot of a pair that an open card or a match holds for somebody; `ratings` that the pair has."""

    person: UUID
    pair: int
    slot: Slot
    ratings: int


def is_due(campaign: Campaign, now: datetime) -> bool:
    """Whether pairs should pick raters for everybody: it is some seconds ago that they did, in whatever process."""
    return campaign.matched_at is None or not 0 <= (now - campaign.matched_at).total_seconds() < KEPT_SECONDS


def match_all(campaign: Campaign, view: View, now: datetime, rng: np.random.Generator) -> None:
    """Let pairs pick raters among all who are free."""
    campaign.matched_at = now
    campaign.save(update_fields=["matched_at"])
    _Round(campaign, view, now, rng).match_all()


def waiting_for(asking: Asking, now: datetime) -> Match | None:
    """The pair that waits for a person; None where none does, or it should not come now (`sampler.guards`)."""
    found = Match.objects.filter(person=asking.person, until__gt=now).select_related("pair").first()
    if found is None or found.pair_id in asking.had:
        return None
    if found.pair.moderation != Moderation.LIVE or found.pair.need != NEEDS:
        return None
    settings = asking.person.campaign.settings.sampler
    return None if sampler.guards(asking.rater, _as_waiting(found.pair), settings) else found


def held(now: datetime) -> Coalesce:
    """Of each pair in a query: how many people have a card of it before them."""
    cards = Card.objects.filter(pair=OuterRef("pk"), state=CardState.OPEN, expires_at__gt=now).order_by()
    return Coalesce(Subquery(cards.values("pair").annotate(n=Count("pk")).values("n")), 0)


def is_left(asking: Asking, now: datetime) -> bool:
    """Whether ratings are missing that the person could give and nobody else is giving."""
    rows = _needing(asking.person.campaign).filter(language__in=asking.rater.languages)
    rows = rows.exclude(pk__in=asking.had).exclude(topic__in=asking.rater.no_topics)
    return rows.filter(ratings__lt=asking.person.campaign.settings.sampler.k - held(now)).exists()


def find(asking: Asking, view: View, now: datetime, rng: np.random.Generator, *, alone: bool) -> Match | None:
    """A pair that picks a person now, not stored: it is for the card at once. None where none can.

    What waited for them, and cannot come, waits no longer. `alone`: the last round for all looked at them too, so
    others need not be looked at now.
    """
    Match.objects.filter(person=asking.person).delete()
    return _Round(asking.person.campaign, view, now, rng).match_one(asking, alone=alone)


def _as_waiting(pair: Pair) -> Waiting:
    return Waiting(pair.pk, pair.country, pair.language, pair.topic, bool(pair.negative), slots=())


def backup(asking: Asking, now: datetime) -> Pair | None:
    """A pair whose missing ratings all wait for others, in case they leave: the one that has waited longest.

    It has a single card more than ratings are missing, so that not everybody gets the same.
    """
    campaign = asking.person.campaign
    held = Counter(one.pair for one in _reserved(campaign, now))
    rows = _needing(campaign).filter(pk__in=held, language__in=asking.rater.languages)
    rows = rows.exclude(pk__in=asking.had).exclude(topic__in=asking.rater.no_topics)
    k = campaign.settings.sampler.k
    return next(
        (pair for pair in rows.order_by("waiting_since", "pk") if pair.ratings + held[pair.pk] <= k), None
    )


def _needing(campaign: Campaign) -> QuerySet[Pair]:
    return Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, need=NEEDS)


def _reserved(campaign: Campaign, now: datetime, *, matches: bool = True) -> list[_Reserved]:
    """Slots that open cards hold and, with `matches`, those that wait for somebody.

    Of cards that no slot asked for, the slot of anyone.
    """
    cards = Card.objects.filter(campaign=campaign, state=CardState.OPEN, expires_at__gt=now)
    queries: list[QuerySet[Card] | QuerySet[Match]] = [cards.filter(pair__isnull=False)]
    if matches:
        queries.append(Match.objects.filter(campaign=campaign, until__gt=now))
    fields = ("person", "pair", "slot", "pair__ratings")
    rows = [row for query in queries for row in query.values_list(*fields)]
    return [
        _Reserved(person, pair, Slot(slot or Slot.ANYONE), ratings) for person, pair, slot, ratings in rows
    ]


class _Round:
    """One round of matches: who takes part, what is reserved and what waits, at one moment."""

    def __init__(self, campaign: Campaign, view: View, now: datetime, rng: np.random.Generator) -> None:
        self._campaign, self._view, self._now, self._rng = campaign, view, now, rng
        self._settings = campaign.settings.sampler

    def match_all(self) -> None:
        """Store matches for all who are free."""
        self._end_old()
        self._match(self._raters(), hurried=self._view.outlook.hurried)

    def match_one(self, asking: Asking, *, alone: bool) -> Match | None:
        """The match of who is asking; None where no pair can be shown to them.

        Others get matches too, unless they had their chance in the last round for all (`alone`).
        """
        self._end_old()
        mine = [one for one in self._view.raters if one.person != asking.rater.person] + [asking.rater]
        raters = mine if alone else self._raters(asking)
        found = self._match(raters, asking, hurried=self._view.outlook.hurried)
        # Who would go without stands in for others, also for those who have not come to their pair yet.
        return found or self._match(mine, asking, hurried=True, last=True)

    def _end_old(self) -> None:
        Match.objects.filter(campaign=self._campaign, until__lte=self._now).delete()

    def _match(
        self, raters: Sequence[Rater], asking: Asking | None = None, *, hurried: bool, last: bool = False
    ) -> Match | None:
        """Store the matches of others; give that of who is asking."""
        person = asking.rater.person if asking else None
        moment = sampler.Moment(self._settings, self._prices(raters), hurried=hurried, asking=person)
        waiting = self._waiting(raters, asking, hurried=hurried, matches=not last)
        found = sampler.match(waiting, raters, moment, self._rng)
        if last:
            self._give_way(found)
        Match.objects.bulk_create(self._row(one) for one in found if one.person != person)
        return next((self._row(one) for one in found if one.person == person), None)

    def _give_way(self, found: Iterable[sampler.Match]) -> None:
        """Take slots from people for whom they wait, where all of a pair are taken."""
        for one in found:
            held = sum(each.pair == one.pair for each in _reserved(self._campaign, self._now))
            if Pair.objects.values_list("ratings", flat=True).get(pk=one.pair) + held >= self._settings.k:
                others = Match.objects.filter(campaign=self._campaign, pair=one.pair, slot=one.slot)
                Match.objects.filter(pk__in=others.order_by("until").values("pk")[:1]).delete()

    def _row(self, one: sampler.Match) -> Match:
        return Match(
            campaign=self._campaign,
            person_id=str(one.person),
            pair_id=one.pair,
            slot=one.slot,
            propensity=one.propensity,
            pool=one.pool,
            until=self._now + timedelta(minutes=self._campaign.settings.lease_minutes),
        )

    def _raters(self, asking: Asking | None = None) -> list[Rater]:
        """Everybody who takes part: free are those who are here and have no pair that waits for them."""
        cards = Card.objects.filter(campaign=self._campaign)
        open_ones = cards.filter(state=CardState.OPEN, expires_at__gt=self._now)
        closed = cards.filter(state__in=CLOSED, closed_at__gt=self._now - STAYS)
        here = set(open_ones.values_list("person", flat=True)) | set(closed.values_list("person", flat=True))
        here -= set(Match.objects.filter(campaign=self._campaign).values_list("person", flat=True))
        others = [one for one in self._view.raters if asking is None or one.person != asking.rater.person]
        found = [replace(one, free=True) if one.person in here else one for one in others]
        return [*found, asking.rater] if asking else found

    def _prices(self, raters: Sequence[Rater]) -> Mapping[str, float]:
        """The price of each country that somebody comes from, from the open slots for its people."""
        people = Counter(country for one in raters for country in one.origins)
        outlook = self._view.outlook
        each = max(1.0, outlook.pace.each * outlook.minutes)
        return {
            country: sampler.price(self._view.own_slots.get(country, 0), n, each)
            for country, n in people.items()
        }

    def _waiting(
        self, raters: Sequence[Rater], asking: Asking | None, *, hurried: bool, matches: bool
    ) -> list[Waiting]:
        """Pairs for the people who are free, those that miss fewest ratings first; `matches`: as in `_reserved`."""
        reserved = _reserved(self._campaign, self._now, matches=matches)
        held: defaultdict[int, Counter[Slot]] = defaultdict(Counter)
        for one in reserved:
            held[one.pair][one.slot] += 1
        full = [one.pair for one in reserved if one.ratings + held[one.pair].total() >= self._settings.k]
        rows = self._rows(raters, asking, full, hurried=hurried)
        slots = {
            pk: sampler.open_slots(
                sampler.Filled(own, near, ratings - own - near) + held.get(pk, {}), self._settings
            )
            for pk, *_, ratings, own, near, _ in rows
        }
        rows = [row for row in rows if slots[row[0]]]
        barred, picked = self._had([row[0] for row in rows])
        for one in reserved:
            picked[one.pair].add(one.person)
        return [
            Waiting(
                pair=pk,
                country=country,
                language=language,
                topic=topic,
                negative=bool(negative),
                slots=slots[pk],
                barred=frozenset(barred[pk] | picked[pk]),
                picked=frozenset(picked[pk]),
            )
            for pk, country, language, topic, negative, *_ in rows
        ]

    def _rows(
        self, raters: Sequence[Rater], asking: Asking | None, full: Collection[int], *, hurried: bool
    ) -> list[tuple]:  # type: ignore[type-arg]
        """Columns `_FIELDS` of pairs that are not `full`: for own and near people who are free, and for anyone."""
        free = [one for one in raters if one.free]
        limit = _AHEAD * (len(free) + 1)
        goal = wanted(self._settings)
        pairs = _needing(self._campaign).filter(
            language__in=frozenset[str]().union(*(one.languages for one in free))
        )
        pairs = pairs.exclude(pk__in=full)
        if asking is not None:
            # What somebody rated alone comes first in this order, and would hide the rest from them.
            pairs = pairs.exclude(pk__in=asking.had)
        if asking is not None and len(free) == 1:
            pairs = pairs.exclude(topic__in=asking.rater.no_topics)
        known = frozenset[str]().union(*(one.origins | one.near for one in raters))
        anyone = Q(ratings__lt=F("own_filled") + F("near_filled") + goal[Slot.ANYONE]) | ~Q(country__in=known)
        kinds = (
            self._about(pairs, _countries(free, "origins")).filter(own_filled__lt=goal[Slot.OWN]),
            self._about(pairs, _countries(free, "near")).filter(near_filled__lt=goal[Slot.NEAR]),
            pairs if hurried else pairs.filter(anyone),
        )
        found = {
            row[0]: row
            for kind in kinds
            for row in kind.order_by("-ratings", "waiting_since").values_list(*_FIELDS)[:limit]
        }
        return sorted(found.values(), key=lambda row: (-row[5], row[8], row[0]))

    def _about(self, pairs: QuerySet[Pair], countries: Collection[str]) -> QuerySet[Pair]:
        """Those about some countries, for the first few in their order.

        Where there are many, the database had better walk them in that order than sort all of these countries; it does
        once the column is hidden behind a function.
        """
        if sum(self._view.own_slots.get(country, 0) for country in countries) < _MANY:
            return pairs.filter(country__in=countries)
        return pairs.annotate(about=Coalesce("country", Value(""))).filter(about__in=countries)

    def _had(self, pairs: Collection[int]) -> tuple[defaultdict[int, set[UUID]], defaultdict[int, set[UUID]]]:
        """People who answered each pair, or one that was merged into it, or said it; and those whom it had picked."""
        merged = Pair.objects.filter(merged_into__in=pairs).values_list("pk", "merged_into")
        into = {pk: root for pk, root in merged if root is not None}
        together = [*pairs, *into]
        had: defaultdict[int, set[UUID]] = defaultdict(set)
        picked: defaultdict[int, set[UUID]] = defaultdict(set)
        cards = Card.objects.filter(pair__in=together, state__in=CLOSED)
        for pair, person, slot, state in cards.values_list("pair", "person", "slot", "state"):
            had[into.get(pair, pair)].add(person)
            if slot and state == CardState.ANSWERED:
                picked[into.get(pair, pair)].add(person)
        for pair, person in Mention.objects.filter(pair__in=together).values_list("pair", "person"):
            had[into.get(pair, pair)].add(person)
        return had, picked


def _countries(raters: Iterable[Rater], kind: str) -> frozenset[str]:
    return frozenset[str]().union(*(getattr(one, kind) for one in raters))
