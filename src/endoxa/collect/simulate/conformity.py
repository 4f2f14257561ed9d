"""What feedback does to ratings where people conform: none, frozen counts after an answer, live counts before it.

People rate pairs one after the other. Whoever is told that three people or more had heard a pair moves towards
`TOLD` by the share `shift`: of that pair, where they are told before they answer; else nothing of it can move, as
nobody rates a pair twice. `carry` is how much of the shift spills over to the next rating, of whatever pair: a frozen
count cannot keep that out, so its size is stated rather than assumed to be nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

TOLD = 4.0
"""What people move towards ("many people here say it")."""

_FEW = 3
"""People who must have heard a pair before anything is told."""

Floats = npt.NDArray[np.float64]


class Arm(StrEnum):
    """When people are told what."""

    NONE = "none"
    FROZEN_AFTER = "frozen, after"
    LIVE_BEFORE = "live, before"


@dataclass(frozen=True)
class Conformity:
    """A world: so many runs, pairs, people and cards each; `wave` people share one freeze."""

    runs: int = 200
    pairs: int = 60
    people: int = 120
    cards: int = 20
    wave: int = 30
    shift: float = 0.5
    carry: float = 0.0


def errors(world: Conformity, arm: Arm, seed: int) -> Floats:
    """Mean rating less the true mean, over all pairs, in each run; shape (runs,)."""
    rng = np.random.default_rng(seed)
    everywhere = np.arange(world.runs)
    true = rng.uniform(1.5, 4.5, (world.runs, world.pairs))
    heard, total, count = (np.zeros_like(true) for _ in range(3))
    frozen = heard.copy()
    for person in range(world.people):
        if person % world.wave == 0:
            frozen = heard.copy()
        order = rng.permuted(np.tile(np.arange(world.pairs), (world.runs, 1)), axis=1)
        spilled = np.zeros(world.runs)
        for card in range(world.cards):
            at = everywhere, order[:, card]
            felt = true[at] + rng.normal(0, 1, world.runs)
            moved = spilled
            if arm is Arm.LIVE_BEFORE:
                moved = np.maximum(moved, world.shift * (heard[at] >= _FEW))
            value = np.clip(np.rint(felt + moved * (TOLD - felt)), 1, 5)
            told = {Arm.NONE: np.zeros(world.runs), Arm.FROZEN_AFTER: frozen[at], Arm.LIVE_BEFORE: heard[at]}[
                arm
            ]
            spilled = world.carry * world.shift * (told >= _FEW)
            heard[at] += value > 1
            total[at] += value
            count[at] += 1
    means = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    bias: Floats = np.nanmean(means - true, axis=1)
    return bias


def difference(world: Conformity, arm: Arm, seed: int = 1) -> tuple[float, float]:
    """How far an arm moves the mean rating against no feedback, with its Monte Carlo standard error.

    Both arms have random numbers of their own. What is compared is each run's mean rating less its true mean.
    """
    none, other = (errors(world, one, seed + place) for place, one in enumerate((Arm.NONE, arm)))
    error = np.sqrt((none.var(ddof=1) + other.var(ddof=1)) / world.runs)
    return float(other.mean() - none.mean()), float(error)
