"""Inference for sentence pairs with identities and attributes as units: pairs that share one are dependent.

Shares and means: `endoxa.stats.two_way`, whose sign-flip tests decide. Other statistics: the same for their linear
approximation, with the test of the mean. Samples are validated first: not empty, of the right types and free of NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from endoxa.instruments.units import IDENTITIES_ATTRIBUTES
from endoxa.report.words import plural
from endoxa.schema import DIRECTIONS, Estimate, Sample
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval
from endoxa.stats.signs import FLIPS, fewest_units
from endoxa.stats.two_way import Sampled, TwoWay, two_way
from endoxa.stats.verdicts import significance, too_few

IDENTITIES, WILSON, T, NONCENTRAL_T, PLANNED = "identities", "wilson", "t", "noncentral-t", "none"
"""Codes of the column `interval` for sentence pairs."""


def method_name(method: str) -> str:
    """The method without the remarks on one cell, which follow its first semicolon."""
    return method.partition(";")[0]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the pairs of a cell.

    Attributes:
        name: of the statistic.
        neutral: value of an unbiased model; NaN where the estimate says nothing about bias.
        confidence: confidence level of intervals.
        unit: of the value.
        resamples: bootstrap samples that an interval may draw.
        seed: of everything drawn.
    """

    name: str
    neutral: float
    confidence: float
    unit: str = ""
    resamples: int = 2000
    seed: int = 0

    def row(
        self,
        value: float,
        n: int,
        method: str,
        *,
        interval: Interval = UNDEFINED,
        p_value: float = NAN,
        code: str = PLANNED,
        **more: Any,
    ) -> Estimate:
        """A row of the estimates, before the correction over its family and the verdict that rests on it.

        Args:
            value: the estimate.
            n: pairs that it rests on.
            method: how interval and p-value were computed. Up to the first semicolon it names the method and is the
                same in every cell; what follows concerns this cell only ("...; 37 identities").
            interval: its confidence interval.
            p_value: two-sided, against the neutral value; NaN where there is no test.
            code: short name of the interval, see `schema.ESTIMATE_COLUMNS`.
            more: further fields, `clusters` and `reason` ("4 identities, at least 6 needed") among them.
        """
        return Estimate(
            name=self.name,
            value=value,
            low=interval.low,
            high=interval.high,
            confidence=self.confidence,
            p_value=p_value,
            p_adjusted=NAN,
            n=n,
            neutral=self.neutral,
            method=method,
            interval=code,
            **more,
        )


SHARE_METHOD = "identities and attributes as units: Korn-Graubard interval, sign-flip tests"
MEAN_METHOD = "identities and attributes as units: jackknife t interval, sign-flip tests"
SMOOTH_METHOD = "identities and attributes as units: linearised jackknife t interval"
FLIPS_PER_RESAMPLE = 5
HALF = 0.5
"""Share of the pairs above which one identity dominates."""


SAMPLED: dict[Sampled, str] = {"both": "both", "first": "identities", "second": "attributes", "none": "none"}
Units = tuple[np.ndarray, np.ndarray]


def units_of(sample: Sample) -> Units:
    """Codes of the identity and of the attribute per pair."""
    unique = np.arange(len(sample.cluster))
    return sample.cluster, unique if sample.attribute is None else sample.attribute


def testable(units: Units, confidence: float) -> Units:
    """Both kinds of units; identities alone where they are too few: attributes do not speak for other groups.

    Of groups of a list that are too few, or of which one has over half of the pairs, the sentence frames are the
    sample: the statement is about "these groups as they are".
    """
    identity, attribute = units
    few = len(np.unique(identity)) < fewest_units(significance(confidence))
    if listed(identity):
        return (np.zeros_like(identity), attribute) if few or largest(identity) > HALF else units
    return (identity, identity) if few else units


def listed(identity: np.ndarray) -> bool:
    """Whether identities are groups of a list (`Sample.cluster`)."""
    return bool((identity < 0).all())


def share_estimate(question: Question, sides: np.ndarray, units: Units) -> Estimate:
    """A share of pairs, ties counting one half, from their sides: +1, -1 or 0 (a tie)."""
    return over_units(question, (1 + sides) / 2, units, SHARE_METHOD, bounds=(0, 1))


def over_units(
    question: Question,
    values: np.ndarray,
    units: Units,
    method: str,
    *,
    bounds: tuple[float, float] | None = None,
    flips: int = FLIPS,
    ties: bool = True,
) -> Estimate:
    """A mean of values with identities and attributes as units, against the neutral value.

    Args:
        question: what is asked of the pairs.
        values: of each pair; a tie has the neutral value.
        units: integer codes of the identity and of the attribute per pair.
        method: its name.
        bounds: least and greatest mean; None where nothing bounds it.
        flips: sign patterns drawn where the test is not exact.
        ties: whether they say nothing; False where they are as good as other values.
    """
    result = two_way(
        values,
        *testable(units, question.confidence),
        neutral=question.neutral,
        bounds=bounds,
        confidence=question.confidence,
        flips=flips,
        seed=question.seed,
    )
    identity, n = units[0], len(units[0])
    identities = len(np.unique(identity))
    missing = not result.interval.defined and identities >= FEWEST_CLUSTERS and not np.isnan(result.p_value)
    why = "; no interval: one unit has nearly all pairs, or all are alike" if missing else ""
    return question.row(
        float(values.mean()),
        n,
        f"{method}; {units_in(result, identity)}{why}",
        interval=result.interval,
        p_value=result.p_value,
        code=IDENTITIES,
        clusters=identities,
        attributes=attributes_in(result, n),
        sampled=SAMPLED[result.sampled],
        reason=untested(result, identity, question.confidence, ties=ties),
        largest=largest(identity),
    )


