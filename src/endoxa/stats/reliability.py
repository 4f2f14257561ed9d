"""Reliability of scores that are means over parts, and split halves.

A unit (an association) is measured by several parts (templates, repeats, names), and its score is the mean over them.
The reliability of the scores is the share of their variance that two independent halves of the parts have in common:
the mean, over all ways to halve the parts, of the covariance of the half means, divided by the variance of the
scores. With two parts of equal variance this is Spearman and Brown's step-up of their correlation (Spearman 1910;
Brown 1910); with the same parts for every unit it is Cronbach's alpha, the mean of Flanagan's and Rulon's coefficient
over all splits (Cronbach 1951). It needs no drawing of splits, so it is computed again for every sample of clusters.

Correlations of two such scores, corrected for unreliability: `endoxa.stats.attenuation`. Measured coverage:
docs/methods/convergence.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from endoxa.stats.intervals import NAN, UNDEFINED, Interval, effective_number
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

SHARED = 0.5
"""A part is taken as the same for all units, with a level of its own, where at least this share of them has it."""
FEWEST_UNITS = 10
"""With fewer units no correlation has an interval or a test."""
EDGE = 1 - 1e-4
"""Largest raw correlation that a corrected one may imply; Fisher's z has no value at 1."""
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class PartScores:
    """The scores of units, one entry for each.

    Attributes:
        mean: mean over the parts of a unit, the parts' own levels taken off.
        product: mean product of two different parts of a unit; NaN where it has one part.
        parts: number of its parts.
        within: variance of a single part about its unit's mean, pooled over units (0 degrees of freedom: NaN).
        freedom: degrees of freedom of `within`.
        shared: whether most units have the same parts, whose levels were taken off.
    """

    mean: np.ndarray
    product: np.ndarray
    parts: np.ndarray
    within: float
    freedom: int
    shared: bool = False

    def take(self, units: np.ndarray) -> PartScores:
        """The scores of some units, by index; `within` stays that of all."""
        return replace(self, mean=self.mean[units], product=self.product[units], parts=self.parts[units])


