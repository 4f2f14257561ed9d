"""Two runs of association tests: how the effect size of each test changed, over the same targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from endoxa.study.gate.effect_contrast import contrast
from endoxa.study.gate.measures import EFFECT_SIZE
from endoxa.study.gate.runs import Side

Sets = tuple[Targets, Targets]
"""Associations of X and of Y under one model."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One association test under both models.

    Attributes:
        test: the test.
        pooling: how the encoders pooled.
        unit: what a target is, a text or a term.
        first: associations of X and of Y under the first model.
        other: under the second; the same targets.
        before: effect size under the first.
        after: under the second.
        identical: every association is the same under both.
    """

    test: AssociationTest
    pooling: str
    unit: str
    first: Sets
    other: Sets
    before: float
    after: float
    identical: bool


def paired_tests(sides: tuple[Side, Side], rules: Sequence[str]) -> tuple[list[PairedTest], list[str]]:
    """Every test of two runs under each pooling of both, and notes.

    Raises:
        UserError: they have no pooling in common.
    """
    couples, notes = _poolings(sides, rules)
    paired: list[PairedTest] = []
    for pooling, sources in couples:
        vectors = [UnitVectors(source.vectors(), _texts(source)) for source in sources]
        paired += [
            _paired(test, pooling, *(each.associations(test) for each in vectors))
            for test in sources[0].tests
        ]
    return paired, notes


def _paired(test: AssociationTest, pooling: str, before: Associations, after: Associations) -> PairedTest:
    unit = unit_of(test, "auto")
    first, other = (
        (targets(each.x, test.x, unit), targets(each.y, test.y, unit)) for each in (before, after)
    )
    same = np.array_equal(before.x, after.x) and np.array_equal(before.y, after.y)
    values = _effect(first, before.error), _effect(other, after.error)
    return PairedTest(test, pooling, unit, first, other, *values, bool(same))


def compare_tests(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same association tests.

    Raises:
        UserError: they have no pooling in common.
    """
    paired, notes = paired_tests(sides, choices.rules)
    changes = tuple(_change(each, choices.confidence) for each in paired)
    identical = all(each.identical for each in paired)
    return Estimates(changes, (), pl.DataFrame(schema=NO_ITEMS), tuple(notes), identical)


NO_ITEMS = dict.fromkeys(("item_id", "rule", "axis", "identity", "before", "after", "direction"), pl.String)
"""A test has no items that change sides."""


def _texts(source: Source) -> Iterator[str]:
    for test in source.tests:
        for part in (test.x, test.y, test.a, test.b):
            yield from part.texts


def _poolings(
    sides: tuple[Side, Side], wanted: Sequence[str]
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


def _change(paired: PairedTest, confidence: float) -> Change:
    units = [side.count for side in paired.first]
    low = high = p_value = NAN
    if paired.identical:
        low = high = 0.0
        # One that could show nothing must not take from the level of the others.
        p_value = 1.0 if min(units) >= MIN_UNITS else NAN
    elif min(units) >= MIN_UNITS and not isnan(paired.after - paired.before):
        low, high, p_value = effect_change(paired.first, paired.other, confidence)
    return Change(
        EFFECT_SIZE.name,
        paired.pooling,
        paired.test.axis or ALL,
        paired.test.name,
        paired.before,
        paired.after,
        paired.after - paired.before,
        low,
        high,
        p_value,
        NAN,
        UNTESTED if isnan(p_value) else NO_QUESTION,
        sum(len(side.values) for side in paired.first),
        sum(units),
        f"{paired.unit}s of X and Y",
        "bias",
    )


def _effect(sets: Sets, error: float = 0.0) -> float:
    return effect_size(sets[0].values, sets[1].values, error=error)


def effect_change(first: Sets, other: Sets, confidence: float) -> tuple[float, float, float]:
    """Interval and p-value of the change of an effect size, the targets a sample and the attributes as they are.

    Args:
        first: associations of X and Y under the first model.
        other: under the second; the same targets.
        confidence: of the interval.

    Returns:
        Both ends and the two-sided p-value; NaN where nothing varies.
    """
    change = contrast(_effect(first), _effect(other), left_out(first, other), largest(first))
    if not change.error(0.0) > 0:
        return NAN, NAN, NAN
    tail = significance(confidence) / 2
    p_value = min(2 * min(change.p_below(0.0), change.p_above(0.0)), 1.0)
    return change.lower(tail), change.upper(tail), p_value


def largest(sets: Sets) -> float:
    """No effect size of sets of this size is larger: 2 where they are equal, more where they are not."""
    x, y = (len(side.values) for side in sets)
    return (x + y) / sqrt(x * y)


def left_out(first: Sets, other: Sets) -> list[tuple[np.ndarray, np.ndarray]]:
    """Effect sizes of both models without each target of X in turn, and without each of Y; of a single one none."""

    def without(sets: Sets, place: int) -> np.ndarray:
        units = range(sets[place].count) if sets[place].count > 1 else ()
        return np.array([_effect(_without(sets, place, unit)) for unit in units])

    return [(without(first, place), without(other, place)) for place in (0, 1)]


def _without(sets: Sets, place: int, unit: int) -> Sets:
    kept = sets[place].unit != unit
    part = Targets(sets[place].values[kept], sets[place].unit[kept])
    return (part, sets[1]) if place == 0 else (sets[0], part)
