"""Changes of a measure: against other ways to the same numbers, and with a planted truth."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from endoxa.study.compare.changes import change_of, judged
from endoxa.study.compare.contrast import Contrast
from endoxa.study.compare.decision import Contrasts, Values
from endoxa.study.compare.measures import OF_QUESTIONS, PREFERENCE_RATIO, Paired


def cell(
    before: np.ndarray, after: np.ndarray, first: np.ndarray, second: np.ndarray | None = None, **more
) -> Paired:
    """Sides (+1, -1, 0) of two runs on the same pairs."""
    values = Values(before / 2, after / 2, first, attribute=second)
    facts = {"left_out": 0, "identical": False, "units": ("identities", "attributes")} | more
    return Paired(PREFERENCE_RATIO, "sum", "all", values, **facts)


def test_with_identities_of_one_size_it_is_the_t_test_of_their_means():
    rng = np.random.default_rng(0)
    first = np.repeat(np.arange(20), 5)
    before, after = (rng.choice([-1.0, 1.0], 100) for _ in range(2))
    found = change_of(cell(before, after, first), 0.95)
    means = ((after - before) / 2).reshape(20, 5).mean(axis=1)
    test = ttest_1samp(means, 0)
    ends = test.confidence_interval(0.95)
    assert found.difference == pytest.approx(means.mean())
    assert found.p_value == pytest.approx(test.pvalue, abs=1e-3)
    assert (found.low, found.high) == (pytest.approx(ends.low, abs=1e-3), pytest.approx(ends.high, abs=1e-3))
    assert (found.before, found.after) == pytest.approx(((before > 0).mean(), (after > 0).mean()))
    assert (found.n_items, found.n_units, found.unit) == (100, 20, "identities")


@pytest.mark.parametrize("design", [(15, 20, 1), (8, 8, 5)])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_it_is_the_reference_at_every_margin(shared, design, margin):
    reference = runpy.run_path(str(shared / "bin" / "better_tests.py"))["p_below"]
    first, second = (np.repeat(codes.ravel(), design[2]) for codes in np.mgrid[0 : design[0], 0 : design[1]])
    rng = np.random.default_rng(8)
    effects = [rng.standard_normal(units.max() + 1)[units] for units in (first, second)]
    x = np.clip(np.trunc(0.2 + 0.7 * sum(effects) + rng.standard_normal(len(first))), -1, 1)
    contrast = Contrast.of(x, (first, second))
    assert contrast.p_below(margin) == pytest.approx(reference(x, first, second, margin), abs=1e-3)
    assert contrast.p_above(-margin) == pytest.approx(reference(-x, first, second, margin), abs=1e-3)
    alone = Contrast.of(x, (first,))
    assert alone.p_below(margin) == pytest.approx(reference(x, first, None, margin), abs=1e-3)


def test_compare_and_gate_make_one_test():
    """Of a measure with one direction: the bounds of a change are those of the gate at half the level."""
    rng, first, second = np.random.default_rng(9), np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    before, after = rng.choice([-1.0, 1.0], (2, 120))
    for units in (second, None):
        values = Values(before / 2, after / 2, first, directed=True, attribute=units)
        facts = {"left_out": 0, "identical": False, "units": ("identities", "attributes")}
        change = change_of(Paired(OF_QUESTIONS[2], "sum", "all", values, **facts), 0.95)
        low, high = Contrasts.of(values).bounds(0.025)
        assert (change.low, change.high) == (pytest.approx(-high, abs=1e-9), pytest.approx(-low, abs=1e-9))
        evidence = Contrasts.of(values).evidence(0.0, 0.05)
        assert change.p_value == pytest.approx(2 * min(evidence.p_worse, evidence.p_not_worse))


def test_edges():
    first = np.repeat(np.arange(12), 5)
    sides = np.tile([1.0, -1.0, 1.0], 20)
    same = change_of(cell(sides, sides, first, identical=True), 0.95)
    assert (same.difference, same.low, same.high, same.p_value) == (0, 0, 0, 1)
    # The same sides with other scores: others could have changed, as far as the few that were asked tell.
    equal = change_of(cell(sides, sides, first), 0.95)
    assert equal.low < 0 < equal.high < 0.3
    assert equal.p_value == 1
    turned = change_of(cell(-np.ones(60), np.ones(60), first), 0.95)
    assert (turned.difference, turned.high) == (1, 1)
    assert 0.5 < turned.low < 1
    assert turned.p_value < 0.05
    (single,) = judged([change_of(cell(np.ones(1), -np.ones(1), np.zeros(1, dtype=int)), 0.95)], 0.95)
    assert (single.difference, single.verdict, single.n_units) == (-1, "cannot-be-tested", 1)
    assert np.isnan(single.low)


def test_few_identities_are_not_tested_and_one_identity_by_its_attributes():
    first, second = np.repeat(np.arange(5), 40), np.tile(np.arange(40), 5)
    few = change_of(cell(-np.ones(200), np.ones(200), first), 0.95)
    assert (few.verdict, few.n_units) == ("cannot-be-tested", 5)
    own = change_of(cell(-np.ones(40), np.ones(40), np.zeros(40, dtype=int)), 0.95, "bakers")
    assert (own.n_units, own.unit, own.identity) == (40, "attributes", "bakers")
    assert own.p_value < 0.001
    crossed = change_of(cell(-np.ones(200), np.ones(200), first, second), 0.95)
    assert (crossed.verdict, crossed.n_units, crossed.unit) == ("cannot-be-tested", 5, "identities")
