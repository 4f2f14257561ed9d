"""The engine of estimates: the mean of observations of two kinds of units as one row, with its interval and its test.

A row becomes part of a table by `runs.estimates.judged`, which corrects p-values over their family and decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from endoxa.stats.signs import FLIPS, fewest_units
from endoxa.stats.two_way import TwoWay, two_way
from endoxa.stats.verdicts import significance, too_few

IDENTITIES_ATTRIBUTES = ("identities", "attributes")


def estimate(
    values: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    *,
    neutral: float | None,
    confidence: float,
    bounds: tuple[float, float] | None = None,
    nouns: tuple[str, str] = IDENTITIES_ATTRIBUTES,
    untestable: str = "",
    flips: int = FLIPS,
    seed: int = 0,
) -> dict[str, Any]:
    """One row of estimates, before the correction over its family and its verdict (`endoxa.stats.two_way`).

    Args:
        values: an observation each; a tie has the neutral value.
        first: code of each observation's unit of the first kind.
        second: of the second kind.
        neutral: value of an unbiased model, which is tested; None where nothing is asked.
        confidence: confidence level of the interval; 1 minus it is the level of the test.
        bounds: least and greatest mean; None where nothing bounds it.
        nouns: what units of both kinds are called, in the plural.
        untestable: why nothing can be tested, whatever the units are; else empty.
        flips: sign patterns drawn where the test is not exact.
        seed: of those.

    Returns:
        value, low, high, confidence, p_value, n, neutral, clusters and attributes (numbers of units of both kinds),
        sampled and informative (as in `two_way`), and reason: why it cannot be tested, else empty.
    """
    low, high = bounds or (0.0, 1.0)
    middle = (low + high) / 2 if neutral is None else neutral
    result = two_way(
        values, first, second, neutral=middle, confidence=confidence, bounds=bounds, flips=flips, seed=seed
    )
    asked = neutral is not None
    return {
        "value": float(values.mean()),
        "low": result.interval.low,
        "high": result.interval.high,
        "confidence": confidence,
        "p_value": result.p_value if asked else None,
        "n": len(values),
        "neutral": neutral,
        "clusters": result.first,
        "attributes": result.second,
        "sampled": result.sampled,
        "informative": result.informative,
        "reason": (untestable or too_few_units(result, nouns, confidence)) if asked else "",
    }


def too_few_units(result: TwoWay, nouns: tuple[str, str], confidence: float) -> str:
    """Why a sign-flip test cannot reach its level with these units; empty where it can.

    Units whose observations are all ties say nothing: every pattern of their signs is alike.
    """
    needed, either = fewest_units(significance(confidence)), " or ".join(nouns)
    if result.sampled == "none":
        return too_few(max(result.first, result.second), either, needed)
    noun = {"first": nouns[0], "second": nouns[1]}.get(result.sampled, either)
    return too_few(result.informative, noun, needed, " that lean at all")
