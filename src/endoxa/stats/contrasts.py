"""The difference of two means whose observations share units of two kinds (identities and attributes)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endoxa.stats.intervals import NAN, UNDEFINED, Interval
from endoxa.stats.signs import FLIPS
from endoxa.stats.two_way import Sampled, two_way

FEWEST_UNITS = 4
"""Units of each kind that each group needs to be tested: with fewer, up to 0.09 false claims were measured at 0.05
(docs/methods/before-you-quote.md)."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of two means.

    Attributes:
        first: mean of the first group.
        second: mean of the second one.
        interval: of first - second, both kinds of units taken as samples; NaN where it is not defined.
        p_value: two-sided, against no difference; NaN where it cannot be tested.
        sampled: which kinds of units are samples, see `two_way.TwoWay`; 'none' where it cannot be tested.
    """

    first: float
    second: float
    interval: Interval
    p_value: float
    sampled: Sampled

    @property
    def difference(self) -> float:
        """How much larger the first mean is."""
        return self.first - self.second


def contrast(
    values: np.ndarray,
    groups: np.ndarray,
    units: tuple[np.ndarray, np.ndarray],
    *,
    confidence: float,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    flips: int = FLIPS,
    seed: int = 0,
) -> Contrast:
    """Mean of one group less that of another, whose observations may belong to the same units.

    The difference is the mean of what each observation adds to it (its deviation from the mean of its group, over the
    group's share of all; Demnati and Rao 2004), so that `two_way.two_way` gives interval and test.

    Args:
        values: an observation each.
        groups: 1 for the first group, -1 for the second one, 0 for what is in neither.
        units: codes of each observation's unit, of the first and of the second kind.
        confidence: confidence level of the interval.
        bounds: least and largest possible difference.
        flips: sign patterns drawn where the test is not exact.
        seed: of those.

    Raises:
        ValueError: a group is empty.
    """
    first, second = groups == 1, groups == -1
    if not (first.any() and second.any()):
        raise ValueError("Both groups need an observation.")
    inside = first | second
    values, first, second = values[inside].astype(float), first[inside], second[inside]
    means = float(values[first].mean()), float(values[second].mean())
    codes = units[0][inside], units[1][inside]
    if min(len(np.unique(code[group])) for code in codes for group in (first, second)) < FEWEST_UNITS:
        return Contrast(*means, UNDEFINED, NAN, "none")
    number = len(values)
    added = np.where(
        first,
        (values - means[0]) * number / first.sum(),
        (means[1] - values) * number / second.sum(),
    )
    result = two_way(
        added + (means[0] - means[1]),
        *codes,
        neutral=0.0,
        confidence=confidence,
        flips=flips,
        seed=seed,
    )
    if result.sampled == "none":
        return Contrast(*means, UNDEFINED, NAN, "none")
    low, high = result.interval.low, result.interval.high
    if result.interval.defined:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return Contrast(*means, Interval(low, high), result.p_value, result.sampled)
