"""Minimum detectable effects."""

import math

import numpy as np
import pytest
from scipy.stats import nct, t
from statsmodels.stats.power import NormalIndPower, TTestPower
from statsmodels.stats.proportion import proportion_effectsize

from endoxa.instruments.pairs.probe.run import detectable_ratios
from endoxa.stats.power import (
    detectable_effect_size,
    detectable_share,
    detectable_share_crossed,
    detectable_share_independent,
    detectable_share_of,
)
from endoxa.stats.signs import sign_flip_test, sign_test


def realised(sizes, share, correlation, alpha, repeats=300):
    """How often the sign-flip test finds this share in beta-binomial clusters."""
    rng = np.random.default_rng(len(sizes))
    spread = (1 - correlation) / correlation
    chance = rng.beta(share * spread, (1 - share) * spread, (repeats, len(sizes)))
    favouring = rng.binomial(sizes, chance)
    return np.mean([sign_flip_test(2 * one - sizes) <= alpha for one in favouring])


@pytest.mark.parametrize("n", [200, 1508, 20_000])
def test_the_ratio_is_near_the_normal_approximation(n):
    effect = proportion_effectsize(detectable_share_independent(n), 0.5)
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
    assert detectable_share(np.ones(n), 0.1) == ratio, "single pairs have the power of the sign test"


@pytest.mark.parametrize("n", [6, 12, 128, 1508])
def test_the_effect_size_has_the_stated_power(n):
    assert TTestPower().power(detectable_effect_size(n), n, 0.05) == pytest.approx(0.8, abs=1e-5)


def test_the_effect_size_is_there_for_any_number_of_pairs_and_34_show_half_a_deviation():
    """Cohen 1988, as in every power program: 34 pairs show d_z = 0.5 with 80 % power."""
    assert all(0 < detectable_effect_size(n) < 12 for n in (2, 3, 10**6))
    assert detectable_effect_size(34) == pytest.approx(0.5, abs=0.01)


def test_five_pairs_or_identities_can_show_nothing():
    five = (detectable_share(np.full(5, 100), 0.1), detectable_share(np.array([50, 0, 0, 0]), 0.1))
    few = (detectable_share_independent(5), detectable_share_independent(0), detectable_effect_size(1))
    assert all(map(math.isnan, (*five, *few)))


def test_a_plan_has_three_assumptions():
    best, expected, worst = detectable_ratios(400, 40, 400)
    assert best == pytest.approx(detectable_share_independent(400))
    assert expected == pytest.approx(detectable_share(np.full(40, 10), 0.1))
    assert worst == pytest.approx(detectable_share_independent(40))
    assert math.isnan(detectable_ratios(400, 5, 400)[1])
    # Attributes that recur make it larger; pairs of which no two are alike are independent.
    crossed = [np.full(40, 10), np.full(20, 20)]
    assert detectable_ratios(400, 40, 20)[1] == pytest.approx(detectable_share_of(crossed, 1 + 0.1 * 28))
    assert detectable_ratios(40, 40, 40)[1] == detectable_share_independent(40)


@pytest.mark.slow
@pytest.mark.parametrize(("identities", "alpha"), [(8, 0.05), (20, 0.005), (60, 0.05)])
def test_the_ratio_under_identities_has_about_the_stated_power(identities, alpha):
    sizes = np.full(identities, 8)
    ratio = detectable_share(sizes, 0.1, alpha)
    assert ratio > detectable_share_independent(int(sizes.sum()), alpha)
    assert 0.68 <= realised(sizes, ratio, 0.1, alpha) <= 0.92
    assert math.isnan(detectable_share(np.full(8, 8), 0.1, 0.005)), "2 / 2^8 is above 0.005"


def test_the_share_under_two_kinds_of_units_has_the_power_of_the_definition():
    """Of 2^7 patterns of signs 6 lie within 5 %; the critical value is raised by half of 1/8 + 1/8; 0.83 is asked."""
    share = detectable_share_crossed(64, 1.0, (8, 8))
    critical = t.isf(6 / 128 / 2, 7) * (1 + 1 / 8)
    assert nct.sf(critical, 7, (share - 0.5) / math.sqrt(share * (1 - share) / 64)) == pytest.approx(0.83)
    assert math.isnan(detectable_share_crossed(64, 1.0, (8, 8), 0.005)), "1 / 2^7 is above 0.005"
