"""Two kinds of units: an independent implementation, planted worlds, nested designs, and what is no sample."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

from endoxa.stats.intervals import clustered_mean, clustered_share
from endoxa.stats.signs import sign_flip_test, sign_test
from endoxa.stats.two_way import two_way


def world(groups: int, words: int, seed: int, *, filled: float = 1.0, shift: float = 0.0):
    """A number for each pair, its identity and its word: both matter, and so does chance."""
    rng = np.random.default_rng(seed)
    group, word = (codes.ravel() for codes in np.mgrid[0:groups, 0:words])
    kept = rng.random(len(group)) < filled
    group, word = group[kept], word[kept]
    values = shift + rng.normal(0, 0.7, groups)[group] + rng.normal(0, 0.5, words)[word]
    return values + rng.normal(size=len(group)), group, word


@pytest.mark.parametrize(
    ("groups", "words", "filled"),
    [(30, 10, 1), (12, 40, 1), (8, 8, 1), (40, 60, 0.2), (9, 20, 1), (30, 10, 0.5)],
)
def test_the_reference_implementation_gives_the_same(shared, groups, words, filled):
    reference = runpy.run_path(str(shared / "bin" / "two_way.py"))["two_way"]
    for seed, shift in enumerate((0.0, 0.3, 0.8)):
        values, group, word = world(groups, words, seed, filled=filled, shift=shift)
        for numbers, neutral, bounds in ((values, 0.0, None), ((values > 0).astype(float), 0.5, (0, 1))):
            interval, p_value, _ = reference(numbers, group, word, neutral=neutral, share=bounds is not None)
            ours = two_way(numbers, group, word, neutral=neutral, bounds=bounds, confidence=0.95)
            # Above 14 units both draw 10,000 patterns of signs.
            assert ours.p_value == pytest.approx(p_value, abs=0.02)
            ends = (ours.interval.low, ours.interval.high)
            assert ends == pytest.approx((interval.low, interval.high), abs=0.01)
            assert (ours.first, ours.second, ours.sampled) == (groups, words, "both")


def test_words_that_never_recur_leave_the_decision_to_identities():
    values, group, _ = world(12, 10, 3, shift=0.2)
    sides = np.sign(values)
    unique = np.arange(len(values))
    share = two_way((1 + sides) / 2, group, unique, neutral=0.5, bounds=(0, 1), confidence=0.95)
    totals = np.bincount(group, sides)
    assert share.p_value == sign_flip_test(totals)
    expected = clustered_share(np.full(12, 10.0), (10 + totals) / 2, float(((1 + sides) / 2).var()), 0.95)
    assert share.interval.low == pytest.approx(max(expected.low, 0.5))
    assert share.sampled == "both"
    mean = two_way(values + 1, unique, group, neutral=0.0, confidence=0.95)
    expected = clustered_mean(np.full(12, 10.0), np.bincount(group, values + 1), 0.95)
    assert (mean.interval.low, mean.interval.high) == pytest.approx((expected.low, expected.high))


def test_a_lean_in_few_words_shared_by_many_identities_is_no_preference():
    _, group, word = world(30, 10, 0)
    leaning = (word < 8).astype(float)
    assert sign_flip_test(np.bincount(group, leaning - 0.5)) < 1e-8
    assert two_way(leaning, group, word, neutral=0.5, bounds=(0, 1), confidence=0.95).p_value > 0.1


@pytest.mark.parametrize(
    ("groups", "words", "sampled"), [(5, 30, "second"), (30, 5, "first"), (5, 5, "none")]
)
def test_too_few_units_are_taken_as_they_are(groups, words, sampled):
    values, group, word = world(groups, words, 1, shift=0.3)
    result = two_way(values, group, word, neutral=0.0, confidence=0.95)
    assert result.sampled == sampled
    decides = word if sampled == "second" else group
    assert result.p_value == sign_flip_test(np.bincount(decides, values))


def test_ties_everywhere_are_no_evidence():
    _, group, word = world(8, 8, 0)
    result = two_way(np.full(64, 0.5), group, word, neutral=0.5, bounds=(0, 1), confidence=0.95)
    assert np.isnan(result.p_value)
    assert result.informative == 0


def test_single_observations_are_a_sign_test():
    sides = np.array([1.0] * 9 + [-1.0])
    unique = np.arange(10)
    result = two_way((1 + sides) / 2, unique, unique, neutral=0.5, bounds=(0, 1), confidence=0.95)
    assert result.p_value == pytest.approx(sign_test(9, 1))


@pytest.mark.parametrize(("groups", "words", "power"), [(30, 10, 0.55), (12, 40, 0.65)])
def test_the_level_holds_where_both_kinds_differ(groups, words, power):
    """Worlds of the guide to inference, which measured 0.05 false claims and power 0.64 and 0.74 at a share of 0.7."""
    rng = np.random.default_rng(5)
    group, word = (codes.ravel() for codes in np.mgrid[0:groups, 0:words])

    def claims(shift: float, worlds: int = 200) -> float:
        rejected = 0
        for _ in range(worlds):
            latent = (
                shift * np.sqrt(1.5) + rng.normal(0, 0.5, groups)[group] + rng.normal(0, 0.5, words)[word]
            )
            values = (latent + rng.normal(size=len(group)) > 0).astype(float)
            result = two_way(values, group, word, neutral=0.5, bounds=(0, 1), confidence=0.95)
            rejected += result.p_value <= 0.05
        return rejected / worlds

    assert claims(0.0) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
    assert claims(0.5244) >= power
