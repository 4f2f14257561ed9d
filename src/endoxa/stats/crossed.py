"""Estimates from observations that are crossed: each belongs to a unit of two kinds (items and raters), both samples.

Another study would draw other items and other raters, so the variance has a part for each. It is the two-way clustered
one (Cameron, Gelbach and Miller 2011; Owen 2007): items + raters - what both count twice. The parts for items and
raters are delete-one jackknives (MacKinnon, Nielsen and Webb 2023), the quantile is Student's. Items of one group are
alike: then groups, of one or two kinds, are the units in place of items. Measured levels and coverage:
docs/methods/harm.md; of `crossed_contrast`, docs/methods/agreement.md.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        items: their number, or that of their groups.
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
    groups: Sequence[np.ndarray] = (),
) -> Crossed:
    """Each item counts the same, and so does each observation of an item.

    Args:
        observed: one number for each item and rater that has one (not every pair needs to).
        item: code of its item.
        rater: code of its rater.
        confidence: confidence level.
        bounds: least and largest possible observation.
        counts: how many observations each number is the mean of; one by default.
        groups: code of the group of its item, of one or two kinds, where items of one group are alike: groups are then
            the samples that are crossed with raters. Each item by itself by default.

    Returns:
        Without interval and p-value below `FEWEST` items (or groups) or raters. Where nothing varies, the p-value is
        that of a sign test over the fewer of the two, and the interval that of `alike`, made to agree with it.
    """
    if not len(observed):
        return Crossed(NAN, UNDEFINED, NAN, 0, 0, 0.0)
    _, item = np.unique(item, return_inverse=True)
    _, rater = np.unique(rater, return_inverse=True)
    kinds = [np.unique(group, return_inverse=True)[1] for group in groups] or [item]
    per_item = np.bincount(item, counts)
    share = (np.ones(len(observed)) if counts is None else counts) / per_item[item]
    means = np.bincount(item, share * observed)
    weight = share / len(means)
    by_kind, by_rater = [np.bincount(kind, weight) for kind in kinds], np.bincount(rater, weight)
    value, items, raters = float(means.mean()), len(by_kind[0]), len(by_rater)
    effective = effective_number(by_rater)
    fewer = min(effective, *map(effective_number, by_kind))
    if min(items, raters) < FEWEST or fewer - 1 < _NOTHING:
        return Crossed(value, UNDEFINED, NAN, items, raters, effective)
    influence, residual = weight * (observed - value), weight * (observed - means[item])
    twice = sum(_rating_noise(residual, kind, rater) for kind in kinds)
    if len(kinds) > 1:
        # Both kinds of groups hold what items add; ratings of it were taken off above.
        meeting = kinds[0] * len(by_kind[1]) + kinds[1]
        twice += _left_out(influence, meeting, weight) - _rating_noise(residual, meeting, rater)
    error = _error(influence, (*kinds, rater), twice, weight)
    ends = _inference(value, 0.0, error, min(items, raters), fewer, bounds=bounds, confidence=confidence)
    return Crossed(value, *ends, items, raters, effective)


def _rating_noise(residual: np.ndarray, group: np.ndarray, rater: np.ndarray) -> float:
    """Variance that the parts of groups and of raters both hold: a rater's ratings of a group.

    Groups with one rater say nothing about it, and nothing is taken off for them.
    """
    raters = int(rater.max()) + 1
    cells, cell = np.unique(group * raters + rater, return_inverse=True)
    _, of_cell, sizes = np.unique(cells // raters, return_inverse=True, return_counts=True)
    shared = sizes[of_cell]
    once = np.where(shared > 1, shared / np.maximum(shared - 1, 1), 0.0)
    return float((np.bincount(cell, residual) ** 2 * once).sum())


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
    noise = _left_out(influence, np.arange(len(influence)))
    error = _error(influence, (first, second), noise)
    return _inference(value, neutral, error, int(units), units, bounds=bounds, confidence=confidence)


def _error(
    influence: np.ndarray,
    codes: Sequence[np.ndarray],
    noise: float,
    weight: np.ndarray | None = None,
) -> float:
    """Standard error of an estimate; its variance is never less than the part of one kind of units alone.

    Args:
        influence: what each observation adds to the deviation of the estimate; they add up to 0.
        codes: code of each observation's unit, for each kind of units.
        noise: variance that several parts hold, such as that of single observations; it counts once. A mean over items
            estimates it from how raters differ on an item, which is free of how items differ; where nothing but the
            influences is known, from leaving out single observations.
        weight: share of the estimate that rests on each observation; all the same by default.
    """
    parts = [_left_out(influence, code, weight) for code in codes]
    return sqrt(max(sum(parts) - noise, *parts))


def _left_out(influence: np.ndarray, code: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Delete-one jackknife variance over whole units; without weights each unit holds the same share."""
    _, place = np.unique(code, return_inverse=True)
    sums = np.bincount(place, influence)
    count = len(sums)
    share = 1 / count if weight is None else np.bincount(place, weight)
    return float(((sums / (1 - share)) ** 2).sum() * (count - 1) / count) if count > 1 else 0.0


