"""How much of their time people of a survey should write: the most that leaves enough time for ratings."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from endoxa.collect.sampler import SamplerSettings
from endoxa.collect.simulate.arms import Arm
from endoxa.collect.simulate.run import simulate
from endoxa.collect.simulate.settings import WorldSettings
from endoxa.collect.simulate.world import World

ENOUGH = 0.95
"""Share of pairs that must get k ratings."""

_PILOTS = range(1_000_000, 1_000_002)
"""Seeds of the tuning; results use others."""

_STEPS = 40


def best_share(arm: Arm, settings: WorldSettings, sampler: SamplerSettings) -> float:
    """The largest share, in steps of 1/40, with which at least 95 % of all pairs get k ratings.

    Less writing means fewer pairs and more ratings for each, so the steps are searched by halving. Where no share
    is enough, the smallest is taken.
    """
    worlds = [World(settings, seed) for seed in _PILOTS]
    low, high = 1, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        if _reached(arm, worlds, sampler, middle / _STEPS) >= ENOUGH:
            low = middle
        else:
            high = middle
    return low / _STEPS


def _reached(arm: Arm, worlds: Iterable[World], sampler: SamplerSettings, share: float) -> float:
    pools = [simulate(world, arm, sampler, share=share).campaign.pool for world in worlds]
    return float(np.mean([(pool["ratings"] >= sampler.k).mean() for pool in pools]))
