"""Changes of shares between groups of respondents: other programs and published examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact, permutation_test

from endoxa.stats.share_changes import Shares, able_to_reject, change_interval, share_test


def test_equal_groups_are_fishers_exact_test():
    # With groups of one size, tables as far from equal shares as the observed one are those no more likely.
    for before, after in ((1, 7), (0, 5), (12, 3), (4, 4)):
        expected = fisher_exact([[before, 20 - before], [after, 20 - after]])[1]
        assert share_test(Shares(before, after, 20, 20))[0] == pytest.approx(expected)


def test_unequal_groups_are_scipys_permutation_test():
    before, after = np.repeat([1, 0], (3, 2)), np.repeat([1, 0], (1, 7))

    def apart(x, y):
        return abs(y.mean() - x.mean())

    expected = permutation_test((before, after), apart, alternative="greater", n_resamples=np.inf).pvalue
    assert share_test(Shares(3, 1, 5, 8))[0] == pytest.approx(expected)


def test_newcombes_published_intervals():
    # Newcombe 1998, Statistics in Medicine 17, 873-890, Table II, method 10: 56/70 - 48/80 and 10/10 - 0/10.
    low, high = _ends(Shares(48, 56, 80, 70))
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert _ends(Shares(0, 10, 10, 10)) == pytest.approx((0.6075, 1.0), abs=1e-4)


def _ends(shares):
    # A p-value that is not defined leaves Newcombe's ends as they are.
    interval = change_interval(shares, float("nan"), 0.95)
    return interval.low, interval.high


def test_interval_and_test_agree():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n_before, n_after = rng.integers(5, 40, 2)
        shares = Shares(
            *(int(rng.integers(0, n + 1)) for n in (n_before, n_after)), int(n_before), int(n_after)
        )
        p_value, least = share_test(shares)
        assert least <= p_value
        interval = change_interval(shares, p_value, 0.95)
        if p_value <= 0.05:
            assert interval.low >= 0 or interval.high <= 0
        else:
            assert interval.low <= 0 <= interval.high


def test_tests_that_cannot_reject_do_not_count():
    able, number = able_to_reject([0.5] * 90 + [0.001] * 10, 0.05)
    assert (able.sum(), number) == (10, 10)
    # At 0.05 five could reject, at 0.05 / 2 three, at 0.05 / 3 these three still: three tests are corrected for.
    assert able_to_reject([1, 1, 0.5, 0.2, 0.04, 0.03, 0.015, 0.01, 0.001], 0.05)[1] == 3
    assert able_to_reject([1.0, 1.0], 0.05)[0].sum() == 0


@pytest.mark.slow
def test_coverage_and_size():
    """800 pairs of editions: coverage of 95 % intervals and false claims."""
    rng = np.random.default_rng(0)
    covered = claimed = 0
    for _ in range(800):
        changed, still = (
            Shares(int(rng.binomial(40, 0.1)), int(rng.binomial(20, 0.1 + more)), 40, 20) for more in (0.2, 0)
        )
        interval = change_interval(changed, share_test(changed)[0], 0.95)
        covered += interval.low <= 0.2 <= interval.high
        claimed += share_test(still)[0] <= 0.05
    assert covered / 800 > 0.93
    assert claimed / 800 < 0.065
