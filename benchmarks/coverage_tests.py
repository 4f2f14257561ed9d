"""How often association tests claim a difference that is not there, and how often their interval holds the truth.

    python benchmarks/coverage_tests.py                  every table of docs/methods/encoders.md, some ten minutes
    python benchmarks/coverage_tests.py --repeats 200    the same, quick and rough

The associations of both target sets are drawn from one distribution, Y's moved by a shift: 0 for false claims. Every
statistic is the package's own. Intervals of fewer than five units are not given by the package; here the limit is
lifted, to show why.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import comb, sqrt

import numpy as np

from endoxa.instruments.association_tests.estimates import effect_size as effects
from endoxa.instruments.association_tests.estimates.effect_size import Targets
from endoxa.instruments.association_tests.estimates.permutation import permutation_test, too_small
from endoxa.stats.intervals import agreeing
from endoxa.stats.verdicts import CLEAR, Alternative, adjust, adjust_within, decide

Draw = Callable[[np.random.Generator, int], np.ndarray]

SIZES = ((3, 3), (4, 4), (5, 5), (8, 8), (20, 20), (3, 8), (5, 10), (5, 20))
SHAPES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
    "heavy tails": lambda rng, n: rng.standard_t(4, size=n) / sqrt(2),
}
SHIFTS = (0.0, 1.0, 2.5)
SIDES: tuple[Alternative, ...] = ("greater", "two-sided")
CONFIDENCE = 0.95
DRAWS = 999
"""Partitions that are drawn where there are more: as valid as counting them, and quick."""


def p_value(x: np.ndarray, y: np.ndarray, side: Alternative) -> float:
    """The permutation p-value, from drawn partitions where there are many."""
    return permutation_test(x, y, alternative=side, draws=DRAWS, max_half_sums=0).p_value


def verdict(x: np.ndarray, y: np.ndarray, side: Alternative) -> str:
    """The verdict of a test that is alone in its family."""
    p = p_value(x, y, side)
    cannot = too_small(comb(len(x) + len(y), len(x)), CONFIDENCE)
    return decide(x.mean() - y.mean(), 0.0, p, p, untestable=cannot, alternative=side).verdict


def claims(
    sizes: tuple[int, int],
    side: Alternative,
    repeats: int,
    draw: Draw,
    *,
    shift: float = 0.0,
    spread: float = 1.0,
) -> float:
    """Share of tests that claim a difference."""
    rng = np.random.default_rng([*sizes, int(10 * shift), int(10 * spread)])
    found = (verdict(spread * draw(rng, sizes[0]) + shift, draw(rng, sizes[1]), side) for _ in range(repeats))
    return sum(one in CLEAR for one in found) / repeats


def coverage(sizes: tuple[int, int], shift: float, repeats: int, draw: Draw) -> float:
    """Share of intervals that hold the true effect size; NaN counts as not holding it."""
    n_x, n_y = sizes
    truth = shift / sqrt(1 + n_x * n_y / (n_x + n_y) ** 2 * shift**2)
    rng = np.random.default_rng([*sizes, int(10 * shift)])
    held = 0
    for place in range(repeats):
        targets = [
            Targets(values, np.arange(len(values))) for values in (draw(rng, n_x) + shift, draw(rng, n_y))
        ]
        found = effects.bootstrap_interval(*targets, confidence=CONFIDENCE, resamples=1000, seed=place % 8)
        x, y = (side.values for side in targets)
        found = agreeing(found, effects.effect_size(x, y), 0.0, p_value(x, y, "two-sided"), CONFIDENCE)
        held += found.low <= truth <= found.high
    return held / repeats


def pages(encoders: int, correlation: float, repeats: int, *, shift: float = 0.0) -> tuple[float, ...]:
    """Pages with one test (8 against 8, two-sided) in each encoder.

    Args:
        encoders: tests on the page.
        correlation: of the associations of one text in two encoders.
        repeats: pages.
        shift: true difference in deviations.

    Returns:
        Share of pages with a claim, corrected within each encoder and over all; share of tests claimed, likewise.
    """
    rng = np.random.default_rng([encoders, int(10 * correlation), int(10 * shift)])
    claimed = np.zeros((repeats, 2, encoders), dtype=bool)
    for page in claimed:
        shared = rng.normal(size=16)
        p_values = []
        for _ in range(encoders):
            values = sqrt(correlation) * shared + sqrt(1 - correlation) * rng.normal(size=16)
            values[:8] += shift
            p_values.append(p_value(values[:8], values[8:], "two-sided"))
        adjusted = adjust_within(p_values, range(encoders)), adjust(p_values)
        page[:] = np.array(adjusted) <= 1 - CONFIDENCE + 1e-12
    return *claimed.any(axis=2).mean(axis=0).tolist(), *claimed.mean(axis=(0, 2)).tolist()


def _row(*cells: object) -> None:
    print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |")


def _levels(repeats: int) -> None:
    print(
        "\nclaims without a difference: normal, skewed, heavy tails; X's spread three times Y's, a third of it\n"
    )
    _row("sizes", *(f"{side}: {shape}" for side in SIDES for shape in (*SHAPES, "X wide", "X narrow")))
    for sizes in SIZES:
        found = [
            value
            for side in SIDES
            for value in (
                *(claims(sizes, side, repeats, draw) for draw in SHAPES.values()),
                *(claims(sizes, side, repeats, SHAPES["normal"], spread=wide) for wide in (3.0, 1 / 3)),
            )
        ]
        _row(f"{sizes[0]} and {sizes[1]}", *found)


def _power(repeats: int) -> None:
    print("\nclaims with a difference of 1 and 2 deviations (normal)\n")
    for sizes in SIZES:
        _row(
            f"{sizes[0]} and {sizes[1]}",
            *(claims(sizes, side, repeats, SHAPES["normal"], shift=d) for side in SIDES for d in (1.0, 2.0)),
        )


def _intervals(repeats: int) -> None:
    print(
        f"\ncoverage of the interval at shifts of {SHIFTS}, at least {effects.MIN_UNITS} units in the package\n"
    )
    effects.MIN_UNITS = 2
    for sizes in SIZES:
        shown = (
            ", ".join(f"{coverage(sizes, shift, repeats, draw):.2f}" for shift in SHIFTS)
            for draw in SHAPES.values()
        )
        _row(f"{sizes[0]} and {sizes[1]}", *shown)


def _pages(repeats: int) -> None:
    print("\npages with a claim, tests claimed: each encoder a family, all of them one family\n")
    for shift in (0.0, 1.0, 1.5):
        for encoders in (5, 20):
            for correlation in (0.0, 0.5, 0.9):
                alone, together, each, all_ = pages(encoders, correlation, repeats, shift=shift)
                _row(f"shift {shift}", f"{encoders} encoders", correlation, alone, together, each, all_)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=2000, help="simulated tests per figure")
    repeats = parser.parse_args().repeats
    _levels(repeats)
    _power(repeats)
    _pages(repeats)
    _intervals(repeats)


if __name__ == "__main__":
    main()
