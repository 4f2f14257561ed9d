"""Pairs pick their raters (`sampler.matching`): who takes part, what waits, and the pair that waits for each person.

`match_all` is called while nobody else draws, `find` before anything is locked, and what it found is taken within a
transaction (`take_waiting`, `take_found`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np
from django.db.models import BigIntegerField, DateTimeField, F, Q, QuerySet, UUIDField, Value
from django.db.models.functions import Coalesce

from endoxa_collect.cards.balance import View
from endoxa_collect.compiled import compiled, only
from endoxa_collect.models import (
    CLOSED,
    HOLDING,
    Campaign,
    Card,
    CardState,
    Match,
    Mention,
    Moderation,
    Pair,
    Person,
)
from endoxa_collect.sampler import matching
from endoxa_collect.sampler.controller import KEPT_SECONDS
from endoxa_collect.sampler.matching import Rater, Waiting
from endoxa_collect.sampler.slots import NEEDS, Slot, open_slots, wanted

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
    """A person who waits for a card, with what they had: pairs they answered, said or were shown, and `rater`.

    `said_on`: ids of the cards to which they added something.
    """

    person: Person
    had: frozenset[int]
    rater: Rater
    said_on: frozenset[int] = frozenset()


class _Reserved(NamedTuple):
    """A slot of a pair that an open card or a match holds for somebody; `ratings` that the pair has."""

    person: UUID
    pair: int
    slot: Slot
    ratings: int


class Reservations:
    """What people have before them or what waits for them at one moment, read once where it is asked for.

    `of_pair`: of this pair only.
    """

    def __init__(self, campaign: Campaign, now: datetime, of_pair: int | None = None) -> None:
        self.campaign, self.now, self._of_pair = campaign, now, of_pair

    @cached_property
    def cards(self) -> list[_Reserved]:
        """Slots that open cards and those ahead hold; of cards that no slot asked for, the slot of anyone."""
        return self._read(_open_in, _open_of_pair)

    @cached_property
    def matches(self) -> list[_Reserved]:
        """Slots of pairs that wait for somebody."""
        return self._read(_waits_in, _waits_of_pair)

    def full(self, number: int) -> list[int]:
        """Pairs that have so many ratings, or will have once the open cards are answered."""
        return _full(self.cards, number)

    def _read(self, of_all: Callable[..., _Read], of_pair: Callable[..., _Read]) -> list[_Reserved]:
        moment = self.campaign.pk, self.now
        rows = of_all(*moment) if self._of_pair is None else of_pair(*moment, self._of_pair)
        return [_Reserved(row[0], row[1], Slot(row[2] or Slot.ANYONE), row[3]) for row in rows]


_RESERVED = ("person", "pair", "slot", "pair__ratings")
_Rows: TypeAlias = QuerySet[Any, tuple[Any, ...]]
_Read: TypeAlias = list[tuple[Any, ...]]


@compiled(BigIntegerField(), DateTimeField())
def _open_in(campaign: int, now: datetime) -> _Rows:
    cards = Card.objects.filter(campaign=campaign, state__in=HOLDING, expires_at__gt=now)
    return cards.filter(pair__isnull=False).values_list(*_RESERVED)


@compiled(BigIntegerField(), DateTimeField(), BigIntegerField())
def _open_of_pair(campaign: int, now: datetime, pair: int) -> _Rows:
    cards = Card.objects.filter(campaign=campaign, state__in=HOLDING, expires_at__gt=now)
    return cards.filter(pair=pair).values_list(*_RESERVED)


@compiled(BigIntegerField(), DateTimeField())
def _waits_in(campaign: int, now: datetime) -> _Rows:
    return Match.objects.filter(campaign=campaign, until__gt=now).values_list(*_RESERVED)


@compiled(BigIntegerField(), DateTimeField(), BigIntegerField())
def _waits_of_pair(campaign: int, now: datetime, pair: int) -> _Rows:
    return Match.objects.filter(campaign=campaign, until__gt=now, pair=pair).values_list(*_RESERVED)


def _full(reserved: Iterable[_Reserved], number: int) -> list[int]:
    ratings = {row.pair: row.ratings for row in reserved}
    promised = Counter(row.pair for row in reserved)
    return [pair for pair, count in ratings.items() if count + promised[pair] >= number]


def is_due(campaign: Campaign, now: datetime) -> bool:
    """Whether pairs should pick raters for everybody: it is some seconds ago that they did, in whatever process.

    Who waited for the campaign comes with a time a little before that of the round.
    """
    return campaign.matched_at is None or abs((now - campaign.matched_at).total_seconds()) >= KEPT_SECONDS


def match_all(campaign: Campaign, view: View, now: datetime, rng: np.random.Generator) -> None:
    """Let pairs pick raters among all who are free, unless they are chosen at random when somebody comes."""
    campaign.matched_at = now
    campaign.save(update_fields=["matched_at"])
    if campaign.settings.sampler.rule == "slots":
        _Round(view, Reservations(campaign, now), rng).match_all()


def waiting_for(asking: Asking, now: datetime) -> Match | None:
    """The pair that waits for a person; None where none does, or it should not come now (`matching.guards`)."""
    match = only(_waits_for(asking.person.pk, now))
    if match is None or match.pair_id in asking.had:
        return None
    pair, settings = match.pair, asking.person.campaign.settings.sampler
    if pair.moderation != Moderation.LIVE or pair.need != NEEDS:
        return None
    waiting = Waiting(pair.pk, pair.country, pair.language, pair.topic, bool(pair.negative), slots=())
    return None if matching.guards(asking.rater, waiting, settings) else match


@compiled(UUIDField(), DateTimeField())
def _waits_for(person: UUID, now: datetime) -> QuerySet[Match]:
    return Match.objects.filter(person=person, until__gt=now).select_related("pair")[:1]


def is_left(asking: Asking, reservations: Reservations) -> bool:
    """Whether ratings are missing that the person could give and nobody else is giving."""
    full = reservations.full(reservations.campaign.settings.sampler.k)
    return readable(asking, need=NEEDS).exclude(pk__in=full).exists()


def find(
    asking: Asking, view: View, reservations: Reservations, rng: np.random.Generator
) -> Iterator[tuple[Match, bool]]:
    """Pairs that pick a person now, the best first; others follow in case somebody else was faster.

    Each as a match that is not stored, for the card at once, and whether they stand in for others, also for those whom
    a slot of the pair waits for. Only this person is free in it: the others had their chance in the last round for all,
    and have it in the next.
    """
    return _Round(view, reservations, rng).for_rater(asking)


def take_waiting(match: Match, now: datetime) -> bool:
    """Take the pair that waits for a person; False where it was given to somebody else, or cannot be shown now."""
    needing = {"pair__moderation": Moderation.LIVE, "pair__need": NEEDS}
    deleted, _ = Match.objects.filter(pk=match.pk, until__gt=now, **needing).delete()
    return bool(deleted)


def take_found(match: Match, now: datetime, *, stands_in: bool) -> bool:
    """Take the slot of a pair that `find` found; False where somebody else was faster.

    Who stands in takes it from somebody for whom it waits, where all slots of the pair are taken.
    """
    campaign = match.campaign
    counts = only(_counts(campaign.pk, match.pair_id))
    if counts is None:
        return False
    reservations = Reservations(campaign, now, match.pair_id)
    # Before the cards: what somebody comes for in this moment is seen twice then, and not missed.
    others = [row for row in reservations.matches if str(row.person) != str(match.person_id)]
    reserved = reservations.cards if stands_in else [*reservations.cards, *others]
    settings = campaign.settings.sampler
    if match.slot not in open_slots(_filled(*counts, reserved=reserved), settings):
        return False
    waits = [other for other in others if other.slot == match.slot]
    if not stands_in or not waits or counts[0] + len(reservations.cards) + len(others) < settings.k:
        return True
    of_slot = Match.objects.filter(pair=match.pair_id, slot=match.slot, until__gt=now)
    of_slot = of_slot.exclude(person=match.person_id)
    deleted, _ = Match.objects.filter(pk__in=of_slot.order_by("until").values("pk")[:1]).delete()
    # None, where they came for it in this moment.
    return bool(deleted)


@compiled(BigIntegerField(), BigIntegerField())
def _counts(campaign: int, pair: int) -> _Rows:
    """Of a pair that still needs ratings, whose row is locked."""
    needing = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, need=NEEDS, pk=pair)
    return needing.select_for_update(no_key=True).values_list("ratings", "own_filled", "near_filled")


def _filled(ratings: int, own: int, near: int, *, reserved: Iterable[_Reserved]) -> Counter[Slot]:
    rated = Counter({Slot.OWN: own, Slot.NEAR: near, Slot.ANYONE: ratings - own - near})
    return rated + Counter(row.slot for row in reserved)


def backup(asking: Asking, reservations: Reservations) -> Pair | None:
    """A pair whose missing ratings all wait for others, in case they leave: the one that has waited longest.

    It has a single card more than ratings are missing, so that not everybody gets the same.
    """
    number = Counter(row.pair for row in (*reservations.cards, *reservations.matches))
    rows = readable(asking, need=NEEDS, pk__in=number).order_by("waiting_since", "pk")
    k = reservations.campaign.settings.sampler.k
    return next((pair for pair in rows if pair.ratings + number[pair.pk] <= k), None)


def readable(asking: Asking, **which: Any) -> QuerySet[Pair]:
    """Live pairs that somebody can read and has not had."""
    pairs = Pair.objects.filter(campaign=asking.person.campaign, moderation=Moderation.LIVE, **which)
    pairs = pairs.filter(language__in=asking.rater.languages).exclude(pk__in=asking.had)
    return pairs.exclude(topic__in=asking.rater.no_topics)


class _Round:
    """One round of matches: who takes part, what is reserved and what waits, at one moment."""

    def __init__(self, view: View, reservations: Reservations, rng: np.random.Generator) -> None:
        self._view, self._reservations, self._rng = view, reservations, rng
        self._campaign, self._settings = reservations.campaign, reservations.campaign.settings.sampler

    def match_all(self) -> None:
        """Store matches for all who are free."""
        Match.objects.filter(campaign=self._campaign, until__lte=self._reservations.now).delete()
        raters, hurried = self._raters(), self._view.outlook.hurried
        reserved = [*self._reservations.cards, *self._reservations.matches]
        matches = self._match(self._waiting(raters, reserved, hurried=hurried), raters, hurried=hurried)
        Match.objects.bulk_create(self._row(match) for match in matches)

    def for_rater(self, asking: Asking) -> Iterator[tuple[Match, bool]]:
        """Pairs that pick who is asking."""
        person = asking.rater.person
        raters = [*(rater for rater in self._view.raters if rater.person != person), asking.rater]
        # What waited for them, and cannot come, is for others.
        waits = [match for match in self._reservations.matches if match.person != person]
        # Who would go without stands in for others, also for those who have not come to their pair yet.
        for stands_in, others in ((False, waits), (True, [])):
            hurried = stands_in or self._view.outlook.hurried
            waiting = self._waiting(raters, [*self._reservations.cards, *others], asking, hurried=hurried)
            while matches := self._match(waiting, raters, asking.rater, hurried=hurried):
                yield self._row(matches[0]), stands_in
                waiting = [pair for pair in waiting if pair.pair != matches[0].pair]

    def _match(
        self,
        waiting: Sequence[Waiting],
        raters: Sequence[Rater],
        asking: Rater | None = None,
        *,
        hurried: bool,
    ) -> list[matching.Match]:
        outlook = self._view.outlook
        each = max(1.0, outlook.pace.each * outlook.minutes)
        # The price of each country that somebody comes from, from the open slots for its people.
        people = Counter(country for rater in raters for country in rater.origins)
        prices = {
            country: matching.price(self._view.own_slots.get(country, 0), number, each)
            for country, number in people.items()
        }
        person = asking.person if asking else None
        moment = matching.Moment(self._settings, prices, hurried=hurried, asking=person)
        return matching.match(waiting, raters, moment, self._rng)

    def _row(self, match: matching.Match) -> Match:
        return Match(
            campaign=self._campaign,
            person_id=str(match.person),
            pair_id=match.pair,
            slot=match.slot,
            propensity=match.propensity,
            pool=match.pool,
            until=self._reservations.now + timedelta(minutes=self._campaign.settings.lease_minutes),
        )

    def _raters(self) -> list[Rater]:
        """Everybody who takes part: free are those who are here and have no pair that waits for them."""
        here, now = {card.person for card in self._reservations.cards}, self._reservations.now
        cards = Card.objects.filter(campaign=self._campaign)
        open_questions = cards.filter(pair__isnull=True, state=CardState.OPEN, expires_at__gt=now)
        closed = cards.filter(state__in=CLOSED, closed_at__gt=now - STAYS)
        for query in (open_questions, closed):
            here.update(query.values_list("person", flat=True))
        here -= {match.person for match in self._reservations.matches}
        return [replace(rater, free=True) if rater.person in here else rater for rater in self._view.raters]

    def _waiting(
        self,
        raters: Sequence[Rater],
        reserved: Sequence[_Reserved],
        asking: Asking | None = None,
        *,
        hurried: bool,
    ) -> list[Waiting]:
        """Pairs for the people who are free, those that miss fewest ratings first."""
        reserved_of: defaultdict[int, list[_Reserved]] = defaultdict(list)
        for row in reserved:
            reserved_of[row.pair].append(row)
        rows = self._rows(raters, asking, _full(reserved, self._settings.k), hurried=hurried)
        slots = {
            pk: open_slots(_filled(ratings, own, near, reserved=reserved_of.get(pk, ())), self._settings)
            for pk, *_, ratings, own, near, _ in rows
        }
        rows = [row for row in rows if slots[row[0]]]
        barred, picked = self._had([row[0] for row in rows])
        for pk, there in reserved_of.items():
            picked[pk].update(reservation.person for reservation in there)
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
        free = [rater for rater in raters if rater.free]
        limit = _AHEAD * (len(free) + 1)
        goal = wanted(self._settings)
        pairs = Pair.objects.filter(campaign=self._campaign, moderation=Moderation.LIVE, need=NEEDS)
        pairs = pairs.filter(language__in=_all(free, "languages")).exclude(pk__in=full)
        if asking is not None:
            # What somebody rated alone comes first in this order, and would hide the rest from them.
            pairs = pairs.exclude(pk__in=asking.had)
        if asking is not None and len(free) == 1:
            pairs = pairs.exclude(topic__in=asking.rater.no_topics)
        covered = frozenset[str]().union(*(rater.origins | rater.near for rater in raters))
        anyone = Q(ratings__lt=F("own_filled") + F("near_filled") + goal[Slot.ANYONE]) | ~Q(
            country__in=covered
        )
        kinds = (
            self._about(pairs, _all(free, "origins")).filter(own_filled__lt=goal[Slot.OWN]),
            self._about(pairs, _all(free, "near")).filter(near_filled__lt=goal[Slot.NEAR]),
            pairs if hurried else pairs.filter(anyone),
        )
        rows = {
            row[0]: row
            for kind in kinds
            for row in kind.order_by("-ratings", "waiting_since").values_list(*_FIELDS)[:limit]
        }
        return sorted(rows.values(), key=lambda row: (-row[5], row[8], row[0]))

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


def _all(raters: Iterable[Rater], kind: str) -> frozenset[str]:
    return frozenset[str]().union(*(getattr(rater, kind) for rater in raters))
