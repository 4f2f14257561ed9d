"""Differences of two means: Welch's interval, a cluster-robust regression, edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from endoxa.stats.contrasts import contrast


def sample(number: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    groups = rng.choice([1, -1, 0], number, p=[0.4, 0.4, 0.2])
    return rng.normal(0.4 * (groups == 1), 1 + (groups == 1)), groups


def test_where_nothing_is_shared_it_is_welchs_interval():
    values, groups = sample(400)
    unique = np.arange(400)
    ours = contrast(values, groups, (unique, unique), confidence=0.95)
    welch = stats.ttest_ind(values[groups == 1], values[groups == -1], equal_var=False)
    low, high = welch.confidence_interval(0.95)
    assert ours.difference == pytest.approx(values[groups == 1].mean() - values[groups == -1].mean())
    assert (ours.interval.low, ours.interval.high) == pytest.approx((low, high), abs=0.01)
    assert ours.p_value == pytest.approx(welch.pvalue, abs=0.02)


def test_shared_units_widen_it_as_a_cluster_robust_regression_does():
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(40), 6)
    groups = np.where(cluster % 2, 1, -1)
    values = rng.normal(0, 1, 40)[cluster] + rng.normal(size=240)
    ours = contrast(values, groups, (cluster, np.arange(240)), confidence=0.95)
    fitted = sm.OLS(values, sm.add_constant((groups == 1).astype(float))).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )
    half = (ours.interval.high - ours.interval.low) / 2
    assert half / stats.t.ppf(0.975, 39) == pytest.approx(fitted.bse[1], rel=0.04)


def test_edges():
    groups, unique = np.array([1, -1] * 10), np.arange(20)
    always = contrast((groups == 1).astype(float), groups, (unique, unique), confidence=0.95, bounds=(-1, 1))
    assert (always.first, always.second, always.difference) == (1, 0, 1)
    assert always.p_value < 0.001
    five = contrast((groups == 1).astype(float), groups, (unique // 4, unique // 4), confidence=0.95)
    assert (five.sampled, five.interval.defined) == ("none", False)
    assert np.isnan(five.p_value)
    three = contrast(np.ones(20), np.where(unique < 3, 1, -1), (unique, unique), confidence=0.95)
    assert (three.sampled, three.interval.defined) == ("none", False)
    equal = contrast(np.ones(20), groups, (unique, unique), confidence=0.95)
    assert equal.difference == 0
    assert not equal.p_value <= 0.05
    with pytest.raises(ValueError, match="Both groups"):
        contrast(np.ones(20), np.ones(20), (unique, unique), confidence=0.95)
