"""Reliabilities against published and hand-computed values; corrected correlations where the truth was planted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from endoxa.stats.attenuation import LEAST_RELIABILITY, attenuation_corrected, corrected_correlation
from endoxa.stats.reliability import halves_reliability, part_scores, reliability

pytestmark = pytest.mark.slow

JUDGES = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
"""Six targets rated by four judges (Shrout and Fleiss 1979, table 2)."""
PARTS = 6


def crossed(values: np.ndarray):
    """Scores of units whose parts are the same for all."""
    units, parts = values.shape
    return part_scores(np.repeat(np.arange(units), parts), np.tile(np.arange(parts), units), values.ravel())


def nested(values: np.ndarray):
    """Scores of units with parts of their own."""
    units, parts = values.shape
    return part_scores(np.repeat(np.arange(units), parts), np.arange(values.size), values.ravel())


def planted(seed, identities, correlation, reliabilities=(0.5, 0.9), each=5, within=0.3, parts=PARTS):
    """Two instruments whose latent strengths correlate; scores of both, and identities."""
    rng = np.random.default_rng([seed, identities, round(10 * correlation)])

    def strength():
        shared = np.repeat(rng.standard_normal(identities), each)
        return math.sqrt(within) * shared + math.sqrt(1 - within) * rng.standard_normal(identities * each)

    common = strength()
    scores = []
    for one in reliabilities:
        latent = math.sqrt(correlation) * common + math.sqrt(1 - correlation) * strength()
        noise = math.sqrt(parts * (1 - one) / one)
        values = latent[:, None] + noise * rng.standard_normal((len(latent), parts))
        scores.append(crossed(values + rng.standard_normal(parts)))
    return scores, np.repeat(np.arange(identities), each)


def corrected(*world):
    """The estimate of a planted world."""
    (one, two), cluster = planted(*world)
    return corrected_correlation(one, two, cluster)


def test_attenuation_by_hand():
    assert attenuation_corrected(0.3, 0.5, 0.6) == pytest.approx(0.3 / math.sqrt(0.3))
    assert attenuation_corrected(0.8, 0.5, 0.5) == pytest.approx(1.6), "not clipped at 1"


@pytest.mark.parametrize("unreliable", [0.0, -0.2, float("nan")])
def test_nothing_is_corrected_by_a_reliability_that_is_not_above_0(unreliable):
    assert math.isnan(attenuation_corrected(0.3, unreliable, 0.5))
    assert math.isnan(attenuation_corrected(0.3, 0.5, unreliable))


def spearman_brown(correlation: float) -> float:
    """Reliability of a score of two halves that correlate so."""
    return 2 * correlation / (1 + correlation)


def test_shared_parts_are_shrout_and_fleiss_third_case():
    assert halves_reliability(crossed(JUDGES)) == pytest.approx(0.9093, abs=5e-5)  # ICC(3, 4): .91


def test_parts_of_each_unit_alone_are_shrout_and_fleiss_first_case():
    assert halves_reliability(nested(JUDGES)) == pytest.approx(0.4428, abs=5e-5)  # ICC(1, 4): .44


def test_two_parts_of_equal_variance_are_spearman_and_browns():
    values = np.random.default_rng(3).standard_normal((40, 2)) + np.random.default_rng(4).standard_normal(
        (40, 1)
    )
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    stepped = float(spearman_brown(np.corrcoef(values.T)[0, 1]))
    assert halves_reliability(crossed(values)) == pytest.approx(stepped)


def test_random_halves_agree_with_all_halvings():
    rng = np.random.default_rng(5)
    values = rng.standard_normal((200, 1)) + rng.standard_normal((200, 6)) * 1.5
    halves = []
    for _ in range(200):
        order = rng.permutation(6)
        means = values[:, order[:3]].mean(axis=1), values[:, order[3:]].mean(axis=1)
        halves.append(float(spearman_brown(np.corrcoef(*means)[0, 1])))
    assert np.mean(halves) == pytest.approx(halves_reliability(crossed(values)), abs=0.01)


def test_a_missing_shared_part_moves_no_score():
    unit, part = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
    value = unit + 10.0 * (part == 0)
    kept = ~((unit == 4) & (part == 0))
    whole, lacking = (part_scores(unit[k], part[k], value[k]) for k in (slice(None), kept))
    assert np.ptp(whole.mean - np.arange(12)) == pytest.approx(0)
    assert np.ptp(lacking.mean - np.arange(12)) == pytest.approx(0)
    assert lacking.within == pytest.approx(0, abs=1e-12)


def test_within_variance_by_hand():
    scores = part_scores(np.array([0, 0, 1, 1, 1]), np.arange(5), np.array([1.0, 3.0, 0.0, 0.0, 3.0]))
    assert scores.mean.tolist() == [2.0, 1.0]
    assert scores.product.tolist() == [3.0, 0.0]
    assert scores.freedom == 3
    assert scores.within == pytest.approx((2 + 6) / 3)


def test_reliability_and_its_interval_hold_what_was_planted():
    found = []
    for seed in range(200):
        (one, _), cluster = planted(seed, 20, 0.5, (0.7, 0.9))
        told = reliability(one, cluster)
        found.append((told.value, told.interval.low <= 0.7 <= told.interval.high))
    values, covered = np.array(found).T
    assert values.mean() == pytest.approx(0.7, abs=0.02)
    assert 0.90 <= covered.mean() <= 0.99


@pytest.mark.parametrize(("correlation", "identities"), [(0.0, 20), (0.6, 10), (1.0, 60)])
def test_intervals_hold_the_planted_correlation(correlation, identities):
    covered, repeats = [], 120
    for seed in range(repeats):
        (one, two), cluster = planted(seed, identities, correlation)
        found = corrected_correlation(one, two, cluster)
        if not found.uncorrectable:
            covered.append(found.interval.low <= correlation <= found.interval.high)
    # Of 10 identities a reliability of 0.5 is not always known to be above 0.1.
    assert len(covered) >= 0.5 * repeats
    # 95 % give or take four standard errors; benchmarks/coverage.py measures it closely.
    assert abs(np.mean(covered) - 0.95) <= 4 * math.sqrt(0.95 * 0.05 / len(covered))


def test_estimates_are_those_planted():
    values = [corrected(seed, 60, 0.6).value for seed in range(60)]
    assert np.mean(values) == pytest.approx(0.6, abs=0.03)


def test_false_claims_are_fewer_than_one_in_twenty():
    claimed = []
    for seed in range(300):
        (one, two), cluster = planted(seed, 20, 0.0, (0.7, 0.8))
        claimed.append(corrected_correlation(one, two, cluster, seed=seed).p_value <= 0.05)
    assert np.mean(claimed) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


def test_unit_sign_and_order_do_not_matter():
    (one, two), cluster = planted(1, 20, 0.6)
    found = corrected_correlation(one, two, cluster)
    order = np.random.default_rng(0).permutation(len(cluster))
    again = corrected_correlation(one.take(order), two.take(order), 7 - cluster[order])
    assert again.value == pytest.approx(found.value)
    assert again.interval.low == pytest.approx(found.interval.low)

    rng = np.random.default_rng(8)
    values = rng.standard_normal((100, 1)) + rng.standard_normal((100, 6))
    usual, other = crossed(values), crossed(-3 * values + 5)
    left, right = (corrected_correlation(two, own, cluster) for own in (usual, other))
    assert right.raw == pytest.approx(-left.raw)
    assert right.value == pytest.approx(-left.value)
    assert right.interval.low == pytest.approx(-left.interval.high)
    assert right.reliability_2 == pytest.approx(left.reliability_2)


def test_interval_and_test_agree():
    for seed in range(80):
        found = corrected(seed, 12, 0.3)
        for interval in () if found.uncorrectable else (found.interval, found.raw_interval):
            low, high = interval.low, interval.high
            assert low <= 0 <= high if found.p_value > 0.05 else not low < 0 < high


def test_more_than_the_reliabilities_allow_is_said_and_not_clipped():
    found = corrected(3, 60, 1.0)
    assert found.interval.low < 1 < found.interval.high
    assert max(corrected(seed, 20, 1.0).value for seed in range(20)) > 1


def test_errors_that_both_share_lift_it_above_1():
    rng = np.random.default_rng(2)
    shared = rng.standard_normal((200, 1))
    one, two = (crossed(shared + rng.standard_normal((200, 4))) for _ in range(2))
    noise = rng.standard_normal(200)
    one.mean[:], two.mean[:] = one.mean + noise, two.mean + noise  # an error of the means that no part shows
    assert corrected_correlation(one, two, np.repeat(np.arange(40), 5)).value > 1


def test_one_part_cannot_be_corrected():
    (one, _), cluster = planted(1, 20, 0.6)
    single = crossed(np.random.default_rng(1).standard_normal((100, 1)))
    found = corrected_correlation(one, single, cluster, names=("pairs", "tests"))
    assert "tests" in found.uncorrectable
    assert "one part per association" in found.uncorrectable
    assert math.isnan(found.value)
    assert math.isfinite(found.raw)
    assert math.isfinite(found.raw_interval.low)
    assert found.untestable == ""


def test_a_reliability_of_0_or_less_cannot_be_corrected():
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((100, 2))
    (one, _), cluster = planted(1, 20, 0.6)
    opposed = crossed(np.column_stack([noise[:, 0], -noise[:, 0] + 0.1 * noise[:, 1]]))
    found = corrected_correlation(one, opposed, cluster)
    assert "too low" in found.uncorrectable
    assert math.isnan(found.value)
    assert math.isnan(found.interval.low)


@pytest.mark.parametrize(
    ("identities", "reliable", "least", "most"),
    [(60, 0.02, 0, 0.05), (60, LEAST_RELIABILITY, 0, 0.1), (400, 0.2, 0.9, 1), (20, 0.7, 0.95, 1)],
)
def test_only_what_is_known_to_be_reliable_is_corrected(identities, reliable, least, most):
    reliably = []
    for seed in range(40):
        found = corrected(seed, identities, 0.6, (reliable, 0.9))
        reliably.append(not found.uncorrectable)
        assert math.isfinite(found.value) == (not found.uncorrectable)
        if found.uncorrectable:
            assert "the first instrument is too low or too uncertain" in found.uncorrectable
    assert least <= np.mean(reliably) <= most


def test_a_constant_instrument_cannot_be_tested():
    (one, _), cluster = planted(1, 20, 0.6)
    found = corrected_correlation(one, crossed(np.ones((100, 3))), cluster)
    assert "the same for all associations" in found.untestable
    assert math.isnan(found.raw)
    assert reliability(crossed(np.ones((100, 3))), cluster).reason


@pytest.mark.parametrize(
    ("identities", "each", "reason"),
    [
        (1, 100, "1 identity, at least 6"),
        (5, 20, "5 identities, at least 6"),
        (9, 1, "9 associations, at least 10"),
    ],
)
def test_too_few_are_said_to_be_too_few(identities, each, reason):
    (one, two), cluster = planted(1, identities, 0.6, each=each)
    found = corrected_correlation(one, two, cluster)
    assert reason in found.untestable
    assert math.isnan(found.interval.low)
    assert math.isnan(found.p_value)
    assert math.isfinite(found.raw)


def test_the_same_values_twice_correlate_fully_and_have_no_error():
    values = np.random.default_rng(1).standard_normal((100, 1)).repeat(3, axis=1)
    found = corrected_correlation(crossed(values), crossed(values), np.repeat(np.arange(20), 5))
    assert found.value == pytest.approx(1)
    assert "no measure of error" in found.untestable


def test_a_corrected_correlation_has_two_finite_ends():
    for seed in range(40):
        found = corrected(seed, 7, 0.6, (0.5, 0.5), 3)
        ends = (found.interval.low, found.interval.high)
        assert found.uncorrectable or all(map(math.isfinite, ends))
