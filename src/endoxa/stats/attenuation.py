"""Correlations of two scores made of parts, raw and corrected for the unreliability of both (Spearman 1904).

A correlation of two scores is lowered by the unreliability of both; divided by the root of the product of their
reliabilities it estimates the correlation of what the parts of either have in common. Measured coverage of the
intervals: docs/methods/convergence.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing
from endoxa.stats.jackknife import combined, combined_errors, jackknife, pairs_of
from endoxa.stats.reliability import (
    EDGE,
    FEWEST_UNITS,
    PartScores,
    Reliability,
    moments,
    reliability,
    totals_of,
)
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.two_way import two_way
from endoxa.stats.verdicts import significance, too_few

_STEPS = 400
LEAST_RELIABILITY = 0.1
"""The lower end of a reliability's interval must be above it: divided by the root of a reliability that may be near 0,
a correlation can be anything, and two scores of which little but error is known tell nothing about each other."""


def attenuation_corrected(correlation: float, reliability_1: float, reliability_2: float) -> float:
    """A correlation divided by the root of the product of two reliabilities (Spearman 1904); can exceed 1.

    NaN where a reliability is not above 0: there is nothing to divide by. Which reliabilities are high enough to be
    divided by is asked before (`unreliable`).
    """
    if not (reliability_1 > 0 and reliability_2 > 0):
        return NAN
    return correlation / float(np.sqrt(reliability_1 * reliability_2))


@dataclass(frozen=True, slots=True)
class CorrectedCorrelation:
    """Correlation of two scores over units, raw and corrected for unreliability.

    Attributes:
        units: number of units.
        clusters: number of clusters.
        untestable: why there is no test of `raw`, or empty.
        uncorrectable: why there is no corrected correlation, or empty.
        raw: Pearson's correlation of the scores.
        raw_interval: jackknife over clusters on Fisher's z, Student's t, made to agree with the test.
        value: `raw` divided by the root of both reliabilities; can exceed 1; NaN where one of them is unknown or too
            low (`unreliable`).
        interval: every correlation that the jackknife test of Fisher's z does not reject (see
            `corrected_correlation`); an end is infinite where nothing bounds it.
        reliability_1: reliability of the first scores over these units.
        reliability_2: of the second.
        reliability_intervals: of both, undefined where there is none; their lower ends decide what is corrected.
        p_value: of no correlation: the larger of jackknife test and sign-flip test of clusters.
    """

    units: int
    clusters: int
    untestable: str = ""
    uncorrectable: str = ""
    raw: float = NAN
    raw_interval: Interval = UNDEFINED
    value: float = NAN
    interval: Interval = UNDEFINED
    reliability_1: float = NAN
    reliability_2: float = NAN
    reliability_intervals: tuple[Interval, Interval] = (UNDEFINED, UNDEFINED)
    p_value: float = NAN


def corrected_correlation(
    first: PartScores,
    second: PartScores,
    cluster: np.ndarray,
    confidence: float = 0.95,
    *,
    names: tuple[str, str] = ("the first instrument", "the second instrument"),
    seed: int = 0,
    crossed: np.ndarray | None = None,
    levels: np.ndarray | None = None,
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
        crossed: code of the other kind of cluster that each unit belongs to (its attribute), where both kinds are
            samples: the jackknife variance is then that of either kind minus that of both together (Cameron, Gelbach
            and Miller 2011), degrees of freedom are Satterthwaite's, and both kinds change their signs.
        levels: the same code, where these are too few for a sample and taken as they are: the p-value is then at least
            that of what is left of their means.
    """
    units, clusters = len(first.mean), len(np.unique(cluster))
    flat = _flat((first, second), names)
    alpha = significance(confidence)
    from scipy.special import stdtrit

    untestable = (
        flat
        or too_few(units, "associations", FEWEST_UNITS)
        or too_few(clusters, "identities", fewest_units(alpha))
    )
    result = CorrectedCorrelation(units, clusters, untestable, untestable)
    if units < 3 or flat:
        return result
    kinds = [cluster] if crossed is None else [cluster, crossed, pairs_of(cluster, crossed)]
    totals = [totals_of(first, second, codes) for codes in kinds]
    left = [moments(parts.sum(axis=0) - parts) for parts in totals]
    overall = moments(totals[0].sum(axis=0))
    raw, *reliable = (float(number) for number in overall)
    reliabilities = [reliability(scores, cluster, confidence) for scores in (first, second)]
    unknown = next(filter(None, map(unreliable, reliabilities, names)), "")
    uncorrectable = unknown or untestable
    value = NAN if unknown else attenuation_corrected(raw, *reliable)
    intervals = (reliabilities[0].interval, reliabilities[1].interval)
    result = replace(
        result,
        uncorrectable=uncorrectable,
        raw=raw,
        value=value,
        reliability_1=reliable[0],
        reliability_2=reliable[1],
        reliability_intervals=intervals,
    )
    if untestable:
        return result
    z = [_fisher(correlations)[:, None] for correlations, _, _ in left]
    made = combined(_fisher(overall[0])[None], z, cluster, crossed)
    if not made.error[0] > 1e-9:
        same = "leaving out any one identity changes nothing, so there is no measure of error"
        return replace(result, untestable=same, uncorrectable=uncorrectable or same)
    quantile = float(stdtrit(made.freedom[0], (1 + confidence) / 2))
    products = (first.mean - first.mean.mean()) * (second.mean - second.mean.mean())
    flipped = (
        flipped_clusters(products, cluster, seed)
        if crossed is None
        else two_way(products, cluster, crossed, neutral=0.0, confidence=confidence, seed=seed).p_value
    )
    rest = () if levels is None else rest_p_values(first.mean, second.mean, cluster, levels, seed)
    # Either alone rejects a true hypothesis slightly too often with few clusters (docs/methods/convergence.md).
    p_value = max(
        float(made.p_values()[0]), *(each if np.isfinite(each) else 1.0 for each in (flipped, *rest))
    )
    low, high = (float(np.tanh(end[0])) for end in made.ends(confidence))
    interval = UNDEFINED if uncorrectable else _inverted(overall, left, quantile)
    return replace(
        result,
        raw_interval=agreeing(Interval(low, high), raw, 0.0, p_value, confidence),
        interval=agreeing_open(interval, value, p_value, confidence),
        p_value=p_value,
    )


