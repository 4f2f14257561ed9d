"""Two runs of association tests: how the effect size of each test changed, over the same targets."""

from __future__ import annotations

from math import isnan

import polars as pl

from endoxa.instruments.association_tests.estimates.effect_size import MIN_UNITS
from endoxa.schema import ALL
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED, significance
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.gate.association_tests import EffectSizes, effect_size_cells
from endoxa.study.gate.decision import Contrasts
from endoxa.study.gate.runs import Side

NO_ITEMS = dict.fromkeys(("item_id", "rule", "axis", "identity", "before", "after", "direction"), pl.String)
"""A test has no items that change sides."""


def compare_tests(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same association tests.

    Raises:
        UserError: they have no pooling in common.
    """
    cells, notes = effect_size_cells(sides, choices.rules)
    changes = tuple(_change(cell, choices.confidence) for cell in cells)
    identical = all(cell.identical for cell in cells)
    return Estimates(changes, (), pl.DataFrame(schema=NO_ITEMS), tuple(notes), identical)


def _change(cell: EffectSizes, confidence: float) -> Change:
    """The change of an effect size, the targets a sample and the attributes as they are."""
    low = high = p_value = NAN
    if cell.identical:
        low = high = 0.0
        # One that could show nothing must not take from the level of the others.
        p_value = 1.0 if cell.deciding >= MIN_UNITS else NAN
    elif cell.deciding >= MIN_UNITS and cell.contrasts:
        low, high, p_value = effect_change(cell.contrasts, confidence)
    return Change(
        cell.measure.name,
        cell.rule,
        cell.test.axis or ALL,
        cell.test.name,
        cell.baseline,
        cell.candidate,
        cell.candidate - cell.baseline,
        low,
        high,
        p_value,
        NAN,
        UNTESTED if isnan(p_value) else NO_QUESTION,
        cell.numbers[0],
        cell.numbers[1],
        f"{cell.unit}s of X and Y",
        "bias",
    )


def effect_change(contrasts: Contrasts, confidence: float) -> tuple[float, float, float]:
    """Both ends of the interval of a change, and its two-sided p-value; NaN where nothing varies."""
    contrast = contrasts.by_signs[1, 1]
    if not contrast.error(0.0) > 0:
        return NAN, NAN, NAN
    tail = significance(confidence) / 2
    p_value = min(2 * min(contrast.p_below(0.0), contrast.p_above(0.0)), 1.0)
    return contrast.lower(tail), contrast.upper(tail), p_value
