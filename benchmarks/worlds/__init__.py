"""How data of simulated worlds are drawn, and which function of endoxa reads them: named in `scenarios.toml`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from endoxa.stats.intervals import Interval


@dataclass(frozen=True)
class Reading:
    """What an estimate says of one set of data.

    Attributes:
        claimed: whether something is claimed; of several statements the share; NaN where nothing can be tested.
        low: lower ends of intervals, NaN where there is none.
        high: upper ends.
        truth: the planted truth where it is drawn with the data.
    """

    claimed: float
    low: ArrayLike = np.nan
    high: ArrayLike = np.nan
    truth: ArrayLike | None = None

    @classmethod
    def of(cls, p_value: float, interval: Interval, truth: float | None = None) -> Reading:
        """A test at 0.05 and its interval."""
        return cls(p_value <= 0.05, interval.low, interval.high, truth)


def beta(rng: np.random.Generator, mean: float, correlation: float, number: int) -> np.ndarray:
    """Chances of units about a mean, so that two answers of a unit have this correlation."""
    if correlation == 0 or mean in (0, 1):
        return np.full(number, mean)
    spread = (1 - correlation) / correlation
    return rng.beta(mean * spread, (1 - mean) * spread, number)
