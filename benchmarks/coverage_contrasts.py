"""Does a difference between two kinds of pairs hold its level where identities and attributes are samples? Simulated.

Prints the table of docs/methods/before-you-quote.md: false claims, coverage and power of the difference of two shares,
with pairs taken as independent (Welch) and with both kinds of units as samples. What tells the two kinds of pairs apart
belongs to the pair, to its attribute, or to its identity.

    python benchmarks/coverage_contrasts.py                   some 3 minutes on one core
    python benchmarks/coverage_contrasts.py --repeats 100
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from scipy.stats import ttest_ind

from coverage_two_way import Design, collected, full, sides
from endoxa.stats.contrasts import contrast

DESIGNS = (
    full(30, 10),
    full(12, 40),
    full(60, 100, 0.15),
    full(8, 8),
    full(300, 300, 0.005),
    collected(55, 224, 600),
)
DEVIATIONS = (0.0, 0.5, 1.0)
SHARES = (0.5, 0.8)
DIFFERENCES = (0.1, 0.2, 0.4)
LEAST = 10


def kinds(rng: np.random.Generator, design: Design, of: str) -> np.ndarray:
    """1 or -1 for each pair: drawn for itself, for its attribute, or for its identity."""
    if of == "pair":
        return rng.choice([1, -1], len(design.identity))
    codes = design.attribute if of == "attribute" else design.identity
    return rng.choice([1, -1], codes.max() + 1)[codes]


def tested(
    rng: np.random.Generator, design: Design, of: str, deviation: float, share: float, difference: float
) -> tuple[bool, bool, bool] | None:
    """Claimed with independent pairs, claimed with both, interval covers the truth; None where none is tested."""
    groups = kinds(rng, design, of)
    if min((groups == 1).sum(), (groups == -1).sum()) < LEAST:
        return None
    state = rng.integers(2**32)
    high, low = (
        sides(np.random.default_rng(state), design, share + half, deviation, deviation)
        for half in (difference / 2, -difference / 2)
    )
    values = np.where(groups == 1, high, low)
    naive = ttest_ind(values[groups == 1], values[groups == -1], equal_var=False).pvalue
    both = contrast(
        values, groups, (design.identity, design.attribute), confidence=0.95, bounds=(-1, 1), flips=1000
    )
    if both.sampled == "none":
        return None
    covered = not both.interval.defined or both.interval.low - 1e-9 <= difference <= both.interval.high + 1e-9
    return bool(naive <= 0.05), bool(both.p_value <= 0.05), covered


def main(repeats: int) -> None:
    """Most false claims and least coverage over all deviations and shares; power where the deviations are 0.5."""
    heads = " | ".join(f"power at {difference:g}" for difference in DIFFERENCES)
    print(
        f"| design | kinds differ by | independent: false claims | both: false claims | least coverage | {heads} |"
    )
    print("|---|---|---|---|---|" + "---|" * len(DIFFERENCES))
    for design, of in product(DESIGNS, ("pair", "attribute", "identity")):
        rows = []
        for deviation, share in product(DEVIATIONS, SHARES):
            rng = np.random.default_rng([int(10 * deviation), int(10 * share)])
            drawn = (tested(rng, design, of, deviation, share, 0.0) for _ in range(repeats))
            rows.append(np.mean([row for row in drawn if row is not None], axis=0))
        table = np.array(rows)
        power = []
        for difference in DIFFERENCES:
            rng = np.random.default_rng(int(100 * difference))
            drawn = (tested(rng, design, of, 0.5, 0.5, difference) for _ in range(repeats))
            power.append(np.mean([row[1] for row in drawn if row is not None]))
        shown = " | ".join(f"{number:.2f}" for number in power)
        most = f"{table[:, 0].max():.3f} | {table[:, 1].max():.3f} | {table[:, 2].min():.3f}"
        print(f"| {design.name} | {of} | {most} | {shown} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=300, help="data sets of each kind")
    main(parser.parse_args().repeats)
