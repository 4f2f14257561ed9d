"""The exchange test: exact distributions by hand, and its level without an effect."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from endoxa.stats.permutation import exchange_test, movable, single_column_test, units_by_group_test


def in_first(rows: int, columns: int) -> np.ndarray:
    """Presence in the first column less the mean of the others."""
    return np.tile(np.r_[1.0, np.full(columns - 1, -1 / (columns - 1))], (rows, 1))


def test_two_columns_give_the_sign_test() -> None:
    present = np.array([[1, 0]] * 11 + [[0, 1]] * 2 + [[1, 1]] * 5 + [[0, 0]] * 4, dtype=bool)
    (p_value,) = exchange_test(present, [in_first(len(present), 2)])
    assert p_value == pytest.approx(stats.binomtest(11, 13).pvalue, abs=0.005)
    assert movable(present, in_first(len(present), 2)) == 13


def test_rows_in_one_of_several_columns_are_binomial() -> None:
    present = np.zeros((9, 4), dtype=bool)
    present[np.arange(9), [0, 0, 0, 0, 0, 0, 1, 2, 3]] = True
    (p_value,) = exchange_test(present, [in_first(9, 4)], seed=1)
    observed = 6 - 3 / 3
    exact = sum(
        stats.binom.pmf(count, 9, 0.25) for count in range(10) if abs(count - (9 - count) / 3) >= observed
    )
    assert p_value == pytest.approx(exact, abs=0.005)


def test_weighted_sums_are_those_of_every_order() -> None:
    present = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)
    weights = np.array([[2.0, -1, -1], [1, 0, -1], [0, 1, -1]])
    orders = [
        {
            tuple(row[list(order)])
            for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
        }
        for row in present
    ]
    sums = [
        sum((np.array(row) * w).sum() for row, w in zip(rows, weights, strict=True))
        for rows in product(*orders)
    ]
    observed = abs((present * weights).sum())
    exact = np.mean(np.abs(sums) >= observed - 1e-9)
    assert exchange_test(present, [weights], seed=2)[0] == pytest.approx(exact, abs=0.03)


def test_one_column_is_the_same_test_without_chance() -> None:
    rng = np.random.default_rng(4)
    present = rng.random((25, 4)) < 0.4
    signs = rng.choice([-1, 0, 1], 25)
    (drawn,) = exchange_test(present, [signs[:, None] * in_first(25, 4)], draws=20_000, seed=3)
    assert single_column_test(present, 0, signs) == pytest.approx(drawn, abs=0.015)
    signs_of_two = np.array([[1, 0]] * 11 + [[0, 1]] * 2, dtype=bool)
    assert single_column_test(signs_of_two, 0, np.ones(13)) == pytest.approx(stats.binomtest(11, 13).pvalue)
    assert single_column_test(np.ones((3, 2), dtype=bool), 0, np.ones(3)) == 1
    assert single_column_test(present, 0, np.zeros(25)) == 1


def test_what_cannot_be_exchanged_has_a_p_value_of_1() -> None:
    present = np.array([[1, 1, 1], [0, 0, 0]], dtype=bool)
    weights = in_first(2, 3)
    assert exchange_test(present, [weights, np.zeros((2, 3))], draws=99).tolist() == [1, 1]
    assert movable(present, weights) == 0
    assert movable(np.zeros((0, 3), dtype=bool), np.zeros((0, 3))) == 0
    assert exchange_test(np.zeros((0, 3), dtype=bool), [np.zeros((0, 3))], draws=99).tolist() == [1]


@pytest.mark.parametrize(("rows", "columns"), [(6, 2), (8, 3), (20, 5)])
def test_without_an_effect_the_level_is_kept(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    rejected = 0
    for _ in range(200):
        present = rng.random((rows, columns)) < rng.uniform(0.1, 0.7, (rows, 1))
        rejected += single_column_test(present, 0, np.ones(rows)) <= 0.05
    assert rejected / 200 <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_groups_of_units_against_every_order_of_them() -> None:
    """Three groups of seven units: the share of all orders with a Welch statistic as large, by scipy."""
    values, group = np.array([0.1, 0.9, 0.4, 0.35, 2.0, 1.7, 0.8]), np.array([0, 0, 0, 1, 1, 1, 2])
    found = units_by_group_test(values, group, draws=20_000)

    def welch(first, second, axis):
        return np.abs(stats.ttest_ind(first, second, axis=axis, equal_var=False).statistic)

    for code in (0, 1):
        parts = values[group == code], values[group != code]
        exact = stats.permutation_test(
            parts, welch, n_resamples=np.inf, alternative="greater", vectorized=True
        )
        assert found[code] == pytest.approx(exact.pvalue, abs=0.012)
    assert np.isnan(found[2]), "one unit"
    assert np.isnan(units_by_group_test(np.ones(6), np.arange(6) % 2)).all()
