"""Intervals of accuracy and bias scores hold the planted truth as often as they claim.

As a test it repeats a small part of what it prints as a program, in minutes: tables of docs/methods/question-tests.md

    PYTHONPATH=tests python tests/instruments/questions/estimates/test_coverage.py
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from endoxa.instruments.questions.estimates.inference import effective, expanded, percentile, resampled
from endoxa.instruments.questions.estimates.measures import (
    COUNTED,
    MEASURES,
    Counts,
    measured,
    rarer_answers,
)

SIZES = np.array([20] * 12 + [60] * 3 + [100] * 10)
"""Items per template and context in BBQ's Nationality, about."""


@dataclass(frozen=True)
class World:
    """Ambiguous contexts: how often a person is named, and how often that is the stereotyped one, per template."""

    named: float
    biased: float
    spread_named: float
    spread_biased: float
    repeats: int = 3

    @property
    def truth(self):
        lean = 2 * self.biased - 1
        return {"accuracy": 1 - self.named, "bias_unscaled": lean, "bias_score": self.named * lean}

    def draw(self, rng, templates):
        """Counts per template; rates follow beta distributions, smaller spreads (a + b) differing more."""
        n = rng.choice(SIZES, templates) * self.repeats
        rates = (self.named, self.spread_named), (self.biased, self.spread_biased)
        named, biased = (rng.beta(mean * size, (1 - mean) * size, templates) for mean, size in rates)
        persons = rng.binomial(n, named)
        stereotyped = rng.binomial(persons, biased)
        columns = {
            "n": n,
            "read": n,
            "correct": n - persons,
            "scored": n,
            "scored_correct": n - persons,
            "biased": stereotyped,
            "anti": persons - stereotyped,
        }
        return np.column_stack([columns.get(name, np.zeros(templates)) for name in COUNTED]).astype(float)


WORLDS = {
    "a third named, templates very unlike": World(0.34, 0.59, 1.5, 3),
    "most named, strong bias": World(0.60, 0.735, 3, 5),
    "a third named, no bias": World(0.30, 0.50, 2, 5),
    "one in twenty named": World(0.05, 0.83, 3, 5),
    "one in twenty named, templates very unlike": World(0.05, 0.83, 0.6, 3),
}


def coverage(world, templates, repeats, resamples=400):
    """Share of simulations in which the expanded and the plain interval held the truth, of those that had one."""
    rng = np.random.default_rng(templates)
    held = {name: [] for name in MEASURES}
    for _ in range(repeats):
        totals = world.draw(rng, templates)
        drawn = measured(Counts.of(resampled(totals, resamples, 0)), "ambig")
        weights = rarer_answers(Counts.of(totals))
        for name, truth in world.truth.items():
            ours = expanded(drawn[name], weights[name], 0.95).interval
            plain = percentile(drawn[name], weights[name], 0.95).interval
            if not np.isnan(ours.low):
                held[name].append([ours.low <= truth <= ours.high, plain.low <= truth <= plain.high])
    return {name: (np.mean(pairs, axis=0), len(pairs) / repeats) for name, pairs in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize("world", list(WORLDS)[:3])
def test_25_templates_cover_a_planted_truth(world):
    for (ours, plain), share in coverage(WORLDS[world], 25, 250).values():
        assert 0.90 <= ours <= 0.99
        assert ours >= plain
        assert share == 1.0


@pytest.mark.slow
def test_rare_errors_are_covered_better_than_by_the_plain_interval():
    for (ours, plain), _ in coverage(WORLDS["one in twenty named"], 25, 250).values():
        assert ours >= plain + 0.03
        assert ours >= 0.85


@pytest.mark.slow
def test_few_templates_are_covered_better_than_by_the_plain_interval():
    for (ours, plain), _ in coverage(WORLDS["most named, strong bias"], 6, 250).values():
        assert ours >= plain + 0.05


def test_effective_templates_by_hand():
    assert effective(np.array([10.0, 10, 10, 10])) == pytest.approx(4)
    assert effective(np.array([90.0, 10])) == pytest.approx(10_000 / 8_200)
    assert effective(np.zeros(5)) == 0.0


def test_undefined_resamples_are_left_out_but_not_too_many():
    weights = np.ones(10)
    draws = np.linspace(0, 1, 100)
    few, many = draws.copy(), draws.copy()
    few[:20], many[:60] = np.nan, np.nan
    assert expanded(few, weights, 0.9).interval.low > 0.2
    assert np.isnan(expanded(many, weights, 0.9).interval.low)
    assert np.isnan(percentile(many, weights, 0.9).interval.low)
    assert np.isnan(percentile(np.full(100, 0.5), weights, 0.9).interval.low), "no spread is no certainty"


if __name__ == "__main__":
    for name, world in WORLDS.items():
        for templates in (6, 12, 25, 60):
            found = coverage(world, templates, 1000, 1000)
            cells = "; ".join(
                f"{measure} {ours:.3f} (plain {plain:.3f}, defined {share:.2f})"
                for measure, ((ours, plain), share) in found.items()
            )
            print(f"{name}, {templates} templates: {cells}", flush=True)
