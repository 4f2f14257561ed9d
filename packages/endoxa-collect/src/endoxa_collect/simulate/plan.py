"""Estimate how many people a campaign needs, by simulation with different numbers of people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from endoxa_collect.sampler import SamplerSettings
from endoxa_collect.simulate.arms import ARMS
from endoxa_collect.simulate.measures import measure
from endoxa_collect.simulate.run import simulate
from endoxa_collect.simulate.settings import WorldSettings
from endoxa_collect.simulate.world import World

NUMBERS = (20, 40, 60, 80, 100, 120)
"""Numbers of people that are tried beside the organiser's own."""


@dataclass(frozen=True)
class Expected:
    """What so many people give, as means.

    Attributes:
        people: how many.
        added: different true pairs they add. pairs: all pairs at the end, seeds included.
        reached: share of all pairs with k ratings. ratings: given.
    """

    people: int
    added: float
    pairs: float
    reached: float
    ratings: float

    @property
    def complete(self) -> float:
        """Pairs with k ratings."""
        return self.pairs * self.reached


def plan(
    settings: WorldSettings,
    sampler: SamplerSettings,
    *,
    seeds: int,
    tell: Callable[[str, float, int], None],
) -> list[Expected]:
    """What to expect for the number of people in `settings` and for `NUMBERS`, fewest first."""
    numbers = sorted({settings.people, *NUMBERS})
    expected = []
    for done, people in enumerate(numbers):
        tell("numbers of people", done, len(numbers))
        expected.append(_expected(settings.model_copy(update={"people": people}), sampler, seeds))
    return expected


def sentence(expected: list[Expected], people: int, k: int) -> str:
    """One sentence for an organiser with so many `people`.

    More people bring more pairs, and our controller lets in only as many as they can rate; so it is the number of
    pairs with k ratings that grows with people, and hardly their share.
    """
    figures = next(row for row in expected if row.people == people)
    first, last = expected[0], expected[-1]
    each = (last.complete - first.complete) / (last.people - first.people)
    more = f"{10 * each:,.0f}"
    growth = (
        f"; from {first.people} to {last.people} people, ten more bring about {more} such pairs on average"
        if more.strip("-0") and each > 0
        else ""
    )
    return (
        f"With {people} people expect about {figures.pairs:,.0f} pairs, of which "
        f"{figures.complete:,.0f} ({figures.reached:.0%}) get {k} ratings{growth}."
    )


def _expected(settings: WorldSettings, sampler: SamplerSettings, seeds: int) -> Expected:
    arm = ARMS.get("endoxa")
    rows = [measure(simulate(World(settings, seed), arm, sampler)) for seed in range(seeds)]
    return Expected(
        people=settings.people,
        added=float(np.mean([row["valid"] * row["minutes"] / 1_000 for row in rows])),
        pairs=float(np.mean([row["pairs"] for row in rows])),
        reached=float(np.mean([row["reached"] for row in rows])),
        ratings=float(np.mean([row["ratings"] for row in rows])),
    )
