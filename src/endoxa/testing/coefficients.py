"""Checks that every coefficient of agreement must pass, built-in or from another package."""

from __future__ import annotations

import math

import numpy as np

from endoxa.stats.agreement import Coefficient, Level

_ITEMS, _RATERS, _CATEGORIES = 4000, 3, 3


def check_coefficient(coefficient: Coefficient, level: Level = "nominal") -> None:
    """Run every check over a coefficient.

    It is 1 where all agree, near its neutral value where votes are drawn at random, never above 1, the same whatever
    the order of the items, and not defined without votes or where all votes are the same.

    Args:
        coefficient: what is checked.
        level: level of measurement, for one that uses it.

    Raises:
        AssertionError: a check failed; the message names the coefficient and what is wrong with it.
    """
    name, random = coefficient.name, np.random.default_rng(0)
    values = np.arange(_CATEGORIES, dtype=float)

    def value(codes: np.ndarray) -> float:
        raters = 2 if coefficient.votes == "two raters" else _RATERS
        votes = codes[:, :raters]
        if coefficient.votes != "two raters":
            votes = (votes[:, :, None] == np.arange(_CATEGORIES)).sum(axis=1)
        return float(coefficient.value(votes, level, values))

    assert name.strip(), "a coefficient needs a name"
    assert coefficient.method.strip(), f"{name}: `method` is empty"
    votes = random.integers(_CATEGORIES, size=(_ITEMS, _RATERS))
    alike = np.repeat(votes[:, :1], _RATERS, axis=1)
    assert math.isclose(value(alike), 1.0), f"{name}: {value(alike)} where all agree"
    by_chance = value(votes)
    if not math.isnan(coefficient.neutral):
        assert abs(by_chance - coefficient.neutral) < 0.05, f"{name}: {by_chance} for votes at random"
    half = np.where(random.random((_ITEMS, 1)) < 0.5, alike, votes)
    assert by_chance < value(half) < 1, f"{name}: {value(half)} where half of the votes agree"
    again = value(half[random.permutation(_ITEMS)])
    assert math.isclose(value(half), again), f"{name}: the order of the items changes it"
    if not math.isnan(coefficient.neutral):
        assert math.isnan(value(np.zeros_like(votes))), f"{name}: a value where all votes are the same"
    assert math.isnan(value(votes[:0])), f"{name}: a value without any vote"
