"""Means over items and raters: by hand, against a fitted mixed model, and against planted truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from endoxa.stats.crossed import FEWEST, crossed_contrast, crossed_estimate, crossed_mean

WIDE = (-100.0, 100.0)


def found(table: np.ndarray, confidence: float = 0.95, bounds: tuple[float, float] = WIDE):
    """Of a table items x raters; NaN where a rater did not rate."""
    item, rater = np.nonzero(~np.isnan(table))
    return crossed_mean(table[item, rater], item, rater, confidence=confidence, bounds=bounds)


def crossed(rng, items, raters, of_items, of_raters, noise=1.0, mean=0.0):
    levels = rng.normal(0, of_items, (items, 1)) + rng.normal(0, of_raters, (1, raters))
    return mean + levels + rng.normal(0, noise, (items, raters))


def test_where_only_raters_differ_it_is_the_t_test_of_their_means() -> None:
    severity = np.array([0.3, -0.2, 0.9, 0.5, 0.1, 0.6])
    one = found(np.tile(severity, (40, 1)))
    reference = stats.ttest_1samp(severity, 0.0)
    assert one.value == pytest.approx(severity.mean())
    assert one.p_value == pytest.approx(reference.pvalue)
    low, high = reference.confidence_interval(0.95)
    assert (one.interval.low, one.interval.high) == pytest.approx((low, high))
    assert (one.items, one.raters, one.effective) == (40, 6, pytest.approx(6))


def test_the_variance_is_that_of_analysis_of_variance() -> None:
    """Balanced: (items' mean square + raters' mean square - error's) / N, Searle, Casella and McCulloch 1992."""
    table = crossed(np.random.default_rng(3), 60, 12, 0.7, 0.5)
    items, raters = table.shape
    of_items = raters * table.mean(axis=1).var(ddof=1)
    of_raters = items * table.mean(axis=0).var(ddof=1)
    left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    error = (left**2).sum() / ((items - 1) * (raters - 1))
    anova = (of_items + of_raters - error) / table.size
    one = found(table)
    reach = (one.interval.high - one.interval.low) / 2
    ours = (reach / stats.t.ppf(0.975, 11)) ** 2
    assert ours == pytest.approx(anova, rel=0.05)


def test_items_that_are_copies_of_their_group_are_the_group() -> None:
    table = crossed(np.random.default_rng(7), 9, 12, 0.7, 0.4)
    item, rater = np.divmod(np.arange(table.size), 12)
    copies = np.repeat(table, 5, axis=0)
    many, who = np.divmod(np.arange(copies.size), 12)
    grouped = crossed_mean(copies.ravel(), many, who, confidence=0.95, bounds=WIDE, groups=(many // 5,))
    assert grouped.p_value == pytest.approx(
        crossed_mean(table.ravel(), item, rater, confidence=0.95, bounds=WIDE).p_value
    )
    assert grouped.items == 9


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (1, 20), (20, 1), (2, 20), (20, 2)])
def test_too_few_of_either_give_no_interval(shape: tuple[int, int]) -> None:
    one = found(np.random.default_rng(0).normal(size=shape))
    assert not one.interval.defined
    assert np.isnan(one.p_value)
    assert min(one.items, one.raters) < FEWEST


def test_what_does_not_vary_is_tested_by_its_signs() -> None:
    same = found(np.full((20, 8), -1.0), bounds=(-4, 4))
    assert same.p_value == pytest.approx(2 / 2**8)
    assert same.interval.low < -1
    assert same.interval.high == 0  # the p-value excludes it
    none = found(np.zeros((20, 8)), bounds=(-4, 4))
    assert none.p_value == 1
    assert none.interval.low < 0 < none.interval.high


def test_the_planted_mean_is_covered() -> None:
    rng = np.random.default_rng(12)
    held = []
    for _ in range(100):
        table = crossed(rng, 60, 12, 0.5, 0.6, mean=0.3)
        table[rng.random(table.shape) > 0.5] = np.nan
        one = found(table)
        held.append(one.interval.low <= 0.3 <= one.interval.high)
    assert np.mean(held) >= 0.9


def of_mean(values: np.ndarray, one: np.ndarray, other: np.ndarray, units: float, neutral: float = 0.0):
    influence = (values - values.mean()) / len(values)
    how = {"units": units, "neutral": neutral, "bounds": WIDE, "confidence": 0.95}
    return crossed_estimate(float(values.mean()), influence, one, other, **how)


def test_units_of_one_observation_each_give_the_t_test() -> None:
    values = np.random.default_rng(0).normal(0.4, 1, 20)
    interval, p_value = of_mean(values, np.arange(20), np.arange(20), 20, neutral=0.1)
    reference = stats.ttest_1samp(values, 0.1)
    low, high = reference.confidence_interval(0.95)
    assert p_value == pytest.approx(reference.pvalue)
    assert (interval.low, interval.high) == pytest.approx((low, high))


def test_estimates_that_do_not_vary_or_have_too_few_units() -> None:
    interval, p_value = of_mean(np.full(30, 2.0), np.arange(30) % 8, np.arange(30), 8)
    assert p_value == 2.0**-7
    assert interval.low == 0
    assert not of_mean(np.arange(5.0), np.arange(5) % 2, np.arange(5), 2)[0].defined


def ratings(seed, truth=0.0, sizes=(28, 4, 4, 4), each=6):
    """Raters of four groups, ten associations about each; groups of raters and of associations have their means."""
    rng = np.random.default_rng(seed)
    group, about = np.repeat(range(4), sizes), np.repeat(range(4), 10)
    rater = np.concatenate([rng.choice(len(group), each, replace=False) for _ in about])
    item = np.repeat(np.arange(len(about)), each)
    inside = group[rater] == about[item]
    level = rng.normal(0, 0.7, 4)[group][rater] + rng.normal(0, 0.7, 4)[about][item]
    return level + truth * inside + rng.normal(0, 0.5, len(rater)), inside, rater, item


def contrast(observed, inside, rater, item, needed=6):
    return crossed_contrast(observed, inside, rater, item, needed=needed, confidence=0.95, bounds=(-9.0, 9.0))


def test_a_contrast_is_that_of_least_squares_with_levels_of_raters_and_items():
    observed, inside, rater, item = ratings(1, truth=0.5)
    levels = [code[:, None] == np.unique(code) for code in (rater, item)]
    for needed, columns in ((6, levels), (10_000, levels[1:])):
        x = np.column_stack([inside, *columns]).astype(float)
        expected = np.linalg.lstsq(x, observed)[0][0]
        found = contrast(observed, inside, rater, item, needed)
        assert found.value == pytest.approx(expected, abs=1e-9)
        assert found.within == (needed == 6)
    shuffled = np.random.default_rng(0).permutation(len(observed))
    other = contrast(observed[shuffled], inside[shuffled], 7 - rater[shuffled], 3 * item[shuffled])
    assert other.interval.low == pytest.approx(contrast(observed, inside, rater, item).interval.low, abs=1e-9)


@pytest.mark.slow
def test_means_of_groups_are_no_contrast_and_a_planted_one_is_found():
    claims = [contrast(*ratings(seed)).p_value <= 0.05 for seed in range(30)]
    assert sum(claims) <= 5
    found = [contrast(*ratings(seed, truth=0.8)) for seed in range(20)]
    assert sum(one.interval.low <= 0.8 <= one.interval.high for one in found) >= 16
    assert sum(one.p_value <= 0.05 for one in found) >= 18


def test_contrasts_that_nothing_tells():
    rater, item = (codes.ravel() for codes in np.mgrid[0:8, 0:8])
    values = np.random.default_rng(2).normal(size=64)
    apart = contrast(values, item < 4, rater, item)
    assert (apart.items, np.isnan(apart.value), np.isnan(apart.p_value)) == (0, True, True)
    # Raters 6 and 7 are always inside, and all others about items 6 and 7 alone: levels tell who is inside.
    told = (rater >= 6) & (item >= 6)
    known = contrast(values[~told], (rater >= 6)[~told] | (item >= 6)[~told], rater[~told], item[~told])
    assert (known.items, known.within, np.isnan(known.value)) == (6, True, True)
    sides = contrast(values, rater < 3, rater, item)
    assert (sides.within, sides.raters, sides.items) == (False, 3, 8)
    one = contrast(values, (rater == 0) & (item == 0), rater, item)
    assert (one.within, one.raters, one.interval.defined) == (False, 1, False)
    still = contrast(np.ones(64), (rater + item) % 2 == 0, rater, item)
    assert (still.value, still.p_value) == (pytest.approx(0), 1.0)


def test_where_only_items_differ_the_degrees_of_freedom_are_those_of_the_raters() -> None:
    rng = np.random.default_rng(0)
    of_items = rng.normal(0.4, 1, 50)
    one = found(np.tile(of_items[:, None], (1, 8)))
    error = of_items.std(ddof=1) / 50**0.5
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(of_items.mean()) / error, 7))


