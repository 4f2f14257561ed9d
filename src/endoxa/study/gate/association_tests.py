"""Association tests of two runs: the effect size of each test under both models, with its targets as the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, sqrt

import numpy as np

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import (
    Associations,
    Targets,
    UnitVectors,
    effect_size,
    targets,
    unit_of,
)
from endoxa.instruments.association_tests.estimates.run import Source, run_sources
from endoxa.report.words import listed
from endoxa.runs.measured import Measure
from endoxa.schema import AssociationTest
from endoxa.stats.verdicts import too_few
from endoxa.study.gate.decision import SIGNS, Contrasts
from endoxa.study.gate.effect_contrast import contrast
from endoxa.study.gate.items import common_rules
from endoxa.study.gate.measures import EFFECT_SIZE
from endoxa.study.gate.runs import Side

FEWEST_TARGETS = 8
"""In X, and in Y. With five of each the chance of a wrong decision exceeds 5 % where effect sizes are large."""
Sets = tuple[Targets, Targets]
"""Associations of X and of Y under one model."""


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """One association test of both models, as `measures.Paired` is one measure on common items.

    Attributes:
        test: the test.
        rule: pooling.
        unit: what a target is, a text or a term.
        baseline: effect size of the baseline; NaN where all associations are equal.
        candidate: that of the candidate.
        numbers: texts of X and Y, targets, and 0.
        identical: every association of the candidate is that of the baseline.
        deciding: targets of the smaller set.
        contrasts: all contrasts that "worse" is made of; None where an effect size is missing.
    """

    test: AssociationTest
    rule: str
    unit: str
    baseline: float
    candidate: float
    numbers: tuple[int, int, int]
    identical: bool
    deciding: int
    contrasts: Contrasts | None
    measure: Measure = EFFECT_SIZE
    left_out: int = 0
    units: tuple[str, str] = ("targets", "targets")

    @property
    def axis(self) -> str:
        """Name of the test, which stands in the place of an axis."""
        return self.test.name

    @property
    def few(self) -> str:
        """Why there are too few targets for any decision; empty where there are enough."""
        few = too_few(self.deciding, "targets", FEWEST_TARGETS)
        return few and f"{few} in X and in Y"

    @property
    def needs(self) -> str:
        """What a decision needs at least."""
        return f"{FEWEST_TARGETS} targets in X and in Y"

    @property
    def untestable(self) -> str:
        """Why nothing may be decided, or empty."""
        if self.contrasts is None:
            return "all associations under one of the models are equal"
        return self.few


def effect_size_cells(
    sides: tuple[Side, Side], rules: Sequence[str], axes: Sequence[str] = ()
) -> tuple[list[EffectSizes], list[str]]:
    """Every association test, an axis each, under every pooling of both runs; and notes.

    Raises:
        UserError: the runs have no pooling in common, or no such test.
    """
    couples, notes = _poolings(sides, rules)
    names = list(dict.fromkeys(test.name for _, sources in couples for test in sources[0].tests))
    for axis in axes:
        if axis not in names:
            raise UserError(f"--axis {axis}: no such association test. Expected one of: {listed(names)}.")
    cells = []
    for pooling, sources in couples:
        vectors = [UnitVectors(source.vectors(), _texts(source)) for source in sources]
        tests = [test for test in sources[0].tests if test.name in (axes or names)]
        cells += [_cell(test, pooling, *(each.associations(test) for each in vectors)) for test in tests]
    return cells, notes


def _cell(test: AssociationTest, pooling: str, before: Associations, after: Associations) -> EffectSizes:
    unit = unit_of(test, "auto")
    first, other = (
        (targets(each.x, test.x, unit), targets(each.y, test.y, unit)) for each in (before, after)
    )
    values = _effect(first, before.error), _effect(other, after.error)
    units = [side.count for side in first]
    return EffectSizes(
        test,
        pooling,
        unit,
        *values,
        (sum(len(side.values) for side in first), sum(units), 0),
        bool(np.array_equal(before.x, after.x) and np.array_equal(before.y, after.y)),
        min(units),
        None if any(map(isnan, values)) else contrasts_of(values, first, other),
    )


def contrasts_of(values: tuple[float, float], first: Sets, other: Sets) -> Contrasts:
    """All contrasts of two effect sizes that "worse" is made of."""
    moments = (*values, left_out(first, other), largest(first))
    by_signs = {(t, s): contrast(*moments, s=s, t=t) for t in SIGNS for s in SIGNS}
    return Contrasts(by_signs, contrast(*moments, s=-1, t=0), "first")


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
    if {*first}.isdisjoint(other) and len(first) == len(other) == 1:
        (before, baseline), (after, candidate) = *first.items(), *other.items()
        return [(f"{before}, then {after}", (baseline, candidate))], [
            f"The encoders pool differently: {before} in the first run, {after} in the second."
        ]
    common, notes = common_rules([{*first}, {*other}], wanted, "pooling")
    return [(name, (first[name], other[name])) for name in common], notes


def _effect(sets: Sets, error: float = 0.0) -> float:
    return effect_size(sets[0].values, sets[1].values, error=error)


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
