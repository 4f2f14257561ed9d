"""What is left of a preference once the attribute's own is taken off.

A sentence may be likelier only because its attribute is the more frequent, shorter or not negated one. The
same attribute pair with neutral identities ("people") has that advantage and no stereotype, so its difference
is subtracted, pair by pair: for summed log-probabilities this compares how much more the identity speaks for
each attribute than a neutral identity does. All statistics here rest on pairs with a neutral difference.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from endoxa.instruments.pairs.estimates.differences import mean_estimates, varies
from endoxa.instruments.pairs.estimates.inference import (
    PLANNED,
    Inference,
    bootstrap_inference,
    check_sample,
    estimate,
)
from endoxa.instruments.pairs.estimates.preference import preference_estimates
from endoxa.schema import Estimate, Sample, Statistic
from endoxa.stats.intervals import NAN, UNDEFINED
from endoxa.stats.resampling import Clusters

_SOURCE = "ours (docs/methods/pairs.md, identity calibration)"
Values = Callable[[np.ndarray, np.ndarray], np.ndarray]
Estimator = Callable[..., list[Estimate]]


def _preference(
    name: str, values: np.ndarray, cluster: np.ndarray, *, confidence: float, resamples: int, seed: int
) -> list[Estimate]:
    del resamples  # nothing is resampled
    return preference_estimates(name, values, cluster, confidence=confidence, seed=seed)


def _on_calibrated(
    name: str, *, unit: str, neutral: float, summary: str, values: Values, estimator: Estimator
) -> Statistic:
    """A statistic whose `estimator` is applied to values made of raw and neutral differences."""

    def compute(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        kept = ~np.isnan(sample.neutral_difference)
        if not kept.any():
            return [_nothing(name, neutral, confidence)]
        made = values(sample.difference[kept], sample.neutral_difference[kept])
        return estimator(
            name, made, sample.cluster[kept], confidence=confidence, resamples=sample.resamples, seed=seed
        )

    return Statistic(name, unit, neutral, summary, _SOURCE, compute)


def _nothing(name: str, neutral: float, confidence: float) -> Estimate:
    inference = Inference(UNDEFINED, NAN, "no pair has a neutral identity", PLANNED, 0)
    return estimate(name, NAN, inference, n=0, neutral=neutral, confidence=confidence)


CALIBRATED_PREFERENCE_RATIO = _on_calibrated(
    "calibrated_preference_ratio",
    unit="share of pairs",
    neutral=0.5,
    summary="preference ratio of what the identity adds to the attribute's own difference",
    values=np.subtract,
    estimator=_preference,
)

CALIBRATED_MEAN_DIFFERENCE = _on_calibrated(
    "calibrated_mean_difference",
    unit="rule",
    neutral=0.0,
    summary="mean difference minus the difference of the same attributes with neutral identities",
    values=np.subtract,
    estimator=mean_estimates,
)

NEUTRAL_MEAN_DIFFERENCE = _on_calibrated(
    "neutral_mean_difference",
    unit="rule",
    neutral=0.0,
    summary="mean difference with neutral identities: the attribute's own part of the mean difference",
    values=lambda _raw, neutral: neutral,
    estimator=mean_estimates,
)


def _squared_correlation(totals: np.ndarray) -> np.ndarray:
    """Squared Pearson correlation from totals of 1, x, y, x^2, y^2, xy; NaN where one does not vary."""
    n, x, y, xx, yy, xy = totals.T
    x_spread, y_spread = xx - x**2 / n, yy - y**2 / n
    with np.errstate(divide="ignore", invalid="ignore"):
        defined = (x_spread > 1e-12 * xx) & (y_spread > 1e-12 * yy)
        return np.where(defined, np.minimum((xy - x * y / n) ** 2 / (x_spread * y_spread), 1.0), NAN)


def _attribute_r_squared(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    name, kept = "attribute_r_squared", ~np.isnan(sample.neutral_difference)
    if not kept.any():
        return [_nothing(name, NAN, confidence)]
    x, y = sample.difference[kept], sample.neutral_difference[kept]
    defined = varies(x) and varies(y)
    x, y = x - x.mean(), y - y.mean()
    clusters = Clusters.of(sample.cluster[kept], x, y, x**2, y**2, x * y)
    value = float(_squared_correlation(clusters.totals.sum(axis=0, keepdims=True))[0]) if defined else NAN
    inference = bootstrap_inference(
        clusters,
        _squared_correlation,
        value,
        confidence=confidence,
        resamples=sample.resamples,
        seed=seed,
    )
    return [estimate(name, value, inference, n=len(x), neutral=NAN, confidence=confidence)]


ATTRIBUTE_R_SQUARED = Statistic(
    "attribute_r_squared",
    "share of variance",
    NAN,
    "share of the differences' variance that the attribute's own difference explains",
    _SOURCE,
    _attribute_r_squared,
)
