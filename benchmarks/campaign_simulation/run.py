"""Run one campaign in continuous time: people arrive, answer cards, get tired and leave."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

from campaign_simulation.arms import Arm, Session
from campaign_simulation.campaign import Campaign, Card, Proposal, Wait
from campaign_simulation.world import JUNK, LUCK, World
from endoxa_collect.sampler.slots import SamplerSettings

_ACTS = 4
_MOST = 4
"""Pairs written on one card, at most; each takes four of the card's random numbers."""


@dataclass(frozen=True)
class Act:
    """What a person does with one card. `value` is None where they skip it or it shows no pair."""

    minutes: float
    value: int | None
    proposals: tuple[Proposal, ...]


class Crowd:
    """The people of a world during one campaign."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._luck = world.streams(purpose=_ACTS)
        self._mentioned: list[set[tuple[int, int]]] = [set() for _ in range(world.settings.people)]

    def act(self, person: int, card: Card, campaign: Campaign, tired: float) -> Act:
        """What this person does with this card; `tired` is the part of their time that is over (0 to 1)."""
        settings, world = self._world.settings, self._world
        luck = iter(self._luck[person].random(LUCK).tolist())
        away = -math.log(1 - next(luck)) * settings.pause_minutes if next(luck) < settings.pause else 0.0
        skips, writes = next(luck) < settings.skipping, next(luck)
        english = bool(world.reads_english[person]) and next(luck) < settings.english
        proposals: list[Proposal] = []
        value = None
        if card.pair is None:
            minutes = 0.0
            written = self._written(person, card, 1, int(english), luck)
        else:
            _, rank, language, _ = campaign.pool.codes(card.pair)
            self._mentioned[person].add((card.country, rank))
            minutes = settings.skip if skips else settings.rate
            value = None if skips else world.rating(person, card.country, rank)
            several = _geometric(settings.typed, writes) if card.adds and card.words and not skips else 0
            written = self._written(person, card, several, int(english), luck)
            if card.adds and card.ticks and not skips and rank != JUNK:
                proposals += self._ticked(person, card.country, rank, language)
        minutes += settings.type * len(written)
        if card.pair is None:
            # Somebody who cannot think of anything needs time to find that out.
            minutes = max(minutes, settings.type)
            for pair in written:
                if card.ticks and pair.rank != JUNK:
                    proposals += self._ticked(person, pair.country, pair.rank, pair.language)
        minutes += settings.tick * len(proposals)
        pace = world.pace[person] * (1 + settings.slowing * tired)
        return Act(float(minutes * pace + away), value, (*written, *proposals))

    def _written(
        self, person: int, card: Card, number: int, language: int, luck: Iterator[float]
    ) -> list[Proposal]:
        """Up to `number` pairs that come to a person's mind on a card and that they neither said nor saw.

        Where the card names a topic, what belongs to it comes first.
        """
        settings, world, mentioned = self._world.settings, self._world, self._mentioned[person]
        country, topic = card.country, card.topic
        fresh = [rank for rank in world.recall(person, country) if (country, rank) not in mentioned]
        if topic is not None:
            fresh.sort(key=lambda rank: world.topic[world.attribute[country, rank]] != topic)
        written = []
        for rank in islice(fresh, min(number, _MOST)):
            mentioned.add((country, rank))
            junk = next(luck) < settings.junk
            wording = 1 + int(3 * next(luck)) if next(luck) < settings.variants else 0
            written.append(
                Proposal(country, JUNK if junk else rank, language, wording, next(luck) < settings.caught)
            )
        return written

    def _ticked(self, person: int, country: int, rank: int, language: int) -> list[Proposal]:
        """The further countries that a person ticks for an attribute. It is the same text, so it always meets."""
        mentioned = self._mentioned[person]
        attribute = int(self._world.attribute[country, rank])
        ticked = [pair for pair in self._world.ticks(person, attribute) if pair not in mentioned]
        mentioned.update(ticked)
        return [Proposal(place, other, language, 0, caught=True, ticked=True) for place, other in ticked]


def _geometric(mean: float, luck: float) -> int:
    """A geometric number with this mean, from an even one in [0, 1)."""
    return math.floor(math.log(1 - luck) / math.log(mean / (1 + mean))) if mean else 0


@dataclass(frozen=True)
class Outcome:
    """A campaign that is over, and the minutes that its people spent on it."""

    campaign: Campaign
    minutes: float


@dataclass(frozen=True)
class _Open:
    """A card in somebody's hands."""

    card: Card
    act: Act
    shown: float


def simulate(
    world: World, arm: Arm, settings: SamplerSettings | None = None, *, share: float | None = None
) -> Outcome:
    """Run one campaign of one arm; the same arguments give the same campaign.

    Args:
        world: whom and what it meets.
        arm: how cards are chosen.
        settings: of the sampler; `k` holds for every arm.
        share: part of their time that people of a survey spend on writing, for arms that have one.
    """
    campaign = Campaign(world, settings or SamplerSettings(), share)
    return _Clock(campaign, arm.start(campaign)).run()


class _Clock:
    """The events of one campaign, in the order of their time."""

    def __init__(self, campaign: Campaign, session: Session) -> None:
        self._campaign, self._session = campaign, session
        self._world = campaign.world
        self._crowd = Crowd(self._world)
        self._spent = [0.0] * self._world.settings.people
        self._events: list[tuple[float, int, int, _Open | None]] = []
        self._order = count()

    def run(self) -> Outcome:
        """Until everybody has left."""
        for person, arrival in enumerate(self._world.arrivals.tolist()):
            self._at(arrival, person, None)
        while self._events:
            now, _, person, opened = heapq.heappop(self._events)
            self._campaign.pool.now = now
            self._campaign.leases.expire(now)
            if opened is not None:
                late = opened.card.lease > 0 and now > opened.shown + opened.card.lease
                self._campaign.close(person, opened.card, opened.act.value, late=late)
                for proposal in opened.act.proposals:
                    self._campaign.propose(person, proposal)
            self._next(person, now)
        return Outcome(self._campaign, sum(self._spent))

    def _at(self, time: float, person: int, opened: _Open | None) -> None:
        heapq.heappush(self._events, (time, next(self._order), person, opened))

    def _next(self, person: int, now: float) -> None:
        """Hand out the next card. Who runs out of time leaves with the card open."""
        stays = float(self._world.stays[person])
        if self._spent[person] >= stays:
            return
        card = self._session.next(person, self._spent[person])
        if card is None:
            return
        if isinstance(card, Wait):
            self._at(card.until, person, None)
            return
        self._campaign.show(person, card)
        tired = self._spent[person] / self._world.settings.minutes
        act = self._crowd.act(person, card, self._campaign, tired)
        self._spent[person] += act.minutes
        if self._spent[person] <= stays:
            self._at(now + act.minutes, person, _Open(card, act, now))
        else:
            self._spent[person] = stays
