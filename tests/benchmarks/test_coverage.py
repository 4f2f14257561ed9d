"""Scenarios of `benchmarks/scenarios.toml`, small: each runs, and none shows a clear fault."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import Outcome, Scenario, cells, judged, load_scenarios, measure
from benchmarks.worlds import Reading
from support.repository import ROOT

pytestmark = pytest.mark.slow

SCENARIOS = {scenario.name: scenario for scenario in load_scenarios()}
SMALL = [scenario for scenario in SCENARIOS.values() if not scenario.file]
CHECKED = ["leniency.level", "questions.level", "encoders.level", "gate.crossed", "harm.level"]
"""Scenarios whose level is looked at, with few draws, in their first world."""


def first_world(scenario: Scenario) -> tuple[str, Mapping[str, Any]]:
    row, world = next(product(cells(scenario.rows), cells(scenario.worlds)))
    return scenario.estimate[0], {**row, **world}


@pytest.mark.parametrize("scenario", SMALL, ids=lambda scenario: scenario.name)
def test_every_scenario_runs(scenario: Scenario) -> None:
    _, sizes = first_world(scenario)
    for estimate in scenario.estimate:
        outcome = measure(scenario, estimate, sizes, 1)
        assert outcome.draws == 1
        assert 0 <= outcome.claims <= 1


@pytest.mark.parametrize("name", CHECKED)
def test_no_scenario_is_clearly_wrong(name: str) -> None:
    scenario = SCENARIOS[name]
    estimate, sizes = first_world(scenario)
    assert judged(measure(scenario, estimate, sizes, 40, stop=True), scenario.level) != "wrong"


def test_pages_name_their_scenarios_and_no_other() -> None:
    named = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        commands = re.findall(r"benchmarks/coverage\.py\s+([^`]*)`", path.read_text(encoding="utf-8"))
        words = re.sub(r"--\w+ \S+", "", " ".join(commands)).split()
        named[path.relative_to(ROOT).as_posix()] = words
        for word in words:
            assert any(name.startswith(word) for name in SCENARIOS), (path.name, word)
    for scenario in SCENARIOS.values():
        assert scenario.name.startswith(tuple(named[scenario.page])), scenario.name


@pytest.mark.parametrize(
    ("claims", "covered", "draws", "verdict"),
    [(0.5, 0.95, 100, "wrong"), (0.0, 0.5, 100, "wrong"), (0.0, 1.0, 300, "right"), (0.1, 0.9, 100, "")],
)
def test_a_rate_is_clear_where_its_interval_leaves_the_limit(
    claims: float, covered: float, draws: int, verdict: str
) -> None:
    assert judged(Outcome(draws, claims, covered, 1.0, 1.0, null=True), 0.05) == verdict


def test_a_clear_world_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    always = {"draw": lambda rng: rng, "estimate": lambda _: Reading(1.0)}
    monkeypatch.setattr(coverage, "function", always.__getitem__)
    scenario = Scenario("always", "", "draw", ("estimate",), truth="none", neutral=0.0)
    assert measure(scenario, "estimate", {}, 500, stop=True).draws == coverage.BATCH
    assert measure(scenario, "estimate", {}, 50).draws == 50


def test_coverage_counts_intervals_that_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(
        [Reading(0, -1.0, 1.0), Reading(0), Reading(0, 1.0, 2.0), Reading(1, [-1.0, np.nan], [1.0, 1.0])]
    )
    monkeypatch.setattr(
        coverage, "function", {"draw": lambda rng: rng, "estimate": lambda _: next(readings)}.get
    )
    outcome = measure(Scenario("some", "", "draw", ("estimate",), truth=0.0), "estimate", {}, 4)
    assert (outcome.claims, outcome.covered, outcome.given) == (0.25, pytest.approx(2 / 3), 0.75)
