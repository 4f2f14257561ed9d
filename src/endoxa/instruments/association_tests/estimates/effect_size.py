"""The effect size of an association test, and the association of each target with A and B on which it rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

UNIT_ROUNDOFF = 2.0**-53
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Associations:
    """s(w) = mean cos(w, a) over A - mean cos(w, b) over B (Caliskan et al. 2017), for each target w.

    Attributes:
        x: associations of the texts of X in their order, shape (n_x,), between -2 and 2.
        y: the same of Y, shape (n_y,).
        error: no association is farther than this from its exact value for the vectors given (rounding).
    """

    x: np.ndarray
    y: np.ndarray
    error: float


class UnitVectors:
    """Vectors of texts scaled to length 1 in double precision, each once."""

    def __init__(self, vectors: Mapping[str, np.ndarray], texts: Iterable[str]) -> None:
        """Scale the vectors of `texts`.

        Args:
            vectors: text -> vector, all of one length.
            texts: those that are needed; others are not looked at.

        Raises:
            UserError: a text has no vector, or a vector is zero, not finite, or of another length.
        """
        wanted = list(dict.fromkeys(texts))
        missing = [text for text in wanted if text not in vectors]
        if missing:
            raise UserError(
                f"{len(missing)} of the {len(wanted)} texts of the tests have no vector ({_first(missing)}): "
                "encode the exact texts of these tests."
            )
        self._row = {text: row for row, text in enumerate(wanted)}
        self._rows = _scaled({text: np.asarray(vectors[text], dtype=float) for text in wanted})

    def associations(self, test: AssociationTest) -> Associations:
        """s(w) of all targets of a test."""
        # The mean of cosines with A is the cosine-weighted product with the mean of A's unit vectors.
        axis = self._of(test.a).mean(axis=0) - self._of(test.b).mean(axis=0)
        steps = len(axis) + len(test.a.texts) + len(test.b.texts) + 8
        return Associations(
            x=self._of(test.x) @ axis,
            y=self._of(test.y) @ axis,
            # Higham 2002, section 3.1: n products and sums of numbers of size 1 and 2 lose at most 2 n u, scaling
            # both sides to length 1 as much again.
            error=4 * steps * UNIT_ROUNDOFF,
        )

    def _of(self, terms: TermSet) -> np.ndarray:
        return self._rows[[self._row[text] for text in terms.texts]]


def _scaled(vectors: Mapping[str, np.ndarray]) -> np.ndarray:
    shapes = {text: vector.shape for text, vector in vectors.items()}
    first, expected = next(iter(shapes.items()))
    for text, shape in shapes.items():
        if len(shape) != 1 or shape != expected:
            raise UserError(
                f"The vector of '{text[:60]}' has the shape {shape}, that of '{first[:60]}' {expected}: all "
                "texts of the tests need one vector each, from one encoder."
            )
    rows = np.stack(list(vectors.values()))
    # Scaled to a largest entry of 1 first, so that squares neither overflow nor vanish.
    largest = np.abs(rows).max(axis=1, initial=0.0)
    _refuse(vectors, ~np.isfinite(largest), "a value that is not finite", "check how they were made")
    _refuse(vectors, largest == 0, "nothing but zeros, and no direction", "remove their texts from the tests")
    rows = rows / largest[:, None]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _refuse(vectors: Mapping[str, np.ndarray], bad: np.ndarray, what: str, do: str) -> None:
    faulty = [text for text, is_bad in zip(vectors, bad, strict=True) if is_bad]
    if faulty:
        raise UserError(f"{len(faulty)} of the {len(vectors)} vectors hold {what} ({_first(faulty)}): {do}.")


def _first(texts: Sequence[str]) -> str:
    shown = ", ".join(f"'{text[:60]}'" for text in texts[:_SHOWN])
    return shown + (", ..." if len(texts) > _SHOWN else "")


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
    pooled = np.concatenate([x, y])
    if len(pooled) <= ddof or np.ptp(pooled) <= 2 * error:
        return float("nan")
    return float((x.mean() - y.mean()) / pooled.std(ddof=ddof))


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
    names = terms.terms if unit == "term" else terms.texts
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return Targets(values, np.array([number[name] for name in names]))


MIN_UNITS = 5
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
    # 2 Phi(sqrt(m / (m - 1)) t) - 1, m the smaller number of units:.
    from scipy.stats import norm, t

    m = min(x.count, y.count)
    bound = sqrt(m / (m - 1)) * t.ppf((1 + confidence) / 2, x.count + y.count - 2)
    reach = float(away[ceil(float(norm.cdf(bound) - norm.cdf(-bound)) * len(away)) - 1])
    low, high = (
        _effect_size(scale * float(np.sinh(end)), n_x, n_y, ddof) for end in (here - reach, here + reach)
    )
    return Interval(low, high)


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
