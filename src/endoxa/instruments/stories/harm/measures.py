"""Measures with bootstrap intervals; what is resampled are associations.

A measure is computed from totals over associations, so that a bootstrap sample needs no more than their weighted sums
(`endoxa.stats.resampling`, expanded percentile interval, Hesterberg 2015). Undefined values are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def similarity_order(similarity: np.ndarray) -> list[int]:
    """Order of the rows of a symmetric matrix of similarities between 0 and 1.

    Average linkage of the distances 1 - similarity, leaves in their optimal order (Bar-Joseph, Gifford and Jaakkola
    2001). An undefined similarity (NaN) counts as 0. Fewer than three rows keep theirs.
    """
    count = len(similarity)
    if count < 3:
        return list(range(count))
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = 1 - np.nan_to_num(similarity, nan=0.0)[np.triu_indices(count, 1)]
    return [int(leaf) for leaf in leaves_list(linkage(distances, method="average", optimal_ordering=True))]


def every_pair(
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Mapping[str, Any]],
    similarity: str,
    prefix: str = "",
) -> list[dict[str, Any]]:
    """A row for every ordered pair, and for each with itself, in an order that brings those together that are alike.

    Args:
        names: what is compared.
        cells: what is known of every pair.
        similarity: which of it says how alike they are; undefined counts as not at all.
        prefix: of the columns that name both sides ("a" and "b").
    """
    alike = np.array([[cells[a, b][similarity] for b in names] for a in names], dtype=float)
    order = [names[place] for place in similarity_order(alike)]
    return [
        {f"{prefix}a": a, f"{prefix}b": b, "place_a": place_a, "place_b": place_b, **cells[a, b]}
        for place_a, a in enumerate(order)
        for place_b, b in enumerate(order)
    ]
