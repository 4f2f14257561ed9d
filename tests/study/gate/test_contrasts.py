"""The test of a paired difference, against other ways to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t as student
from statsmodels.api import OLS
from statsmodels.stats.contingency_tables import mcnemar

from endoxa.study.compare.contrast import (
    ASSUMED_CORRELATION,
    ASSUMED_WEIGHT,
    FEWEST_UNITS,
    Contrast,
    sampled_units,
    student_tail,
)


def independent(up: int, down: int, n: int) -> Contrast:
    """n items about as many identities; so many changes in each direction."""
    x = np.zeros(n)
    x[:up], x[up : up + down] = 1, -1
    return Contrast.of(x, (np.arange(n),))


@pytest.mark.parametrize(("up", "down"), [(12, 5), (5, 12), (1, 0), (30, 30)])
def test_statistic_of_no_difference_is_mcnemars(up, down):
    found = independent(up, down, 200).statistic(0.0)
    other = mcnemar([[100, up], [down, 100 - up - down]], exact=False, correction=False).statistic
    assert found**2 == pytest.approx(other)
    assert np.sign(found) == np.sign(up - down)


@pytest.mark.parametrize(("up", "down", "n"), [(12, 5, 200), (0, 5, 60), (9, 0, 100), (40, 30, 80)])
@pytest.mark.parametrize("mean", [-0.3, 0.05])
def test_variance_is_that_of_the_constrained_maximum_likelihood(up, down, n, mean):
    # Tango's estimate in closed form, here by maximising the likelihood of three outcomes under p_up - p_down = mean.
    def loss(below: float) -> float:
        chances = np.array([below + mean, below, 1 - 2 * below - mean])
        return -float((np.array([up, down, n - up - down]) * np.log(np.maximum(chances, 1e-300))).sum())

    bounds = (max(0.0, -mean), (1 - mean) / 2)
    below = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    # Never less than the variance of the differences as they are.
    seen = 0.0 if up + down < FEWEST_UNITS else (up + down) / n - ((up - down) / n) ** 2
    expected = np.sqrt(max(2 * below + mean - mean**2, seen) / n)
    assert independent(up, down, n).error(mean) == pytest.approx(expected, rel=1e-4)


def test_bounds_of_nothing_changed_are_exact():
    nothing = independent(0, 0, 150)
    assert nothing.upper(0.05) == pytest.approx(1 - 0.05 ** (1 / 150))
    assert nothing.lower(0.05) == pytest.approx(-(1 - 0.05 ** (1 / 150)))


def test_bounds_of_nothing_changed_count_identities_of_correlated_changes():
    found = Contrast.of(np.zeros(300), (np.repeat(np.arange(30), 10),)).upper(0.05)
    rng = np.random.default_rng(3)
    spread = (1 - ASSUMED_CORRELATION) / ASSUMED_CORRELATION
    chances = rng.beta(found * spread, (1 - found) * spread, size=(60_000, 30))
    # No change in 300 items, if changes had the assumed correlation and just this share.
    assert ((1 - chances) ** 10).prod(axis=1).mean() == pytest.approx(0.05, abs=0.002)
    assert 1 - 0.05 ** (1 / 300) < found < 1 - 0.05 ** (1 / 30)


def test_correlation_is_mixed_with_an_assumed_one_where_few_identities_differ():
    cluster = np.repeat(np.arange(12), 5)
    few = np.where(cluster < 5, 1.0, 0.0)  # identities agree wholly: correlation 1
    assert Contrast.of(few, (cluster,)).kinds[0].correlation == pytest.approx(
        (5 * 1 + ASSUMED_WEIGHT * ASSUMED_CORRELATION) / (5 + ASSUMED_WEIGHT)
    )
    assert Contrast.of(np.zeros(60), (cluster,)).kinds[0].correlation == ASSUMED_CORRELATION
    assert Contrast.of(few, (np.arange(60),)).kinds[0].correlation == 0
    # With six that differ it is as it was seen: the jackknife makes the variance 12 / 11 of that of 12 means.
    six = Contrast.of(np.where(cluster < 6, 1.0, -1.0), (cluster,))
    assert six.error(0.0) == pytest.approx(np.sqrt(12 / 11 / 12))


def test_skewness_never_makes_a_p_value_smaller():
    # A mean of few units far above the others is easily taken too low.
    # Hall 1992: t + s t^2 / 3 + s^2 t^3 / 27 + s / 6.
    hall = -2.0 + 0.5 * 4 / 3 - 0.25 * 8 / 27 + 0.5 / 6
    assert student_tail(-2.0, 0.5, 19) == pytest.approx(student.cdf(hall, 19))
    assert student.cdf(hall, 19) > student.cdf(-2.0, 19)
    assert student_tail(-2.0, -0.5, 19) == pytest.approx(student.cdf(-2.0, 19))


def crossed(share_of_attributes: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """30 identities x 10 attributes; every item of some attributes has changed."""
    first, second = np.repeat(np.arange(30), 10), np.tile(np.arange(10), 30)
    return (second < 10 * share_of_attributes).astype(float), first, second


def test_two_kinds_have_the_variance_of_the_two_way_formula():
    rng = np.random.default_rng(5)
    first, second = np.repeat(np.arange(200), 100), np.tile(np.arange(100), 200)
    x = np.sign(
        rng.standard_normal(200)[first] + rng.standard_normal(100)[second] + rng.standard_normal(20_000)
    )
    found = Contrast.of(x, (first, second))
    # Cameron, Gelbach and Miller by regressions, one for each kind and one for cells.
    variances = [
        float(OLS(x, np.ones(len(x))).fit(cov_type="cluster", cov_kwds={"groups": groups}).bse[0] ** 2)
        for groups in (first, second, np.arange(len(x)))
    ]
    expected = np.sqrt(variances[0] + variances[1] - variances[2])
    assert found.error(found.mean) == pytest.approx(expected, rel=0.03)
    assert found.freedom > 99


def test_changes_in_a_few_attributes_prove_nothing_about_other_attributes():
    x, first, second = crossed(0.3)
    assert Contrast.of(x, (first,)).p_above(0.1) < 1e-4
    assert Contrast.of(x, (first, second)).p_above(0.1) > 0.05
    nothing = np.zeros(300)
    assert Contrast.of(nothing, (first, second)).upper(0.05) > Contrast.of(nothing, (first,)).upper(0.05)


@pytest.mark.parametrize(
    ("second", "sampled", "deciding"),
    [
        (np.arange(60), "both", 0),  # unique attributes: identities decide
        (np.arange(60) // 5, "both", 0),  # attributes within identities
        (np.arange(60) // 10 // 2, "first", 0),  # three attributes that hold whole identities
        (np.tile(np.arange(5), 12), "first", 0),  # five attributes
        (np.zeros(60), "first", 0),
    ],
)
def test_attributes_that_never_recur_or_are_few_change_nothing(second, sampled, deciding):
    first = np.arange(60) // 5 if deciding == 0 and sampled == "both" else np.arange(60) // 10
    x = np.random.default_rng(6).choice([-1.0, 0.0, 1.0], 60)
    names, kinds = sampled_units(first, second)
    assert names == sampled
    assert len(kinds) == 1
    assert Contrast.of(x, kinds) == Contrast.of(x, (first,))
