"""Does a table hold within languages? Generalised Cochran-Mantel-Haenszel test of base against compared values.

Pooled over languages, two attributes can go together because both go with the language (Simpson 1951). Here numbers of
stories are compared with those expected in each language, and the differences are added up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endoxa.analyze.associations.prompts import Units

RANK = 1e-10
"""Eigenvalues below this part of the largest are zero."""
SPARSE = 0.03
"""Where the variance of the statistic exceeds that of chi-square by a larger part, its p-value is drawn."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a table is from what exchanging base values within blocks gives on average.

    Landis, Heyman and Koch (1978): the squared distance in all cells, in the metric of its covariance. Mean and
    covariance are those of whole prompts, so that stories of one prompt count as what they are.

    Attributes:
        expected: mean of all cells but those of the last row and column.
        axes: what turns differences from it into independent ones of variance 1, cells x degrees of freedom.
        observed: the distance of the observed table.
    """

    expected: np.ndarray
    axes: np.ndarray
    observed: float

    @classmethod
    def of(cls, units: Units) -> Distance:
        """The distance in these blocks, and that of their table."""
        expected, covariance = _moments(units)
        values, axes = np.linalg.eigh(covariance)
        large = values > RANK * max(1.0, float(values[-1]) if len(values) else 0.0)
        found = cls(expected, axes[:, large] / np.sqrt(values[large]), 0.0)
        return cls(found.expected, found.axes, float(found(units.table[None])[0]))

    @property
    def freedom(self) -> int:
        """Degrees of freedom; 0 where nothing can vary, as when every language has one base value."""
        return int(self.axes.shape[1])

    @property
    def log_p(self) -> float:
        """Natural logarithm of the p-value by chi-square; NaN without degrees of freedom."""
        from scipy.stats import chi2

        return float(chi2.logsf(self.observed, self.freedom)) if self.freedom else float("nan")

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        """Distances of tables, draws x base values x compared values."""
        cells = tables[:, :-1, :-1].reshape(len(tables), -1) - self.expected
        distances: np.ndarray = ((cells @ self.axes) ** 2).sum(axis=1)
        return distances


def _moments(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """Mean of all cells but those of the last row and column, and their covariance."""
    rows, columns = len(units.counts) - 1, units.vectors.shape[1] - 1
    expected = np.zeros((rows, columns))
    covariance = np.zeros((rows, columns, rows, columns))
    for number, vectors, drawn in _by_block(units):
        total = number.sum()
        mean = number @ vectors / total
        expected += np.outer(drawn[:-1], mean[:-1])
        if total < 2:
            continue
        apart = (vectors - mean)[:, :-1]
        spread = apart.T @ (apart * number[:, None]) / (total - 1)
        shared = np.diag(drawn[:-1]) - np.outer(drawn[:-1], drawn[:-1]) / total
        covariance += np.einsum("ij,kl->ikjl", shared, spread)
    return expected.ravel(), covariance.reshape(rows * columns, rows * columns)


def _by_block(units: Units) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each block: prompts of each type, the vectors of the types, prompts of each base value."""
    found = []
    for block in range(int(units.blocks[-1]) + 1):
        here = units.blocks == block
        counts = units.counts[:, here].astype(float)
        found.append((counts.sum(axis=0), units.vectors[here].astype(float), counts.sum(axis=1)))
    return found


def is_sparse(units: Units) -> bool:
    """Whether few prompts of some base value and few stories of some compared value make chi-square too small a tail.

    The variance of such a statistic under exchange exceeds that of chi-square by the product of how unevenly prompts
    weigh on either side (Dawson 1954 for one table; taken here over all blocks together).
    """
    drawn = units.counts.sum(axis=1).astype(float)
    drawn = drawn[drawn > 0]
    total, rows = drawn.sum(), len(drawn)
    apart = np.concatenate(
        [vectors - number @ vectors / number.sum() for number, vectors, _ in _by_block(units)]
    )
    number = np.concatenate([number for number, _, _ in _by_block(units)])
    inverse = np.linalg.pinv(apart.T @ (apart * number[:, None]), hermitian=True)
    leverage = np.einsum("ij,jk,ik->i", apart, inverse, apart)
    columns = float(number @ leverage)
    if rows < 2 or columns < 0.5:
        return False
    row_side = (1 / drawn).sum() - rows**2 / total
    column_side = number @ leverage**2 - columns**2 / total
    return bool(total * row_side * column_side > SPARSE * 2 * (rows - 1) * columns)
