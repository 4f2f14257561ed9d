"""Inference for sentence pairs with identities as independent units: pairs about one identity are dependent.

Shares: Korn and Graubard's interval. Means: jackknife t interval. Both are made to agree with the exact sign-flip test
on the totals of identities, which decides (Fisher 1935; Canay, Romano and Shaikh 2017). Other statistics: bootstrap of
identities. Samples are validated first: not empty, of the right types and free of NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from endoxa.schema import DIRECTIONS, Estimate, Sample
from endoxa.stats.intervals import NAN, Interval, agreeing, clustered_mean, clustered_share
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval
from endoxa.stats.signs import FLIPS, fewest_units, sign_flip_test
from endoxa.stats.verdicts import significance, too_few

IDENTITIES, WILSON, T, ORDER_STATISTICS, NONCENTRAL_T, PLANNED = (
    "identities",
    "wilson",
    "t",
    "order-statistics",
    "noncentral-t",
    "none",
)
"""Codes of the column `interval` for sentence pairs."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What one method says about a value.

    Attributes:
        interval: its confidence interval.
        p_value: two-sided, against the neutral value; NaN where there is no test.
        method: how both were computed. Up to the first semicolon it names the method and is the same in every
            cell; what follows concerns this cell only ("...; 37 identities").
        code: short name of the interval, see `schema.ESTIMATE_COLUMNS`.
        clusters: independent units that it rests on.
        untestable: why no verdict can rest on it ("4 identities, at least 6 needed"), or empty.
    """

    interval: Interval
    p_value: float
    method: str
    code: str
    clusters: int
    untestable: str = ""


def method_name(method: str) -> str:
    """The method without the remarks on one cell."""
    return method.partition(";")[0]


def estimate(
    name: str, value: float, inference: Inference, *, n: int, neutral: float, confidence: float
) -> Estimate:
    """One row of the estimates, before the correction over its family and the verdict that rests on it."""
    return Estimate(
        name=name,
        value=value,
        low=inference.interval.low,
        high=inference.interval.high,
        confidence=confidence,
        p_value=inference.p_value,
        p_adjusted=NAN,
        n=n,
        neutral=neutral,
        method=inference.method,
        interval=inference.code,
        clusters=inference.clusters,
        reason=inference.untestable,
    )


SHARE_METHOD = "identities as clusters: Korn-Graubard interval, exact sign-flip test"
MEAN_METHOD = "identities as clusters: jackknife t interval, sign-flip test"
BOOTSTRAP_METHOD = "identity bootstrap, expanded percentile interval"
FLIPS_PER_RESAMPLE = 5


def share_inference(sides: np.ndarray, cluster: np.ndarray, *, confidence: float, seed: int) -> Inference:
    """A share of pairs, ties counting one half, from their sides.

    Args:
        sides: +1, -1 or 0 (a tie) per pair.
        cluster: integer code of the identity per pair.
        confidence: confidence level.
        seed: of sign patterns, if any must be drawn.
    """
    clusters = Clusters.of(cluster, sides)
    totals = clusters.totals[:, 1]
    value = float((1 + sides.mean()) / 2)
    spread = float(((sides + 1) / 2).var())
    p_value, cannot = flips_of(sides, cluster, confidence=confidence, flips=FLIPS, seed=seed)
    interval = clustered_share(clusters.sizes, (clusters.sizes + totals) / 2, spread, confidence)
    return Inference(
        agreeing(interval, value, 0.5, p_value, confidence),
        p_value,
        f"{SHARE_METHOD}; {identities_in(clusters)}",
        IDENTITIES,
        clusters.count,
        cannot,
    )


def mean_inference(
    values: np.ndarray, cluster: np.ndarray, *, confidence: float, resamples: int, seed: int
) -> Inference:
    """A mean of differences, against 0."""
    clusters = Clusters.of(cluster, values)
    totals = clusters.totals[:, 1]
    flips = FLIPS_PER_RESAMPLE * resamples
    p_value, cannot = flips_of(values, cluster, confidence=confidence, flips=flips, seed=seed)
    interval = clustered_mean(clusters.sizes, totals, confidence)
    return Inference(
        agreeing(interval, float(values.mean()), 0.0, p_value, confidence),
        p_value,
        f"{MEAN_METHOD}; {identities_in(clusters)}",
        IDENTITIES,
        clusters.count,
        cannot,
    )


def bootstrap_inference(
    clusters: Clusters,
    combine: Callable[[np.ndarray], np.ndarray],
    value: float,
    *,
    p_value: float = NAN,
    cannot: str = "",
    confidence: float,
    resamples: int,
    seed: int,
) -> Inference:
    """Any statistic of totals over identities.

    Args:
        clusters: totals per identity.
        combine: turns totals of resampled identities (resamples, columns) into values of the statistic.
        value: the statistic itself.
        p_value: of a test that the statistic borrows, against 0; NaN for none.
        cannot: why that test cannot be trusted, or empty.
        confidence: confidence level.
        resamples: bootstrap samples to draw.
        seed: everything drawn follows from it and from the number of identities.
    """
    draws = bootstrap(clusters, combine, resamples, seed)
    return Inference(
        agreeing(expanded_interval(draws, clusters, confidence), value, 0.0, p_value, confidence),
        p_value,
        f"{BOOTSTRAP_METHOD}; {identities_in(clusters)}",
        IDENTITIES,
        clusters.count,
        cannot,
    )


def identities_in(clusters: Clusters) -> str:
    """'50 identities in 150 pairs', or that no two pairs share one."""
    pairs = int(clusters.sizes.sum())
    if clusters.count == pairs:
        return f"no two of the {pairs} pairs share an identity"
    return f"{clusters.count} {'identity' if clusters.count == 1 else 'identities'} in {pairs} pairs"


def flips_of(
    values: np.ndarray, cluster: np.ndarray, *, confidence: float, flips: int, seed: int
) -> tuple[float, str]:
    """p-value of the sign-flip test on identities, and why nothing can rest on it (empty where something can).

    An identity whose pairs are all ties says nothing; one whose pairs balance speaks for no preference. Where every
    identity balances, p is 1.
    """
    clusters = Clusters.of(cluster, values, (values != 0).astype(float))
    informative = int((clusters.totals[:, 2] > 0).sum())
    p_value = sign_flip_test(clusters.totals[:, 1], flips, seed)
    if np.isnan(p_value) and informative:
        p_value = 1.0
    return p_value, cannot_be_tested(clusters, informative, confidence)


def cannot_be_tested(clusters: Clusters, informative: int, confidence: float) -> str:
    """Why a sign-flip test cannot reach its level with so many identities; empty where it can."""
    needed = fewest_units(significance(confidence))
    noun = "pairs" if clusters.count == int(clusters.sizes.sum()) else "identities"
    few = too_few(clusters.count, noun, needed)
    if few or informative >= needed:
        return few
    if not informative:
        return "every pair is a tie"
    return f"only {informative} of {clusters.count} {noun} are not ties, at least {needed} needed"


def independence(cluster: np.ndarray) -> str:
    """Why a method that takes pairs as independent may claim nothing; empty where no two share an identity."""
    identities = len(np.unique(cluster))
    if identities == len(cluster):
        return ""
    return f"{len(cluster)} pairs share {identities} identities: see the interval '{IDENTITIES}'"


def check_sample(sample: Sample, confidence: float) -> None:
    """Refuse a sample no honest number can be computed from.

    Raises:
        ValueError: the sample is empty, its arrays are not aligned, an array has the wrong type, a score is
            NaN or infinite, a direction is unknown, or the confidence does not lie between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence must lie between 0 and 1, not {confidence!r}.")
    n = _length(sample)
    if n == 0:
        raise ValueError("The sample is empty: a statistic needs at least one pair.")
    for name in ("difference", "score_more", "score_less", "neutral_difference"):
        values = getattr(sample, name)
        if values.dtype.kind != "f":
            raise ValueError(f"`{name}` must hold floating-point numbers, not {values.dtype}.")
        undefined = np.isinf(values) if name == "neutral_difference" else ~np.isfinite(values)
        if undefined.any():
            raise ValueError(f"`{name}` is NaN or infinite at pair {int(np.argmax(undefined))}.")
    if sample.cluster.dtype.kind not in "iu":
        raise ValueError(f"`cluster` must hold integers, not {sample.cluster.dtype}.")
    if not np.isin(sample.direction, DIRECTIONS).all():
        raise ValueError(f"`direction` may only hold {', '.join(DIRECTIONS)}.")


def _length(sample: Sample) -> int:
    """Number of pairs; ValueError where the fields are not aligned one-dimensional arrays."""
    lengths: set[int] = set()
    for name in ("difference", "score_more", "score_less", "direction", "neutral_difference", "cluster"):
        values = getattr(sample, name)
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            raise ValueError(f"`{name}` must be a one-dimensional numpy array, not {type(values).__name__}.")
        lengths.add(len(values))
    if len(lengths) != 1:
        raise ValueError(f"The arrays of a sample must have one length, not {sorted(lengths)}.")
    return lengths.pop()
