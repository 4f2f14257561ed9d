"""Intervals over clusters: against other implementations, at the edges, and where the truth was planted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from endoxa.stats.intervals import (
    Interval,
    agreeing,
    alike,
    clopper_pearson,
    clustered_mean,
    clustered_share,
    effective_number,
    jackknife_variance,
)


@pytest.mark.parametrize(("count", "total"), [(0, 9), (9, 9), (3, 40), (77, 80)])
def test_clopper_pearson_is_that_of_statsmodels(count, total):
    found = clopper_pearson(count / total, total, 0.95)
    expected = proportion_confint(count, total, method="beta")
    assert (found.low, found.high) == pytest.approx(np.nan_to_num(expected, nan=float(count > 0)), abs=1e-12)


def test_the_jackknife_variance_of_single_observations_is_that_of_the_mean():
    values = np.random.default_rng(1).normal(size=30)
    assert jackknife_variance(np.ones(30), values) == pytest.approx(values.var(ddof=1) / 30)


def test_the_jackknife_variance_is_that_of_the_definition():
    sizes, sums = np.array([3.0, 5, 2, 8]), np.array([1.0, 4, 2, 3])
    without = [np.delete(sums, k).sum() / np.delete(sizes, k).sum() for k in range(4)]
    expected = 3 / 4 * sum((one - sums.sum() / sizes.sum()) ** 2 for one in without)
    assert jackknife_variance(sizes, sums) == pytest.approx(expected)


def test_korn_and_graubard_written_out():
    """Ten clusters of ten; the interval of R's survey::svyciprop(method="beta"), but for the caution near 0 and 1."""
    sums = np.array([7.0, 5, 9, 6, 8, 4, 7, 6, 5, 8])
    share = sums.sum() / 100
    # Of equal clusters the jackknife's variance is that of their means.
    variance = np.var(sums / 10, ddof=1) / 10
    caution = 0.05 * share**2 / 100
    number = share * (1 - share) / (variance + caution)
    number = min(number, 100) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 9)) ** 2
    expected = (
        stats.beta.ppf(0.025, share * number, (1 - share) * number + 1),
        stats.beta.ppf(0.975, share * number + 1, (1 - share) * number),
    )
    found = clustered_share(np.full(10, 10.0), sums, share * (1 - share), 0.95)
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("clusters", [5, 6, 20, 50])
def test_where_all_are_alike_clusters_are_what_was_seen(clusters):
    sizes = np.full(clusters, 3.0)
    every, none = (clustered_share(sizes, share * sizes, 0.0, 0.95) for share in (1.0, 0.0))
    assert (every.low, every.high) == pytest.approx((0.025 ** (1 / clusters), 1.0))
    assert (none.low, none.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / clusters)))


def test_one_deviating_pair_does_not_make_the_interval_wider_than_none():
    sizes = np.full(6, 10.0)
    sums = sizes.copy()
    whole = clustered_share(sizes, sums, 0.0, 0.95)
    sums[0] = 9
    share = 59 / 60
    nearly = clustered_share(sizes, sums, share * (1 - share), 0.95)
    assert nearly.low <= whole.low + 0.01
    assert whole.low - nearly.low < 0.1


def test_ties_do_not_count_as_coins():
    """1,000 single pairs, 990 of them ties and 10 wins: the share 0.505 is far surer than that of 1,000 coins."""
    values = np.concatenate([np.full(990, 0.5), np.ones(10)])
    found = clustered_share(np.ones(1000), values, float(values.var()), 0.95)
    assert 0.501 < found.low < 0.505 < found.high < 0.509


def test_a_share_that_never_varies_is_bounded_by_the_clusters_not_seen():
    found = clustered_share(np.full(10, 4.0), np.full(10, 2.0), 0.0, 0.95)  # all ties
    others = 1 - 0.025 ** (1 / 10)
    assert (found.low, found.high) == pytest.approx((0.5 - others / 2, 0.5 + others / 2))


def test_fewer_than_five_clusters_have_no_interval():
    assert not clustered_share(np.ones(4), np.ones(4), 0.0, 0.95).defined
    assert not clustered_mean(np.ones(4), np.arange(4.0), 0.95).defined


