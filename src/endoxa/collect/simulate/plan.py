"""How many people a campaign needs: our sampler with different numbers of people, before anybody is invited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from endoxa.collect.sampler import SamplerSettings
from endoxa.collect.simulate.arms import ARMS
from endoxa.collect.simulate.measures import measure
from endoxa.collect.simulate.run import simulate
from endoxa.collect.simulate.settings import WorldSettings
from endoxa.collect.simulate.world import World

NUMBERS = (20, 40, 60, 80, 100, 120)
"""Numbers of people that are tried beside the organiser's own."""

ENOUGH = 0.95


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


def sentence(expected: list[Expected], asked: int, k: int) -> str:
    """One sentence for an organiser with `asked` people."""
    own = next(one for one in expected if one.people == asked)
    said = (
        f"With {asked} people expect about {round(own.added):,} new pairs, "
        f"and {k} ratings for {own.reached:.0%} of all {round(own.pairs):,}."
    )
    enough = next((one for one in expected if one.reached >= ENOUGH), None)
    if own.reached >= ENOUGH:
        return said
    if enough is None:
        return f"{said} None of these numbers of people gives {k} ratings to 95 %: plan more time or fewer seeds."
    return f"{said} From {enough.people} people on, 95 % of all pairs get {k} ratings."


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
