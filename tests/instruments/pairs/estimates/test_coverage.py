"""Intervals and tests of preferences keep what they claim: worlds of `benchmarks/scenarios.toml`, ended once clear."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import judged, load_scenarios, measure
from endoxa.instruments.pairs.estimates import STATISTICS
from support.analyze_fixtures import clustered_differences, make_sample

SCENARIOS = {scenario.name: scenario for scenario in load_scenarios()}
UNEQUAL = {"sizes": "unequal", "correlation": 0.3}
WORLDS = [
    ("pairs.shares", {"identities": 8, "share": 0.7, **UNEQUAL}),
    ("pairs.shares", {"identities": 20, "share": 0.5, **UNEQUAL}),
    ("pairs.means", {"identities": 8, "skewed": False, "mean": 0.4, **UNEQUAL}),
    ("pairs.means", {"identities": 20, "skewed": True, "mean": 0.0, **UNEQUAL}),
    ("two-way.shares", {"design": "12 x 40", "share": 0.5, "deviations": (0.5, 0.5)}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sizes"), WORLDS)
def test_planted_values_are_covered_and_nothing_is_claimed_where_there_is_nothing(name, sizes):
    scenario = SCENARIOS[name]
    outcome = measure(scenario, scenario.estimate[0], sizes, 120, stop=True)
    assert judged(outcome, scenario.level) != "wrong"


def test_pairs_of_one_identity_are_no_independent_evidence():
    """With identities that differ, the interval that takes pairs as independent holds the truth too seldom."""
    rng = np.random.default_rng(8)
    held = np.zeros(2)
    for _ in range(60):
        difference, cluster = clustered_differences(rng, 8, ratio=0.7)
        sample = make_sample(difference, cluster=cluster, resamples=100)
        made = STATISTICS.get("preference_ratio").compute(sample, 0.95, 1)
        held += [estimate.low <= 0.7 <= estimate.high for estimate in made]
    naive, clustered = held / 60
    assert naive < 0.85 < clustered
