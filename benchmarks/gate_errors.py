"""How often does `endoxa gate` decide wrongly? Simulated pairs of runs with a planted difference.

Prints the table of docs/gate.md: wrong passes and wrong failures where the candidate is worse by exactly the margin,
right passes where it is as good as the baseline, and right failures where it is worse by three margins. Before it, the
worst case of a wrong failure over both signs for normal estimates, computed exactly.

    PYTHONPATH=tests python benchmarks/gate_errors.py                    the table, some 15 minutes on two cores
    PYTHONPATH=tests python benchmarks/gate_errors.py --repeats 300
    PYTHONPATH=tests python benchmarks/gate_errors.py --worst-case       seconds
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from math import sqrt

import numpy as np
from scipy.stats import multivariate_normal, norm

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


def main() -> None:
    """The table, or the worst case alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--worst-case", action="store_true")
    options = parser.parse_args()
    worst_case()
    if not options.worst_case:
        table(options.repeats)


if __name__ == "__main__":
    main()
