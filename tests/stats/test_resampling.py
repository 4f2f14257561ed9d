"""The identity bootstrap and the sign-flip test."""

import math
from itertools import product

import numpy as np
import pytest

from endoxa.instruments.pairs.estimates import STATISTICS
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
from support.analyze_fixtures import clustered_differences, estimates, make_sample

RATIO = STATISTICS.get("preference_ratio")


def mean_of_totals(totals: np.ndarray) -> np.ndarray:
    """The mean over observations."""
    return totals[:, 1] / totals[:, 0]


def test_totals_per_identity():
    clusters = Clusters.of(np.array([7, 2, 7]), np.array([1.0, 5.0, 2.0]))
    assert clusters.totals.tolist() == [[1.0, 5.0], [2.0, 3.0]]
    assert clusters.effective == pytest.approx(9 / 5)


def test_bootstrap_of_single_pairs_has_the_standard_error_of_the_mean():
    values = np.random.default_rng(0).normal(size=200)
    draws = bootstrap(Clusters.of(np.arange(200), values), mean_of_totals, 4000, seed=1)
    assert draws.mean() == pytest.approx(values.mean(), abs=0.005)
    assert draws.std() == pytest.approx(values.std() / np.sqrt(200), rel=0.05)


def test_the_interval_is_as_wide_as_a_t_interval_for_equal_identities():
    values = np.random.default_rng(5).normal(size=12)
    clusters = Clusters.of(np.arange(12), values)
    interval = expanded_interval(bootstrap(clusters, mean_of_totals, 20000, seed=1), clusters, 0.9)
    t_width = 2 * 1.7959 * values.std(ddof=1) / np.sqrt(12)  # t_{11} at 95 %, from a table
    assert interval.high - interval.low == pytest.approx(t_width, rel=0.05)


def test_memory_is_bounded_by_blocks_and_these_change_nothing(monkeypatch):
    cluster, values = np.arange(300), np.random.default_rng(4).normal(size=300)
    clusters = Clusters.of(cluster, values)
    draws = bootstrap(clusters, mean_of_totals, 5000, seed=1)  # 1.5 million entries: two blocks
    assert draws.shape == (5000,)
    assert len(np.unique(draws)) > 4990  # no block repeats another


def test_fewer_than_five_identities_give_no_interval_and_say_so():
    _, clustered = estimates(
        RATIO, make_sample([1.0, 2, -1, 3, 1, -1, 2, 1], cluster=[0, 0, 1, 1, 2, 2, 3, 3])
    )
    assert math.isnan(clustered.low)
    assert "4 identities in 8 pairs" in clustered.method
    assert clustered.reason == "4 identities, at least 6 needed"
    assert clustered.p_value > 0


def test_no_variation_is_no_certainty():
    _, clustered = estimates(RATIO, make_sample(np.ones(30)))
    assert (clustered.value, clustered.high) == (1.0, 1.0)
    assert clustered.low == pytest.approx(0.025 ** (1 / 30))  # Clopper and Pearson at 30 of 30


def test_sign_flips_by_hand():
    totals = np.array([3.0, -1.0, 2.0, 0.5])
    sums = [abs(np.dot(signs, totals)) for signs in product((-1, 1), repeat=4)]
    assert sign_flip_test(totals, 1000, seed=0) == pytest.approx(np.mean([s >= 4.5 for s in sums]))


def test_drawn_flips_agree_with_all_of_them():
    totals = np.random.default_rng(3).normal(0.4, 1, 14)
    exact = sign_flip_test(totals, 10_000, seed=0)
    drawn = sign_flip_test(totals, 8_000, seed=0)
    assert drawn == pytest.approx(exact, abs=0.02)


def test_flips_that_are_drawn_never_give_zero():
    assert sign_flip_test(np.full(40, 0.1), 999, seed=0) == pytest.approx(1 / 1000)


def test_whole_totals_are_exact_however_many_there_are():
    assert sign_flip_test(np.ones(40)) == pytest.approx(2.0**-39)
    rng = np.random.default_rng(1)
    for _ in range(50):
        totals = rng.integers(-6, 7, rng.integers(1, 11)).astype(float)
        kept = totals[totals != 0]
        sums = [abs(np.dot(signs, kept)) for signs in product((-1, 1), repeat=len(kept))]
        expected = np.mean([one >= abs(kept.sum()) for one in sums]) if len(kept) else np.nan
        assert sign_flip_test(totals) == pytest.approx(expected, nan_ok=True)


def test_sharing_an_identity_widens_the_interval():
    difference, cluster = clustered_differences(np.random.default_rng(6), 30, ratio=0.6, icc=0.4)
    independent, clustered = estimates(RATIO, make_sample(difference, cluster=cluster))
    assert independent.value == clustered.value
    assert clustered.high - clustered.low > 1.3 * (independent.high - independent.low)


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
