"""Means for a stated population: worked by hand, equal to weighting by strata, planted truths, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from campaign_simulation.population import FAR, IN, NEAR, Answer, Group, shares_of, weighted_mean
from endoxa_collect import geography


def rated(place, values, country="AR", tone="kind", start=0):
    return [Answer(start + n, country, tone, place, value) for n, value in enumerate(values)]


def test_worked_by_hand():
    # Three from there say 5, two near say 3 on average, five far say 1; of the population a tenth, 0.3, 0.6.
    answers = [
        *rated(IN, [5] * 5),
        *rated(NEAR, [2, 4, 3, 3, 3], start=10),
        *rated(FAR, [1] * 5, start=20),
    ]
    found = weighted_mean(answers, [Group("AR", "kind", 7, {IN: 0.1, NEAR: 0.3, FAR: 0.6})])
    assert found == pytest.approx(0.1 * 5 + 0.3 * 3 + 0.6 * 1)


def test_equal_to_weights_by_stratum():
    """Holt and Smith's estimator is the mean with weights share / number of its stratum."""
    rng = np.random.default_rng(4)
    sizes, shares = {IN: 40, NEAR: 25, FAR: 9}, {IN: 0.05, NEAR: 0.25, FAR: 0.7}
    answers, weights = [], []
    for place, size in sizes.items():
        answers += rated(place, rng.integers(1, 6, size).tolist(), start=len(answers))
        weights += [shares[place] / size] * size
    expected = DescrStatsW([one.value for one in answers], weights=weights).mean
    assert weighted_mean(answers, [Group("AR", "kind", 3, shares)]) == pytest.approx(expected)


def test_each_pair_counts_once_however_many_ratings_it_has():
    answers = [*rated(FAR, [1] * 100), *rated(FAR, [5] * 5, country="CL", start=200)]
    groups = [Group("AR", "kind", 1, {FAR: 1.0}), Group("CL", "kind", 3, {FAR: 1.0})]
    assert weighted_mean(answers, groups) == pytest.approx(4.0)


def test_too_few_ratings_are_borrowed_from_all_countries_of_the_tone_then_from_all_tones():
    answers = [*rated(FAR, [2] * 6), *rated(FAR, [5] * 2, country="CL", start=50)]
    assert weighted_mean(answers, [Group("CL", "kind", 1, {FAR: 1.0})]) == pytest.approx((6 * 2 + 2 * 5) / 8)
    assert weighted_mean(answers, [Group("CL", "unkind", 1, {FAR: 1.0})]) == pytest.approx(2.75)


def test_what_nobody_was_asked_is_not_made_up():
    answers = rated(IN, [5] * 6)
    assert math.isnan(weighted_mean(answers, [Group("AR", "kind", 1, {IN: 0.5, FAR: 0.5})]))
    assert weighted_mean(answers, [Group("AR", "kind", 1, {IN: 1.0, FAR: 0.0})]) == 5
    assert math.isnan(weighted_mean([], []))
    assert weighted_mean(rated(IN, [4]), [Group("AR", "kind", 1, {IN: 1.0})]) == 4
    unknown = Group("AR", "kind", 1, dict.fromkeys((IN, NEAR, FAR), math.nan))
    assert math.isnan(weighted_mean(answers, [unknown]))


@pytest.mark.parametrize(("pairs", "shares"), [(-1, {IN: 1.0}), (1, {IN: 0.5, FAR: 0.4}), (1, {})])
def test_shares_and_numbers_that_cannot_be(pairs, shares):
    with pytest.raises(ValueError, match="shares that add up to 1"):
        weighted_mean([], [Group("AR", "kind", pairs, shares)])


def test_a_planted_truth_is_met():
    """People from there mostly rate, who know more: the plain mean is a point too high."""
    rng = np.random.default_rng(8)
    truth = {IN: 4.5, NEAR: 3.5, FAR: 2.0}
    shares = {IN: 0.02, NEAR: 0.18, FAR: 0.8}
    errors = []
    for _ in range(60):
        answers = []
        for person in range(120):
            place = (IN, NEAR, FAR)[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
            own = 0.4 * rng.standard_normal()
            answers += [
                Answer(person, "AR", "kind", place, truth[place] + own + rng.standard_normal())
                for _ in range(4)
            ]
        found = weighted_mean(answers, [Group("AR", "kind", 1, shares)])
        errors.append(found - sum(shares[place] * truth[place] for place in shares))
    assert abs(np.mean(errors)) < 0.05


def test_without_an_effect_weights_change_nothing():
    answers = [*rated(IN, [3] * 9), *rated(NEAR, [3] * 5, start=20), *rated(FAR, [3] * 5, start=40)]
    found = weighted_mean(answers, [Group("AR", "kind", 2, {IN: 0.1, NEAR: 0.1, FAR: 0.8})])
    assert found == pytest.approx(3)


@given(
    st.dictionaries(st.sampled_from(["AR", "CL", "UY", "BR", "KE"]), st.floats(0.01, 1e6), min_size=1),
    st.sampled_from(["AR", "JP"]),
)
def test_shares_add_up_and_follow_the_neighbours(weights, country):
    found = shares_of(country, weights, geography.neighbours)
    assert sum(found.values()) == pytest.approx(1)
    assert found[IN] == pytest.approx(weights.get(country, 0) / sum(weights.values()))
    if country == "AR":
        beside = sum(weight for code, weight in weights.items() if code in {"CL", "UY", "BR"})
        assert found[NEAR] == pytest.approx(beside / sum(weights.values()))
