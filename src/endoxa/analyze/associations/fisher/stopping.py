"""When to stop drawing: as soon as the decisions of a family, after correction, can no longer change.

After each round every p-value has an interval (Clopper and Pearson 1934) that all rounds and tables of the family
together leave with probability at most `error`. Benjamini and Hochberg's step-up procedure rejects more when a p-value
falls; so what it rejects with all upper ends is rejected for sure, and what it does not reject with all lower ends is
kept for sure. Only tables whose interval holds a threshold that is still open are drawn further; small ones among them
are made exact by listing all tables with their margins, which is cheaper than many draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.analyze.associations.fisher.exchanging import Exchanged
from endoxa.analyze.associations.fisher.sampling import Sampled

FIRST_ROUND = 200
"""Tables drawn in the first round; every round doubles the number."""
LISTED_AFTER = 1600
"""Draws after which a test that is still open is made exact, if it has few enough tables."""
MOST_LISTED = 200_000
"""Most tables that are listed for an exact p-value."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What was decided about the tables of a family.

    Attributes:
        significant: rejected by Benjamini-Hochberg.
        certain: drawing on could change the decision with a probability of at most the stated error.
    """

    significant: np.ndarray
    certain: np.ndarray


def decide(
    tests: Sequence[Sampled | Exchanged],
    *,
    alpha: float,
    most_draws: int,
    error: float,
    first_round: int = FIRST_ROUND,
) -> Decisions:
    """Draw until the decisions at false-discovery rate `alpha` are certain, or `most_draws` are spent.

    Args:
        tests: the tables of one family; drawn in place.
        alpha: false-discovery rate.
        most_draws: most tables drawn for a test.
        error: probability, for the whole family, that a decision called certain differs from the one with
            infinitely many draws.
        first_round: tables drawn before the first look; `most_draws` gives a test without early stopping.
    """
    rounds = 1 + max(0, int(np.ceil(np.log2(most_draws / first_round))))
    each = error / (len(tests) * rounds)
    low, high = np.zeros(len(tests)), np.ones(len(tests))
    open_tests = list(range(len(tests)))
    target = first_round
    while True:
        for k in open_tests:
            if tests[k].draws >= LISTED_AFTER and not tests[k].tried:
                tests[k].list_tables(MOST_LISTED)
            if tests[k].exact is None:
                tests[k].draw(min(target, most_draws) - tests[k].draws)
        low, high = _narrower(tests, each, low, high)
        sure, possible = rejected(high, alpha), rejected(low, alpha)
        open_tests = _open(low, high, int(sure.sum()), int(possible.sum()), alpha)
        if not open_tests or target >= most_draws:
            break
        target *= 2
    found = rejected(np.array([test.p_value for test in tests]), alpha)
    certain = sure == possible
    return Decisions(np.where(certain, sure, found), certain)


def _narrower(
    tests: Sequence[Sampled | Exchanged], error: float, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals after another round, none wider than before; an exact p-value is both ends."""
    exact = np.array([np.nan if test.exact is None else test.exact for test in tests])
    hits, draws = (np.array([getattr(test, name) for test in tests]) for name in ("hits", "draws"))
    new_low, new_high = binomial_bounds(hits, draws, error)
    sampled = np.isnan(exact)
    return (
        np.where(sampled, np.maximum(low, new_low), exact),
        np.where(sampled, np.minimum(high, new_high), exact),
    )


def rejected(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Which hypotheses Benjamini and Hochberg's (1995) step-up procedure rejects: adjusted, they are below `alpha`."""
    n = len(p_values)
    below = np.sort(p_values) < alpha * np.arange(1, n + 1) / n
    return p_values < alpha * (np.flatnonzero(below)[-1] + 1) / n if below.any() else np.zeros(n, dtype=bool)


def binomial_bounds(hits: np.ndarray, draws: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson interval that misses the truth with probability at most `error`."""
    from scipy.special import betaincinv

    with np.errstate(invalid="ignore"):
        low = np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, 1), draws - hits + 1, error / 2))
        high = np.where(hits == draws, 1.0, betaincinv(hits + 1, np.maximum(draws - hits, 1), 1 - error / 2))
    return low, high


def _open(low: np.ndarray, high: np.ndarray, sure: int, possible: int, alpha: float) -> list[int]:
    """Tests whose interval holds one of the thresholds between the sure and the possible number of rejections."""
    thresholds = alpha * np.arange(sure + 1, possible + 1) / len(low)
    straddles = (low[:, None] < thresholds) & (thresholds <= high[:, None])
    return [int(k) for k in np.flatnonzero(straddles.any(axis=1))]
