"""Shares of pairs that take the pairs as independent: Wilson interval and exact sign test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan

from endoxa.analyze.identities import independence
from endoxa.analyze.inference import WILSON, Inference, estimate
from endoxa.analyze.samples import check_sample
from endoxa.schema import Estimate, Sample, Statistic
from endoxa.stats.intervals import NAN, Interval, wilson
from endoxa.stats.signs import fewest_units, sign_test
from endoxa.stats.verdicts import significance, too_few

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


def untied_pairs(counts: Counts, confidence: float) -> str:
    """Why the sign test on these counts cannot reach its level; empty where it can."""
    untied = counts.favouring + counts.opposing
    if not untied:
        return "every pair is a tie"
    return too_few(untied, "untied pairs", fewest_units(significance(confidence)))


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
    about a preference; where `neutral` is NaN nothing is tested. Where pairs share identities, or ties pull the
    share over to the other side of `neutral` than the untied pairs are on, nothing can be claimed.

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
            WILSON,
            counts.total,
            _untestable(sample, counts, value, confidence) if tested else "",
        )
        return [estimate(name, value, inference, n=counts.total, neutral=neutral, confidence=confidence)]

    def _untestable(sample: Sample, counts: Counts, value: float, confidence: float) -> str:
        shared = independence(sample.cluster) or untied_pairs(counts, confidence)
        against = (value - neutral) * (counts.favouring - counts.opposing) < 0
        return shared or ("ties count as not favouring: see preference_ratio" if against else "")

    return Statistic(name, unit, neutral, summary, source, compute)
