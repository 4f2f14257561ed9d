"""Seconds of the exact permutation p-value, by counting half sums and by listing every partition, in one run.

    python benchmarks/permutation.py                 14 against 14, both ways (listing takes a minute or two)
    python benchmarks/permutation.py --listed 11     list only pools of up to 11 against 11

Listing is the published way (a Python step per partition), written anew; `scipy.stats.permutation_test` lists as well,
vectorised. Prints for each size the partitions, the seconds of each way, how many times faster counting is, and whether
the p-values are equal.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

SIZES = (8, 10, 11, 12, 14, 16, 20, 23)


def by_listing(x: np.ndarray, y: np.ndarray) -> float:
    """Share of partitions with a sum of at least the observed one, one after the other."""
    pool = [*x.tolist(), *y.tolist()]
    bound = sum(x.tolist()) - 1e-12
    reached = total = 0
    for part in combinations(pool, len(x)):
        total += 1
        reached += sum(part) >= bound
    return reached / total


def by_scipy(x: np.ndarray, y: np.ndarray) -> float:
    """The same by scipy, in batches."""
    from scipy.stats import permutation_test

    found = permutation_test(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
        batch=10_000,
    )
    return float(found.pvalue)


def by_counting(x: np.ndarray, y: np.ndarray) -> float:
    """The same by endoxa."""
    from endoxa.instruments.association_tests.estimates.permutation import permutation_test

    found = permutation_test(x, y)
    assert found.kind == "exact"
    return found.p_value


def timed(
    way: Callable[[np.ndarray, np.ndarray], float], x: np.ndarray, y: np.ndarray
) -> tuple[float, float]:
    """The p-value and the seconds it took."""
    started = time.perf_counter()
    return way(x, y), time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--listed", type=int, default=14, help="largest set size that is listed (default 14)")
    parser.add_argument("--scipy", type=int, default=11, help="largest set size given to scipy (default 11)")
    asked = parser.parse_args()
    by_counting(np.arange(3.0), np.arange(3.0))  # imports
    print(
        f"{'sizes':>9} {'partitions':>16} {'listing s':>10} {'scipy s':>9} {'counting s':>11} {'x listing':>10}  p"
    )
    for size in SIZES:
        rng = np.random.default_rng(size)
        x, y = rng.normal(0.3, 1, size), rng.normal(0, 1, size)
        p, seconds = timed(by_counting, x, y)
        line = {"listing": "-", "scipy": "-", "ratio": "-"}
        for name, way, largest in (("listing", by_listing, asked.listed), ("scipy", by_scipy, asked.scipy)):
            if size <= largest:
                other, took = timed(way, x, y)
                assert abs(other - p) < 1e-9, f"{name}: {other}, counting: {p}"
                line[name] = f"{took:.2f}"
                if name == "listing":
                    line["ratio"] = f"{took / seconds:,.0f}"
        print(
            f"{f'{size}+{size}':>9} {comb(2 * size, size):>16,} {line['listing']:>10} {line['scipy']:>9} "
            f"{seconds:>11.4f} {line['ratio']:>10}  {p:.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
