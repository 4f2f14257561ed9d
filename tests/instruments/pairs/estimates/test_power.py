"""Minimum detectable effects."""

import math

import numpy as np
import pytest
from statsmodels.stats.power import NormalIndPower, TTestPower
from statsmodels.stats.proportion import proportion_effectsize

from endoxa.instruments.pairs.probe.run import detectable_ratios
from endoxa.stats.power import (
    detectable_effect_size,
    detectable_share,
    detectable_share_independent,
)
from endoxa.stats.signs import sign_flip_test, sign_test


@pytest.mark.parametrize("n", [200, 1508, 20_000])
def test_the_ratio_is_near_the_normal_approximation(n):
    ratio = detectable_share_independent(n)
    effect = proportion_effectsize(ratio, 0.5)
    assert NormalIndPower().power(effect, n, 0.05, ratio=0) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("n", [6, 17, 40])
def test_the_ratio_has_the_stated_power_under_the_exact_test(n):
    ratio = detectable_share_independent(n)
    found = sum(
        math.comb(n, wins) * ratio**wins * (1 - ratio) ** (n - wins)
        for wins in range(n + 1)
        if sign_test(wins, n - wins) <= 0.05
    )
    assert found == pytest.approx(0.8, abs=1e-9)


def test_five_pairs_can_show_nothing():
    assert math.isnan(detectable_share_independent(5))
    assert math.isnan(detectable_share_independent(0))
    assert math.isnan(detectable_effect_size(1))


@pytest.mark.parametrize("n", [6, 12, 128, 1508])
def test_the_effect_size_has_the_stated_power(n):
    power = TTestPower().power(detectable_effect_size(n), n, 0.05)
    assert power == pytest.approx(0.8, abs=1e-5)


@pytest.mark.parametrize("n", [2, 3, 10**6])
def test_the_effect_size_is_there_for_any_number_of_pairs(n):
    assert 0 < detectable_effect_size(n) < 12


def test_a_tabulated_effect_size():
    # Cohen 1988, as in every power program: 34 pairs show d_z = 0.5 with 80 % power.
    assert detectable_effect_size(34) == pytest.approx(0.5, abs=0.01)


def test_a_plan_has_three_assumptions():
    best, expected, worst = detectable_ratios(400, 40, 400)
    assert best == pytest.approx(detectable_share_independent(400))
    assert expected == pytest.approx(detectable_share(np.full(40, 10), 0.1))
    assert worst == pytest.approx(detectable_share_independent(40))
    assert math.isnan(detectable_ratios(400, 5, 400)[1])


def realised(sizes, share, correlation, alpha, repeats=300):
    """How often the sign-flip test finds this share in beta-binomial clusters."""
    rng = np.random.default_rng(len(sizes))
    spread = (1 - correlation) / correlation
    chance = rng.beta(share * spread, (1 - share) * spread, (repeats, len(sizes)))
    favouring = rng.binomial(sizes, chance)
    return np.mean([sign_flip_test(2 * one - sizes) <= alpha for one in favouring])


@pytest.mark.slow
@pytest.mark.parametrize("identities", [8, 20, 60])
@pytest.mark.parametrize("alpha", [0.05, 0.005])
def test_the_ratio_under_identities_has_about_the_stated_power(identities, alpha):
    sizes = np.full(identities, 8)
    ratio = detectable_share(sizes, 0.1, alpha)
    if identities == 8 and alpha == 0.005:
        assert math.isnan(ratio)  # 2 / 2^8 is above 0.005
        return
    assert ratio > detectable_share_independent(int(sizes.sum()), alpha)
    assert 0.68 <= realised(sizes, ratio, 0.1, alpha) <= 0.92


def test_single_pairs_have_the_power_of_the_sign_test():
    assert detectable_share(np.ones(40), 0.1) == detectable_share_independent(40)


def test_five_identities_can_show_nothing_however_many_pairs():
    assert math.isnan(detectable_share(np.full(5, 100), 0.1))
    assert math.isnan(detectable_share(np.array([50, 0, 0, 0]), 0.1))
