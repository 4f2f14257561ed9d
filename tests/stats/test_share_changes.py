"""Changes of shares between groups of respondents: other programs, published examples, planted truths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact, permutation_test

from endoxa.stats.share_changes import Stratum, able_to_reject, change_interval, share_change


def test_equal_groups_are_fishers_exact_test():
    # With groups of one size, tables as far from equal shares as the observed one are those no more likely.
    for before, after in ((1, 7), (0, 5), (12, 3), (4, 4)):
        expected = fisher_exact([[before, 20 - before], [after, 20 - after]])[1]
        assert share_change([Stratum(before, after, 20, 20)]).p_value == pytest.approx(expected)


def test_unequal_groups_are_scipys_permutation_test():
    before, after = np.repeat([1, 0], (3, 4)), np.repeat([1, 0], (1, 10))

    def apart(x, y):
        return abs(y.mean() - x.mean())

    expected = permutation_test((before, after), apart, alternative="greater", n_resamples=np.inf).pvalue
    assert share_change([Stratum(3, 1, 7, 11)]).p_value == pytest.approx(expected)


def test_the_same_respondents_are_mcnemars_exact_test():
    change = share_change([Stratum(14, 6, 40, 40, both=4)])
    assert change.p_value == pytest.approx(binomtest(2, 12).pvalue)
    assert (change.before, change.after) == (0.35, 0.15)


def test_newcombes_published_intervals():
    # Newcombe 1998, Statistics in Medicine 17, 873-890, Table II, method 10: 56/70 - 48/80 and 10/10 - 0/10.
    low, high = _ends([Stratum(48, 56, 80, 70)])
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert _ends([Stratum(0, 10, 10, 10)]) == pytest.approx((0.6075, 1.0), abs=1e-4)


def test_two_equal_strata_are_narrower_by_the_root_of_two():
    one, two = ([Stratum(10, 20, 50, 50)] * n for n in (1, 2))
    (low, high), (low_two, high_two) = _ends(one), _ends(two)
    assert (0.2 - low) / (0.2 - low_two) == pytest.approx(2**0.5)
    assert (high - 0.2) / (high_two - 0.2) == pytest.approx(2**0.5)


def _ends(strata):
    # A p-value that is not defined leaves Newcombe's ends as they are.
    interval = change_interval(strata, float("nan"), 0.95)
    return interval.low, interval.high


def test_interval_and_test_agree():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n_before, n_after = rng.integers(5, 40, 2)
        stratum = Stratum(
            *(int(rng.integers(0, n + 1)) for n in (n_before, n_after)), int(n_before), int(n_after)
        )
        change = share_change([stratum])
        interval = change_interval([stratum], change.p_value, 0.95)
        if change.p_value <= 0.05:
            assert interval.low >= 0 or interval.high <= 0
        else:
            assert interval.low <= 0 <= interval.high


def test_absence_by_chance_is_counted():
    # 2 mentions among 6 respondents, 3 in each edition: all in the first with chance 3/6 * 2/5.
    change = share_change([Stratum(2, 0, 3, 3)])
    assert change.lost_by_chance == change.new_by_chance == pytest.approx(0.2)
    assert share_change([Stratum(2, 0, 3, 3), Stratum(1, 0, 4, 4)]).lost_by_chance == pytest.approx(0.1)
    assert share_change([Stratum(3, 0, 9, 9, both=0)]).lost_by_chance == 0.125
    assert share_change([Stratum(3, 1, 9, 9, both=1)]).lost_by_chance == 0


def test_tests_that_cannot_reject_do_not_count():
    able, number = able_to_reject([0.5] * 90 + [0.001] * 10, 0.05)
    assert (able.sum(), number) == (10, 10)
    # At 0.05 five could reject, at 0.05 / 2 three, at 0.05 / 3 these three still: three tests are corrected for.
    assert able_to_reject([1, 1, 0.5, 0.2, 0.04, 0.03, 0.015, 0.01, 0.001], 0.05)[1] == 3
    assert able_to_reject([1.0, 1.0], 0.05)[0].sum() == 0


def test_many_values_are_drawn_alike(monkeypatch):
    strata = [Stratum(5, 9, 30, 30), Stratum(2, 6, 20, 25), Stratum(4, 4, 20, 25)]
    exact = share_change(strata)
    monkeypatch.setattr("endoxa.stats.share_changes.MOST_VALUES", 10)
    drawn = share_change(strata)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.004)
    assert drawn.lost_by_chance == exact.lost_by_chance


@pytest.mark.slow
def test_coverage_and_size():
    """2,000 pairs of editions: coverage of 95 % intervals and false claims, balanced over three countries."""
    rng = np.random.default_rng(0)
    shares = np.array([0.1, 0.3, 0.5])
    sizes_before, sizes_after = (40, 12, 8), (20, 20, 20)
    covered = claimed = 0
    for _ in range(2000):
        strata = [
            Stratum(int(rng.binomial(n, s)), int(rng.binomial(m, s + 0.2)), n, m)
            for n, m, s in zip(sizes_before, sizes_after, shares, strict=True)
        ]
        interval = change_interval(strata, share_change(strata).p_value, 0.95)
        covered += interval.low <= 0.2 <= interval.high
        still = [
            Stratum(int(rng.binomial(n, s)), int(rng.binomial(m, s)), n, m)
            for n, m, s in zip(sizes_before, sizes_after, shares, strict=True)
        ]
        claimed += share_change(still).p_value <= 0.05
    assert covered / 2000 > 0.94
    assert claimed / 2000 < 0.06
