"""Reliability of scores made of parts, and correlations of two such scores, raw and corrected for unreliability.

A unit (an association) is measured by several parts (templates, repeats, names), and its score is the mean over them.
The reliability of the scores is the share of their variance that two independent halves of the parts have in common:
the mean, over all ways to halve the parts, of the covariance of the half means, divided by the variance of the
scores. With two parts of equal variance this is Spearman and Brown's step-up of their correlation (Spearman 1910;
Brown 1910); with the same parts for every unit it is Cronbach's alpha, the mean of Flanagan's and Rulon's coefficient
over all splits (Cronbach 1951). It needs no drawing of splits, so it is computed again for every sample of clusters.

A correlation of two scores is lowered by the unreliability of both; divided by the root of the product of their
reliabilities it estimates the correlation of what the parts have in common (Spearman 1904). Measured coverage of the
intervals here: docs/methods/convergence.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, effective_number
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.verdicts import significance, too_few

SHARED = 0.5
"""A part is taken as the same for all units, with a level of its own, where at least this share of them has it."""
FEWEST_UNITS = 10
"""With fewer units no correlation has an interval or a test."""
EDGE = 1 - 1e-4
"""Largest raw correlation that a corrected one may imply; Fisher's z has no value at 1."""
_ROUNDS = 50
_STEPS = 400


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
        found = np.bincount(part, value - mean[unit], minlength=len(levels)) / np.maximum(size, 1)
        found[~shared] = 0.0
        found[shared] -= (found * size).sum() / size[shared].sum()
        moved = float(np.abs(found - levels).max())
        levels = found
        if moved <= 1e-12 * (1 + float(np.abs(levels).max())):
            break
    return levels


def _shared(part: np.ndarray, units: int) -> np.ndarray:
    return np.asarray(np.bincount(part) >= max(2.0, SHARED * units))


def spearman_brown(correlation: float | np.ndarray, factor: float = 2.0) -> np.ndarray:
    """Reliability of a measure `factor` times as long (Spearman 1910; Brown 1910): k r / (1 + (k - 1) r)."""
    r = np.asarray(correlation, dtype=float)
    return np.asarray(factor * r / (1 + (factor - 1) * r))


def split_half(
    unit: np.ndarray, part: np.ndarray, value: np.ndarray, *, splits: int = 100, seed: int = 0
) -> np.ndarray:
    """Spearman-Brown reliability of each of `splits` random halvings of the parts, shape (splits,).

    The parts of a unit are put in a random order that is the same for parts of one code, and go to the two halves in
    turn. Units with one part are left out; NaN where a half does not vary. Odd numbers of parts make halves of unequal
    length, which the step-up by 2 takes as equal: it is a check of `reliability`, not used elsewhere.
    """
    value = np.asarray(value, dtype=float)
    kept = np.bincount(unit)[unit] > 1
    codes, unit = np.unique(unit[kept], return_inverse=True)
    part, value = part[kept], value[kept]
    if len(codes) < 2:
        return np.full(splits, NAN)
    rng, found = np.random.default_rng(seed), np.full(splits, NAN)
    starts = np.concatenate([[0], np.cumsum(np.bincount(unit))[:-1]])
    for k in range(splits):
        key = rng.random(int(part.max()) + 1)
        order = np.lexsort((key[part], unit))
        place = np.arange(len(unit)) - starts[unit[order]]
        # Which half comes first is drawn too, so that the longer half is not always the same one.
        second = (place + rng.integers(2, size=len(codes))[unit[order]]) % 2 == 1
        halves = [
            np.bincount(unit[order], value[order] * half) / np.bincount(unit[order], half)
            for half in (~second, second)
        ]
        first, second_half = halves
        if min(first.std(), second_half.std()) > 0:
            found[k] = float(spearman_brown(float(np.corrcoef(first, second_half)[0, 1])))
    return found