def _inference(
    value: float,
    neutral: float,
    error: float,
    units: int,
    effective: float,
    *,
    bounds: tuple[float, float],
    confidence: float,
) -> tuple[Interval, float]:
    """Student's interval and p-value; where all units show the same value, those of `alike` and of a sign test."""
    from scipy.stats import t

    if error < _NOTHING * max(1.0, abs(value)):
        p_value = 1.0 if abs(value - neutral) < _NOTHING else 2.0 ** (1 - units)
        interval = alike(value, effective, bounds, confidence)
        return agreeing(interval, value, neutral, p_value, confidence), p_value
    reach = float(t.ppf((1 + confidence) / 2, effective - 1)) * error
    interval = Interval(max(value - reach, bounds[0]), min(value + reach, bounds[1]))
    return interval, float(2 * t.sf(abs(value - neutral) / error, effective - 1))


@dataclass(frozen=True, slots=True)
class Contrast:
    """How much higher observations of one kind are, compared within items (and within raters).

    Attributes:
        value: the difference; NaN where no item has observations of both kinds.
        interval: its interval.
        p_value: two-sided, against 0.
        raters: raters with observations of both kinds where raters are compared with themselves, else the number on
            the side that has fewer.
        items: items with observations of both kinds.
        within: whether raters are compared with themselves; else raters of one kind with raters of the other.
    """

    value: float
    interval: Interval
    p_value: float
    raters: int
    items: int
    within: bool


def crossed_contrast(
    observed: np.ndarray,
    inside: np.ndarray,
    rater: np.ndarray,
    item: np.ndarray,
    *,
    needed: int,
    confidence: float,
    bounds: tuple[float, float],
) -> Contrast:
    """Difference between observations of two kinds when every item, and every rater, has a level of its own.

    Least squares with a level for each item, and for each rater where `needed` of them have observations of both kinds.
    Levels are not assumed to be independent of the kind, as random effects are. The variance is the two-way clustered
    one; its parts are scaled for the levels that are fitted to observations of several clusters.

    Args:
        observed: the observations.
        inside: whether each is of the first kind.
        rater: code of its rater.
        item: code of its item.
        needed: with fewer raters on both sides raters have no levels; with fewer items the items are taken as they are.
        confidence: confidence level.
        bounds: least and largest possible difference.

    Returns:
        Without interval and p-value where less than two raters' worth of observations, or of items, decide.
    """
    from scipy.sparse import csr_array, hstack
    from scipy.sparse.linalg import lsmr

    rows, count = np.arange(len(observed)), len(observed)
    codes = [np.unique(code, return_inverse=True)[1] for code in (rater, item)]
    sides = [np.stack([np.bincount(code, inside), np.bincount(code, ~inside)]) for code in codes]
    raters, items = (int((side > 0).all(axis=0).sum()) for side in sides)
    within = raters >= needed
    raters = raters if within else int((sides[0] > 0).sum(axis=1).min())
    fitted = [code for code, levels in zip(codes, (within, True), strict=True) if levels]
    levels = hstack([csr_array((np.ones(count), (rows, code))) for code in fitted]).tocsr()
    shift, rest = (
        values - levels @ lsmr(levels, values, atol=1e-12, btol=1e-12, maxiter=10_000)[0]
        for values in (inside.astype(float), observed.astype(float))
    )
    spread = float((shift**2).sum())
    if items == 0 or spread < _NOTHING * count:
        return Contrast(NAN, UNDEFINED, NAN, raters, items, within)
    value = float((shift * rest).sum()) / spread
    influence, weight = shift * (rest - value * shift) / spread, shift**2 / spread
    kinds = codes if items >= needed else [codes[0], rows]
    free = [count - (fitted[-1].max() + 1), count - (fitted[0].max() + 1 if within else 0)]
    parts = [
        _left_out(influence, code, weight) * count / max(left, 1)
        for code, left in zip(kinds, free, strict=True)
    ]
    noise = _left_out(influence, rows, weight) * count / max(sum(free) - count, 1)
    error = sqrt(max(sum(parts) - noise, *parts))
    groups = [weight] if within else [weight * inside, weight * ~inside]
    units = [effective_number(np.bincount(codes[0], group)) for group in groups]
    units += [effective_number(np.bincount(codes[1], weight))] if items >= needed else []
    fewer = min(units)
    if fewer - 1 < _NOTHING:
        return Contrast(value, UNDEFINED, NAN, raters, items, within)
    ends = _inference(value, 0.0, error, int(fewer), fewer, bounds=bounds, confidence=confidence)
    return Contrast(value, *ends, raters, items, within)