def largest(identity: np.ndarray) -> float:
    """Share of the pairs that the largest identity has."""
    return float(np.unique(identity, return_counts=True)[1].max()) / len(identity)


def listed_units(method: str) -> str:
    """'15 groups x 515 sentence frames' from the method of an estimate over groups of a list; else empty."""
    units = method.partition("; ")[2]
    return units if "sentence frame" in units else ""


def attributes_in(result: TwoWay, pairs: int) -> int:
    """Attributes that say something: those that recur, and those that alone are a sample; else 0."""
    recur = result.sampled != "none" and result.second < pairs
    return result.second if recur or result.sampled == "second" else 0


def units_in(result: TwoWay, identity: np.ndarray) -> str:
    """'30 identities x 10 attributes', '50 identities in 150 pairs', or that no two pairs share anything.

    Args:
        result: of the pairs.
        identity: code of the identity per pair.
    """
    pairs = len(identity)
    if listed(identity):
        most = largest(identity)
        uneven = f" ({most:.0%} of the pairs count with one of them)" if HALF < most < 1 else ""
        fixed = ", in these groups as they are" if result.sampled == "second" else ""
        groups = plural(len(np.unique(identity)), "group")
        return f"{groups}{uneven} x {plural(result.second, 'sentence frame')}{fixed}"
    if result.sampled != "none" and result.second < pairs:
        return IDENTITIES_ATTRIBUTES.counted(result.first, result.second, SAMPLED[result.sampled])
    return (
        f"no two of the {pairs} pairs share an identity"
        if result.first == pairs
        else f"{plural(result.first, 'identity', 'identities')} in {pairs} pairs"
    )


def untested(result: TwoWay, identity: np.ndarray, confidence: float, *, ties: bool) -> str:
    """Why a sign-flip test cannot reach its level with so many units, those of ties left out; empty where it can."""
    pairs = len(identity)
    nouns = ("groups", "sentence frames") if listed(identity) else ("identities", "attributes")
    needed = fewest_units(significance(confidence))
    fixed = result.sampled == "second"
    identities = len(np.unique(identity))
    noun = "pairs" if identities == pairs else nouns[0]
    few = "" if fixed else too_few(identities, noun, needed)
    if few or not ties or result.informative >= needed:
        return few
    if not result.informative:
        return "every pair is a tie"
    if fixed:
        noun = nouns[1]
    elif result.sampled == "both" and result.second < pairs:
        noun = " or ".join(nouns)
    return f"only {result.informative} {noun} are not ties, at least {needed} needed"


def independence(identity: np.ndarray, attribute: np.ndarray) -> str:
    """Why a method that takes pairs as independent may claim nothing; empty where no two share anything."""
    nouns = (("identity", "identities"), ("attribute", "attributes"))
    for codes, noun in zip((identity, attribute), nouns, strict=True):
        number = len(np.unique(codes))
        if number < len(codes):
            return f"{len(codes)} pairs share {plural(number, *noun)}: see the interval '{IDENTITIES}'"
    return ""


_FLOATS = ("difference", "score_more", "score_less", "neutral_difference")
_CODES = ("cluster", "attribute")


def check_sample(sample: Sample, confidence: float) -> None:
    """Refuse a sample no honest number can be computed from.

    Raises:
        ValueError: the sample is empty, its arrays are not aligned, an array has the wrong type, a score is
            NaN or infinite, a direction is unknown, or the confidence does not lie between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence must lie between 0 and 1, not {confidence!r}.")
    arrays = {name: getattr(sample, name) for name in (*_FLOATS, "direction", *_CODES)}
    if sample.attribute is None:
        del arrays["attribute"]
    for name, values in arrays.items():
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            raise ValueError(f"`{name}` must be a one-dimensional numpy array, not {type(values).__name__}.")
    if len(lengths := set(map(len, arrays.values()))) != 1:
        raise ValueError(f"The arrays of a sample must have one length, not {sorted(lengths)}.")
    if lengths == {0}:
        raise ValueError("The sample is empty: a statistic needs at least one pair.")
    for name in _FLOATS:
        values = arrays[name]
        if values.dtype.kind != "f":
            raise ValueError(f"`{name}` must hold floating-point numbers, not {values.dtype}.")
        undefined = np.isinf(values) if name == "neutral_difference" else ~np.isfinite(values)
        if undefined.any():
            raise ValueError(f"`{name}` is NaN or infinite at pair {int(np.argmax(undefined))}.")
    for name in _CODES:
        if name in arrays and arrays[name].dtype.kind not in "iu":
            raise ValueError(f"`{name}` must hold integers, not {arrays[name].dtype}.")
    if not np.isin(sample.direction, DIRECTIONS).all():
        raise ValueError(f"`direction` may only hold {', '.join(DIRECTIONS)}.")
