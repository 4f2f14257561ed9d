"""What feedback does to ratings where people conform: told at a pause, after each answer, or before the answer.

    python benchmarks/feedback_and_conformity.py                the table of docs/collect/cards.md, some ten seconds
    python benchmarks/feedback_and_conformity.py --runs 20      the same, quick and rough

People rate pairs one after the other. Of a pair that three people or more had heard they may be told so; whoever is
told moves towards `TOLD` ("many people here say it") by the share `SHIFT`. Nobody rates a pair twice, so only what is
told before an answer can move the rating of the pair that it is about. What is told afterwards can move the ratings
that follow, of whatever pairs: the first by `carry` times the shift, the second by its square, and so on. The site
tells at a pause, of counts that were frozen when a wave began, of some pairs of the last set and never of its last one.
The other arms are what it could have been. All arms of a run share their people, pairs, cards and noise, so that
differences between them are those of the feedback.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from endoxa_collect.sampler.slots import SamplerSettings

TOLD = 4.0
FEW = 3
"""People who must have heard a pair before anything is told (`feedback.STEPS`)."""
SET = SamplerSettings().break_after
"""Cards between two pauses."""
SHIFT = 0.5
CARRIES = (0.1, 0.25, 0.5)
KNOWN = 3.0
"""Mean from which a pair is one that some people say."""

Floats = npt.NDArray[np.float64]


class Arm(StrEnum):
    """When people are told, and from which counts."""

    NONE = "nothing is told"
    PAUSE = "frozen counts, at the pause"
    AFTER = "frozen counts, after each answer"
    BEFORE = "live counts, before the answer"


@dataclass(frozen=True)
class World:
    """So many runs of so many pairs, people and cards each; `wave` people share one freeze."""

    runs: int = 200
    pairs: int = 60
    people: int = 120
    cards: int = 24
    wave: int = 30
    shift: float = SHIFT
    carry: float = 0.25


@dataclass(frozen=True)
class Outcome:
    """Of each run: the mean over pairs of their mean ratings, and the share of pairs whose mean is `KNOWN` or more."""

    mean: Floats
    known: Floats


def outcome(world: World, arm: Arm, seed: int = 1) -> Outcome:
    """Rate all cards of all people in every run."""
    rng = np.random.default_rng(seed)
    everywhere = np.arange(world.runs)
    true = rng.uniform(1.5, 4.5, (world.runs, world.pairs))
    heard, total, count = (np.zeros_like(true) for _ in range(3))
    frozen = heard.copy()
    for person in range(world.people):
        if person % world.wave == 0:
            frozen = heard.copy()
        order = rng.permuted(np.tile(np.arange(world.pairs), (world.runs, 1)), axis=1)
        noise = rng.normal(0, 1, (world.cards, world.runs))
        spilled = np.zeros(world.runs)
        since = np.zeros((0, world.runs), bool)  # of the set: whether something could be told of each card
        for card in range(world.cards):
            at = everywhere, order[:, card]
            felt = true[at] + noise[card]
            moved = spilled
            if arm is Arm.BEFORE:
                moved = np.maximum(moved, world.shift * (heard[at] >= FEW))
            value = np.clip(np.rint(felt + moved * (TOLD - felt)), 1, 5)
            live, then = heard[at] >= FEW, frozen[at] >= FEW
            heard[at] += value > 1
            total[at] += value
            count[at] += 1
            since = np.vstack([since, then & (value > 1)])
            told = np.zeros(world.runs, bool)
            if arm is Arm.BEFORE:
                told = live
            elif arm is Arm.AFTER:
                told = then
            elif arm is Arm.PAUSE and (card + 1) % SET == 0:
                # The last answer can be taken back, and nothing is told of it yet.
                told, since = since[:-1].any(axis=0), since[-1:]
            spilled = np.where(told, world.carry * world.shift, world.carry * spilled)
    means = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return Outcome(np.nanmean(means, axis=1), np.nanmean(means >= KNOWN, axis=1))


def difference(world: World, arm: Arm, seed: int = 1) -> tuple[float, float, float]:
    """Against no feedback: how far the mean rating moves, its standard error, and how far the share of known pairs."""
    none, other = outcome(world, Arm.NONE, seed), outcome(world, arm, seed)
    moved = other.mean - none.mean
    error = moved.std(ddof=1) / np.sqrt(world.runs)
    return float(moved.mean()), float(error), float((other.known - none.known).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=World.runs, help="Number of simulated campaigns per cell."
    )
    runs = parser.parse_args().runs
    arms = (Arm.PAUSE, Arm.AFTER, Arm.BEFORE)
    print(
        "Difference to no feedback: mean rating (standard error); pairs with a mean of 3 or more, in points of 100"
    )
    print("| carried to the next card |", " | ".join(arms), "|")
    print("|---|" + "---|" * len(arms))
    for carry in CARRIES:
        cells = [difference(World(runs=runs, carry=carry), arm) for arm in arms]
        told = [f"{moved:.3f} ({error:.3f}); {100 * known:+.1f}" for moved, error, known in cells]
        print(f"| {carry:.0%} of the shift |", " | ".join(told), "|")


if __name__ == "__main__":
    main()
