"""The battery of checks for one statistic, ours or another package's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple, replace

import numpy as np

from endoxa.instruments.pairs.estimates.inference import method_name
from endoxa.instruments.pairs.estimates.records import take
from endoxa.schema import Estimate, Sample, Statistic

CONFIDENCE = 0.95
SEED = 20


def check_statistic(statistic: Statistic) -> None:
    """Run every check of the battery over a statistic.

    It must document itself, give the same estimates for the same sample whatever the order of its pairs,
    name each method once, keep its parts consistent (value inside its interval, p-values in 0 to 1), lie near
    its neutral value for a model without any preference, and refuse an empty sample, NaN and wrong types with
    a ValueError that says so.

    Raises:
        AssertionError: a check failed; the message names the statistic and what is wrong with it.
    """
    for part in ("name", "unit", "summary", "source"):
        text = getattr(statistic, part)
        assert isinstance(text, str), f"{statistic.name}: `{part}` must be text"
        assert text.strip(), f"{statistic.name}: `{part}` is empty"
    assert isinstance(statistic.neutral, float), f"{statistic.name}: `neutral` must be a float (NaN for none)"
    sample = neutral_sample()
    first = statistic.compute(sample, CONFIDENCE, SEED)
    assert first, f"{statistic.name}: no estimate for a sample that has everything"
    methods = [method_name(estimate.method) for estimate in first]
    assert len(set(methods)) == len(methods), f"{statistic.name}: two estimates share a method: {methods}"
    for estimate in first:
        where = f"{statistic.name} ({estimate.method})"
        assert estimate.name == statistic.name, f"{where}: the estimate is called '{estimate.name}'"
        assert estimate.method.strip(), f"{where}: the method is empty"
        assert _same(estimate.neutral, statistic.neutral), f"{where}: another neutral value than documented"
        assert estimate.confidence == CONFIDENCE, f"{where}: another confidence than asked for"
        assert estimate.n > 0, f"{where}: n must count the pairs"
        assert math.isnan(estimate.p_adjusted), f"{where}: p_adjusted is for the family, leave it NaN"
        assert math.isnan(estimate.p_value) or 0 <= estimate.p_value <= 1, f"{where}: p is {estimate.p_value}"
        if not math.isnan(estimate.low):
            assert estimate.low <= estimate.value <= estimate.high, (
                f"{where}: the value is outside its interval"
            )
    again = statistic.compute(neutral_sample(), CONFIDENCE, SEED)
    assert _close(first, again, exact=True), f"{statistic.name}: the same sample gave other estimates"
    order = np.random.default_rng(SEED).permutation(len(sample.difference))
    moved = statistic.compute(take(sample, order), CONFIDENCE, SEED)
    assert _close(first, moved, exact=False), f"{statistic.name}: the order of the pairs changed an estimate"
    _check_neutral(statistic, first)
    for what, broken in _broken(sample):
        refusal = _refusal(statistic, broken)
        assert refusal is not None, f"{statistic.name}: {what} gives no ValueError"
        assert refusal.strip(), f"{statistic.name}: {what} is refused without a word"
        if what == "an empty sample":
            assert "empty" in refusal, f"{statistic.name}: the error for {what} does not say so: {refusal}"


def neutral_sample() -> Sample:
    """Scores of a model without preference: for every identity another one answers the other way round."""
    rng = np.random.default_rng(SEED)
    half, identities = 120, 24
    cluster = rng.integers(identities, size=half)
    difference = rng.normal(size=identities)[cluster] + rng.normal(size=half)
    neutral = 0.5 * difference + rng.normal(size=half)
    neutral[:10] = np.nan
    direction = np.where(np.arange(half) % 4 == 0, "antistereo", "stereo")
    less = rng.normal(-60, 10, size=2 * half)
    mirrored = np.concatenate([difference, -difference])
    return Sample(
        difference=mirrored,
        score_more=less + mirrored,
        score_less=less,
        direction=np.tile(direction, 2),
        neutral_difference=np.concatenate([neutral, -neutral]),
        cluster=np.concatenate([cluster, cluster + identities]),
        neutral_preferred=np.concatenate([neutral > 0, neutral <= 0]).astype(float),
        by_frequency=mirrored,
        by_length=np.round(mirrored),
        with_groups=np.ones(2 * half, dtype=bool),
        kind=np.tile(np.resize(["negation", "antonym", "other"], half), 2),
    )


def _check_neutral(statistic: Statistic, estimates: list[Estimate]) -> None:
    if math.isnan(statistic.neutral):
        return
    tolerance = 0.05 * max(1.0, abs(statistic.neutral))
    for estimate in estimates:
        assert abs(estimate.value - statistic.neutral) <= tolerance, (
            f"{statistic.name}: {estimate.value} for a model without preference, "
            f"although its neutral value is {statistic.neutral}"
        )


def _refusal(statistic: Statistic, broken: Sample) -> str | None:
    """What the statistic says about a sample it must not accept; None where it accepts it."""
    try:
        statistic.compute(broken, CONFIDENCE, SEED)
    except ValueError as problem:
        return str(problem)
    return None


def _broken(sample: Sample) -> Iterator[tuple[str, Sample]]:
    """Samples no number may be computed from, each with its description."""
    yield "an empty sample", take(sample, np.array([], dtype=int))
    undefined = sample.difference.copy()
    undefined[3] = np.nan
    yield "a NaN among the differences", replace(sample, difference=undefined)
    yield "text instead of differences", replace(sample, difference=sample.difference.astype(str))
    yield "a plain list of differences", replace(sample, difference=sample.difference.tolist())
    yield "identities that are no integers", replace(sample, cluster=sample.cluster.astype(float))
    yield "an unknown direction", replace(sample, direction=np.full(len(sample.direction), "sideways"))
    yield "arrays of different lengths", replace(sample, cluster=sample.cluster[:-1])


def _close(estimates: list[Estimate], other: list[Estimate], *, exact: bool) -> bool:
    """Whether two lists hold the same estimates; sums in another order may differ in the last digits."""

    def same(left: object, right: object) -> bool:
        if isinstance(left, float) and isinstance(right, float):
            return _same(left, right) or (not exact and math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-9))
        return left == right

    values, others = ([value for each in these for value in astuple(each)] for these in (estimates, other))
    return len(values) == len(others) and all(map(same, values, others))


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))
