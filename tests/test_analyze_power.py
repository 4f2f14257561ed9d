"""Minimum detectable effects."""

import math

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.power import NormalIndPower, TTestPower
from statsmodels.stats.proportion import proportion_effectsize

from endoxa.analyze import plan_pairs
from endoxa.analyze.power import PLAN_COLUMNS, minimum_detectable_effect_size, minimum_detectable_ratio
from endoxa.analyze.shares import sign_test
from endoxa.errors import UserError


@pytest.mark.parametrize("n", [200, 1508, 20_000])
def test_the_ratio_is_near_the_normal_approximation(n):
    ratio = minimum_detectable_ratio(n)
    effect = proportion_effectsize(ratio, 0.5)
    assert NormalIndPower().power(effect, n, 0.05, ratio=0) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("n", [6, 17, 40])
def test_the_ratio_has_the_stated_power_under_the_exact_test(n):
    ratio = minimum_detectable_ratio(n)
    found = sum(
        math.comb(n, wins) * ratio**wins * (1 - ratio) ** (n - wins)
        for wins in range(n + 1)
        if sign_test(wins, n - wins) <= 0.05
    )
    assert found == pytest.approx(0.8, abs=1e-9)


def test_five_pairs_can_show_nothing():
    assert math.isnan(minimum_detectable_ratio(5))
    assert math.isnan(minimum_detectable_ratio(0))
    assert math.isnan(minimum_detectable_effect_size(1))


@pytest.mark.parametrize("n", [6, 12, 128, 1508])
def test_the_effect_size_has_the_stated_power(n):
    power = TTestPower().power(minimum_detectable_effect_size(n), n, 0.05)
    assert power == pytest.approx(0.8, abs=1e-5)


@pytest.mark.parametrize("n", [2, 3, 10**6])
def test_the_effect_size_is_there_for_any_number_of_pairs(n):
    assert 0 < minimum_detectable_effect_size(n) < 12


def test_a_tabulated_effect_size():
    # Cohen 1988, as in every power program: 34 pairs show d_z = 0.5 with 80 % power.
    assert minimum_detectable_effect_size(34) == pytest.approx(0.5, abs=0.01)


def test_a_plan_has_both_assumptions():
    cells = pl.DataFrame(
        {"language": ["all", "en"], "axis": ["all", "age"], "n": [400, 30], "n_identities": [40, None]}
    )
    plan = plan_pairs(cells)
    assert plan.columns == list(PLAN_COLUMNS)
    assert plan["ratio_if_independent"][0] == pytest.approx(minimum_detectable_ratio(400))
    assert plan["ratio_if_identities_agree"][0] == pytest.approx(minimum_detectable_ratio(40))
    assert math.isnan(plan["effect_if_identities_agree"][1])
    assert np.isfinite(plan["effect_if_independent"].to_numpy()).all()


def test_a_plan_without_counts_is_refused():
    with pytest.raises(UserError, match="lack the column 'n'"):
        plan_pairs(pl.DataFrame({"language": ["en"], "axis": ["age"]}))
