"""Measures with bootstrap intervals; what is resampled are associations.

A measure is computed from totals over associations, so that a bootstrap sample needs no more than their weighted sums
(`endoxa.stats.resampling`, expanded percentile interval, Hesterberg 2015). Undefined values are NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from endoxa.runs.options import Resampling
from endoxa.stats.intervals import NAN, UNDEFINED
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval

Combine = Callable[[np.ndarray], np.ndarray]
"""Totals, shape (samples, columns), to values of a measure, shape (samples,)."""
_NOTHING = 1e-12
"""Variances below this share of the largest possible are those of constants."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure; NaN where undefined."""

    value: float
    low: float
    high: float
    n: int


def measured(columns: np.ndarray, combine: Combine, how: Resampling) -> Measured:
    """A measure of totals, and its interval.

    Args:
        columns: shape (associations, columns): what each association adds to the totals.
        combine: the measure of totals.
        how: how the interval is made.
    """
    count = len(columns)
    if count == 0:
        return Measured(NAN, NAN, NAN, 0)
    clusters = Clusters(np.column_stack([np.ones(count), columns]))
    value = float(combine(columns.sum(axis=0, keepdims=True))[0])
    interval = UNDEFINED
    if not np.isnan(value):
        draws = bootstrap(clusters, lambda totals: combine(totals[:, 1:]), how.resamples, how.seed)
        interval = expanded_interval(draws, clusters, how.confidence)
    return Measured(value, interval.low, interval.high, count)


def mean(values: np.ndarray, how: Resampling) -> Measured:
    """The mean of what is not NaN."""
    defined = values[~np.isnan(values)]
    return measured(np.column_stack([np.ones_like(defined), defined]), ratio, how)


def ratio(totals: np.ndarray) -> np.ndarray:
    """The second total over the first; NaN where that is 0."""
    base, part = totals[:, 0], totals[:, 1]
    return np.asarray(np.divide(part, base, out=np.full(len(totals), NAN), where=base > 0))


def pearson(x: np.ndarray, y: np.ndarray, how: Resampling) -> Measured:
    """Pearson's correlation; NaN where one of them does not vary."""
    x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return measured(columns, _correlation, how)


def _correlation(totals: np.ndarray) -> np.ndarray:
    n, x, y, xx, yy, xy = totals.T
    spread_x, spread_y = xx - x * x / n, yy - y * y / n
    varied = (spread_x > _NOTHING * (xx + n)) & (spread_y > _NOTHING * (yy + n))
    product = np.sqrt(np.where(varied, spread_x * spread_y, 1.0))
    return np.where(varied, np.clip((xy - x * y / n) / product, -1, 1), NAN)


def spearman(x: np.ndarray, y: np.ndarray, how: Resampling) -> Measured:
    """Spearman's rank correlation, ties at their mean rank; NaN where one of them does not vary.

    Every bootstrap sample is ranked anew: its totals are those of the cells of the table of x against y.
    """
    _, of_x = np.unique(x, return_inverse=True)
    _, of_y = np.unique(y, return_inverse=True)
    cells, cell = np.unique(np.column_stack([of_x, of_y]), axis=0, return_inverse=True)
    columns = np.zeros((len(x), len(cells)))
    columns[np.arange(len(x)), cell.ravel()] = 1.0
    return measured(columns, lambda totals: _rank_correlation(totals, cells), how)


def _rank_correlation(totals: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Rank correlation of tables given by the counts of their cells, shape (samples, cells)."""
    ranks = [_mean_ranks(totals, side)[:, side] for side in cells.T]
    x, y = (rank - (totals.sum(axis=1, keepdims=True) + 1) / 2 for rank in ranks)
    moments = [(totals * column).sum(axis=1) for column in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    return _correlation(np.column_stack(moments))


def _mean_ranks(totals: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Mean rank of each level, shape (samples, levels), from the counts of cells and the level of each cell."""
    members = np.zeros((len(level), int(level.max()) + 1))
    members[np.arange(len(level)), level] = 1.0
    counts = totals @ members
    return np.asarray(np.cumsum(counts, axis=1) - counts + (counts + 1) / 2)


def agreement(x: np.ndarray, y: np.ndarray, how: Resampling) -> Measured:
    """Share of associations that two raters classify alike (1 or 0)."""
    return measured(np.column_stack([np.ones_like(x), x == y]), ratio, how)


def kappa(x: np.ndarray, y: np.ndarray, how: Resampling) -> Measured:
    """Cohen's kappa of two classifications (1 or 0); NaN where both use one class only, and the same."""
    return measured(np.column_stack([np.ones_like(x), x, y, x * y]), _kappa, how)


def _kappa(totals: np.ndarray) -> np.ndarray:
    n, x, y, xy = totals.T
    observed = (n - x - y + 2 * xy) / n
    chance = (x * y + (n - x) * (n - y)) / n**2
    defined = chance < 1
    return np.where(defined, (observed - chance) / np.where(defined, 1 - chance, 1.0), NAN)
