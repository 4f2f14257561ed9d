"""What a pair needs: its state, and which kinds of people its k ratings are for (slots).

Of the k ratings of a pair some are for people from its country, some for people near it, and the others for people
drawn with equal chances among all who are present (`SamplerSettings`). So every complete pair says what people from the
country, people near it and people at large know, and none of these is left to chance.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum

from endoxa_collect.sampler.settings import SamplerSettings

NEEDS, TOPUP, OPEN, FULL, CANDIDATE = 0, 1, 2, 3, 4
"""State of a pair: fewer than k ratings; k or more and people disagree; k or more; k_max or more; not rated yet, since
only one person ticked it and nobody is near its country (`is_candidate`)."""


class Slot(StrEnum):
    """Whom a rating is for; also how near a person is to a country (`place`). The nearest first."""

    OWN = "own"
    NEAR = "near"
    ANYONE = "anyone"


def place(country: str, origins: Container[str], near: Container[str]) -> Slot:
    """How near somebody is to a country, from their countries of origin and those near to them."""
    if country in origins:
        return Slot.OWN
    return Slot.NEAR if country in near else Slot.ANYONE


def wanted(settings: SamplerSettings) -> dict[Slot, int]:
    """Ratings of each kind that a pair should get; k together."""
    own = min(settings.own_slots, settings.k)
    near = min(settings.near_slots, settings.k - own)
    return {Slot.OWN: own, Slot.NEAR: near, Slot.ANYONE: settings.k - own - near}


@dataclass(frozen=True)
class Filled:
    """Ratings that a pair has, or has and will have: how many of them were for each kind of people."""

    own: int = 0
    near: int = 0
    anyone: int = 0

    def __add__(self, more: Mapping[Slot, int]) -> Filled:
        """The same with those that are reserved."""
        return Filled(
            self.own + more.get(Slot.OWN, 0),
            self.near + more.get(Slot.NEAR, 0),
            self.anyone + more.get(Slot.ANYONE, 0),
        )


def open_slots(filled: Filled, settings: SamplerSettings) -> tuple[Slot, ...]:
    """Slots that are still to be filled, the nearest first; as many as ratings are missing to k.

    Where more ratings of one kind came than were meant (calibration, paper), the slot of near people goes first, that
    of people from the country last.
    """
    goal = wanted(settings)
    missing = max(0, settings.k - filled.own - filled.near - filled.anyone)
    left = {slot: max(0, goal[slot] - getattr(filled, slot)) for slot in Slot}
    for slot in (Slot.NEAR, Slot.ANYONE, Slot.OWN):
        left[slot] -= min(left[slot], max(0, sum(left.values()) - missing))
    return tuple(slot for slot in Slot for _ in range(left[slot]))


def need(ratings: int, variance: float | None, settings: SamplerSettings) -> int:
    """State of a pair: fewer than k ratings; k or more and people disagree; k or more; k_max or more."""
    if ratings < settings.k:
        return NEEDS
    if ratings >= settings.k_max:
        return FULL
    return TOPUP if variance is not None and variance >= settings.disagreement else OPEN


def is_candidate(
    *, ratings: int, mentions: int, typed: bool, reached: bool, settings: SamplerSettings
) -> bool:
    """Whether a pair waits for a second mention before it takes k ratings of people who know little about it.

    Args:
        ratings: that it has.
        mentions: people who said it.
        typed: somebody said it in words of their own, or it is a seed; else it was only ticked for a further country.
        reached: somebody who took part is from the country or near it.
        settings: `second_mention` turns this off.
    """
    return settings.second_mention and not (ratings or mentions > 1 or typed or reached)
