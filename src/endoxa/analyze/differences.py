"""How much likelier the stereotypical sentence is: mean difference and standardised effect size."""

from __future__ import annotations

import numpy as np

from endoxa.analyze.identities import bootstrap_inference, independence, mean_inference
from endoxa.analyze.inference import NONCENTRAL_T, Inference, T, estimate
from endoxa.analyze.samples import check_sample
from endoxa.schema import Estimate, Sample, Statistic
from endoxa.stats.intervals import NAN, UNDEFINED, Interval
from endoxa.stats.resampling import Clusters
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few


def varies(values: np.ndarray) -> bool:
    """Whether a t statistic is defined: two values at least, not all the same up to rounding."""
    return len(values) > 1 and float(np.std(values)) > 1e-12 * float(np.abs(values).max())


def t_inference(values: np.ndarray, cluster: np.ndarray, confidence: float) -> Inference:
    """The paired t-test: one-sample t-test of the differences and its interval (statsmodels)."""
    method = "paired t-test and its interval"
    needed = fewest_units(significance(confidence))
    cannot = independence(cluster) or too_few(len(values), "pairs", needed)
    if not varies(values):
        cannot = cannot or "the differences do not vary"
        return Inference(UNDEFINED, NAN, f"{method}; the differences do not vary", T, len(values), cannot)
    from statsmodels.stats.weightstats import DescrStatsW

    described = DescrStatsW(values)
    low, high = described.tconfint_mean(1 - confidence)
    p_value = float(described.ttest_mean(0)[1])
    return Inference(Interval(float(low), float(high)), p_value, method, T, len(values), cannot)


def mean_estimates(
    name: str, values: np.ndarray, cluster: np.ndarray, *, confidence: float, resamples: int, seed: int
) -> list[Estimate]:
    """Mean of the values: pairs independent, then identities (needs at least one pair)."""
    clustered = mean_inference(values, cluster, confidence=confidence, resamples=resamples, seed=seed)
    return [
        estimate(name, float(values.mean()), inference, n=len(values), neutral=0.0, confidence=confidence)
        for inference in (t_inference(values, cluster, confidence), clustered)
    ]


def _mean_difference(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    return mean_estimates(
        "mean_difference",
        sample.difference,
        sample.cluster,
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


def _standardised(totals: np.ndarray) -> np.ndarray:
    """Cohen's d_z from totals of count, value and squared value; NaN where nothing varies."""
    n, total, squares = totals.T
    mean = total / n
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(np.maximum(squares / n - mean**2, 0) * n / (n - 1))
        return np.where(deviation > 1e-9 * np.sqrt(squares / n), mean / deviation, NAN)


def _noncentral_interval(d: float, n: int, confidence: float) -> Interval:
    """Interval of d_z whose ends make the observed t as extreme as the confidence says (noncentral t)."""
    from scipy.special import nctdtrinc

    t = d * np.sqrt(n)
    tails = np.array([1 + confidence, 1 - confidence]) / 2
    low, high = nctdtrinc(n - 1, tails, t) / np.sqrt(n)
    return Interval(float(low), float(high))


def _effect_size(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    values, n = sample.difference, len(sample.difference)
    defined = varies(values)
    d = float(values.mean() / values.std(ddof=1)) if defined else NAN
    tested = t_inference(values, sample.cluster, confidence)
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
        values, sample.cluster, confidence=confidence, resamples=sample.resamples, seed=seed
    )
    clustered = bootstrap_inference(
        Clusters.of(sample.cluster, values, values**2),
        _standardised,
        d,
        p_value=mean.p_value if defined else NAN,
        cannot=mean.untestable or ("" if defined else "the differences do not vary"),
        confidence=confidence,
        resamples=sample.resamples,
        seed=seed,
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
