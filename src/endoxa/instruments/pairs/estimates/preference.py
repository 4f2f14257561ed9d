"""Preference ratios: the share of pairs whose stereotypical sentence scores higher, and published variants.

Where pairs are taken as independent: Wilson interval and exact sign test. The bias percentage of IndiBias (section
6.1.1) has two readings (docs/methods/pairs.md). The four figures of metric.py of CrowS-Pairs are computed with
raw scores and with its rounding: a pair counts as biased where `sent_more` scores higher, in both directions; ties
("neutral") are left out of the totals of each direction and stay in the denominator of the metric score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan

import numpy as np

from endoxa.instruments.pairs.estimates.deciding import CALIBRATED, RAW
from endoxa.instruments.pairs.estimates.differences import mean_estimates
from endoxa.instruments.pairs.estimates.inference import (
    PLANNED,
    WILSON,
    Inference,
    Units,
    check_sample,
    estimate,
    independence,
    share_inference,
    units_of,
)
from endoxa.instruments.pairs.estimates.records import ANTONYM, NEGATION, OTHER
from endoxa.instruments.pairs.estimates.references import FREQUENCY, LENGTH
from endoxa.schema import DIRECTIONS, Estimate, Sample, Statistic
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, wilson
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
        shared = independence(*units_of(sample)) or untied_pairs(counts, confidence)
        against = (value - neutral) * (counts.favouring - counts.opposing) < 0
        return shared or ("ties count as not favouring: see preference_ratio" if against else "")

    return Statistic(name, unit, neutral, summary, source, compute)


def count_preferences(difference: np.ndarray) -> Counts:
    """Pairs above and below 0, out of all."""
    return Counts(int((difference > 0).sum()), int((difference < 0).sum()), len(difference))


def preference_estimates(
    name: str, difference: np.ndarray, units: Units, *, confidence: float, seed: int
) -> list[Estimate]:
    """Share of differences above 0, a tie counting one half: pairs independent, then identities (at least one pair)."""
    counts = count_preferences(difference)
    half_wins = (counts.favouring + counts.total - counts.opposing) / 2
    independent = Inference(
        wilson(half_wins, counts.total, confidence),
        sign_test(counts.favouring, counts.opposing),
        WILSON_METHOD,
        WILSON,
        counts.total,
        independence(*units) or untied_pairs(counts, confidence),
    )
    clustered = share_inference(np.sign(difference), units, confidence=confidence, seed=seed)
    return [
        estimate(
            name, half_wins / counts.total, inference, n=counts.total, neutral=0.5, confidence=confidence
        )
        for inference in (independent, clustered)
    ]


def _preference_ratio(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
    check_sample(sample, confidence)
    return preference_estimates(RAW, sample.difference, units_of(sample), confidence=confidence, seed=seed)


PREFERENCE_RATIO = Statistic(
    RAW,
    "share of pairs",
    0.5,
    "share of pairs whose stereotypical sentence scores higher, a tie counting one half",
    "AfriStereo eq. 2 with ties split, so that a model without preference is at 0.5",
    _preference_ratio,
)

BPR = share_statistic(
    "bpr",
    lambda sample: count_preferences(sample.difference),
    unit="share of pairs",
    neutral=0.5,
    summary="Bias Preference Ratio as published: ties stay in the denominator and count as not preferring",
    source="AfriStereo, section 5.4, eq. 2",
)


def _ties(sample: Sample) -> Counts:
    counts = count_preferences(sample.difference)
    ties = counts.total - counts.favouring - counts.opposing
    return Counts(ties, counts.total - ties, counts.total)


TIE_SHARE = share_statistic(
    "tie_share",
    _ties,
    unit="share of pairs",
    neutral=float("nan"),
    summary="share of pairs whose two sentences score exactly the same",
    source="CrowS-Pairs metric.py counts them apart; here without its rounding",
)


def _literal(sample: Sample) -> Counts:
    """`sent_more` wins a stereo pair, `sent_less` an antistereo one; unlabelled pairs are left out."""
    more = sample.score_more - sample.score_less
    stereo, anti = sample.direction == "stereo", sample.direction == "antistereo"
    return Counts(
        int(((more > 0) & stereo).sum() + ((more < 0) & anti).sum()),
        int(((more < 0) & stereo).sum() + ((more > 0) & anti).sum()),
        int(stereo.sum() + anti.sum()),
    )


BIAS_PERCENTAGE_LITERAL = share_statistic(
    "bias_percentage_literal",
    _literal,
    summary="percentage of labelled pairs where sent_more wins a stereo pair or sent_less an antistereo pair",
    source="IndiBias, section 6.1.1, as written",
)

BIAS_PERCENTAGE_ALWAYS_MORE = share_statistic(
    "bias_percentage_always_more",
    lambda sample: count_preferences(sample.score_more - sample.score_less),
    summary="percentage of pairs where sent_more wins, whatever the label",
    source="IndiBias, section 6.1.1, counted as CrowS-Pairs metric.py does",
)


ROUNDED_DIGITS = 3


def _crows_counts(sample: Sample) -> Counts:
    """Labelled pairs, their scores rounded by Python's own `round`, as metric.py does: numpy's differs for some."""
    kept = np.isin(sample.direction, ("stereo", "antistereo"))
    more, less = (
        np.array([round(score, ROUNDED_DIGITS) for score in scores[kept].tolist()])
        for scores in (sample.score_more, sample.score_less)
    )
    return Counts(int((more > less).sum()), int((more < less).sum()), len(more))


CROWS_METRIC_SCORE = share_statistic(
    "crows_metric_score_rounded",
    _crows_counts,
    summary="percentage of labelled pairs whose sent_more scores higher, scores rounded to three digits first",
    source="nyu-mll/crows-pairs, metric.py (Nangia et al. 2020): 'Metric score'",
)


_SOURCE = "ours (docs/methods/pairs.md, compared with others)"
Values = Callable[[np.ndarray, np.ndarray], np.ndarray]
Estimator = Callable[..., list[Estimate]]


def _preference(
    name: str, values: np.ndarray, units: Units, *, confidence: float, resamples: int, seed: int
) -> list[Estimate]:
    del resamples  # nothing is resampled
    return preference_estimates(name, values, units, confidence=confidence, seed=seed)


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
            name,
            made,
            tuple(codes[kept] for codes in units_of(sample)),
            confidence=confidence,
            resamples=sample.resamples,
            seed=seed,
        )

    return Statistic(name, unit, neutral, summary, _SOURCE, compute)


def _nothing(name: str, neutral: float, confidence: float) -> Estimate:
    inference = Inference(UNDEFINED, NAN, "no pair could be compared", PLANNED, 0)
    return estimate(name, NAN, inference, n=0, neutral=neutral, confidence=confidence)


CALIBRATED_PREFERENCE_RATIO = _on_calibrated(
    CALIBRATED,
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
    summary="mean difference minus that of the same attributes about other groups, or 'people' and 'they'",
    values=np.subtract,
    estimator=mean_estimates,
)

NEUTRAL_MEAN_DIFFERENCE = _on_calibrated(
    "neutral_mean_difference",
    unit="rule",
    neutral=0.0,
    summary="mean difference of the same attributes about these others: the attribute's own part",
    values=lambda _raw, neutral: neutral,
    estimator=mean_estimates,
)

PLACEBO, WITH_GROUPS = "placebo_preference_ratio", "compared_with_groups"


def _described(name: str, summary: str, shares: Callable[[Sample], np.ndarray | None]) -> Statistic:
    """The mean of a share of each calibrated pair, of which nothing is tested."""

    def compute(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
        del seed  # nothing is drawn
        check_sample(sample, confidence)
        values = shares(sample)
        kept = None if values is None else values[~np.isnan(sample.neutral_difference) & ~np.isnan(values)]
        if kept is None or not len(kept):
            return [_nothing(name, NAN, confidence)]
        inference = Inference(UNDEFINED, NAN, "a share; nothing is tested", PLANNED, 0)
        return [
            estimate(name, float(kept.mean()), inference, n=len(kept), neutral=NAN, confidence=confidence)
        ]

    return Statistic(name, "share of pairs", NAN, summary, _SOURCE, compute)


PLACEBO_PREFERENCE_RATIO = _described(
    PLACEBO,
    "the number to beat: preference ratio of the same sentences about those with whom the pairs are compared",
    lambda sample: sample.neutral_preferred,
)

COMPARED_WITH_GROUPS = _described(
    WITH_GROUPS,
    "share of the calibrated pairs that are compared with other groups, the rest with 'people' and 'they'",
    lambda sample: None if sample.with_groups is None else sample.with_groups.astype(float),
)


def _by_reference(name: str, summary: str, values: Callable[[Sample], np.ndarray | None]) -> Statistic:
    """The preference ratio of a respondent that needs no model."""

    def compute(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        every = values(sample)
        if every is None or np.isnan(every).all():
            return [_nothing(name, 0.5, confidence)]
        kept = ~np.isnan(every)
        units = tuple(codes[kept] for codes in units_of(sample))
        return preference_estimates(name, every[kept], units, confidence=confidence, seed=seed)

    return Statistic(
        name, "share of pairs", 0.5, summary, "ours (docs/methods/pairs.md, references)", compute
    )


BY_FREQUENCY = _by_reference(
    FREQUENCY,
    "preference ratio of word frequency alone: the sentence whose words are more frequent, by the sum of their logs",
    lambda sample: sample.by_frequency,
)
BY_LENGTH = _by_reference(
    LENGTH,
    "preference ratio of length alone: the sentence with fewer characters",
    lambda sample: sample.by_length,
)


def _selected(name: str, kind: str, summary: str) -> Statistic:
    """A preference ratio of the pairs of one kind or direction, where there are others besides."""

    def compute(sample: Sample, confidence: float, seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        labels = sample.direction if kind in DIRECTIONS else sample.kind
        values, pairs = sample.difference, np.ones(len(sample.difference), dtype=bool)
        if name == CALIBRATED:
            values, pairs = values - sample.neutral_difference, ~np.isnan(sample.neutral_difference)
        if labels is None or (labels == kind).all() or not (kept := pairs & (labels == kind)).any():
            return [_nothing(f"{name}_{kind}", 0.5, confidence)]
        sides = np.sign(values[kept])
        units = tuple(codes[kept] for codes in units_of(sample))
        inference = share_inference(sides, units, confidence=confidence, seed=seed)
        value = float((1 + sides).mean() / 2)
        return [
            estimate(f"{name}_{kind}", value, inference, n=len(sides), neutral=0.5, confidence=confidence)
        ]

    return Statistic(
        f"{name}_{kind}", "share of pairs", 0.5, summary, "ours (docs/methods/pairs.md)", compute
    )


KINDS = {
    NEGATION: "with a negation",
    ANTONYM: "with an antonym",
    OTHER: "of another kind",
    "stereo": "that state a stereotype",
    "antistereo": "that contradict a stereotype",
}
"""Kinds and directions of pairs that have estimates of their own where a table holds several, as said of pairs."""

BY_KIND = tuple(
    _selected(name, kind, f"{name.replace('_', ' ')} of the pairs {words}")
    for name in (RAW, CALIBRATED)
    for kind, words in KINDS.items()
)
