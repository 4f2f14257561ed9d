"""Association tests of two runs: the effect size of each test under both models, with its targets as the sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
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
from endoxa.study.gate.decision import SIGNS, Contrasts, EffectSizes
from endoxa.study.gate.effect_contrast import contrast
from endoxa.study.gate.items import OTHER, Items, common_rules
from endoxa.study.gate.measures import EFFECT_SIZE, Paired
from endoxa.study.gate.runs import Side

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
        partial(pl.DataFrame, schema=NO_ITEMS),
        notes,
        noun="association test",
        alone_axes=True,
        finished=finished,
    )


NO_ITEMS = dict.fromkeys(("item_id", "rule", "axis", "identity", "before", "after", "direction"), pl.String)
"""A test has no items that change sides."""


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
        None if any(map(isnan, means)) else contrasts_of(means, first, other),
        test.axis or ALL,
        f"{unit}s of X and Y",
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
