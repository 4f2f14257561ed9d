"""How often does `endoxa gate` decide wrongly? Simulated pairs of runs with a planted difference.

Prints the table of docs/gate.md: wrong passes and wrong failures where the candidate is worse by exactly the margin,
right passes where it is as good as the baseline, and right failures where it is worse by three margins. Before it, the
worst case of a wrong failure over both signs for normal estimates, computed exactly.

    python benchmarks/gate_errors.py                    the table, some 15 minutes on two cores
    python benchmarks/gate_errors.py --repeats 300
    python benchmarks/gate_errors.py --worst-case       seconds
    python benchmarks/gate_errors.py --crossed --repeats 300
        identities crossed with attributes, both of which differ in how much changes; then whole gates of several
        measures and axes. Ten minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.stats import multivariate_normal, norm
from statsmodels.stats.multitest import multipletests

from endoxa.study.compare.decision import Contrasts, Values

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.gate_runs import Situation, verdicts

LEVEL = 0.05


def situations() -> Iterator[tuple[str, Situation]]:
    """What is planted, with the candidate worse by exactly the margin."""
    for identities, size in ((6, 10), (12, 10), (30, 10), (30, 50), (100, 10)):
        for margin in (0.02, 0.1):
            for correlation, clustered in ((0.0, 0.0), (0.6, 0.0), (0.0, 0.3), (0.6, 0.3)):
                for baseline, churn in ((0.5, 0.1), (0.52, 0.0), (0.6, 0.3), (0.8, 0.1)):
                    common = (correlation, churn, clustered)
                    yield (
                        "same side",
                        Situation(identities, size, margin, baseline, baseline + margin, *common),
                    )
                    if baseline == 0.6:
                        yield "other side", Situation(identities, size, margin, 0.6, 0.4 - margin, *common)


def measured(one: tuple[str, Situation], repeats: int) -> tuple[str, Situation, tuple[float, ...]]:
    """Wrong passes, wrong failures, right passes, right failures."""
    kind, planted = one
    passed, failed = verdicts(planted, repeats)
    few = max(repeats // 4, 50)
    equal, _ = verdicts(replace(planted, candidate=planted.baseline), few, seed=1)
    further = planted.baseline + 3 * planted.margin
    _, far = (
        verdicts(replace(planted, candidate=further), few, seed=2) if further <= 0.95 else (0, float("nan"))
    )
    return kind, planted, (passed, failed, equal, far)


def table(repeats: int) -> None:
    """One line for every number of identities, margin and correlation: the greatest error over baselines."""
    print(
        "| identities x items | margin | correlation of answers, of changes | wrong passes | wrong failures |",
        end="",
    )
    print(" right passes at no difference | right failures at three margins |\n|---|---|---|---|---|---|---|")
    rows: dict[tuple[object, ...], list[tuple[float, ...]]] = {}
    with ProcessPoolExecutor(2) as pool:
        waiting = [pool.submit(measured, one, repeats) for one in situations()]
        for future in waiting:
            _, planted, rates = future.result()
            key = (planted.identities, planted.size, planted.margin, planted.correlation, planted.clustered)
            rows.setdefault(key, []).append(rates)
    for (identities, size, margin, correlation, clustered), found in rows.items():
        rates = np.array(found)
        wrong, right = (
            rates[:, :2].max(axis=0),
            (np.nanmin(rates[:, 2:], axis=0), np.nanmax(rates[:, 2:], axis=0)),
        )
        print(
            f"| {identities} x {size} | {margin} | {correlation}, {clustered} | {wrong[0]:.3f} | {wrong[1]:.3f} "
            f"| {right[0][0]:.2f} to {right[1][0]:.2f} | {right[0][1]:.2f} to {right[1][1]:.2f} |",
            flush=True,
        )
    every = np.array([rates for found in rows.values() for rates in found])
    print(
        f"\n{len(every)} situations, {repeats} pairs of runs each; greatest: {every[:, :2].max(axis=0)}, ",
        end="",
    )
    print(f"mean: {every[:, :2].mean(axis=0).round(4)}")


def worst_case() -> None:
    """Wrong failures for normal estimates: either sign of the candidate's distance may be found worse.

    Errors of s_b and s_c are 1; `steps` are distances in standard errors.
    """
    limit, greatest = norm.ppf(1 - LEVEL), (0.0, "")
    for correlation in (-0.5, 0.0, 0.5, 0.9, 0.99):
        same, opposite = sqrt(2 - 2 * correlation), sqrt(2 + 2 * correlation)
        law = multivariate_normal(cov=np.eye(2))  # the sum and the difference of two equal variances
        for margin in (0.0, 0.1, 0.5, 1.0, 2.0):
            for away in np.arange(0, 6.01, 0.25):
                wrong = 0.0
                candidate = (
                    away + margin
                )  # worse by exactly the margin, on the baseline's side; the other is its mirror image
                for sign in (1, -1):
                    difference = (sign * candidate - sign * away - margin) / same
                    total = (sign * candidate + sign * away - margin) / opposite
                    wrong += float(law.cdf([difference - limit, total - limit]))
                greatest = max(
                    greatest, (wrong, f"correlation {correlation}, margin {margin}, baseline {away} off")
                )
    print(f"greatest rate of wrong failures, normal estimates: {greatest[0]:.4f} ({greatest[1]})")


@dataclass(frozen=True)
class Crossed:
    """Items of identities and attributes, each cell with its chance; changes differ by identity and by attribute.

    Attributes:
        identities: their number.
        attributes: their number.
        filled: share of the cells that have items.
        size: items in a cell.
        by_identity: standard deviation of the mean change of identities.
        by_attribute: of attributes.
        churn: share of items that change sides besides, half in each direction.
        nested: every identity has attributes of its own.
    """

    identities: int
    attributes: int
    filled: float = 1.0
    size: int = 1
    by_identity: float = 0.0
    by_attribute: float = 0.0
    churn: float = 0.1
    nested: bool = False

    def draw(self, rng: np.random.Generator, change: float, baseline: float = 0.6) -> Values:
        """A pair of runs whose share rises by `change` on average."""
        first = np.repeat(np.arange(self.identities), self.attributes)
        second = np.tile(np.arange(self.attributes), self.identities)
        kept = np.repeat(rng.random(len(first)) < self.filled, self.size)
        first, second = (np.repeat(codes, self.size)[kept] for codes in (first, second))
        if self.nested:
            second = first * self.attributes + second
        of_first = self.by_identity * rng.standard_normal(self.identities)
        of_second = self.by_attribute * rng.standard_normal(self.identities * self.attributes)
        shift = change + of_first[first] + of_second[second]
        up = np.clip((np.maximum(shift, 0) + self.churn / 2) / (1 - baseline), 0, 1)
        down = np.clip((np.maximum(-shift, 0) + self.churn / 2) / baseline, 0, 1)
        sides, lot = rng.random(len(first)) < baseline, rng.random(len(first))
        return Values(sides - 0.5, np.where(sides, lot >= down, lot < up) - 0.5, first, attribute=second)

    def true(self, change: float) -> float:
        """What the share rises by, chances being cut at 0 and 1."""
        rng = np.random.default_rng(99)
        many = replace(self, identities=1000, attributes=1000, filled=0.1, size=1, nested=False)
        draws = [many.draw(rng, change) for _ in range(20)]
        return float(np.mean([(values.candidate - values.baseline).mean() for values in draws]))


CROSSED = {
    "15 x 20": Crossed(15, 20),
    "30 x 10": Crossed(30, 10),
    "30 x 10, nothing else changes": Crossed(30, 10, churn=0.0),
    "12 x 40": Crossed(12, 40),
    "60 x 100, 15 % filled": Crossed(60, 100, filled=0.15),
    "8 x 8, 5 items each": Crossed(8, 8, size=5),
    "30 identities with 10 attributes of their own": Crossed(30, 10, nested=True),
}
DEVIATIONS = ((0.0, 0.0), (0.05, 0.05), (0.1, 0.1), (0.1, 0.2))
"""Standard deviations of the mean changes of identities and of attributes."""


def crossed_table(repeats: int) -> None:
    """Wrong and right decisions where changes differ by identity and attribute."""
    print(
        "| design | deviations | pairs of runs | wrong passes | wrong failures | right passes | right failures |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name, design in CROSSED.items():
        for of_identity, of_attribute in DEVIATIONS:
            world = replace(design, by_identity=of_identity, by_attribute=of_attribute)
            wrong_pass, wrong_failure, right_pass, right_failure = _rates(world, repeats)
            print(
                f"| {name} | {of_identity:g}, {of_attribute:g} | {repeats} | {wrong_pass:.3f} | {wrong_failure:.3f} | "
                f"{right_pass:.2f} | {right_failure:.2f} |",
                flush=True,
            )


def _rates(world: Crossed, repeats: int) -> tuple[float, ...]:
    """Wrong passes and failures at the margin; right passes of no change at 0.1, right failures of 0.2 at 0.05."""

    def share(change: float, margin: float, what: str, seed: int) -> float:
        rng, hits = np.random.default_rng(seed), 0
        for _ in range(repeats):
            evidence = Contrasts.of(world.draw(rng, change)).evidence(margin, LEVEL)
            hits += getattr(evidence, what) <= LEVEL
        return hits / repeats

    true = world.true(0.05)
    return (
        share(0.05, true, "p_not_worse", 1),
        share(0.05, true, "p_worse", 1),
        share(0.0, 0.1, "p_not_worse", 2),
        share(0.2, 0.05, "p_worse", 3),
    )


def combined_table(repeats: int) -> None:
    """Whole gates: three measures, all items and four axes of identities each, 15 tests."""
    print(
        f"\n| {repeats} gates each | every difference is the margin: wrong pass, wrong failure | one measure 3 margins "
        "worse: failure | no difference: pass at a margin of 0.1, of 0.15 |\n|---|---|---|---|"
    )
    world = Crossed(60, 20, by_identity=0.05, by_attribute=0.05)
    true = world.true(0.05)
    for name, axes in (("all items", 1), ("all items and four axes", 5)):
        found = {
            "at": [_gated(world, [0.05] * 3, true, axes, seed) for seed in range(repeats)],
            "worse": [_gated(world, [0.15, 0, 0], 0.05, axes, seed) for seed in range(repeats)],
            "none": [_gated(world, [0, 0, 0], 0.1, axes, seed) for seed in range(repeats)],
            "wider": [_gated(world, [0, 0, 0], 0.15, axes, seed) for seed in range(repeats)],
        }
        at, worse, none, wider = (np.mean(rows, axis=0) for rows in found.values())
        print(
            f"| {name} | {at[0]:.3f}, {at[1]:.3f} | {worse[1]:.2f} | {none[0]:.2f}, {wider[0]:.2f} |",
            flush=True,
        )


def _gated(world: Crossed, changes: list[float], margin: float, axes: int, seed: int) -> tuple[bool, bool]:
    """Whether a gate passes, and whether it fails."""
    rng, tests = np.random.default_rng(seed), []
    for change in changes:
        values = world.draw(rng, change)
        for axis in range(axes):
            kept = (values.cluster % 4 == axis - 1) | (axis == 0)
            arrays = (values.baseline[kept], values.candidate[kept], values.cluster[kept])
            assert values.attribute is not None
            tests.append(
                Contrasts.of(Values(*arrays, attribute=values.attribute[kept])).evidence(margin, LEVEL)
            )
    holm = multipletests([test.p_worse for test in tests], method="holm")[1]
    return all(test.p_not_worse <= LEVEL for test in tests), bool((holm <= LEVEL).any())


def main() -> None:
    """The table, or the worst case alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=300)
    parser.add_argument("--worst-case", action="store_true")
    parser.add_argument("--crossed", action="store_true")
    options = parser.parse_args()
    if options.crossed:
        crossed_table(options.repeats)
        combined_table(max(options.repeats // 5, 20))
        return
    worst_case()
    if not options.worst_case:
        table(options.repeats)


if __name__ == "__main__":
    main()
