"""The bootstrap interval of the effect size covers a planted truth, and stays in its bounds."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage import judged, load_scenarios, measure
from benchmarks.worlds import instruments as worlds
from endoxa.instruments.association_tests.estimates.effect_size import (
    Targets,
    bootstrap_interval,
    effect_size,
)

(INTERVALS,) = [scenario for scenario in load_scenarios() if scenario.name == "encoders.intervals"]


def texts(values):
    return Targets(np.asarray(values, float), np.arange(len(values)))


def interval(x, y, **options):
    return bootstrap_interval(x, y, **({"confidence": 0.95, "resamples": 400, "seed": 0} | options))


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "shift"), [((8, 8), 0.0), ((8, 8), 2.5), ((5, 20), 1.0)])
def test_planted_effect_is_covered_as_often_as_claimed(sizes, shift):
    world = {"sizes": sizes, "shape": "normal", "shift": shift}
    outcome = measure(INTERVALS, INTERVALS.estimate[0], world, 120, stop=True)
    assert judged(outcome, INTERVALS.level) != "wrong"


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_sentences_of_a_term_are_resampled_together(shift):
    rng, unit = np.random.default_rng(int(shift)), np.repeat(np.arange(10), 5)
    truth, covered = shift / sqrt(1 + shift**2 / 4), np.zeros(2)
    for seed in range(120):
        x, y = (rng.normal(at, 0.9, 10)[unit] + rng.normal(0, sqrt(0.19), 50) for at in (shift, 0))
        sides = ((Targets(x, unit), Targets(y, unit)), (texts(x), texts(y)))
        found = [interval(*pair, seed=seed % 6) for pair in sides]
        covered += [one.low <= truth <= one.high for one in found]
    together, alone = covered / 120
    assert together > 0.95 - 4 * sqrt(0.95 * 0.05 / 120)
    assert alone < 0.8, "taking sentences as independent covers too rarely"


@pytest.mark.slow
@given(st.lists(st.floats(-2, 2, width=16), min_size=10, max_size=24), st.sampled_from([0, 1]))
@settings(max_examples=40)
def test_ends_are_ordered_and_within_the_bounds_of_an_effect_size(values, ddof):
    x, y = texts(values[:5]), texts(values[5:])
    found = interval(x, y, ddof=ddof)
    if isnan(found.low):
        assert isnan(found.high)
        return
    n = len(values)
    bound = sqrt((n - ddof) * n / (5 * (n - 5)))
    assert -bound - 1e-9 <= found.low <= found.high <= bound + 1e-9
    assert abs(effect_size(x.values, y.values, ddof=ddof)) <= bound + 1e-9
    assert found.low <= effect_size(x.values, y.values, ddof=ddof) <= found.high
    mirrored = interval(texts(-x.values), texts(-y.values), ddof=ddof)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-6)
    assert found == interval(x, y, ddof=ddof)


def test_a_higher_confidence_is_wider_and_more_targets_are_narrower():
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.5, 1, 20), rng.normal(0, 1, 20)
    at = {level: interval(texts(x), texts(y), confidence=level) for level in (0.8, 0.95)}
    assert at[0.95].low < at[0.8].low < at[0.8].high < at[0.95].high
    twice = interval(texts(np.tile(x, 4)), texts(np.tile(y, 4)))
    assert twice.high - twice.low < at[0.95].high - at[0.95].low


def test_resamples_without_spread_reach_the_bound():
    """One value apart from the others in each set: one resample in nine has no spread inside both sets."""
    x, y = texts([1.0] * 5 + [1.1]), texts([0.0] * 5 + [0.1])
    found = interval(x, y)
    assert found.high == pytest.approx(sqrt(11 * 12 / 36))
    assert found.low < effect_size(x.values, y.values)
    same = interval(texts([0.0] * 5 + [1.0]), texts([1.0] + [0.0] * 5))
    assert same.low == pytest.approx(-same.high)


def test_twenty_encoders_claim_no_more_than_one():
    rng = np.random.default_rng([20, 5])
    pages = [worlds.encoders(rng, 20, 0.5) for _ in range(60)]
    alone, together = (
        np.mean([worlds.families(kind, page).claimed for page in pages]) for kind in ("each", "all")
    )
    assert alone > 0.2
    assert together < 0.05 + 4 * sqrt(0.05 * 0.95 / 60)


def test_three_and_four_targets_have_no_interval_because_it_would_say_nothing(monkeypatch):
    def held():
        rng = np.random.default_rng(4)
        found = [worlds.effect_size(worlds.targets(rng, (4, 4), "normal", 1.0)) for _ in range(20)]
        return {bool(reading.low <= reading.truth <= reading.high) for reading in found}

    assert held() == {False}
    monkeypatch.setattr(worlds.effects, "MIN_UNITS", 2)
    assert held() == {True}
