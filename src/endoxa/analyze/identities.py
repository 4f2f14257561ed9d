"""Inference for sentence pairs that takes identities, not pairs, as independent: pairs about one identity are not.

Shares: Korn and Graubard's interval. Means: jackknife t interval. Both are made to agree with the exact sign-flip
    test on the
totals of identities, which decides (Fisher 1935; Canay, Romano and Shaikh 2017). Other statistics: bootstrap of
identities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from endoxa.analyze.inference import IDENTITIES, Inference
from endoxa.stats.intervals import NAN, agreeing, clustered_mean, clustered_share
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval
from endoxa.stats.signs import FLIPS, fewest_units, sign_flip_test
from endoxa.stats.verdicts import significance, too_few

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
