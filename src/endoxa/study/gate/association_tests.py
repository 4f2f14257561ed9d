"""What can be gated of association tests: the effect size of each, as `endoxa compare` estimates it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from endoxa.errors import UserError
from endoxa.report.words import listed
from endoxa.study.compare.association_tests import PairedTest, largest, left_out, paired_tests
from endoxa.study.gate.decision import SIGNS, Contrasts
from endoxa.study.gate.effect_contrast import contrast
from endoxa.study.gate.effect_sizes import EffectSizes
from endoxa.study.gate.measures import Measure
from endoxa.study.gate.runs import Side


def effect_size_cells(
    sides: tuple[Side, Side], measures: Sequence[Measure], rules: Sequence[str], axes: Sequence[str]
) -> tuple[list[EffectSizes], list[str]]:
    """Every association test, an axis each, under every pooling of both runs.

    Raises:
        UserError: the runs have no pooling in common, or no such test.
    """
    tests, notes = paired_tests(sides, rules)
    names = list(dict.fromkeys(each.test.name for each in tests))
    for axis in axes:
        if axis not in names:
            raise UserError(f"--axis {axis}: no such association test. Expected one of: {listed(names)}.")
    return [
        _cell(measure, each) for measure in measures for each in tests if each.test.name in (axes or names)
    ], notes


def _cell(measure: Measure, paired: PairedTest) -> EffectSizes:
    units = [side.count for side in paired.first]
    defined = not (isnan(paired.before) or isnan(paired.after))
    return EffectSizes(
        measure,
        paired.pooling,
        paired.test.name,
        paired.before,
        paired.after,
        (sum(len(side.values) for side in paired.first), sum(units), 0),
        paired.identical,
        min(units),
        _contrasts(paired) if defined else None,
    )


def _contrasts(paired: PairedTest) -> Contrasts:
    values = (paired.before, paired.after, left_out(paired.first, paired.other), largest(paired.first))
    by_signs = {(t, s): contrast(*values, s=s, t=t) for t in SIGNS for s in SIGNS}
    return Contrasts(by_signs, contrast(*values, s=-1, t=0), "first")
