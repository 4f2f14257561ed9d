"""Association tests of two runs: the effect size of each test under both models, with its targets as the sample.

Tests and bounds of the difference of two effect sizes: stratified jackknife (Wolter 2007, section 4.5): each target of
X and of Y is left out in turn under both models, so that what they have in common cancels; the attributes are taken as
they are. An effect size d has a largest value L (2 for sets of one size), d / L being nearly a correlation, and its
error shrinks on the way there. As in the score test of `contrast`, the error is therefore that which both would have
were the difference the one that is tested: targets are left out on Fisher's (1915) scale atanh(d / L), where the error
hardly depends on d, and taken back from there at the two values with that difference which lie around the mean of both.
Student's t has the number of targets of the smaller set less one degrees of freedom; skewness is corrected (Hall 1992)
in the careful direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, sqrt

import numpy as np
import polars as pl

from endoxa.instruments.association_tests.estimates.effect_size import (
    Associations,
    Targets,
    UnitVectors,
    effect_size,
    targets,
    unit_of,
)
from endoxa.instruments.association_tests.estimates.run import Source, run_sources
from endoxa.schema import ALL, AssociationTest
from endoxa.study.compare.contrast import Difference, student_tail
from endoxa.study.compare.decision import SIGNS, Contrasts, EffectSizes
from endoxa.study.compare.items import OTHER, Items, common_rules
from endoxa.study.compare.measures import EFFECT_SIZE, Paired
from endoxa.study.compare.runs import Side

Sets = tuple[Targets, Targets]
"""Associations of X and of Y under one model."""


def test_items(sides: tuple[Side, Side], rules: Sequence[str]) -> Items:
    """Every association test, an axis each, under every pooling of both runs.

    Raises:
        UserError: the runs have no pooling in common.
    """
    couples, notes = _poolings(sides, rules)
    rows, effects = [], {}
    for pooling, sources in couples:
        vectors = [UnitVectors(source.vectors(), _texts(source)) for source in sources]
        for test in sources[0].tests:
            before, after = (each.associations(test) for each in vectors)
            effects[pooling, test.name] = values = _effects(test, before, after)
            same = np.array_equal(before.x, after.x) and np.array_equal(before.y, after.y)
            rows.append((pooling, test.name, 0, *values.means, same))
    names = ("rule", "axis", "targets", EFFECT_SIZE.name, f"{EFFECT_SIZE.name}{OTHER}", "same")
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(identity=pl.lit(""))

    def finished(cell: Paired, _: pl.DataFrame) -> Paired:
        values = effects[cell.rule, cell.axis]
        same = bool(frame.filter(rule=cell.rule, axis=cell.axis)["same"].all())
        why = "" if values.contrasts else "all associations under one of the models are equal"
        return replace(cell, values=values, left_out=0, identical=same, untestable=why)

    return Items(
        frame,
        (EFFECT_SIZE,),
        ("targets", "targets"),
        notes=notes,
        noun="association test",
        alone_axes=True,
        finished=finished,
    )


def _effects(test: AssociationTest, before: Associations, after: Associations) -> EffectSizes:
    unit = unit_of(test, "auto")
    first, other = (
        (targets(each.x, test.x, unit), targets(each.y, test.y, unit)) for each in (before, after)
    )
    means = _effect(first, before.error), _effect(other, after.error)
    units = [side.count for side in first]
    return EffectSizes(
        means,
        (sum(len(side.values) for side in first), sum(units), 0),
        min(units),
        None if any(map(isnan, means)) else contrasts_of(means, left_out(first, other), largest(first)),
        test.axis or ALL,
        f"{unit}s of X and Y",
    )


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


_MOST = 0.99
"""The largest part of it at which an error is looked up."""


@dataclass(frozen=True, slots=True)
class EffectContrast(Difference):
    """T times the effect size of the other model minus s times that of the first, used as `contrast.Contrast` is.

    Attributes:
        first: s times the effect size that is subtracted.
        other: t times the effect size from which it is.
        shares: of X and of Y what each unit adds to both on Fisher's scale, s and t times; empty where a set has one.
        fewest: units of the smaller set.
        unit: twice the largest effect size.
        growth: by what the number of units is multiplied.
    """

    first: float
    other: float
    shares: Sequence[tuple[np.ndarray, np.ndarray]]
    fewest: int
    unit: float
    growth: float = 1.0

    @property
    def mean(self) -> float:
        """The difference."""
        return self.other - self.first

    def error(self, mean: float) -> float:
        """Standard error, were `mean` the true difference; 0 where nothing varies."""
        return self._moments(mean)[0]

    def grown(self, items: float, *, same_units: bool = False) -> EffectContrast:
        """With that many times the units; more about the same units would say no more."""
        return self if same_units else replace(self, growth=self.growth * items)

    def p_beyond(self, mean: float, sign: int) -> float:
        """See `Difference`."""
        error, skewness = self._moments(mean)
        if not error > 0:
            return 1.0
        return student_tail(sign * (self.mean - mean) / error, sign * skewness, self.fewest * self.growth - 1)

    def _moments(self, mean: float) -> tuple[float, float]:
        """Standard error and skewness, were `mean` the true difference."""
        largest = self.unit / 2
        middle = (self.first + self.other) / 2
        first, other = (
            largest * (1 - min(abs(end / largest), _MOST) ** 2)
            for end in (middle - mean / 2, middle + mean / 2)
        )
        second = third = 0.0
        for first_shares, other_shares in self.shares:
            added, units = other * other_shares - first * first_shares, len(first_shares)
            second += units / (units - 1) * float((added**2).sum())
            third += float((added**3).sum())
        if second < 1e-24:
            return 0.0, 0.0
        return sqrt(second / self.growth), third / second**1.5 / sqrt(self.growth)


def contrasts_of(
    values: tuple[float, float], without: Sequence[tuple[np.ndarray, np.ndarray]], most: float
) -> Contrasts:
    """All contrasts of two effect sizes that "worse" is made of.

    Args:
        values: effect sizes under both models.
        without: under both, without each unit of X in turn, and without each of Y.
        most: the largest effect size of sets of this size.
    """
    fewest = min(len(first) for first, _ in without)
    shares = []
    for pooled in without if fewest > 1 else ():
        scaled = [np.arctanh(np.clip(each / most, -0.999, 0.999)) for each in pooled]
        shares.append([(len(each) - 1) / len(each) * (each.mean() - each) for each in scaled])

    def contrast(s: int, t: int) -> EffectContrast:
        signed = [(s * first, t * other) for first, other in shares]
        return EffectContrast(s * values[0], t * values[1], signed, fewest, 2 * most)

    return Contrasts({(t, s): contrast(s, t) for t in SIGNS for s in SIGNS}, contrast(-1, 0), "first")