def test_a_mean_of_equal_clusters_has_the_t_interval_of_their_means():
    means = np.random.default_rng(3).normal(1, 2, 12)
    found = clustered_mean(np.full(12, 4.0), 4 * means, 0.9)
    expected = stats.t.interval(0.9, 11, means.mean(), stats.sem(means))
    assert (found.low, found.high) == pytest.approx(expected)


def test_means_without_spread_are_bounded_or_nothing():
    assert not clustered_mean(np.full(8, 2.0), np.full(8, 2.0), 0.95).defined
    found = clustered_mean(np.full(8, 2.0), np.full(8, 2.0), 0.95, (-1.0, 1.0))
    others = 1 - 0.025 ** (1 / 8)
    assert (found.low, found.high) == pytest.approx((1 - 2 * others, 1.0))
    nowhere = alike(0.0, 8, (-1.0, 1.0), 0.95)
    assert (nowhere.low, nowhere.high) == pytest.approx((-others, others))


def test_one_dominant_cluster_counts_as_hardly_more_than_one():
    sizes = np.array([500.0, *np.ones(9)])
    assert 1 < effective_number(sizes) < 1.1
    found = clustered_share(sizes, 0.9 * sizes, 0.09, 0.95)
    assert found.high - found.low > 0.8


@pytest.mark.parametrize(
    ("interval", "value", "p", "expected"),
    [
        ((0.4, 0.9), 0.7, 0.01, (0.5, 0.9)),
        ((0.1, 0.6), 0.3, 0.01, (0.1, 0.5)),
        ((0.6, 0.9), 0.7, 0.01, (0.6, 0.9)),
        ((0.6, 0.9), 0.7, 0.20, (0.5, 0.9)),
        ((0.1, 0.4), 0.3, 0.20, (0.1, 0.5)),
        ((0.4, 0.9), 0.7, 0.20, (0.4, 0.9)),
        ((0.4, 0.9), 0.7, math.nan, (0.4, 0.9)),
    ],
)
def test_interval_and_exact_test_agree_about_the_neutral_value(interval, value, p, expected):
    found = agreeing(Interval(*interval), value, 0.5, p, 0.95)
    assert (found.low, found.high) == expected


clusters = st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), min_size=5, max_size=40)


@pytest.mark.slow
@given(clusters, st.sampled_from([0.8, 0.95, 0.99]))
def test_an_interval_of_a_share_holds_it_and_stays_between_0_and_1(pairs, confidence):
    sizes = np.array([float(size) for size, _ in pairs])
    sums = np.array([float(round(size * share)) for size, share in pairs])
    share = sums.sum() / sizes.sum()
    found = clustered_share(sizes, sums, share * (1 - share), confidence)
    assert 0 <= found.low <= share + 1e-9
    assert share - 1e-9 <= found.high <= 1
    mirrored = clustered_share(sizes, sizes - sums, share * (1 - share), confidence)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)


@pytest.mark.parametrize(("identities", "share", "correlation"), [(6, 0.9, 0.3), (20, 0.7, 0.6)])
def test_the_planted_share_is_covered(identities, share, correlation):
    rng = np.random.default_rng(identities)
    sizes = np.maximum(1, np.round(40 / np.arange(1, identities + 1) ** 0.7))
    spread = (1 - correlation) / correlation
    held = 0
    for _ in range(250):
        chance = rng.beta(share * spread, (1 - share) * spread, identities)
        sums = rng.binomial(sizes.astype(int), chance).astype(float)
        own = sums.sum() / sizes.sum()
        found = clustered_share(sizes, sums, own * (1 - own), 0.95)
        held += found.low <= share <= found.high
    assert held / 250 >= 0.92


def test_a_mean_of_which_one_cluster_has_nearly_everything_has_no_interval() -> None:
    sizes = np.array([1000.0, 1, 1, 1, 1, 1])
    sums = sizes * np.array([0.1, 2, -1, 3, 0, 1])
    assert not clustered_mean(sizes, sums, 0.95).defined
    assert clustered_mean(sizes, sums, 0.95, bounds=(-4, 4)).high == 4
    assert clustered_mean(np.array([20.0, 10, 10, 10, 10, 10]), sums, 0.95).defined