def flipped_clusters(products: np.ndarray, cluster: np.ndarray, seed: int) -> float:
    """p-value of sign flips of clusters."""
    return sign_flip_test(np.bincount(np.unique(cluster, return_inverse=True)[1], products), seed=seed)


def rest_p_values(
    first: np.ndarray, second: np.ndarray, cluster: np.ndarray, levels: np.ndarray, seed: int = 0
) -> tuple[float, float]:
    """p-values of no correlation of what is left of the means of levels: of the jackknife, and of sign flips.

    Args:
        first: scores of units.
        second: others of the same units.
        cluster: code of the cluster of each unit.
        levels: code of its level, whose means are removed, again without each cluster.
        seed: of the sign flips.
    """

    def rest(kept: np.ndarray) -> list[np.ndarray]:
        codes = np.unique(levels[kept], return_inverse=True)[1]
        sizes = np.bincount(codes)
        return [
            values[kept] - (np.bincount(codes, values[kept]) / sizes)[codes] for values in (first, second)
        ]

    def correlation(kept: np.ndarray) -> np.ndarray:
        x, y = rest(kept)
        with np.errstate(invalid="ignore", divide="ignore"):
            return _fisher(np.array([x @ y / np.sqrt((x @ x) * (y @ y))]))

    x, y = rest(np.ones(len(cluster), dtype=bool))
    return float(jackknife(correlation, cluster).p_values()[0]), flipped_clusters(x * y, cluster, seed)


def agreeing_open(interval: Interval, value: float, p_value: float, confidence: float) -> Interval:
    """`agreeing` with a test of 0 for an interval whose ends may be infinite."""
    if np.isnan(interval.low) or np.isnan(interval.high):
        return interval
    bound = 1e300
    made = agreeing(
        Interval(max(interval.low, -bound), min(interval.high, bound)), value, 0.0, p_value, confidence
    )
    return Interval(-np.inf if made.low <= -bound else made.low, np.inf if made.high >= bound else made.high)


