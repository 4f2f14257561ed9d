"""Mean of observations that are crossed: each belongs to an item and to a rater, and both are samples.

Another study would draw other items and other raters, so the variance has a part for each. It is the two-way clustered
one (Cameron, Gelbach and Miller 2011; Owen 2007): items + raters - what both count twice. The parts for items and
raters are delete-one jackknives (MacKinnon, Nielsen and Webb 2023), the quantile is Student's. Measured levels and
coverage: docs/methods/harm.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from endoxa.stats.intervals import (
    NAN,
    UNDEFINED,
    Interval,
    agreeing,
    alike,
    effective_number,
    jackknife_variance,
)

FEWEST = 3
"""With fewer raters, or fewer items, no interval is given."""
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Crossed:
    """A mean over items and raters.

    Attributes:
        value: the mean over items of their mean over raters; NaN without observations.
        interval: its interval.
        p_value: two-sided, against 0.
        items: their number.
        raters: their number.
        effective: Kish's effective number of raters: less where some gave most of the observations.
    """

    value: float
    interval: Interval
    p_value: float
    items: int
    raters: int
    effective: float


def crossed_mean(
    observed: np.ndarray,
    item: np.ndarray,
    rater: np.ndarray,
    *,
    confidence: float,
    bounds: tuple[float, float],
    counts: np.ndarray | None = None,
) -> Crossed:
    """Each item counts the same, and so does each observation of an item.

    Args:
        observed: one number for each item and rater that has one (not every pair needs to).
        item: code of its item.
        rater: code of its rater.
        confidence: confidence level.
        bounds: least and largest possible observation.
        counts: how many observations each number is the mean of; one by default.

    Returns:
        Without interval and p-value below `FEWEST` items or raters. Where nothing varies, the p-value is that of a sign
        test over the fewer of the two, and the interval that of `alike`, made to agree with it.
    """
    if not len(observed):
        return Crossed(NAN, UNDEFINED, NAN, 0, 0, 0.0)
    _, item = np.unique(item, return_inverse=True)
    _, rater = np.unique(rater, return_inverse=True)
    per_item = np.bincount(item, counts)
    share = (np.ones(len(observed)) if counts is None else counts) / per_item[item]
    means = np.bincount(item, share * observed)
    items, weight = len(means), share / len(means)
    by_rater = np.bincount(rater, weight)
    value, raters, effective = float(means.mean()), len(by_rater), effective_number(by_rater)
    fewer = min(effective, items)
    if min(items, raters) < FEWEST or fewer - 1 < _NOTHING:
        return Crossed(value, UNDEFINED, NAN, items, raters, effective)
    of_items = jackknife_variance(np.ones(items), means)
    of_raters = jackknife_variance(by_rater, np.bincount(rater, weight * observed))
    error = sqrt(_combined(of_items, of_raters, observed - means[item], item, weight))
    if error < _NOTHING * max(1.0, abs(value)):
        ends = _unvaried(value, 0.0, min(items, raters), fewer, bounds=bounds, confidence=confidence)
    else:
        ends = _students(value, 0.0, error, fewer - 1, bounds=bounds, confidence=confidence)
    return Crossed(value, *ends, items, raters, effective)


def crossed_estimate(
    value: float,
    influence: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    *,
    units: float,
    neutral: float,
    bounds: tuple[float, float],
    confidence: float,
) -> tuple[Interval, float]:
    """Interval and two-sided p-value of an estimate whose observations share units of two kinds.

    The variance is the two-way clustered one of the observations' influences (Cameron, Gelbach and Miller 2011; for
    the chance that one of a group exceeds one of another: Obuchowski 1997), the quantile Student's.

    Args:
        value: the estimate.
        influence: what each observation adds to its deviation; they add up to 0.
        first: code of each observation's unit of the first kind.
        second: of the second kind.
        units: effective number of units, of the kind (and group) that has fewest.
        neutral: value that is tested.
        bounds: least and largest possible value.
        confidence: confidence level.

    Returns:
        Where nothing varies, the interval of `alike` and the p-value of a sign test over the units; nothing with fewer
        than `FEWEST` of them.
    """
    if units < FEWEST:
        return UNDEFINED, NAN
    parts = [_summed_variance(influence, code) for code in (first, second, np.arange(len(influence)))]
    error = sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1]))
    if error < _NOTHING * max(1.0, abs(value)):
        return _unvaried(value, neutral, int(units), units, bounds=bounds, confidence=confidence)
    return _students(value, neutral, error, units - 1, bounds=bounds, confidence=confidence)


def _summed_variance(influence: np.ndarray, code: np.ndarray) -> float:
    """Variance of the sum of influences when whole units are drawn."""
    _, place = np.unique(code, return_inverse=True)
    sums = np.bincount(place, influence)
    return float((sums**2).sum() * len(sums) / max(len(sums) - 1, 1))


def _combined(
    of_items: float, of_raters: float, residual: np.ndarray, item: np.ndarray, weight: np.ndarray
) -> float:
    """The variance of the mean, never less than either part alone.

    Both parts hold the noise of single observations; once is taken off, estimated from how raters differ on an item.
    Items with one rater say nothing about it, and nothing is taken off for them.
    """
    shared = np.bincount(item)[item]
    once = np.where(shared > 1, shared / np.maximum(shared - 1, 1), 0.0)
    noise = float((weight**2 * residual**2 * once).sum())
    return max(of_items + of_raters - noise, of_items, of_raters)


def _students(
    value: float,
    neutral: float,
    error: float,
    freedom: float,
    *,
    bounds: tuple[float, float],
    confidence: float,
) -> tuple[Interval, float]:
    from scipy.stats import t

    reach = float(t.ppf((1 + confidence) / 2, freedom)) * error
    interval = Interval(max(value - reach, bounds[0]), min(value + reach, bounds[1]))
    return interval, float(2 * t.sf(abs(value - neutral) / error, freedom))


def _unvaried(
    value: float,
    neutral: float,
    units: int,
    effective: float,
    *,
    bounds: tuple[float, float],
    confidence: float,
) -> tuple[Interval, float]:
    """All units show the same value."""
    p_value = 1.0 if abs(value - neutral) < _NOTHING else 2.0 ** (1 - units)
    interval = alike(value, effective, bounds, confidence)
    return agreeing(interval, value, neutral, p_value, confidence), p_value
