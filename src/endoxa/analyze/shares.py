"""Shares of pairs: Wilson interval and exact sign test, and the statistics that need no more than that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isnan

from endoxa.analyze.inference import NAN, UNDEFINED, Inference, Interval, estimate
from endoxa.analyze.samples import check_sample
from endoxa.schema import Estimate, Sample, Statistic

WILSON_METHOD = "Wilson interval, exact sign test on untied pairs"


@dataclass(frozen=True, slots=True)
class Counts:
    """Pairs on each side of a question; what is left of `total` are ties.

    Attributes:
        favouring: pairs that count towards the share.
        opposing: pairs that count against it.
        total: the denominator.
    """

    favouring: int
    opposing: int
    total: int


def wilson(count: float, total: int, confidence: float) -> Interval:
    """Wilson score interval of `count / total` (Wilson 1927; statsmodels); `count` may be a half."""
    if total == 0:
        return UNDEFINED
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, total, alpha=1 - confidence, method="wilson")
    return Interval(
        float(low) if count else 0.0, float(high) if count < total else 1.0
    )  # without rounding noise


@lru_cache(maxsize=4096)  # many statistics ask about the same counts
def sign_test(favouring: int, opposing: int) -> float:
    """Exact two-sided p of the sign test (scipy's binomtest); NaN where every pair is a tie."""
    if favouring + opposing == 0:
        return NAN
    from scipy.stats import binomtest

    return float(binomtest(favouring, favouring + opposing).pvalue)


def share_statistic(
    name: str,
    count: Callable[[Sample], Counts],
    *,
    summary: str,
    source: str,
    unit: str = "percent",
    neutral: float = 50.0,
) -> Statistic:
    """A statistic that is a strict share: ties stay in its denominator unless `count` leaves them out.

    The interval is Wilson's. The p-value is the sign test's on the untied pairs, since a tie says nothing
    about a preference; where `neutral` is NaN nothing is tested.

    Args:
        name: its name in the estimates.
        count: counts the pairs of a valid sample; a total of 0 gives NaN.
        summary: one line for lists.
        source: paper and section, or published code.
        unit: "percent" or "share of pairs".
        neutral: value of an unbiased model, NaN where the share says nothing about bias.
    """
    scale = 100.0 if unit == "percent" else 1.0
    tested = not isnan(neutral)
    method = WILSON_METHOD if tested else "Wilson interval"

    def compute(sample: Sample, confidence: float, _seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        counts = count(sample)
        value = scale * counts.favouring / counts.total if counts.total else NAN
        interval = wilson(counts.favouring, counts.total, confidence)
        inference = Inference(
            Interval(scale * interval.low, scale * interval.high),
            sign_test(counts.favouring, counts.opposing) if tested else NAN,
            method,
        )
        return [estimate(name, value, inference, n=counts.total, neutral=neutral, confidence=confidence)]

    return Statistic(name, unit, neutral, summary, source, compute)
