"""Bootstrap interval of the effect size over the targets; the attribute sets are fixed.

The resampled unit is a text, or a term with all its texts. X and Y are resampled separately (stratified). Repeated
units make a resample less varied than its set, and its effect larger; and an effect size is bounded, so its spread
shrinks towards the bounds. The plain percentile interval therefore covers too rarely. Here:

1. each resample gives Cohen's d (difference of means over the standard deviation *within* the sets), multiplied by
   the factor by which resampling narrows the sets;
2. d goes to the scale arsinh(d / c) on which its variance hardly depends on it (Hedges and Olkin 1985, section 5.E,
   for equal sizes); there the interval goes as far to both sides as resamples lie away from the observed value (the
   symmetric bootstrap, Hall 1988), at a level widened as Student's t asks (Hesterberg 2015);
3. both ends go back to the effect size, which grows with Cohen's d.

Measured coverage: docs/methods/encoders.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Literal

import numpy as np

from endoxa.errors import UserError
from endoxa.instruments.association_tests.options import Unit
from endoxa.schema import AssociationTest, TermSet
from endoxa.stats.intervals import UNDEFINED, Interval
from endoxa.stats.resampling import times_drawn


@dataclass(frozen=True, slots=True)
class Targets:
    """Associations of one target set and the units they come in.

    Attributes:
        values: association of each text, shape (n,).
        unit: number of the unit each text belongs to, 0 to `count` - 1, shape (n,).
    """

    values: np.ndarray
    unit: np.ndarray

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.unit.max()) + 1

    def means(self) -> np.ndarray:
        """Mean association of each unit, shape (count,)."""
        return np.asarray(np.bincount(self.unit, self.values) / np.bincount(self.unit))

    def totals(self, centre: float) -> np.ndarray:
        """Texts, sum and sum of squares of (value - centre) of each unit, shape (count, 3)."""
        away = self.values - centre
        columns = [np.bincount(self.unit, weights) for weights in (None, away, away**2)]
        return np.column_stack(columns).astype(float)

    def first(self, count: int) -> Targets:
        """The first `count` units."""
        kept = self.unit < count
        return Targets(self.values[kept], self.unit[kept])


def unit_of(test: AssociationTest, setting: Unit) -> Literal["text", "term"]:
    """The unit of a test: 'auto' takes terms where both target sets name them and one has several texts.

    Raises:
        UserError: terms are asked for and the test does not name them.
    """
    named = bool(test.x.terms and test.y.terms)
    if setting == "term" and not named:
        raise UserError(
            f"Test '{test.name}' has no terms for the texts of X and Y. Use --unit text, or add the terms to its "
            "definition."
        )
    repeated = any(len(set(terms.terms)) < len(terms.texts) for terms in (test.x, test.y))
    return "term" if named and setting != "text" and (repeated or setting == "term") else "text"


def targets(values: np.ndarray, terms: TermSet, unit: Literal["text", "term"]) -> Targets:
    """Associations of a target set with their units, numbered in the order they first stand there."""
    return Targets(
        values, _numbers(terms.terms) if unit == "term" else np.arange(len(values), dtype=np.int64)
    )


def _numbers(names: Sequence[str]) -> np.ndarray:
    number: dict[str, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names])


MIN_UNITS = 5
BOOTSTRAP = "bootstrap"
"""Code of the interval."""
METHOD = "stratified bootstrap (symmetric interval on the arsinh scale)"
_MIN_DEFINED = 0.5


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of each resample, shape (resamples,): means of both sets, sum of squares within them, number of texts."""

    mean_x: np.ndarray
    mean_y: np.ndarray
    within: np.ndarray
    n: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> _Moments:
        """From texts, sums and sums of squares, each (resamples, 3)."""
        within = [side[:, 2] - side[:, 1] ** 2 / side[:, 0] for side in (x, y)]
        return cls(x[:, 1] / x[:, 0], y[:, 1] / y[:, 0], within[0] + within[1], x[:, 0] + y[:, 0])

    def cohen(self) -> np.ndarray:
        """Difference of means over the pooled standard deviation within; infinite or NaN where that is 0."""
        difference = self.mean_x - self.mean_y
        within = np.maximum(self.within, 0)  # a tiny negative number is a rounded 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(difference / np.sqrt(within / (self.n - 2)))