def test_groups_of_items_that_never_recur_change_nothing() -> None:
    rng = np.random.default_rng(2)
    item, rater = np.nonzero(rng.random((30, 9)) < 0.6)
    values = rng.normal(0.2, 1, len(item)) + rng.normal(size=9)[rater]
    alone, once, twice = (
        crossed_mean(values, item, rater, confidence=0.95, bounds=WIDE, groups=groups)
        for groups in ((), (item + 5,), (item, 3 * item))
    )
    assert (alone.p_value, alone.interval.low) == pytest.approx((once.p_value, once.interval.low))
    assert (alone.p_value, alone.interval.low) == pytest.approx((twice.p_value, twice.interval.low))


@pytest.mark.slow
def test_observations_that_share_units_of_two_kinds_keep_the_level() -> None:
    rng = np.random.default_rng(2)
    alone, both = 0, 0
    for _ in range(200):
        one, other = rng.integers(0, 15, 90), rng.integers(0, 12, 90)
        values = rng.normal(0, 0.6, 15)[one] + rng.normal(0, 0.6, 12)[other] + rng.normal(0, 1, 90)
        both += of_mean(values, one, other, 12)[1] <= 0.05
        alone += stats.ttest_1samp(values, 0).pvalue <= 0.05
    assert both / 200 <= 0.08
    assert alone / 200 > 0.2
