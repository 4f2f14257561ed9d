"""A linear model with two crossed random effects, by restricted maximum likelihood: raters and items, say.

y = X b + u[rater] + v[item] + e, with independent normal u, v and e (Pinheiro and Bates 2000, chapter 2). The effects
of items are eliminated exactly, so that a fit costs the cube of the number of raters and not of items. statsmodels'
MixedLM has crossed effects as dense columns of one group, which is slow for many items (a test compares both).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

_LEAST, _MOST = 1e-6, 1e6
"""Bounds of the ratio of an effect's variance to that of the residuals."""


@dataclass(frozen=True, slots=True)
class CrossedFit:
    """A fitted model.

    Attributes:
        coefficients: of the columns of X.
        standard_errors: of these.
        rater_variance: variance of the effects of raters.
        item_variance: variance of the effects of items.
        residual_variance: of what is left.
    """

    coefficients: np.ndarray
    standard_errors: np.ndarray
    rater_variance: float
    item_variance: float
    residual_variance: float

    def interval(self, column: int, confidence: float) -> tuple[float, float]:
        """Wald interval of a coefficient."""
        from scipy.stats import norm

        reach = float(norm.ppf((1 + confidence) / 2)) * float(self.standard_errors[column])
        value = float(self.coefficients[column])
        return value - reach, value + reach


def fit_crossed(y: np.ndarray, x: np.ndarray, rater: np.ndarray, item: np.ndarray) -> CrossedFit:
    """Fit by restricted maximum likelihood.

    Args:
        y: observations, shape (n,).
        x: columns of the fixed part, shape (n, p), of full rank.
        rater: code of the rater of each observation.
        item: code of its item.

    Raises:
        ValueError: there are no more observations than columns, or the columns are not of full rank.
    """
    if len(y) <= x.shape[1]:
        raise ValueError("more observations than columns are needed")
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise ValueError("the columns are not of full rank")
    sums = _Sums.of(np.column_stack([x, y]), rater, item)
    from scipy.optimize import minimize

    start = np.log([0.3, 0.3])
    bounds = [(log(_LEAST), log(_MOST))] * 2
    optimum = minimize(
        lambda ratios: sums.criterion(np.exp(ratios), len(y)), start, bounds=bounds, method="L-BFGS-B"
    )
    ratios = np.exp(optimum.x)
    inner, _ = sums.projected(ratios)
    coefficients, residual = sums.solved(inner)
    variance = residual / (len(y) - x.shape[1])
    errors = np.sqrt(variance * np.diag(np.linalg.inv(inner[:-1, :-1])))
    return CrossedFit(
        coefficients, errors, float(ratios[0] * variance), float(ratios[1] * variance), variance
    )


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the data say of the model, added up.

    Attributes:
        cross: [X y]'[X y].
        raters: rows per rater: number, and sums of [X y].
        items: the same per item.
        meetings: how often each rater met each item.
    """

    cross: np.ndarray
    raters: np.ndarray
    items: np.ndarray
    meetings: np.ndarray

    @classmethod
    def of(cls, table: np.ndarray, rater: np.ndarray, item: np.ndarray) -> _Sums:
        _, rater = np.unique(rater, return_inverse=True)
        _, item = np.unique(item, return_inverse=True)
        meetings = np.zeros((rater.max() + 1, item.max() + 1))
        np.add.at(meetings, (rater, item), 1.0)
        return cls(table.T @ table, _added(table, rater), _added(table, item), meetings)

    def projected(self, ratios: np.ndarray) -> tuple[np.ndarray, float]:
        """[X y]' H^-1 [X y] and log det H, where H is the covariance over the residual variance.

        With M = Z'Z + diag(1 / ratios) in blocks of raters and items, H^-1 = I - Z M^-1 Z' and
        det H = det M times the product of the ratios; the block of items is diagonal and eliminated first.
        """
        of_items = self.items[:, 0] + 1 / ratios[1]
        of_raters = np.diag(self.raters[:, 0] + 1 / ratios[0])
        left = self.meetings / of_items
        schur = of_raters - left @ self.meetings.T
        root = np.linalg.cholesky(schur)
        rest = self.raters[:, 1:] - left @ self.items[:, 1:]
        half = np.linalg.solve(root, rest)
        explained = (self.items[:, 1:].T / of_items) @ self.items[:, 1:] + half.T @ half
        size = 2 * float(np.log(np.diag(root)).sum()) + float(np.log(of_items).sum())
        size += len(self.raters) * log(ratios[0]) + len(self.items) * log(ratios[1])
        return self.cross - explained, size

    def solved(self, inner: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients, and the sum of squares that is left."""
        coefficients = np.linalg.solve(inner[:-1, :-1], inner[:-1, -1])
        return coefficients, float(inner[-1, -1] - inner[:-1, -1] @ coefficients)

    def criterion(self, ratios: np.ndarray, count: int) -> float:
        """Minus twice the restricted log-likelihood, without its constants."""
        try:
            inner, size = self.projected(ratios)
            _, residual = self.solved(inner)
        except np.linalg.LinAlgError:
            return inf
        sign, fixed = np.linalg.slogdet(inner[:-1, :-1])
        if residual <= 0 or sign <= 0:
            return inf
        return (count - len(inner) + 1) * log(residual) + size + float(fixed)


def _added(table: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Number of rows and sum of every column, by code."""
    columns = [np.bincount(code), *(np.bincount(code, weights=column) for column in table.T)]
    return np.column_stack(columns).astype(float)
