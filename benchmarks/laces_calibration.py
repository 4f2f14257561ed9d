"""The world in which LACES's rule gives what LACES published: the numbers, the comparison, the search for it.

    python benchmarks/laces_calibration.py

prints the fitted values for `worlds.toml` and how near they come. Few numbers were published, so other worlds would
fit as well; that is what the grid of `campaign_arms.py` is for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from campaign_simulation.arms import LacesArm
from campaign_simulation.run import Outcome, simulate
from campaign_simulation.world import World, WorldSettings, load_world

_SEARCHED: dict[str, tuple[str, ...]] = {
    "collected": (
        "minutes",
        "typed",
        "tick_own",
        "tick_near",
        "tick_far",
        "fame",
        "near",
        "far",
        "english",
        "introduced",
    ),
    "rated": ("known", "unknown", "elsewhere", "own_negative", "noise"),
}
_ROUNDS = 2


@dataclass(frozen=True)
class Marginal:
    """A number that LACES published. `spread` is the gap that counts as one in the search; None leaves it out."""

    name: str
    text: str
    published: float
    spread: float | None


PUBLISHED: tuple[Marginal, ...] = (
    Marginal("pairs", "pairs (section 4)", 4_789, 0.03 * 4_789),
    Marginal("attributes", "attributes (section 4)", 842, 0.05 * 842),
    Marginal("identities", "identities (section 4)", 120, 4),
    Marginal("spanish", "share of pairs in Spanish (section 4)", 2_437 / 4_789, 0.02),
    Marginal("twice", "share of pairs with two validations or more (section 4)", 1_262 / 4_789, 0.01),
    Marginal("most", "validations of the pair that has most (section 4)", 63, 15),
    Marginal("in_group", "share of pairs proposed by the group they are about (Table 1)", 0.265, 0.05),
    Marginal("own_kind", "mean rating by the group itself, not negative (section 5.1)", 4.24, 0.04),
    Marginal("own_negative", "mean rating by the group itself, negative (section 5.1)", 3.51, 0.08),
    Marginal("other_kind", "mean rating by others, not negative (section 5.1)", 3.55, 0.04),
    Marginal("other_negative", "mean rating by others, negative (section 5.1)", 3.43, 0.08),
    Marginal("agreed", "share of pairs rated twice or more without any variance (section 4.2)", 0.40, 0.03),
)
"""In-group share: Table 1's percentages weighted by its counts. A validation is a rating or a proposal."""


def marginals(outcome: Outcome) -> dict[str, float]:
    """What LACES would have published about this campaign, by name of `PUBLISHED`."""
    campaign = outcome.campaign
    world, pool, given = campaign.world, campaign.pool, campaign.ratings
    attribute = world.attribute[pool["country"], pool["rank"]]
    validations = pool["ratings"] + pool["mentions"]
    person, pair = np.array(given.person), np.array(given.pair)
    value = np.array(given.value, dtype=np.float64)
    own = world.proximity[person, pool["country"][pair]] == 0
    negative = pool["negative"][pair]
    ratings = pool["ratings"]
    several = ratings > 1
    variance = pool["squares"][several] * ratings[several] - pool["total"][several] ** 2
    return {
        "pairs": float(pool.size),
        "attributes": float(len(np.unique(2 * attribute + pool["language"]))),
        "identities": float(len(np.unique(pool["country"]))),
        "spanish": float(np.mean(pool["language"] == 0)),
        "twice": float(np.mean(validations >= 2)),
        "most": float(validations.max()),
        "in_group": float(np.mean(campaign.in_group)),
        "own_kind": _mean(value[own & ~negative]),
        "own_negative": _mean(value[own & negative]),
        "other_kind": _mean(value[~own & ~negative]),
        "other_negative": _mean(value[~own & negative]),
        "agreed": float(np.mean(variance == 0)),
    }


def simulated(settings: WorldSettings, seeds: int) -> dict[str, float]:
    """Mean marginals of LACES's rule in a world."""
    arm = LacesArm(name="laces")
    found = [marginals(simulate(World(settings, 10_000 + seed), arm)) for seed in range(seeds)]
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def fit(start: WorldSettings, *, seeds: int, steps: int, tell: Callable[[str], None]) -> WorldSettings:
    """Search by Nelder and Mead's method, first what decides what is collected, then how it is rated; twice.

    Args:
        start: where the search begins; what is not searched stays.
        seeds: worlds behind each try, the same for all.
        steps: tries of each search.
        tell: callback for the gap that is left.
    """
    settings = start
    for _ in range(_ROUNDS):
        for part, names in _SEARCHED.items():
            settings = _search(settings, names, seeds, steps)
            tell(f"{part}: gap {gap(simulated(settings, seeds)):.2f}")
    return settings


def gap(found: dict[str, float]) -> float:
    """Root mean square of the gaps to the published numbers, each in its own spread."""
    gaps = [(found[one.name] - one.published) / one.spread for one in PUBLISHED if one.spread]
    return math.sqrt(float(np.mean(np.square(gaps))))


def _search(start: WorldSettings, names: tuple[str, ...], seeds: int, steps: int) -> WorldSettings:
    scale = np.array([getattr(start, name) for name in names])

    def world(factors: np.ndarray) -> WorldSettings:
        values = scale * np.exp(factors)
        return start.model_copy(update=dict(zip(names, np.round(values, 3).tolist(), strict=True)))

    def loss(factors: np.ndarray) -> float:
        tried = world(factors)
        if max(tried.tick_own, tried.tick_near, tried.tick_far, tried.english, tried.introduced) > 1:
            return 1e6
        return gap(simulated(tried, seeds))

    first = np.vstack([np.zeros(len(names)), 0.15 * np.eye(len(names))])
    found = minimize(
        loss, first[0], method="Nelder-Mead", options={"maxfev": steps, "initial_simplex": first}
    )
    return world(found.x)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


if __name__ == "__main__":
    fitted = fit(load_world("laces"), seeds=3, steps=130, tell=print)
    result = simulated(fitted, seeds=8)
    for one in PUBLISHED:
        print(f"{one.text}: published {one.published:.4g}, fitted {result[one.name]:.4g}")
    for name in (name for names in _SEARCHED.values() for name in names):
        print(f"{name} = {getattr(fitted, name)}")
