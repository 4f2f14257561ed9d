"""Intervals cover the planted truth as often as they claim, and tests on null data keep their level.

As a test it repeats a small part of what it prints as a program, in a minute: the table of docs/methods/identities.md

    PYTHONPATH=tests python tests/instruments/pairs/estimates/test_coverage.py
"""

import numpy as np
import pytest

from endoxa.instruments.pairs.estimates import STATISTICS
from endoxa.stats.verdicts import adjust
from support.analyze_fixtures import clustered_differences, make_sample

RATIO, MEAN = STATISTICS.get("preference_ratio"), STATISTICS.get("mean_difference")


def simulate(statistic, identities, repeats, *, ratio=None, mean=0.0, icc=0.2, resamples=600):
    """Per method: how often the interval held the truth, and how often p was at most 0.05."""
    truth = mean if ratio is None else ratio
    covered, significant = np.zeros(2), np.zeros(2)
    rng = np.random.default_rng(identities)
    for _ in range(repeats):
        difference, cluster = clustered_differences(rng, identities, ratio=ratio, mean=mean, icc=icc)
        sample = make_sample(difference, cluster=rng.permutation(identities)[cluster], resamples=resamples)
        for index, estimate in enumerate(statistic.compute(sample, 0.95, 1)):
            covered[index] += estimate.low <= truth <= estimate.high
            significant[index] += estimate.p_value <= 0.05
    return covered / repeats, significant / repeats


@pytest.mark.slow
@pytest.mark.parametrize("identities", [8, 20, 60])
@pytest.mark.parametrize("ratio", [0.5, 0.7])
def test_the_identity_bootstrap_covers_a_planted_ratio(identities, ratio):
    (naive, clustered), (_, rejected) = simulate(RATIO, identities, 250, ratio=ratio)
    assert 0.90 <= clustered <= 0.99
    assert naive < 0.90  # pairs are not independent, and the interval that thinks so is too narrow
    if ratio == 0.5:
        assert rejected <= 0.09


@pytest.mark.slow
@pytest.mark.parametrize("identities", [8, 20])
def test_the_identity_bootstrap_covers_a_planted_mean(identities):
    (_, clustered), _ = simulate(MEAN, identities, 250, mean=0.4)
    assert 0.90 <= clustered <= 0.99
    _, (naive, rejected) = simulate(MEAN, identities, 250)
    assert rejected <= 0.09
    assert naive > 0.10


def test_independent_pairs_are_covered_by_the_simple_interval():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        estimate = RATIO.compute(make_sample(rng.normal(0.3, 1, 80), resamples=100), 0.95, 1)[0]
        held += estimate.low <= 0.6179 <= estimate.high  # P(N(0.3, 1) > 0)
    assert 0.92 <= held / 300 <= 0.98


@pytest.mark.slow
def test_false_discoveries_stay_under_their_bound():
    """Families of 30 cells, 20 of them without any preference: at most 5 % of the discoveries are false."""
    rng = np.random.default_rng(9)
    shares = []
    for _ in range(40):
        p_values = []
        for cell in range(30):
            ratio = 0.5 if cell < 20 else 0.85
            difference, cluster = clustered_differences(rng, 20, ratio=ratio, icc=0.1)
            p_values.append(
                RATIO.compute(make_sample(difference, cluster=cluster, resamples=200), 0.95, 1)[1].p_value
            )
        found = adjust(p_values) <= 0.05
        shares.append(found[:20].sum() / max(1, found.sum()))
    assert np.mean(shares) <= 0.05 + 2 * np.std(shares) / np.sqrt(len(shares))


if __name__ == "__main__":
    for identities in (5, 8, 20, 60):
        for name, statistic, truth in (
            ("ratio 0.5", RATIO, {"ratio": 0.5}),
            ("ratio 0.7", RATIO, {"ratio": 0.7}),
            ("mean 0", MEAN, {"mean": 0.0}),
        ):
            for icc in (0.02, 0.2):
                coverage, level = simulate(statistic, identities, 2000, icc=icc, resamples=2000, **truth)
                print(identities, name, f"icc {icc}", "coverage", coverage, "p <= 0.05", level, flush=True)