def _flat(scores_pair: tuple[PartScores, PartScores], names: tuple[str, str]) -> str:
    for scores, name in zip(scores_pair, names, strict=True):
        if len(scores.mean) and np.ptp(scores.mean) <= 1e-12 * (1 + np.abs(scores.mean).max()):
            return f"the effects of {name} are the same for all associations"
    return ""


def unreliable(measured: Reliability, name: str) -> str:
    """Why nothing about other instruments rests on these scores, or empty: the reliability is unknown or too low.

    Args:
        measured: their reliability; the lower end of its interval must be above `LEAST_RELIABILITY`.
        name: what they are scores of.
    """
    if measured.reason:
        return f"the reliability of {name} cannot be told: {measured.reason}"
    # Scores without any error have no interval.
    interval = (
        measured.interval if np.isfinite(measured.interval.low) else Interval(measured.value, measured.value)
    )
    if interval.low > LEAST_RELIABILITY:
        return ""
    ends = "" if interval.low == interval.high else f"; interval {interval.low:.2f} to {interval.high:.2f}"
    return (
        f"the reliability of {name} is too low or too uncertain ({measured.value:.2f}{ends}; the lower end must be "
        f"above {LEAST_RELIABILITY:g})"
    )


def _fisher(correlation: np.ndarray | float) -> np.ndarray:
    """Fisher's z, finite."""
    return np.asarray(np.arctanh(np.clip(correlation, -EDGE, EDGE)))


def _inverted(
    overall: tuple[np.ndarray, np.ndarray, np.ndarray],
    without: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    quantile: float,
) -> Interval:
    """Every corrected correlation that is not rejected, around the estimate."""
    raw, factor = float(overall[0]), float(np.sqrt(overall[1] * overall[2]))
    left = [np.sqrt(np.maximum(one, 0.0) * np.maximum(two, 0.0)) for _, one, two in without]
    z, z_left = float(_fisher(raw)), [_fisher(correlations) for correlations, _, _ in without]
    middle = float(np.clip(raw / factor, -EDGE / factor, EDGE / factor))
    outer = _outer(raw, factor, [correlations for correlations, _, _ in without], left, quantile)

    def excess(tried: np.ndarray) -> np.ndarray:
        """How far the statistic lies beyond its bound, negative where the value is not rejected."""
        distance = z - _fisher(tried * factor)
        error = combined_errors(
            [
                of_raw[:, None] - _fisher(tried[None, :] * of_factor[:, None])
                for of_raw, of_factor in zip(z_left, left, strict=True)
            ]
        )
        return np.asarray(np.abs(distance) - quantile * error)

    def end(limit: float, fieller: float) -> float:
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
        return limit * max(1.0, abs(middle), limit * fieller)

    return Interval(end(-1.0, outer.low), end(1.0, outer.high))


def _outer(
    raw: float, factor: float, raw_left: Sequence[np.ndarray], left: Sequence[np.ndarray], quantile: float
) -> Interval:
    """Fieller's interval: every c for which r - c a lies within t jackknife errors of 0; infinite where unbounded."""
    parts = []
    for of_raw, of_factor in zip(raw_left, left, strict=True):
        scale = (len(of_raw) - 1) / len(of_raw) * quantile**2
        r, a = of_raw - of_raw.mean(), of_factor - of_factor.mean()
        parts.append(scale * np.array([r @ r, r @ a, a @ a]))
    combined = parts[0] if len(parts) == 1 else parts[0] + parts[1] - parts[2]
    rr, ra, aa = max((combined, *parts[:2]), key=lambda part: float(part[0]))
    square = factor**2 - float(aa)
    if square <= 0:
        return Interval(-np.inf, np.inf)
    half = raw * factor - float(ra)
    root = np.sqrt(max(half**2 - square * (raw**2 - float(rr)), 0.0))
    return Interval((half - root) / square, (half + root) / square)
