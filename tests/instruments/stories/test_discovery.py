"""From simulated tellers through simulated readers to associations: what was planted is found, with its stated power.

As a test it repeats a small part of what it measures as a program, ten seconds a seed: power of docs/methods/stories.md

    PYTHONPATH=tests python tests/instruments/stories/test_discovery.py SEEDS REPEATS [MODEL]
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import binom

from endoxa.models.chat.simulated.stories import Teller, associations
from support.story_runs import FOUR, discovered

NONE = "sim/teller?planted=0"
POWER = {
    "child (0-12)": 1.00,
    "senior (65+)": 1.00,
    "young adult (18-29)": 0.66,
    "man": 0.97,
    "woman": 0.96,
    "non-binary": 0.80,
}
"""By base value: found in so many of 100 runs with 36 prompts for each value, base attributes age and gender."""
CHANCE = 1e-4


def four(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(row[name] for name in FOUR)


PLANTED = {
    (one.base_attribute, one.base_value, one.compared_attribute, one.compared_value) for one in associations()
}


@pytest.mark.slow
def test_planted_associations_are_found_with_their_stated_power_and_lift(tmp_path: Path) -> None:
    seeds, hits = 3, Counter[str]()
    lifts: dict[str, list[float]] = {}
    for seed in range(seeds):
        rows = discovered(tmp_path / str(seed), seed, attributes=("age", "gender")).rows(named=True)
        for row in rows:
            if four(row) in PLANTED:
                hits[row["base_value"]] += 1
                lifts.setdefault(row["base_value"], []).append(row["value"])
        planted = {(base, compared) for base, _, compared, _ in PLANTED}
        assert len({(row["base_attribute"], row["compared_attribute"]) for row in rows} - planted) <= 3
    for value, power in POWER.items():
        low, high = binom.ppf([CHANCE, 1 - CHANCE], seeds, power * 0.98)
        assert low <= hits[value] <= high, value
    for one in Teller().expected():
        found = lifts.get(one["base_value"], [])
        if len(found) == seeds:  # always found: no winner's curse
            assert sum(found) / seeds == pytest.approx(one["expected_lift"], rel=0.15)


def main() -> None:
    """Print how often each association was found, and what else was."""
    seeds, repeats = int(sys.argv[1]), int(sys.argv[2])
    teller = sys.argv[3] if len(sys.argv) > 3 else "sim/teller"
    planted = set() if teller == NONE else {(base, compared) for base, _, compared, _ in PLANTED}
    hits, paper, beyond = Counter[object](), Counter[object](), Counter[str]()
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            rows = discovered(Path(folder) / "run", seed, teller, repeats=repeats).rows(named=True)
        hits.update(four(row) for row in rows)
        paper.update(four(row) for row in rows if row["paper_rule"])
        others = [row for row in rows if (row["base_attribute"], row["compared_attribute"]) not in planted]
        beyond.update(runs=bool(others), associations=len(others))
        beyond.update(base_attributes=len({row["base_attribute"] for row in others}))
        beyond.update(paper_rule=sum(row["paper_rule"] for row in others))
    for one in sorted(PLANTED):
        print(f"{hits[one] / seeds:.2f} {paper[one] / seeds:.2f}", *one)
    print({name: count / seeds for name, count in beyond.items()}, "a run outside the planted tables")


if __name__ == "__main__":
    main()
