"""Do intervals of agreement cover as often as they claim, with few items and rare categories? Simulated, truth known.

Prints the table of docs/methods/agreement.md: percentiles of resampled items, as before, and the interval of now.

    python benchmarks/coverage_agreement.py                 some 5 minutes on one core
"""

from __future__ import annotations

import argparse

import numpy as np

from endoxa.stats.agreement import COEFFICIENTS, agreement_interval
from endoxa.stats.resampling import drawn_units, percentile_interval

VOTES = (
    (10, (0.5, 0.5)),
    (10, (0.8, 0.2)),
    (10, (0.25,) * 4),
    (20, (0.9, 0.1)),
    (30, (0.5, 0.5)),
    (60, (0.9, 0.1)),
)
"""Items that two raters vote on, and how often each category is the truth."""
NAMES = "percent_agreement", "krippendorff_alpha", "cohen_kappa"
"""The last one, which is slow, with ten items only."""
ERRORS = (0.05, 0.15, 0.3, 0.6)


def agreement(repeats: int) -> None:
    """Least coverage over raters who guess (with the true shares) in 5 to 60 % of the items, and mean width."""
    print(
        "\n| items | shares of categories | coefficient | percentiles | width | now | width | with an interval |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for items, shares in VOTES:
        for name in NAMES if items == 10 else NAMES[:2]:
            covered, width, defined = np.zeros((2, len(ERRORS))), np.zeros(2), np.zeros((2, len(ERRORS)))
            for place, error in enumerate(ERRORS):
                for repeat in range(repeats):
                    codes = _votes(
                        np.random.default_rng([repeat, items, place]), items, np.array(shares), error
                    )
                    beyond = (1 - error) ** 2
                    by_chance = float(np.square(shares).sum())
                    truth = beyond + (1 - beyond) * by_chance if name == "percent_agreement" else beyond
                    for method, (low, high) in enumerate(_intervals(name, codes, len(shares), repeat)):
                        if not np.isnan(low):
                            covered[method, place] += low - 1e-9 <= truth <= high + 1e-9
                            defined[method, place] += 1
                            width[method] += high - low
            least, mean = (covered / np.maximum(defined, 1)).min(axis=1), width / defined.sum(axis=1)
            numbers = f"{least[0]:.2f} | {mean[0]:.2f} | {least[1]:.2f} | {mean[1]:.2f}"
            print(
                f"| {items} | {shares} | {name} | {numbers} | {defined[1].sum() / defined[1].size / repeats:.2f} |",
                flush=True,
            )


def _votes(rng: np.random.Generator, items: int, shares: np.ndarray, error: float) -> np.ndarray:
    truth, guesses = rng.choice(len(shares), items, p=shares), rng.choice(len(shares), (items, 2), p=shares)
    return np.where(rng.random((items, 2)) < error, guesses, truth[:, None])


def _intervals(name: str, codes: np.ndarray, categories: int, seed: int) -> list[tuple[float, float]]:
    coefficient, domain = COEFFICIENTS.get(name), np.arange(categories)
    votes = codes if coefficient.votes == "two raters" else (codes[:, :, None] == domain).sum(axis=1)
    if np.isnan(coefficient.value(votes, "nominal", domain)):
        return [(np.nan, np.nan)] * 2
    samples = drawn_units(len(votes), 200, np.random.default_rng(seed))
    draws = np.array([coefficient.value(votes[sample], "nominal", domain) for sample in samples])
    before = percentile_interval(draws, 0.95)
    now = agreement_interval(coefficient, votes, "nominal", domain, confidence=0.95, parts=2000)
    return [(before.low, before.high), (now.low, now.high)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=300, help="data sets of each kind")
    agreement(parser.parse_args().repeats)
