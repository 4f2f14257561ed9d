"""Tiers: what a pair needs, which pairs a tier holds for one person, and the share of each tier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum, auto

from endoxa.collect.sampler.settings import SamplerSettings
from endoxa.collect.sampler.types import FULL, NEEDS, OPEN, TOPUP, Cell, Person, Pool, Region

ORDER: tuple[str, ...] = ("own", "near", "anywhere", "topup")
"""The share of an empty tier goes to the next one, that of the last to the first."""

NEEDING: tuple[str, ...] = ("own", "near", "anywhere", "exploration", "floor")
"""Names of tiers and branches whose cards show pairs that need ratings."""


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


class Guards(Enum):
    """What keeps a card away because of those before it.

    ALL: no country more than `in_a_row` times running, and no more than `negative_in_a_row` negative cards running
    about the person's own countries. UNKIND: only the second.
    """

    ALL = auto()
    UNKIND = auto()
    NONE = auto()


def base(person: Person, settings: SamplerSettings, guards: Guards) -> Region:
    """All pairs that need ratings and that the person reads, within the guards of what was just shown."""
    latest = [country for country, _ in person.last[: settings.in_a_row]]
    repeated = guards is Guards.ALL and len(latest) == settings.in_a_row and len(set(latest)) == 1
    hurtful = person.last[: settings.negative_in_a_row]
    hurt = (
        guards is not Guards.NONE
        and len(hurtful) == settings.negative_in_a_row
        and all(negative and country in person.origins for country, negative in hurtful)
    )
    return Region(
        needs=frozenset({NEEDS}),
        languages=person.languages,
        without=frozenset(latest) if repeated else frozenset(),
        mild_in=person.origins if hurt else frozenset(),
        no_topics=person.no_topics,
    )


def tiers(person: Person, whole: Region) -> dict[str, Region]:
    """The four tiers as parts of `whole`; they do not overlap."""
    known = person.origins | person.near
    return {
        "own": replace(whole, countries=person.origins),
        "near": replace(whole, countries=person.near),
        "anywhere": replace(whole, without=whole.without | known),
        "topup": replace(whole, needs=frozenset({TOPUP})),
    }


def still_open(whole: Region) -> Region:
    """Pairs with k ratings or more and room for further ones: for when nothing needs ratings."""
    return replace(whole, needs=frozenset({TOPUP, OPEN}))


def available(region: Region, pool: Pool, excluded: Mapping[Cell, int]) -> int:
    """How many pairs of a region the person can get; `excluded` are those they cannot, counted by cell."""
    there = pool.count(region)
    # Counts of a large pool may be some seconds old, and then smaller than what is taken off them.
    return (
        max(0, there - sum(count for cell, count in excluded.items() if region.takes(cell))) if there else 0
    )


def shares(settings: SamplerSettings, counts: Mapping[str, int]) -> dict[str, float]:
    """Probability of each tier, given how many pairs each has; empty where all are."""
    wanted = [settings.own, settings.near, settings.anywhere, settings.topup]
    filled = [place for place, name in enumerate(ORDER) if counts[name] > 0]
    result: dict[str, float] = {}
    for place, share in enumerate(wanted):
        if filled:
            taker = next((other for other in filled if other >= place), filled[0])
            result[ORDER[taker]] = result.get(ORDER[taker], 0.0) + share
    return result
