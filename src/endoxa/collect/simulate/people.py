"""What simulated people do with a card: rate or skip it, write what comes to their mind, tick countries, get tired."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from endoxa.collect.simulate.campaign import Campaign, Card
from endoxa.collect.simulate.world import JUNK, LUCK, World

_ACTS = 4
_MOST = 4
"""Pairs written on one card, at most; each takes four of the card's random numbers."""


@dataclass(frozen=True)
class Proposal:
    """Something written or ticked; see `Campaign.propose`."""

    country: int
    rank: int
    language: int
    wording: int
    caught: bool


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
        self._said: list[set[tuple[int, int]]] = [set() for _ in range(world.settings.people)]

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
            written = self._written(person, card.country, 1, int(english), luck)
        else:
            _, rank, language, _ = campaign.pool.codes(card.pair)
            self._said[person].add((card.country, rank))
            minutes = settings.skip if skips else settings.rate
            value = None if skips else world.rating(person, card.country, rank)
            several = _geometric(settings.typed, writes) if card.adds and not skips else 0
            written = self._written(person, card.country, several, int(english), luck)
            if card.adds and card.ticks and not skips and rank != JUNK:
                proposals += self._ticked(person, card.country, rank, language)
        minutes += settings.type * len(written)
        if card.pair is None:
            # Somebody who cannot think of anything needs time to find that out.
            minutes = max(minutes, settings.type)
            for one in written:
                if card.ticks and one.rank != JUNK:
                    proposals += self._ticked(person, one.country, one.rank, one.language)
        minutes += settings.tick * len(proposals)
        pace = world.pace[person] * (1 + settings.slowing * tired)
        return Act(float(minutes * pace + away), value, (*written, *proposals))

    def _written(
        self, person: int, country: int, number: int, language: int, luck: Iterator[float]
    ) -> list[Proposal]:
        """What comes to a person's mind about a country, up to `number` pairs that they neither said nor saw."""
        settings, said = self._world.settings, self._said[person]
        fresh = (rank for rank in self._world.recall(person, country) if (country, rank) not in said)
        found = []
        for rank in islice(fresh, min(number, _MOST)):
            said.add((country, rank))
            junk = next(luck) < settings.junk
            wording = 1 + int(3 * next(luck)) if next(luck) < settings.variants else 0
            found.append(
                Proposal(country, JUNK if junk else rank, language, wording, next(luck) < settings.caught)
            )
        return found

    def _ticked(self, person: int, country: int, rank: int, language: int) -> list[Proposal]:
        """The further countries that a person ticks for an attribute. It is the same text, so it always meets."""
        said = self._said[person]
        attribute = int(self._world.attribute[country, rank])
        ticked = [pair for pair in self._world.ticks(person, attribute) if pair not in said]
        said.update(ticked)
        return [Proposal(place, other, language, 0, caught=True) for place, other in ticked]


def _geometric(mean: float, luck: float) -> int:
    """A geometric number with this mean, from an even one in [0, 1)."""
    return math.floor(math.log(1 - luck) / math.log(mean / (1 + mean))) if mean else 0
