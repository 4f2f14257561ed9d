"""Score differences of pairs: mean, standardised effect size, and Hodges-Lehmann estimate.

The Hodges-Lehmann estimate has an interval and Wilcoxon's signed-rank test. It is the median of the n(n + 1) / 2 Walsh
averages (x_i + x_j) / 2, i <= j. They are never listed: the number at or below a value is counted in n log n steps,
and the wanted order statistics are found by bisection, so memory grows with n and one definition serves every n.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from endoxa.instruments.pairs.estimates.inference import (
    NONCENTRAL_T,
    ORDER_STATISTICS,
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


_EXACT_UP_TO = 50
_METHOD = "Hodges-Lehmann interval, Wilcoxon signed-rank test"


def walsh_order_statistics(values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The Walsh averages of the given ranks (1 is the smallest), to a relative precision of 1e-13."""
    ordered = np.sort(values)
    return np.array([_walsh(ordered, int(rank)) for rank in ranks])


def _walsh(ordered: np.ndarray, rank: int) -> float:
    low, high = float(ordered[0]), float(ordered[-1])
    precision = 1e-13 * max(abs(low), abs(high), high - low)
    if _at_most(ordered, low) >= rank:
        return low
    while high - low > precision and low < (middle := (low + high) / 2) < high:
        if _at_most(ordered, middle) >= rank:
            high = middle
        else:
            low = middle
    return high


def _at_most(ordered: np.ndarray, bound: float) -> int:
    """How many Walsh averages are at most `bound`."""
    partners = np.searchsorted(ordered, 2 * bound - ordered, side="right")
    with_itself = int(np.searchsorted(ordered, bound, side="right"))
    return (int(partners.sum()) + with_itself) // 2


def pseudo_median(values: np.ndarray) -> float:
    """The Hodges-Lehmann estimate: the median of the Walsh averages."""
    count = len(values) * (len(values) + 1) // 2
    return float(walsh_order_statistics(values, np.array([(count + 1) // 2, count // 2 + 1])).mean())


def pseudo_median_interval(values: np.ndarray, confidence: float) -> Interval:
    """Tukey's interval between two Walsh averages (Hollander, Wolfe and Chicken 2014, section 3.3).

    Their ranks are exact for up to 50 pairs and by the normal approximation above. NaN where even all of the
    averages together do not reach the confidence (fewer than 6 pairs at 95 %).
    """
    n = len(values)
    count = n * (n + 1) // 2
    rank = _lowest_rank(n, (1 - confidence) / 2)
    if rank < 1:
        return UNDEFINED
    low, high = walsh_order_statistics(values, np.array([rank, count + 1 - rank]))
    return Interval(float(low), float(high))


def signed_rank_test(values: np.ndarray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test, zeros left out as he did; NaN where all are zero.

    Exact for up to 50 pairs, given the ties among their sizes (scipy enumerates tied samples, a second each);
    scipy's normal approximation above.
    """
    values = values[values != 0]
    if len(values) == 0:
        return NAN
    from scipy.stats import rankdata, wilcoxon

    if len(values) > _EXACT_UP_TO:
        return float(wilcoxon(values, method="asymptotic").pvalue)
    doubled = (2 * rankdata(np.abs(values))).astype(int)
    probabilities = _signed_rank_distribution(doubled)
    observed = int(doubled[values > 0].sum())
    tails = probabilities[: observed + 1].sum(), probabilities[observed:].sum()
    return min(1.0, 2 * float(min(tails)))


def _signed_rank_distribution(ranks: np.ndarray) -> np.ndarray:
    """Probability of each sum of ranks when every rank is in the sum with even chance."""
    probabilities = np.ones(1)
    for rank in ranks:
        probabilities = np.convolve(probabilities, np.array([0.5, *np.zeros(rank - 1), 0.5]))
    return probabilities


def _lowest_rank(n: int, tail: float) -> int:
    """Rank of the Walsh average at the lower end; 0 where there is none."""
    if n <= _EXACT_UP_TO:
        below = np.cumsum(_signed_rank_distribution(np.arange(1, n + 1)))
        return int(np.searchsorted(below, tail, side="right"))
    from scipy.stats import norm

    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(np.floor(n * (n + 1) / 4 + norm.ppf(tail) * spread))


def _median_difference(sample: Sample, confidence: float, _seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    values = sample.difference
    unequal = int((values != 0).sum())
    inference = Inference(
        pseudo_median_interval(values, confidence),
        signed_rank_test(values),
        _METHOD,
        ORDER_STATISTICS,
        len(values),
        independence(*units_of(sample))
        or ("" if unequal else "every pair is a tie")
        or too_few(unequal, "untied pairs", fewest_units(significance(confidence))),
    )
    return [
        estimate(
            "median_difference",
            pseudo_median(values),
            inference,
            n=len(values),
            neutral=0.0,
            confidence=confidence,
        )
    ]


MEDIAN_DIFFERENCE = Statistic(
    "median_difference",
    "rule",
    0.0,
    "Hodges-Lehmann pseudo-median of the differences: less moved by a few extreme pairs than the mean",
    "Hodges and Lehmann 1963; Wilcoxon 1945",
    _median_difference,
)
