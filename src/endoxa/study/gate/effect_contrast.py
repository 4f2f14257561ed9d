"""Tests and bounds of the difference of two effect sizes of one association test, the targets a sample.

Stratified jackknife (Wolter 2007, section 4.5): each target of X and of Y is left out in turn under both models, so
that what they have in common cancels; the attributes are taken as they are. An effect size d has a largest value L
(2 for sets of one size), d / L being nearly a correlation, and its error shrinks on the way there. As in the score test
of `contrast`, the error is therefore that which both would have were the difference the one that is tested: targets are
left out on Fisher's (1915) scale atanh(d / L), where the error hardly depends on d, and taken back from there at the
two values with that difference which lie around the mean of both. Student's t has the number of targets of the smaller
set less one degrees of freedom; skewness is corrected (Hall 1992) in the careful direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from endoxa.study.gate.contrast import bound, student_tail

_MOST = 0.99
"""The largest part of it at which an error is looked up."""


@dataclass(frozen=True, slots=True)
class EffectContrast:
    """Difference of two effect sizes, used as `endoxa.study.gate.contrast.Contrast` is.

    Attributes:
        first: effect size that is subtracted.
        other: effect size from which it is.
        squares: variances of the two on Fisher's scale and their covariance: of the other, of both, of the first.
        cubes: third moments: three times the other, twice, once, three times the first.
        fewest: units of the smaller set.
        largest: no effect size is larger.
        growth: by what the number of units is multiplied.
    """

    first: float
    other: float
    squares: np.ndarray
    cubes: np.ndarray
    fewest: int
    largest: float
    growth: float = 1.0

    @property
    def mean(self) -> float:
        """The difference."""
        return self.other - self.first

    def error(self, mean: float) -> float:
        """Standard error, were `mean` the true difference; 0 where nothing varies."""
        return self._moments(mean)[0]

    def p_below(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is below `mean`."""
        return self._tail(mean, 1)

    def p_above(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is above `mean`."""
        return self._tail(mean, -1)

    def upper(self, level: float) -> float:
        """One-sided upper bound: the largest difference that is not rejected from below at this level."""
        return bound(self.p_below, self.mean, 2 * self.largest, level)

    def lower(self, level: float) -> float:
        """One-sided lower bound: the least difference that is not rejected from above at this level."""
        return bound(self.p_above, self.mean, -2 * self.largest, level)

    def grown(self, items: float, *, same_units: bool = False) -> EffectContrast:
        """With that many times the units; more about the same units would say no more."""
        return self if same_units else replace(self, growth=self.growth * items)

    def _tail(self, mean: float, sign: int) -> float:
        error, skewness = self._moments(mean)
        if not error > 0:
            return 1.0
        return student_tail(sign * (self.mean - mean) / error, sign * skewness, self.fewest * self.growth - 1)

    def _moments(self, mean: float) -> tuple[float, float]:
        """Standard error and skewness, were `mean` the true difference."""
        middle = (self.first + self.other) / 2
        first, other = (
            self.largest * (1 - min(abs(end / self.largest), _MOST) ** 2)
            for end in (middle - mean / 2, middle + mean / 2)
        )
        squares, cubes = self.squares.tolist(), self.cubes.tolist()
        second = other**2 * squares[0] - 2 * other * first * squares[1] + first**2 * squares[2]
        third = (
            other**3 * cubes[0]
            - 3 * other**2 * first * cubes[1]
            + 3 * other * first**2 * cubes[2]
            - first**3 * cubes[3]
        )
        if second < 1e-24:
            return 0.0, 0.0
        return sqrt(second / self.growth), third / second**1.5 / sqrt(self.growth)


def contrast(
    first: float,
    other: float,
    left_out: Sequence[tuple[np.ndarray, np.ndarray]],
    largest: float,
    *,
    s: int = 1,
    t: int = 1,
) -> EffectContrast:
    """T times the other effect size minus s times the first.

    Args:
        first: effect size under the first model.
        other: under the second.
        left_out: under both, without each unit of X in turn, and without each of Y.
        largest: the largest effect size of sets of this size.
        s: sign of the first.
        t: sign of the other.
    """
    squares, cubes = np.zeros(3), np.zeros(4)
    fewest = min(len(pooled[0]) for pooled in left_out)
    for pooled in left_out if fewest > 1 else ():
        units = len(pooled[0])
        on_scale = [np.arctanh(np.clip(each / largest, -0.999, 0.999)) for each in pooled]
        first_shares, other_shares = (
            sign * (units - 1) / units * (scaled.mean() - scaled)
            for sign, scaled in zip((s, t), on_scale, strict=True)
        )
        squares += [
            units / (units - 1) * float((other_shares ** (2 - power) * first_shares**power).sum())
            for power in range(3)
        ]
        cubes += [float((other_shares ** (3 - power) * first_shares**power).sum()) for power in range(4)]
    return EffectContrast(s * first, t * other, squares, cubes, fewest, largest)
