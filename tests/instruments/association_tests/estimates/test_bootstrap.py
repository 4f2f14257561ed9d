"""The bootstrap interval of the effect size covers a planted truth, and stays in its bounds."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage import load_scenarios
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


def test_resamples_without_spread_reach_the_bound():
    """One value apart from the others in each set: one resample in nine has no spread inside both sets."""
    x, y = texts([1.0] * 5 + [1.1]), texts([0.0] * 5 + [0.1])
    found = interval(x, y)
    assert found.high == pytest.approx(sqrt(11 * 12 / 36))
    assert found.low < effect_size(x.values, y.values)
    same = interval(texts([0.0] * 5 + [1.0]), texts([1.0] + [0.0] * 5))
    assert same.low == pytest.approx(-same.high)