def part_scores(unit: np.ndarray, part: np.ndarray, value: np.ndarray) -> PartScores:
    """Scores of units from the values of their parts.

    Parts that at least `SHARED` of the units have (a template that all associations were put in) can have a level of
    their own, which is no error of measurement: it is fitted additively (value = unit + part) and taken off, so that a
    part that is missing for some units does not move their scores. Levels sum to zero over the values.

    Args:
        unit: code of the unit of each value, 0 to units - 1, each at least once.
        part: code of its part, 0 or more; no two values share both codes.
        value: the values.
    """
    unit, part = np.asarray(unit, dtype=np.int64), np.asarray(part, dtype=np.int64)
    value = np.asarray(value, dtype=float)
    counts = np.bincount(unit)
    value = value - part_levels(unit, part, value)[part]
    sums, squares = np.bincount(unit, value), np.bincount(unit, value**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        product = np.where(counts > 1, (sums**2 - squares) / (counts * (counts - 1.0)), NAN)
    mean = sums / counts
    shared = _shared(part, len(counts))
    freedom = max(int((counts - 1).sum()) - max(int(shared.sum()) - 1, 0), 0)
    residual = float(((value - mean[unit]) ** 2).sum())
    within = residual / freedom if freedom else NAN
    return PartScores(mean, product, counts, within, freedom, shared=int(shared.sum()) > 1)


def part_levels(unit: np.ndarray, part: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Level of each part that most units share, by its code, in an additive fit of unit and part; 0 for others."""
    counts = np.bincount(unit)
    levels = np.zeros(int(part.max()) + 1)
    shared = _shared(part, len(counts))
    if shared.sum() < 2 or len(counts) < 2:
        return levels
    size = np.bincount(part, minlength=len(levels))
    for _ in range(_ROUNDS):
        mean = np.bincount(unit, value - levels[part]) / counts
        updated = np.bincount(part, value - mean[unit], minlength=len(levels)) / np.maximum(size, 1)
        updated[~shared] = 0.0
        updated[shared] -= (updated * size).sum() / size[shared].sum()
        moved = float(np.abs(updated - levels).max())
        levels = updated
        if moved <= 1e-12 * (1 + float(np.abs(levels).max())):
            break
    return levels


def _shared(part: np.ndarray, units: int) -> np.ndarray:
    return np.asarray(np.bincount(part) >= max(2.0, SHARED * units))


@dataclass(frozen=True, slots=True)
class Reliability:
    """A reliability with its interval.

    Attributes:
        value: the estimate; it can be negative, and is NaN where it cannot be told.
        interval: jackknife over clusters on the scale of log(1 - reliability), Student's t.
        units: units with two or more parts.
        clusters: their clusters.
        reason: why it cannot be told, or empty.
    """

    value: float
    interval: Interval
    units: int
    clusters: int
    reason: str = ""


def reliability(scores: PartScores, cluster: np.ndarray, confidence: float = 0.95) -> Reliability:
    """Reliability of scores, over all halvings of the parts (see the module).

    Args:
        scores: of all units.
        cluster: code of the cluster of each unit; whole clusters are left out in turn.
        confidence: confidence level of the interval.
    """
    halved = np.isfinite(scores.product)
    units, clusters = int(halved.sum()), len(np.unique(cluster[halved]))
    reason = unknown_reliability(scores)
    if reason:
        return Reliability(NAN, UNDEFINED, units, clusters, reason)
    totals = totals_of(scores, scores, cluster)
    overall, without = moments(totals.sum(axis=0)), moments(totals.sum(axis=0) - totals)
    value = float(overall[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.log1p(-np.minimum(without[1], EDGE))
        reach = quantile_of(totals, confidence) * jackknife_error(left)
    if clusters < fewest_units(significance(confidence)) or not reach > 0 or value >= 1:
        return Reliability(value, UNDEFINED, units, clusters)
    middle = float(np.log1p(-value))
    ends = Interval(float(-np.expm1(middle + reach)), float(-np.expm1(middle - reach)))
    return Reliability(value, ends, units, clusters)


def halves_reliability(scores: PartScores) -> float:
    """The estimate of `reliability` alone, however few the units are; NaN where no unit has two parts.

    With the same parts for all units it is Cronbach's alpha, which is Shrout and Fleiss' (1979) ICC(3, k); with parts
    of its own for each unit, and as many, it is their ICC(1, k).
    """
    everyone = np.zeros(len(scores.mean), dtype=np.int64)
    return float(moments(totals_of(scores, scores, everyone)[0])[1])


def unknown_reliability(scores: PartScores) -> str:
    """Why the reliability of these scores cannot be told; empty where it can."""
    halved = int(np.isfinite(scores.product).sum())
    if len(scores.mean) < 2 or np.ptp(scores.mean) <= 1e-12 * (1 + np.abs(scores.mean).max()):
        return "effects do not differ between associations"
    if halved == 0:
        return "there is one part per association, which cannot be halved"
    if halved < FEWEST_UNITS:
        return f"only {halved} associations have two parts, at least {FEWEST_UNITS} needed"
    return ""


def totals_of(first: PartScores, second: PartScores, cluster: np.ndarray) -> np.ndarray:
    """Totals of each cluster, shape (clusters, 14), from which `moments` are computed for any sum of clusters."""
    x, y = (scores.mean - scores.mean.mean() for scores in (first, second))
    columns = [np.ones_like(x), x, y, x * x, y * y, x * y]
    for scores, centred in ((first, x), (second, y)):
        halved = np.isfinite(scores.product)
        # The product of two parts about the mean of all units.
        shift = scores.mean.mean()
        product = np.where(halved, scores.product - 2 * shift * scores.mean + shift**2, 0.0)
        # Halves of parts of one's own have means that differ by chance; those of shared parts have lost their levels.
        error = np.where(halved & (not scores.shared), centred**2 - product, 0.0)
        columns += [halved.astype(float), np.where(halved, centred, 0.0), product, error]
    _, index = np.unique(cluster, return_inverse=True)
    return np.column_stack([np.bincount(index, weights=column) for column in columns])


def moments(totals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Raw correlation and both reliabilities from totals of shape (..., 14)."""
    parts = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = parts[0]
        mean_x, mean_y = parts[1] / n, parts[2] / n
        var_x, var_y = parts[3] / n - mean_x**2, parts[4] / n - mean_y**2
        raw = (parts[5] / n - mean_x * mean_y) / np.sqrt(var_x * var_y)
        return raw, _reliable(parts[6:10]) / var_x, _reliable(parts[10:14]) / var_y


def _reliable(parts: np.ndarray) -> np.ndarray:
    """Covariance of the means of two halves of the parts, mean over all halvings."""
    n, total, product, error = parts
    return np.asarray(product / n - (total / n) ** 2 + error / n**2)


def jackknife_error(values: np.ndarray) -> float:
    """Standard error from delete-one values along the first axis."""
    count = len(values)
    return float(jackknife_errors(values[:, None])[0]) if count else NAN


def jackknife_errors(values: np.ndarray) -> np.ndarray:
    """Standard error of each column from its delete-one values (Efron and Tibshirani 1993, section 11.2)."""
    count = len(values)
    return np.asarray(np.sqrt((count - 1) / count * ((values - values.mean(axis=0)) ** 2).sum(axis=0)))


def freedom(sizes: np.ndarray) -> float:
    """Degrees of freedom of clusters of these sizes: their effective number (Kish 1965) less one."""
    return max(effective_number(sizes) - 1, 1e-9)


def quantile_of(totals: np.ndarray, confidence: float) -> float:
    """Quantile of Student's t for a two-sided interval over these clusters."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom(totals[:, 0]), (1 + confidence) / 2))