def bootstrap_interval(
    x: Targets, y: Targets, *, confidence: float, resamples: int, seed: int, ddof: int = 1, error: float = 0.0
) -> Interval:
    """Interval of the effect size that has `ddof` in its standard deviation.

    Args:
        x: first targets.
        y: second targets.
        confidence: confidence level, between 0 and 1.
        resamples: bootstrap samples to draw.
        seed: what is drawn follows from it and from the numbers of units.
        ddof: 1, or 0 as in WEFE.
        error: rounding of each association; a set whose values are no farther apart does not vary.

    Returns:
        Both ends. NaN with fewer than `MIN_UNITS` units in a set, or where neither set varies.
    """
    if min(x.count, y.count) < MIN_UNITS or max(np.ptp(x.values), np.ptp(y.values)) <= 2 * error:
        return UNDEFINED
    centre = float(np.concatenate([x.values, y.values]).mean())
    sums = [side_targets.totals(centre) for side_targets in (x, y)]
    observed = _Moments.of(*(total.sum(axis=0, keepdims=True) for total in sums))
    drawn = _Moments.of(
        *(
            _counts(side_targets.count, resamples, seed, side) @ total
            for side, (side_targets, total) in enumerate(zip((x, y), sums, strict=True))
        )
    )
    n_x, n_y = len(x.values), len(y.values)
    n = n_x + n_y
    lost = n_x * drawn.mean_x.var() + n_y * drawn.mean_y.var()
    if observed.within[0] <= 0 or lost >= observed.within[0]:
        return UNDEFINED
    scale = sqrt(2) * n / sqrt(n_x * n_y)
    narrowing = sqrt(1 - lost / observed.within[0])
    resampled = np.arcsinh(drawn.cohen() * narrowing / scale)
    resampled = resampled[~np.isnan(resampled)]  # a resample of one value only has no effect size
    if len(resampled) < _MIN_DEFINED * resamples or resampled.min() == resampled.max():
        return UNDEFINED
    here = float(np.arcsinh(observed.cohen()[0] / scale))
    away = np.sort(np.abs(resampled - here))
    # An observed distance, because a resample without spread inside the sets lies at infinity.
    reach = float(away[ceil(_level(confidence, x.count, y.count) * len(away)) - 1])
    low, high = (
        _effect_size(scale * float(np.sinh(end)), n_x, n_y, ddof) for end in (here - reach, here + reach)
    )
    return Interval(low, high)


def _level(confidence: float, units_x: int, units_y: int) -> float:
    """2 Phi(sqrt(m / (m - 1)) t) - 1, m the smaller number of units: as wide as Student's t asks (Hesterberg 2015)."""
    from scipy.stats import norm, t

    m = min(units_x, units_y)
    bound = sqrt(m / (m - 1)) * t.ppf((1 + confidence) / 2, units_x + units_y - 2)
    return float(norm.cdf(bound) - norm.cdf(-bound))


def _effect_size(cohen: float, n_x: int, n_y: int, ddof: int) -> float:
    """The effect size over both sets' standard deviation that belongs to Cohen's d; +-the bound for +-infinity."""
    n = n_x + n_y
    within = np.inf if cohen**2 == 0 else (n - 2) / cohen**2
    return float(np.sign(cohen) * sqrt((n - ddof) / (within + n_x * n_y / n)))


@lru_cache(maxsize=16)
def _counts(units: int, resamples: int, seed: int, side: int) -> np.ndarray:
    """How often each unit is in each resample, shape (resamples, units)."""
    rng = np.random.default_rng([seed, units, side])
    return times_drawn(np.ones(units), resamples, rng).astype(float)
