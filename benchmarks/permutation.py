"""Seconds of the exact permutation p-value, by counting half sums and by listing every partition.

    python benchmarks/permutation.py                 up to 14 against 14 both ways (listing takes a minute or two)
    python benchmarks/permutation.py --listed 11     list only pools of up to 11 against 11

Listing is the published way (a Python step per partition), written anew.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from endoxa.instruments.association_tests.estimates.permutation import permutation_test
from frame import options, seconds_of


def by_listing(x: np.ndarray, y: np.ndarray) -> float:
    """Share of partitions with a sum of at least the observed one, one after the other."""
    pool, bound = [*x.tolist(), *y.tolist()], sum(x.tolist()) - 1e-12
    return sum(sum(part) >= bound for part in combinations(pool, len(x))) / comb(len(pool), len(x))


def main() -> None:
    """Measure and print."""
    listed = options(__doc__, listed=14).parse_args().listed
    permutation_test(np.arange(3.0), np.arange(3.0))  # warm
    print(f"{'sizes':>9}{'partitions':>18}{'listing s':>12}{'counting s':>12}")
    for size in (8, 11, 14, 20, 23):
        rng = np.random.default_rng(size)
        x, y = rng.normal(0.3, 1, size), rng.normal(0, 1, size)
        counting, test = seconds_of(lambda x=x, y=y: permutation_test(x, y, alternative="greater"))
        listing = "-"
        if size <= listed:
            seconds, p_value = seconds_of(lambda x=x, y=y: by_listing(x, y))
            assert test.kind == "exact"
            assert abs(p_value - test.p_value) < 1e-9
            listing = f"{seconds:.2f}"
        print(f"{f'{size}+{size}':>9}{comb(2 * size, size):>18,}{listing:>12}{counting:12.4f}", flush=True)


if __name__ == "__main__":
    main()
