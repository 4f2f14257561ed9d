"""Krippendorff's alpha: the published worked examples, the library, the bootstrap, and planted agreement."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from endoxa.stats.agreement import (
    COEFFICIENTS,
    LEVELS,
    agreeing_pairs,
    agreement_interval,
    alpha,
    alpha_interval,
    alphas,
    cohen_kappa,
    coincidences,
)
from endoxa.stats.intervals import Interval

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
WORKED = ("111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3")
NUMBERS = np.arange(1, 6)


def counts_of(units: tuple[str, ...] | list[str], values: str = "12345") -> np.ndarray:
    return np.array([[unit.count(value) for value in values] for unit in units]).reshape(-1, len(values))


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_worked_example(level: str, value: float) -> None:
    assert alpha(counts_of(WORKED), level, NUMBERS) == pytest.approx(value, abs=5e-4)


@pytest.mark.slow
@given(
    st.sampled_from(LEVELS),
    st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=25),
    st.lists(st.floats(0, 50), min_size=4, max_size=4, unique=True),
)
def test_alpha_is_that_of_the_library(level: str, units: list[list[int]], values: list[float]) -> None:
    domain = np.sort(values)
    assume(np.diff(domain).min() > 1e-3)
    counts = np.array([[unit.count(code) for code in range(4)] for unit in units])
    paired = counts[counts.sum(axis=1) >= 2]
    found = alpha(counts, level, domain)
    if (paired.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(found)
        return
    theirs = krippendorff.alpha(value_counts=paired, value_domain=domain, level_of_measurement=level)
    assert found == pytest.approx(theirs, abs=1e-9)


@given(st.integers(0, 1000), st.sampled_from(["nominal", "ordinal"]))
def test_weights_repeat_items(seed: int, level: str) -> None:
    random = np.random.default_rng(seed)
    counts, weights = random.integers(0, 3, (8, 4)), random.integers(0, 4, 8)
    assume(weights.sum() > 0)
    once = alpha(np.repeat(counts, weights, axis=0), level)
    assert alpha(counts, level, weights=weights) == pytest.approx(once, nan_ok=True)
    totals = (weights[None] @ coincidences(counts).reshape(8, -1)).reshape(1, 4, 4)
    assert alphas(totals, level)[0] == pytest.approx(once, nan_ok=True)


def test_what_does_not_vary_and_what_is_alone_has_no_alpha() -> None:
    for counts in ([[3, 0], [2, 0]], [[1, 0], [0, 1]], [[0, 0]]):
        for level in LEVELS:
            assert np.isnan(alpha(np.array(counts), level, np.arange(1, 3)))
    assert np.isnan(alpha(np.zeros((0, 0), dtype=int)))
    with pytest.raises(ValueError, match="as numbers"):
        alpha(np.eye(3, dtype=int) * 2, "interval")


def test_agreement_is_the_share_of_agreeing_pairs() -> None:
    assert agreeing_pairs(counts_of(["112"])) == pytest.approx(1 / 3)
    assert agreeing_pairs(counts_of(["112", "22", "1"])) == pytest.approx((1 / 3 + 1) / 2)
    assert agreeing_pairs(counts_of(["112", "22"]), np.array([3, 1])) == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert np.isnan(agreeing_pairs(counts_of(["1"])))


def test_the_interval_covers_the_true_alpha() -> None:
    # Two raters read a coin and each answers at random with chance e: alpha is (1 - e)^2.
    random, error, held = np.random.default_rng(3), 0.3, 0
    for repeat in range(100):
        truth = random.integers(0, 2, 300)
        votes = [np.where(random.random(300) < error, random.integers(0, 2, 300), truth) for _ in range(2)]
        ones = votes[0] + votes[1]
        weights = np.bincount(ones, minlength=3)
        found = alpha_interval(np.array([[2, 0], [1, 1], [0, 2]]), weights, 0.95, resamples=1000, seed=repeat)
        held += found.low <= (1 - error) ** 2 <= found.high
    assert 88 <= held <= 99


@pytest.mark.parametrize("weights", [[4, 0, 0], [3, 1, 0], [0, 0, 0], [60, 0, 0]])
def test_too_few_items_and_those_that_do_not_vary_have_no_interval(weights: list[int]) -> None:
    counts = np.array([[2, 0], [1, 1], [0, 1]])
    assert not alpha_interval(counts, np.array(weights), 0.95, resamples=200, seed=0).defined


def test_kappa_of_cohen_1960() -> None:
    """His table 1: two judges, three categories, 200 cases, kappa 0.492."""
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    first = np.repeat([0, 1, 2], table.sum(axis=1))
    second = np.concatenate([np.repeat([0, 1, 2], row) for row in table])
    assert cohen_kappa(np.column_stack([first, second])) == pytest.approx(0.492, abs=5e-4)
    assert np.isnan(cohen_kappa(np.ones((4, 2))))


def interval_of(name: str, votes: np.ndarray, parts: int = 2000) -> Interval:
    return agreement_interval(COEFFICIENTS.get(name), votes, "nominal", None, confidence=0.95, parts=parts)


def test_the_interval_is_the_jackknife_with_and_without_one_more_rare_item() -> None:
    codes = np.array([[0, 0]] * 7 + [[0, 1], [1, 1], [1, 0], [0, 0], [1, 1]])
    ends = []
    for votes in (codes, np.vstack([codes, [[1, 1]]])):
        n = len(votes)
        left = np.array([cohen_kappa(np.delete(votes, item, axis=0)) for item in range(n)])
        error = np.sqrt((n - 1) / n * np.square(left - left.mean()).sum())
        reach = stats.t.ppf(0.975, n - 1) * error
        ends.append((cohen_kappa(votes) - reach, cohen_kappa(votes) + reach))
    found = interval_of("cohen_kappa", codes)
    assert found.low == pytest.approx(max(-1, min(low for low, _ in ends)))
    assert found.high == pytest.approx(min(1, max(high for _, high in ends)))


def test_percent_agreement_has_an_exact_interval_also_where_all_agree() -> None:
    counts = np.array([[2, 0]] * 12)
    found = interval_of("percent_agreement", counts)
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 12)), 1.0)
    assert not interval_of("krippendorff_alpha", np.array([[2, 0], [0, 2]] * 6)).defined