def attenuation_corrected(correlation: float, reliability_1: float, reliability_2: float) -> float:
    """A correlation divided by the root of the product of two reliabilities (Spearman 1904); can exceed 1.

    NaN where a reliability is not above 0: there is nothing to divide by.
    """
    if not (reliability_1 > 0 and reliability_2 > 0):
        return NAN
    return correlation / float(np.sqrt(reliability_1 * reliability_2))


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
    totals = _totals(scores, scores, cluster)
    whole, without = _moments(totals.sum(axis=0)), _moments(totals.sum(axis=0) - totals)
    value = float(whole[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.log1p(-np.minimum(without[1], EDGE))
        reach = _quantile(totals, confidence) * _jackknife_error(left)
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
    return float(_moments(_totals(scores, scores, everyone)[0])[1])


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


@dataclass(frozen=True, slots=True)
class CorrectedCorrelation:
    """Correlation of two scores over units, raw and corrected for unreliability.

    Attributes:
        raw: Pearson's correlation of the scores.
        raw_interval: jackknife over clusters on Fisher's z, Student's t, made to agree with the test.
        value: `raw` divided by the root of both reliabilities; can exceed 1; NaN where they cannot be told.
        interval: every correlation that the jackknife test of Fisher's z does not reject (see
            `corrected_correlation`); an end is infinite where nothing bounds it.
        reliability_1: reliability of the first scores over these units.
        reliability_2: of the second.
        p_value: of no correlation: the larger of jackknife test and sign-flip test of clusters.
        units: number of units.
        clusters: number of clusters.
        untestable: why there is no test of `raw`, or empty.
        uncorrectable: why there is no corrected correlation, or empty.
    """

    raw: float
    raw_interval: Interval
    value: float
    interval: Interval
    reliability_1: float
    reliability_2: float
    p_value: float
    units: int
    clusters: int
    untestable: str = ""
    uncorrectable: str = ""


def corrected_correlation(
    first: PartScores,
    second: PartScores,
    cluster: np.ndarray,
    confidence: float = 0.95,
    *,
    names: tuple[str, str] = ("the first instrument", "the second instrument"),
    seed: int = 0,
) -> CorrectedCorrelation:
    """Correlation of two scores of the same units, raw and corrected for unreliability, with intervals over clusters.

    With r the raw correlation and a the root of the product of both reliabilities, a true correlation of c implies a
    raw one of c a. The interval holds every c for which z(r) - z(c a), Fisher's z, lies within Student's t times its
    delete-one-cluster jackknife error of 0; both r and a are computed again without each cluster, so that the
    uncertainty of the reliabilities counts. Degrees of freedom: Kish's effective number of clusters less one. Nothing
    is clipped at 1: where the scores correlate more than their reliabilities allow, the estimate says so. An interval
    that reaches 1 ends where the same statistic without Fisher's z does (Fieller 1954), at 1 or beyond; no true
    correlation lies there, so this end says only how uncertain the correction is.

    Args:
        first: scores of one instrument, a unit for each entry.
        second: scores of another one of the same units, measured by other parts.
        cluster: code of the cluster of each unit (its identity).
        confidence: confidence level of the intervals.
        names: what the two are called in reasons.
        seed: seed of the sign-flip test.
    """
    units, clusters = len(first.mean), len(np.unique(cluster))
    flat = _flat((first, second), names)
    alpha = significance(confidence)
    untestable = (
        flat
        or too_few(units, "associations", FEWEST_UNITS)
        or too_few(clusters, "identities", fewest_units(alpha))
    )
    if units < 3 or flat:
        return CorrectedCorrelation(
            NAN, UNDEFINED, NAN, UNDEFINED, NAN, NAN, NAN, units, clusters, untestable, untestable
        )
    totals = _totals(first, second, cluster)
    whole, without = _moments(totals.sum(axis=0)), _moments(totals.sum(axis=0) - totals)
    raw, one, two = (float(number) for number in whole)
    unknown = _uncorrectable((first, second), (one, two), names)
    uncorrectable = unknown or untestable
    value = NAN if unknown else attenuation_corrected(raw, one, two)
    found = (raw, UNDEFINED, value, UNDEFINED, one, two, NAN, units, clusters)
    if untestable:
        return CorrectedCorrelation(*found, untestable, uncorrectable)
    quantile = _quantile(totals, confidence)
    z = _fisher(without[0])
    error = _jackknife_error(z)
    if not error > 1e-9:
        same = "leaving out any one identity changes nothing, so there is no measure of error"
        return CorrectedCorrelation(*found, same, uncorrectable or same)
    products = (first.mean - first.mean.mean()) * (second.mean - second.mean.mean())
    p_value = _p_value(float(_fisher(raw)) / error, totals, products, cluster, seed)
    middle, reach = float(_fisher(raw)), quantile * error
    ends = Interval(float(np.tanh(middle - reach)), float(np.tanh(middle + reach)))
    interval = UNDEFINED if uncorrectable else _inverted(whole, without, quantile)
    return CorrectedCorrelation(
        raw,
        agreeing(ends, raw, 0.0, p_value, confidence),
        value,
        agreeing_open(interval, value, p_value, confidence),
        one,
        two,
        p_value,
        units,
        clusters,
        "",
        uncorrectable,
    )


def agreeing_open(interval: Interval, value: float, p_value: float, confidence: float) -> Interval:
    """`agreeing` with a test of 0 for an interval whose ends may be infinite."""
    if np.isnan(interval.low) or np.isnan(interval.high):
        return interval
    bound = 1e300
    made = agreeing(
        Interval(max(interval.low, -bound), min(interval.high, bound)), value, 0.0, p_value, confidence
    )
    return Interval(-np.inf if made.low <= -bound else made.low, np.inf if made.high >= bound else made.high)


def _flat(both: tuple[PartScores, PartScores], names: tuple[str, str]) -> str:
    for scores, name in zip(both, names, strict=True):
        if len(scores.mean) and np.ptp(scores.mean) <= 1e-12 * (1 + np.abs(scores.mean).max()):
            return f"the effects of {name} are the same for all associations"
    return ""


def _uncorrectable(
    both: tuple[PartScores, PartScores], values: tuple[float, float], names: tuple[str, str]
) -> str:
    """Why a correlation cannot be corrected, or empty."""
    for scores, value, name in zip(both, values, names, strict=True):
        reason = unknown_reliability(scores)
        if reason:
            return f"the reliability of {name} cannot be told: {reason}"
        if not value > 0:
            return f"the reliability of {name} is not above 0 ({value:.2f})"
    return ""


def _totals(first: PartScores, second: PartScores, cluster: np.ndarray) -> np.ndarray:
    """Totals of each cluster, shape (clusters, 14), from which `_moments` are computed for any sum of clusters."""
    x, y = (scores.mean - scores.mean.mean() for scores in (first, second))
    columns = [np.ones_like(x), x, y, x * x, y * y, x * y]
    for scores, centred in ((first, x), (second, y)):
        known = np.isfinite(scores.product)
        # The product of two parts about the mean of all units.
        shift = scores.mean.mean()
        product = np.where(known, scores.product - 2 * shift * scores.mean + shift**2, 0.0)
        # Halves of parts of one's own have means that differ by chance; those of shared parts have lost their levels.
        error = np.where(known & (not scores.shared), centred**2 - product, 0.0)
        columns += [known.astype(float), np.where(known, centred, 0.0), product, error]
    _, index = np.unique(cluster, return_inverse=True)
    return np.column_stack([np.bincount(index, weights=column) for column in columns])


def _moments(totals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def _fisher(correlation: np.ndarray | float) -> np.ndarray:
    """Fisher's z, finite."""
    return np.asarray(np.arctanh(np.clip(correlation, -EDGE, EDGE)))


def _jackknife_error(values: np.ndarray) -> float:
    """Standard error from delete-one values along the first axis."""
    count = len(values)
    return float(_jackknife_errors(values[:, None])[0]) if count else NAN


def _jackknife_errors(values: np.ndarray) -> np.ndarray:
    count = len(values)
    return np.asarray(np.sqrt((count - 1) / count * ((values - values.mean(axis=0)) ** 2).sum(axis=0)))


def _freedom(totals: np.ndarray) -> float:
    return max(effective_number(totals[:, 0]) - 1, 1e-9)


def _quantile(totals: np.ndarray, confidence: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(_freedom(totals), (1 + confidence) / 2))


def _p_value(
    statistic: float, totals: np.ndarray, products: np.ndarray, cluster: np.ndarray, seed: int
) -> float:
    """The larger p-value of jackknife t and sign flips of the clusters' sums of products.

    Either alone rejects a true hypothesis slightly too often with few clusters (docs/methods/convergence.md).
    """
    from scipy.special import stdtr

    jackknife = 2 * float(stdtr(_freedom(totals), -abs(statistic)))
    _, index = np.unique(cluster, return_inverse=True)
    flipped = sign_flip_test(np.bincount(index, weights=products), seed=seed)
    return max(jackknife, flipped if np.isfinite(flipped) else 1.0)


def _inverted(
    whole: tuple[np.ndarray, np.ndarray, np.ndarray],
    without: tuple[np.ndarray, np.ndarray, np.ndarray],
    quantile: float,
) -> Interval:
    """Every corrected correlation that is not rejected, around the estimate."""
    raw, factor = float(whole[0]), float(np.sqrt(whole[1] * whole[2]))
    left = np.sqrt(np.maximum(without[1], 0.0) * np.maximum(without[2], 0.0))
    z, z_left = float(_fisher(raw)), _fisher(without[0])
    middle = float(np.clip(raw / factor, -EDGE / factor, EDGE / factor))
    outer = _outer(raw, factor, without[0], left, quantile)

    def excess(tried: np.ndarray) -> np.ndarray:
        """How far the statistic lies beyond its bound, negative where the value is not rejected."""
        distance = z - _fisher(tried * factor)
        error = _jackknife_errors(z_left[:, None] - _fisher(tried[None, :] * left[:, None]))
        return np.asarray(np.abs(distance) - quantile * error)

    def end(limit: float, beyond_one: float) -> float:
        """First crossing on the way from the estimate to 1 (or -1); past it, where the linear statistic ends."""
        last = float(np.clip(limit * factor, -EDGE, EDGE))
        if (last - middle * factor) * limit > 0:
            # Steps even in Fisher's z of what is implied: fine near 1.
            grid = np.tanh(np.linspace(np.arctanh(middle * factor), np.arctanh(last), _STEPS)) / factor
            beyond = excess(grid)
            crossed = np.flatnonzero(beyond > 0)
            if len(crossed) and crossed[0] == 0:
                return float(grid[0])
            if len(crossed):
                k = int(crossed[0])
                share = beyond[k - 1] / (beyond[k - 1] - beyond[k])
                return float(grid[k - 1] + share * (grid[k] - grid[k - 1]))
        return limit * max(1.0, abs(middle), limit * beyond_one)

    return Interval(end(-1.0, outer.low), end(1.0, outer.high))


def _outer(raw: float, factor: float, raw_left: np.ndarray, left: np.ndarray, quantile: float) -> Interval:
    """Fieller's interval: every c for which r - c a lies within t jackknife errors of 0; infinite where unbounded."""
    scale = (len(left) - 1) / len(left) * quantile**2
    r, a = raw_left - raw_left.mean(), left - left.mean()
    square = factor**2 - scale * float(a @ a)
    if square <= 0:
        return Interval(-np.inf, np.inf)
    half = raw * factor - scale * float(r @ a)
    root = np.sqrt(max(half**2 - square * (raw**2 - scale * float(r @ r)), 0.0))
    return Interval((half - root) / square, (half + root) / square)
