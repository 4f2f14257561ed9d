"""The effect size of an association test."""

from __future__ import annotations

import numpy as np


def effect_size(x: np.ndarray, y: np.ndarray, *, ddof: int = 1, error: float = 0.0) -> float:
    """(mean of x - mean of y) / standard deviation of both together (Caliskan et al. 2017).

    Args:
        x: associations of the first targets.
        y: associations of the second targets.
        ddof: 1 as in Caliskan et al.'s and May et al.'s code, 0 as in WEFE.
        error: rounding of each association; values that are no farther apart count as equal.

    Returns:
        The effect size in standard deviations. NaN where all associations are equal: 0 / 0 is no effect size of 0.
    """
    both = np.concatenate([x, y])
    if len(both) <= ddof or np.ptp(both) <= 2 * error:
        return float("nan")
    return float((x.mean() - y.mean()) / both.std(ddof=ddof))
