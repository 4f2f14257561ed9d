"""Score differences of pairs: mean and standardised effect size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from endoxa.instruments.pairs.estimates.inference import (
    NONCENTRAL_T,
    SMOOTH_METHOD,
    Inference,
    T,
    Units,
    check_sample,
    estimate,
    independence,
    mean_inference,
    smooth_inference,
    units_of,
)
from endoxa.schema import Estimate, Sample, Statistic
from endoxa.stats.intervals import NAN, UNDEFINED, Interval
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few


def varies(values: np.ndarray) -> bool:
    """Whether a t statistic is defined: two values at least, not all the same up to rounding."""
    return len(values) > 1 and float(np.std(values)) > 1e-12 * float(np.abs(values).max())


def t_inference(values: np.ndarray, units: Units, confidence: float) -> Inference:
    """The paired t-test: one-sample t-test of the differences and its interval (statsmodels)."""
    method = "paired t-test and its interval"
    needed = fewest_units(significance(confidence))
    cannot = independence(*units) or too_few(len(values), "pairs", needed)
    if not varies(values):
        cannot = cannot or "the differences do not vary"
        return Inference(UNDEFINED, NAN, f"{method}; the differences do not vary", T, len(values), cannot)
    from statsmodels.stats.weightstats import DescrStatsW

    described = DescrStatsW(values)
    low, high = described.tconfint_mean(1 - confidence)
    p_value = float(described.ttest_mean(0)[1])
    return Inference(Interval(float(low), float(high)), p_value, method, T, len(values), cannot)


def mean_estimates(
    name: str, values: np.ndarray, units: Units, *, confidence: float, resamples: int, seed: int
) -> list[Estimate]:
    """Mean of the values: pairs independent, then identities (needs at least one pair)."""
    clustered = mean_inference(values, units, confidence=confidence, resamples=resamples, seed=seed)
    return [
        estimate(name, float(values.mean()), inference, n=len(values), neutral=0.0, confidence=confidence)
        for inference in (t_inference(values, units, confidence), clustered)
    ]


def _mean_difference(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    return mean_estimates(
        "mean_difference",
        sample.difference,
        units_of(sample),
        confidence=confidence,
        resamples=sample.resamples,
        seed=seed,
    )


MEAN_DIFFERENCE = Statistic(
    "mean_difference",
    "rule",
    0.0,
    "mean score of the stereotypical sentence minus that of the other",
    "AfriStereo, section 5.5 (paired t-test); IndiBias, appendix C (difference of scores)",
    _mean_difference,
)


def _noncentral_interval(d: float, n: int, confidence: float) -> Interval:
    """Interval of d_z whose ends make the observed t as extreme as the confidence says (noncentral t)."""
    from scipy.special import nctdtrinc

    t = d * np.sqrt(n)
    tails = np.array([1 + confidence, 1 - confidence]) / 2
    low, high = nctdtrinc(n - 1, tails, t) / np.sqrt(n)
    return Interval(float(low), float(high))


def standardised_influence(values: np.ndarray) -> np.ndarray:
    """What each value adds to the mean in standard deviations, which must not be 0 (its influence function)."""
    deviation = float(values.std(ddof=1))
    z = (values - values.mean()) / deviation
    d = float(values.mean()) / deviation
    return np.asarray(z - d * (z**2 - (z**2).mean()) / 2)


def _effect_size(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    values, n = sample.difference, len(sample.difference)
    defined = varies(values)
    d = float(values.mean() / values.std(ddof=1)) if defined else NAN
    tested = t_inference(values, units_of(sample), confidence)
    parametric = Inference(
        _noncentral_interval(d, n, confidence) if defined else UNDEFINED,
        tested.p_value,
        "noncentral t interval, paired t-test",
        NONCENTRAL_T,
        n,
        tested.untestable,
    )
    # The sign-flip test of the mean: an effect size is 0 where the mean is.
    mean = mean_inference(
        values, units_of(sample), confidence=confidence, resamples=sample.resamples, seed=seed
    )
    cannot = mean.untestable or ("" if defined else "the differences do not vary")
    clustered = (
        smooth_inference(
            d,
            standardised_influence(values),
            units_of(sample),
            p_value=mean.p_value,
            cannot=cannot,
            confidence=confidence,
        )
        if defined
        else replace(mean, interval=UNDEFINED, p_value=NAN, method=SMOOTH_METHOD, untestable=cannot)
    )
    return [
        estimate("effect_size", d, inference, n=n, neutral=0.0, confidence=confidence)
        for inference in (parametric, clustered)
    ]


EFFECT_SIZE = Statistic(
    "effect_size",
    "standard deviations",
    0.0,
    "Cohen's d_z: mean difference in standard deviations of the differences",
    "Cohen 1988 and Lakens 2013 (d_z); interval: Cumming and Finch 2001 (noncentral t)",
    _effect_size,
)
