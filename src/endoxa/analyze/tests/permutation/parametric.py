"""The normal approximation of the permutation distribution."""

from __future__ import annotations

from math import sqrt

import numpy as np


def normal_score(x: np.ndarray, y: np.ndarray) -> float:
    """The sum over x in standard deviations of its exact permutation distribution, from its mean.

    Drawing n_x out of N without replacement, the sum has the mean n_x m and the variance n_x n_y / N times the
    variance of the pool (ddof 1), m being the mean of the pool (Cochran 1977, theorem 2.2). May et al.'s code
    estimates the same two numbers from 10,000 drawn partitions.
    """
    pool = np.concatenate([x, y])
    spread = sqrt(len(x) * len(y) / len(pool) * float(pool.var(ddof=1)))
    return float((x.sum() - len(x) * pool.mean()) / spread)
