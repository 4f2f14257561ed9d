"""The permutation test: against listing, against scipy, ties, sampling, and what is planted."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from endoxa.instruments.association_tests.estimates.permutation import (
    permutation_test,
    tie_tolerance,
)

pools = st.lists(st.integers(-6, 6), min_size=2, max_size=11)


def listed(x, y):
    """Shares of partitions with a sum at most, and at least, the observed one; whole numbers, so exact."""
    sums = [sum(part) for part in combinations([*x, *y], len(x))]
    observed = sum(x)
    return sum(s <= observed for s in sums) / len(sums), sum(s >= observed for s in sums) / len(sums)


@pytest.mark.slow
@given(pools, st.data(), st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 7e11]))
@settings(max_examples=80)
def test_counting_gives_what_listing_gives_whatever_the_scale(pool, data, scale):
    cut = data.draw(st.integers(1, len(pool) - 1))
    x, y = pool[:cut], pool[cut:]
    if len(set(pool)) == 1:
        return
    lower, upper = listed(x, y)
    scaled = {"x": scale * np.array(x, float), "y": scale * np.array(y, float)}
    two_sided = min(1.0, 2 * min(lower, upper))
    for alternative, expected in (("greater", upper), ("less", lower), ("two-sided", two_sided)):
        found = permutation_test(**scaled, alternative=alternative)
        assert (found.kind, found.partitions, found.draws) == ("exact", comb(len(pool), cut), None)
        assert found.p_value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n_x", "n_y"), [(5, 5), (4, 7), (8, 3)])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_scipy_agrees_on_small_sets(n_x, n_y, alternative):
    rng = np.random.default_rng(n_x)
    x, y = rng.normal(0.4, 1, n_x), rng.normal(0, 1, n_y)
    theirs = stats.permutation_test(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=np.inf,
        alternative=alternative,
        vectorized=True,
    )
    assert permutation_test(x, y, alternative=alternative).p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_fisher_exact_agrees_where_values_are_yes_or_no():
    x, y = np.array([1.0] * 15 + [0.0] * 5), np.array([1.0] * 8 + [0.0] * 12)
    theirs = stats.fisher_exact([[15, 5], [8, 12]], alternative="greater").pvalue
    found = permutation_test(x, y)
    assert found.kind == "exact"
    assert found.partitions == comb(40, 20)
    assert found.greater == pytest.approx(theirs, rel=1e-9)


def test_equal_sums_tie_in_whatever_order_they_were_added():
    values = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7]
    sums = {sum(order) for order in permutations(values, 6)}
    assert len(sums) > 1, "these numbers must add up differently in another order"
    assert max(sums) - min(sums) <= tie_tolerance(np.array(values), 0.0)
    # 0.1 + 0.6 = 0.3 + 0.4 = 0.7 of six pairs to choose among: whole numbers say which tie.
    whole = [1, 6, 3, 4, 2, 7]
    found = permutation_test(np.array(whole[:2]) / 10, np.array(whole[2:]) / 10)
    assert found.greater == pytest.approx(listed(whole[:2], whole[2:])[1])


@pytest.mark.parametrize("n", [4, 14, 40])
def test_tolerance_is_above_rounding_and_far_below_the_spread_of_sums(n):
    """2 n u times the sum of sizes (u: half a unit in the last place), and n times the error of a value."""
    rng = np.random.default_rng(n)
    pool = rng.normal(0, 0.01, n)
    added = [sum(pool[rng.permutation(n)]) for _ in range(200)]
    tolerance = tie_tolerance(pool, 0.0)
    assert max(added) - min(added) <= tolerance < 1e-9 * pool.std()
    assert tolerance / (2 * n * 2.0**-53 * np.abs(pool).sum()) == pytest.approx(1)
    assert tie_tolerance(pool, 1e-3) == pytest.approx(n * 1e-3)


def test_sampled_p_lies_within_its_error_of_the_exact_one_and_repeats_with_its_seed():
    rng = np.random.default_rng(4)
    for shift in (0.0, 0.5, 1.5):
        x, y = rng.normal(shift, 1, 14), rng.normal(0, 1, 13)
        exact = permutation_test(x, y).p_value
        drawn = [permutation_test(x, y, max_half_sums=0, draws=20_000, seed=seed) for seed in (7, 7, 8)]
        assert {one.kind for one in drawn} == {"sampled"}
        assert drawn[0] == drawn[1]
        assert shift > 1 or drawn[0] != drawn[2]
        assert drawn[0].draws == 20_000
        sigma = sqrt(exact * (1 - exact) / 20_000)
        assert all(abs(one.p_value - exact) <= 4 * sigma + 1 / 20_001 for one in drawn)


def test_a_sampled_p_is_never_zero():
    found = permutation_test(np.arange(30) + 100.0, np.arange(30.0), draws=500)
    assert (found.kind, found.p_value, found.greater) == ("sampled", 2 / 501, 1 / 501)


def test_values_that_differ_by_rounding_only_have_no_p():
    x, y = np.array([0.3, 0.3 + 1e-16, 0.3]), np.array([0.3, 0.3, 0.3 - 1e-16])
    found = permutation_test(x, y, error=1e-15)
    assert (found.kind, found.partitions) == ("undefined", 20)
    assert np.isnan(found.p_value)


@given(st.lists(st.floats(-2, 2), min_size=4, max_size=12), st.integers(0, 10_000))
@settings(max_examples=40)
def test_order_within_the_sets_changes_nothing_and_swapping_them_swaps_the_tails(pool, seed):
    rng = np.random.default_rng(seed)
    x, y = np.array(pool[: len(pool) // 2]), np.array(pool[len(pool) // 2 :])
    one = permutation_test(x, y, alternative="greater")
    again = permutation_test(rng.permutation(x), rng.permutation(y), alternative="greater")
    assert again == one or np.isnan(one.p_value)
    swapped = permutation_test(y, x, alternative="less")
    assert swapped.p_value == pytest.approx(one.p_value, nan_ok=True)
    assert swapped.two_sided == pytest.approx(one.two_sided, nan_ok=True)
