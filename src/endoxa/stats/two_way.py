"""Shares and means whose observations belong to units of two kinds, both of them samples: identities and attributes.

Who says "models prefer the stereotype" speaks of other groups and of other words than those that were asked about
(Clark 1973). With identities alone as the sample, ten words shared by thirty identities count as three hundred, and a
model that leans in some of the words is found biased in up to 59 % of cases (docs/methods/two-way.md).

Test: units of each kind keep or change their sign with even chance; the larger of the two p-values counts. What is
compared is the mean over its standard error, taken anew under each pattern of signs: so the test is exact where units
of one kind alone differ, and nearly so where units of both do (Canay, Romano and Shaikh 2017 for one kind). Interval:
Korn and Graubard's for shares, Student's for means, with the same two-way variance (Cameron, Gelbach and Miller 2011)
and Satterthwaite's degrees of freedom of effective numbers of units (Kish 1965). Where units of one kind never recur,
the other kind decides alone, exactly as `signs.sign_flip_test` and `intervals.clustered_share` do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from endoxa.stats.intervals import (
    CAUTION,
    FEWEST_EFFECTIVE,
    NAN,
    UNDEFINED,
    Interval,
    agreeing,
    alike,
    clopper_pearson,
    clustered_mean,
    clustered_share,
    effective_number,
    jackknife_variance,
)
from endoxa.stats.signs import FLIPS, fewest_units, share_of_flips, sign_flip_test
from endoxa.stats.verdicts import significance

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Sampled = Literal["both", "first", "second", "none"]

_NOTHING = 1e-15
_ALL_ALIKE = 1e-12
"""Part of the squared mean below which a variance is taken for 0."""


@dataclass(frozen=True, slots=True)
class Units:
    """Observations summed over the units of one kind.

    Attributes:
        sizes: observations of each unit.
        totals: sum of their deviations from the neutral value.
        informative: units with an observation that differs from the neutral value.
    """

    sizes: np.ndarray
    totals: np.ndarray
    informative: int

    @classmethod
    def of(cls, deviations: np.ndarray, codes: np.ndarray) -> Units:
        """Sums by code."""
        _, place = np.unique(codes, return_inverse=True)
        sizes = np.bincount(place).astype(float)
        differing = np.bincount(place, deviations != 0)
        return cls(sizes, np.bincount(place, deviations), int((differing > 0).sum()))

    @property
    def count(self) -> int:
        """Their number."""
        return len(self.sizes)

    def variance(self, neutral: float) -> float:
        """Delete-one jackknife variance of the mean of all observations."""
        return jackknife_variance(self.sizes, self.totals + neutral * self.sizes) if self.count > 1 else 0.0


@dataclass(frozen=True, slots=True)
class TwoWay:
    """A share or a mean over two kinds of units.

    Attributes:
        interval: its interval, which agrees with the test.
        p_value: two-sided, against the neutral value; NaN where nothing differs from it in any unit.
        first: number of units of the first kind.
        second: of the second kind.
        sampled: which kinds are taken as samples: 'both', or one ('first', 'second') while the other is taken as it is,
            or 'none' where nothing can be tested.
        informative: units that say anything, of the kind with fewer of them that is sampled.
    """

    interval: Interval
    p_value: float
    first: int
    second: int
    sampled: Sampled
    informative: int


def two_way(
    values: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    *,
    neutral: float,
    confidence: float,
    bounds: tuple[float, float] | None = None,
    flips: int = FLIPS,
    seed: int = 0,
) -> TwoWay:
    """Interval and test of the mean of values whose units of two kinds are crossed, nested or anything between.

    A kind with fewer units than a sign-flip test needs is no sample: it is taken as it is and the other kind alone
    decides (`sampled` says so).

    Args:
        values: an observation each; for a share in 0..1, ties one half.
        first: code of each observation's unit of the first kind.
        second: of the second kind.
        neutral: value that is tested.
        confidence: confidence level of the interval.
        bounds: (0, 1) for a share; other ends for what is carried to a share and back; None for a mean of anything.
        flips: sign patterns drawn where the test is not exact.
        seed: of those.
    """
    if bounds is not None and bounds != (0, 1):
        least, width = bounds[0], bounds[1] - bounds[0]
        settings: dict[str, Any] = {"confidence": confidence, "bounds": (0, 1), "flips": flips, "seed": seed}
        share = two_way(
            (values - least) / width, first, second, neutral=(neutral - least) / width, **settings
        )
        ends = (least + width * end for end in (share.interval.low, share.interval.high))
        return replace(share, interval=Interval(*ends))
    kinds, cells = _units(values - neutral, first, second)
    within, enough, deciding = _roles(kinds, cells, confidence)
    if deciding is None:
        p_value = _studentised_flips(values - neutral, (first, second), flips, seed)
        interval = _crossed_interval(values, (*kinds, cells), neutral, bounds, confidence)
        informative = min(kind.informative for kind in kinds)
        sampled: Sampled = "both"
    else:
        kind = kinds[deciding]
        p_value = sign_flip_test(kind.totals, flips, seed)
        sums = kind.totals + neutral * kind.sizes
        interval = (
            clustered_mean(kind.sizes, sums, confidence)
            if bounds is None
            else clustered_share(kind.sizes, sums, float(values.var()), confidence)
        )
        informative = kind.informative
        names: tuple[Sampled, Sampled] = ("first", "second")
        sampled = "none" if not any(enough) else "both" if within[1 - deciding] else names[deciding]
    if np.isnan(p_value) and informative:
        p_value = 1.0
    interval = agreeing(interval, float(values.mean()), neutral, p_value, confidence)
    return TwoWay(interval, p_value, kinds[0].count, kinds[1].count, sampled, informative)


def design_effect(
    values: np.ndarray, first: np.ndarray, second: np.ndarray, *, neutral: float, confidence: float
) -> tuple[float, tuple[Units, ...]]:
    """How many times the variance of as many independent values `two_way` takes the variance of a share to be.

    Returns:
        The design effect (Kish 1965), at least 1; and the kinds of units that are samples, at least one.
    """
    kinds, cells = _units(values - neutral, first, second)
    deciding = _roles(kinds, cells, confidence)[2]
    sampled = kinds if deciding is None else (kinds[deciding],)
    number, spread = len(values), float(values.var())
    if spread <= _NOTHING:  # all alike: the effective number of units counts, as in the interval
        return number / min(effective_number(kind.sizes) for kind in sampled), sampled
    variance = (
        _variance(kinds, cells, neutral, float(values.mean()), number)[0]
        if deciding is None
        else sampled[0].variance(neutral)
    )
    return max(variance * number / spread, 1.0), sampled


def _units(
    deviations: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[tuple[Units, Units], Units]:
    """Both kinds of units, and where they cross."""
    cells = np.unique(np.stack([first, second]), axis=1, return_inverse=True)[1].ravel()
    return (Units.of(deviations, first), Units.of(deviations, second)), Units.of(deviations, cells)


def _roles(
    kinds: tuple[Units, Units], cells: Units, confidence: float
) -> tuple[tuple[bool, ...], tuple[bool, ...], int | None]:
    """Which kinds lie within the other, which have enough units, and which of them decides: None where both do."""
    needed = fewest_units(significance(confidence))
    within = tuple(kind.count == cells.count for kind in kinds)
    enough = tuple(kind.count >= needed for kind in kinds)
    if all(enough) and not any(within):
        return within, enough, None
    # Of nested kinds the outer one decides, of crossed ones that with enough units.
    outer = 1 if within == (True, False) else 0
    return within, enough, outer if enough[outer] or not enough[1 - outer] else 1 - outer


def _studentised_flips(
    deviations: np.ndarray, units: tuple[np.ndarray, np.ndarray], flips: int, seed: int
) -> float:
    """The larger p-value of both kinds; NaN where no deviation differs from 0."""
    from scipy.sparse import csr_array

    largest = float(np.abs(deviations).max())
    if largest == 0:
        return NAN
    codes = tuple(np.unique(kind, return_inverse=True)[1].ravel() for kind in units)
    totals, sizes = (
        csr_array((entries, codes)) for entries in (deviations / largest, np.ones(len(deviations)))
    )
    return max(
        _flips_of_rows(totals, sizes, flips, seed),
        _flips_of_rows(totals.T.tocsr(), sizes.T.tocsr(), flips, seed),
    )


def _flips_of_rows(totals: csr_array, sizes: csr_array, flips: int, seed: int) -> float:
    """p-value of sign flips of the units in rows, from totals and sizes of the cells in which both kinds cross."""
    (rows, columns), cells = totals.shape, totals.nnz
    number, of_rows, of_columns = sizes.sum(), sizes.sum(axis=1), sizes.sum(axis=0)
    row_totals = totals.sum(axis=1)
    # Of the residuals of rows, columns and cells, that is their totals less their sizes times the mean, the sum of
    # squares is: squared totals - 2 mean (totals times sizes) + mean^2 (squared sizes).
    row_squares, cell_squares = (row_totals**2).sum(), (totals.data**2).sum()
    sized = [(sums**2).sum() for sums in (of_rows, of_columns, sizes.data)]
    products = [row_totals * of_rows, totals @ of_columns, (totals * sizes).sum(axis=1)]
    weights = np.column_stack([row_totals, *products])

    def studentised(signs: np.ndarray) -> np.ndarray:
        """Squared mean over its variance, of each pattern of signs."""
        total, *crossed = (signs @ weights).T
        mean = total / number
        column_squares = ((totals.T @ signs.T) ** 2).sum(axis=0)
        parts = [
            (squares - 2 * mean * product + mean**2 * size) * count / max(count - 1, 1)
            for squares, product, size, count in zip(
                (row_squares, column_squares, cell_squares),
                crossed,
                sized,
                (rows, columns, cells),
                strict=True,
            )
        ]
        variance = np.maximum(parts[0] + parts[1] - parts[2], np.maximum(parts[0], parts[1])) / number**2
        # Where all residuals are 0, rounding leaves some 1e-16.
        return np.asarray(mean**2 / np.maximum(variance, _ALL_ALIKE * mean**2 + np.finfo(float).tiny))

    observed = studentised(np.ones((1, rows)))[0] * (1 - 1e-7)
    return share_of_flips(lambda signs: studentised(signs) >= observed, rows, flips, seed, columns)


def _crossed_interval(
    values: np.ndarray,
    units: tuple[Units, Units, Units],
    neutral: float,
    bounds: tuple[float, float] | None,
    confidence: float,
) -> Interval:
    """Korn and Graubard's interval of a share, Student's of a mean, with the variance of both kinds."""
    from scipy.special import ndtri, stdtrit

    first, second, cells = units
    number, mean = len(values), float(values.mean())
    least = min(effective_number(kind.sizes) for kind in (first, second))
    variance, freedom = _student((first, second), cells, neutral, mean, number)
    if variance <= _NOTHING:
        return UNDEFINED if bounds is None else alike(mean, least, bounds, confidence)
    if bounds is None and freedom < FEWEST_EFFECTIVE - 1:
        return UNDEFINED
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    if bounds is None:
        return Interval(mean - quantile * sqrt(variance), mean + quantile * sqrt(variance))
    binomial = mean * (1 - mean)
    observations = binomial / (variance + CAUTION * max(mean, 1 - mean) ** 2 / least**2)
    reduced = min(observations, number * binomial / float(values.var()))
    reduced *= (float(ndtri((1 + confidence) / 2)) / quantile) ** 2
    return clopper_pearson(mean, max(reduced, least), confidence)


def _student(
    kinds: tuple[Units, Units], cells: Units, neutral: float, mean: float, number: int
) -> tuple[float, float]:
    """Two-way variance of a mean, and its degrees of freedom (Satterthwaite 1946).

    These are never fewer than those of the kind with fewer effective units.
    """
    effective = [effective_number(kind.sizes) for kind in kinds]
    variance, parts, shared = _variance(kinds, cells, neutral, mean, number)
    if variance <= _NOTHING:
        return variance, min(effective) - 1
    weights = [part**2 / max(units - 1, 0.3) for part, units in zip(parts, effective, strict=True)]
    residual = shared**2 / max(number - kinds[0].count - kinds[1].count + 1, 1)
    return variance, max(variance**2 / (sum(weights) + residual), min(effective) - 1)


def _variance(
    kinds: tuple[Units, Units], cells: Units, neutral: float, mean: float, number: int
) -> tuple[float, list[float], float]:
    """Two-way variance of the mean of `number` values, the part of each kind, and what both count."""
    parts = [kind.variance(neutral) for kind in kinds]
    rest = cells.totals - cells.sizes * (mean - neutral)
    shared = float((rest**2).sum()) / number**2 * cells.count / max(cells.count - 1, 1)
    return max(parts[0] + parts[1] - shared, *parts), parts, shared
