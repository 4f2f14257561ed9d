"""Two runs of association tests: how the effect size of each test changed, over the same targets."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, sqrt

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import (
    MIN_UNITS,
    Associations,
    Targets,
    UnitVectors,
    effect_size,
    targets,
    unit_of,
)
from endoxa.instruments.association_tests.estimates.run import Source, run_sources
from endoxa.report.words import listed
from endoxa.schema import ALL, AssociationTest
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED, significance
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.gate.measures import Measure
from endoxa.study.gate.runs import Side

EFFECT_SIZE = Measure(
    "effect_size",
    0.0,
    "association tests: how much nearer X is to A, rather than B, than Y, in standard deviations (Caliskan 2017)",
    "further from 0",
)

Sets = tuple[Targets, Targets]
"""Associations of X and of Y under one model."""


def compare_tests(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same association tests.

    Raises:
        UserError: they have no pooling in common.
    """
    couples, notes = _poolings(sides, choices.rules)
    changes = []
    for pooling, sources in couples:
        vectors = [UnitVectors(source.vectors(), _texts(source)) for source in sources]
        for test in sources[0].tests:
            before, after = (each.associations(test) for each in vectors)
            changes.append(_change(test, pooling, before, after, choices.confidence))
    identical = all(change.low == change.high == 0 for change in changes)
    return Estimates(tuple(changes), (), pl.DataFrame(schema=NO_ITEMS), tuple(notes), identical)


NO_ITEMS = dict.fromkeys(("item_id", "rule", "axis", "identity", "before", "after", "direction"), pl.String)
"""A test has no items that change sides."""


def _texts(source: Source) -> Iterator[str]:
    for test in source.tests:
        for part in (test.x, test.y, test.a, test.b):
            yield from part.texts


def _poolings(
    sides: tuple[Side, Side], wanted: tuple[str, ...]
) -> tuple[list[tuple[str, tuple[Source, Source]]], list[str]]:
    """Sources of both models by pooling; where each has a single one, these two."""
    first, other = (
        {source.pooling: source for source in run_sources(side.run.folder) if source.model == side.model}
        for side in sides
    )
    shared = [name for name in first if name in other]
    for name in wanted:
        if name not in shared:
            raise UserError(
                f"--rule {name}: not a pooling of both runs. The first has {listed(sorted(first))}, the second "
                f"{listed(sorted(other))}."
            )
    if shared:
        lone = sorted({*first} ^ {*other})
        notes = (
            [f"Not compared, because only one run has it: pooling {listed(lone)}."]
            if lone and not wanted
            else []
        )
        return [(name, (first[name], other[name])) for name in wanted or shared], notes
    if len(first) == len(other) == 1:
        (before, baseline), (after, candidate) = next(iter(first.items())), next(iter(other.items()))
        return [(f"{before}, then {after}", (baseline, candidate))], [
            f"The encoders pool differently: {before} in the first run, {after} in the second."
        ]
    raise UserError(
        f"The runs have no pooling in common: {listed(sorted(first))} and {listed(sorted(other))}. Encode both with "
        "the same --pooling."
    )


def _change(
    test: AssociationTest, pooling: str, before: Associations, after: Associations, confidence: float
) -> Change:
    unit = unit_of(test, "auto")
    first, other = (
        (targets(each.x, test.x, unit), targets(each.y, test.y, unit)) for each in (before, after)
    )
    values = _effect(first, before.error), _effect(other, after.error)
    difference = values[1] - values[0]
    units = [side.count for side in first]
    low = high = p_value = NAN
    if np.array_equal(before.x, after.x) and np.array_equal(before.y, after.y):
        low = high = 0.0
        p_value = 1.0
    elif min(units) >= MIN_UNITS and not isnan(difference):
        low, high, p_value = effect_change(first, other, confidence)
    return Change(
        EFFECT_SIZE.name,
        pooling,
        test.axis or ALL,
        test.name,
        *values,
        difference,
        low,
        high,
        p_value,
        NAN,
        UNTESTED if isnan(p_value) else NO_QUESTION,
        sum(len(side.values) for side in first),
        sum(units),
        f"{unit}s of X and Y",
        "bias",
    )


def _effect(sets: Sets, error: float = 0.0) -> float:
    return effect_size(sets[0].values, sets[1].values, error=error)


def effect_change(first: Sets, other: Sets, confidence: float) -> tuple[float, float, float]:
    """Interval and p-value of the change of an effect size, the targets a sample and the attributes as they are.

    Stratified jackknife (Wolter 2007, section 4.5): each target is left out in turn under both models, so that what
    they have in common cancels; Student's t with the number of targets less two degrees of freedom.

    Args:
        first: associations of X and Y under the first model.
        other: under the second; the same targets.
        confidence: of the interval.

    Returns:
        Both ends and the two-sided p-value; NaN where nothing varies.
    """
    from scipy.special import stdtr, stdtrit

    difference = _effect(other) - _effect(first)
    variance, units = 0.0, 0
    for place in (0, 1):
        number = first[place].count
        left_out = np.array(
            [
                _effect(_without(other, place, unit)) - _effect(_without(first, place, unit))
                for unit in range(number)
            ]
        )
        variance += (number - 1) / number * float(((left_out - left_out.mean()) ** 2).sum())
        units += number
    if not variance > 0:
        return NAN, NAN, NAN
    error, freedom = sqrt(variance), units - 2
    reach = float(stdtrit(freedom, 1 - significance(confidence) / 2)) * error
    return difference - reach, difference + reach, 2 * float(stdtr(freedom, -abs(difference) / error))


def _without(sets: Sets, place: int, unit: int) -> Sets:
    kept = sets[place].unit != unit
    part = Targets(sets[place].values[kept], sets[place].unit[kept])
    return (part, sets[1]) if place == 0 else (sets[0], part)
