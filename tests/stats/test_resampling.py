"""The identity bootstrap and the sign-flip test."""

from itertools import product

import numpy as np
import pytest

from endoxa.stats.intervals import Interval
from endoxa.stats.resampling import (
    Clusters,
    bootstrap,
    drawn_units,
    expanded_interval,
    percentile_interval,
    times_drawn,
)
from endoxa.stats.signs import sign_flip_test


def mean_of_totals(totals: np.ndarray) -> np.ndarray:
    """The mean over observations."""
    return totals[:, 1] / totals[:, 0]


def test_the_interval_is_as_wide_as_a_t_interval_for_equal_identities():
    values = np.random.default_rng(5).normal(size=12)
    clusters = Clusters.of(np.arange(12), values)
    interval = expanded_interval(bootstrap(clusters, mean_of_totals, 20000, seed=1), clusters, 0.9)
    t_width = 2 * 1.7959 * values.std(ddof=1) / np.sqrt(12)  # t_{11} at 95 %, from a table
    assert interval.high - interval.low == pytest.approx(t_width, rel=0.05)


def test_sign_flips_by_hand():
    totals = np.array([3.0, -1.0, 2.0, 0.5])
    sums = [abs(np.dot(signs, totals)) for signs in product((-1, 1), repeat=4)]
    assert sign_flip_test(totals, 1000, seed=0) == pytest.approx(np.mean([s >= 4.5 for s in sums]))


def test_whole_totals_are_exact_however_many_there_are():
    assert sign_flip_test(np.ones(40)) == pytest.approx(2.0**-39)
    rng = np.random.default_rng(1)
    for _ in range(50):
        totals = rng.integers(-6, 7, rng.integers(1, 11)).astype(float)
        kept = totals[totals != 0]
        sums = [abs(np.dot(signs, kept)) for signs in product((-1, 1), repeat=len(kept))]
        expected = np.mean([one >= abs(kept.sum()) for one in sums]) if len(kept) else np.nan
        assert sign_flip_test(totals) == pytest.approx(expected, nan_ok=True)


def test_percentiles_leave_undefined_samples_out_and_need_half_of_them():
    draws = np.array([*range(101), *[np.nan] * 101], dtype=float)
    assert percentile_interval(draws, 0.9) == Interval(pytest.approx(5), pytest.approx(95))
    assert not percentile_interval(np.append(draws, np.nan), 0.9).defined
    assert not percentile_interval(np.array([]), 0.9).defined
    assert not percentile_interval(np.ones(50), 0.9).defined
    assert percentile_interval(np.ones(50), 0.9, constant=True) == Interval(1, 1)


def test_units_are_drawn_with_replacement_as_often_as_their_weights():
    samples = list(drawn_units(7, 300, np.random.default_rng(0)))
    assert {sample.shape for sample in samples} == {(7,)}
    assert np.bincount(np.concatenate(samples)) == pytest.approx(np.full(7, 300), rel=0.25)
    times = times_drawn(np.array([3, 1]), 500, np.random.default_rng(0))
    assert (times.sum(axis=1) == 4).all()
    assert times.mean(axis=0) == pytest.approx([3, 1], rel=0.1)
