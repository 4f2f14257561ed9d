"""One campaign in continuous time: people come, take cards, answer them when they are done, tire and leave."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

from endoxa.collect.sampler import SamplerSettings
from endoxa.collect.simulate.arms.base import Arm, Session
from endoxa.collect.simulate.campaign import Campaign, Card, Wait
from endoxa.collect.simulate.people import Act, Crowd
from endoxa.collect.simulate.world import World


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
                self._answer(person, opened, now)
            self._next(person, now)
        return Outcome(self._campaign, sum(self._spent))

    def _at(self, time: float, person: int, opened: _Open | None) -> None:
        heapq.heappush(self._events, (time, next(self._order), person, opened))

    def _answer(self, person: int, opened: _Open, now: float) -> None:
        card, act = opened.card, opened.act
        late = card.lease > 0 and now > opened.shown + card.lease
        self._campaign.close(person, card, act.value, late=late)
        for one in act.proposals:
            self._campaign.propose(
                person, one.country, one.rank, one.language, one.wording, caught=one.caught
            )

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
