"""Does two-way inference hold its level where identities and attributes are both samples? Simulated, truth known.

Prints the tables of docs/methods/two-way.md: false claims, coverage and power of shares, with identities alone as the
sample and with both, for full, sparse and unequal crossings, and false claims where two models are compared; the same
where effects are skewed or go with the number of pairs of an identity.

    python benchmarks/coverage_two_way.py                   everything, some 20 minutes on one core
    python benchmarks/coverage_two_way.py alike             seconds
    python benchmarks/coverage_two_way.py skewed sizes --repeats 100
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from endoxa.demo.planted import load_sample
from endoxa.stats.intervals import agreeing, clustered_share
from endoxa.stats.signs import sign_flip_test
from endoxa.stats.two_way import TwoWay, two_way

DEVIATIONS = (0.0, 0.5, 1.0)
"""Standard deviations of identities and of attributes on the probit scale, where a pair's own is 1."""
WORLDS = (*product(DEVIATIONS, DEVIATIONS), (2.0, 0.0), (0.0, 2.0))
FLIPS = 2000
SHARES = (0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Design:
    """Which identity meets which attribute: integer codes of each pair."""

    name: str
    identity: np.ndarray
    attribute: np.ndarray


def full(identities: int, attributes: int, filled: float = 1.0) -> Design:
    """Every identity with every attribute, or a random part of them."""
    identity, attribute = (codes.ravel() for codes in np.mgrid[0:identities, 0:attributes])
    kept = np.random.default_rng(identities * attributes).random(len(identity)) < filled
    name = f"{identities} x {attributes}" + (f", {100 * filled:g} % filled" if filled < 1 else "")
    return Design(name, identity[kept], attribute[kept])


def collected(identities: int, attributes: int, pairs: int) -> Design:
    """Few identities and attributes are said often, most rarely, as in surveys."""
    rng = np.random.default_rng(identities + attributes)
    chance = [1 / np.arange(1, n + 1) ** 0.7 for n in (identities, attributes)]
    drawn = [
        rng.choice(n, pairs, p=c / c.sum()) for n, c in zip((identities, attributes), chance, strict=True)
    ]
    cells = np.unique(np.stack(drawn), axis=1)
    return Design(f"{identities} and {attributes}, {cells.shape[1]} pairs as in a survey", cells[0], cells[1])


def dominated() -> Design:
    """Eight identities, one with 63 % of the pairs, whose attributes mostly do not recur."""
    identity = np.repeat(np.arange(8), [126, *[11] * 6, 8])
    attribute = np.random.default_rng(8).integers(0, 180, len(identity))
    return Design("8 identities, one with 63 %", identity, attribute)


def demonstration() -> Design:
    """The sample of `endoxa demo`: 150 pairs in five languages."""
    sample = load_sample()
    identity, attribute = (
        sample[name].rank("dense").cast(pl.Int64).to_numpy() - 1
        for name in ("identity_key", "attribute_more")
    )
    return Design("28 and 39, 150 pairs of `endoxa demo`", identity, attribute)


DESIGNS = (
    full(30, 10),
    full(12, 40),
    full(60, 100, 0.15),
    full(8, 8),
    full(6, 6),
    full(10, 10),
    full(12, 12, 0.4),
    full(30, 6),
    collected(55, 224, 600),
    collected(241, 889, 1100),
    dominated(),
    demonstration(),
)


def sides(
    rng: np.random.Generator, design: Design, share: float, of_identity: float, of_attribute: float
) -> np.ndarray:
    """1 where the stereotype is preferred, else 0: identities and attributes shift the chance, on average `share`."""
    latent = ndtri(share) * np.sqrt(1 + of_identity**2 + of_attribute**2) + rng.normal(
        size=len(design.identity)
    )
    for codes, deviation in ((design.identity, of_identity), (design.attribute, of_attribute)):
        latent += rng.normal(0, deviation, codes.max() + 1)[codes]
    return np.asarray(latent > 0, dtype=float)


def of_identities(values: np.ndarray, design: Design) -> TwoWay:
    """What was done before: identities are the sample, attributes are taken as they are."""
    _, place = np.unique(design.identity, return_inverse=True)
    sizes, sums = np.bincount(place).astype(float), np.bincount(place, values)
    p_value = sign_flip_test(sums - sizes / 2)
    p_value = 1.0 if np.isnan(p_value) else p_value
    interval = clustered_share(sizes, sums, float(values.var()), 0.95)
    interval = agreeing(interval, float(values.mean()), 0.5, p_value, 0.95)
    return TwoWay(interval, p_value, len(sizes), len(sizes), "first", len(sizes))


def of_both(values: np.ndarray, design: Design) -> TwoWay:
    """What is done now."""
    units = (design.identity, design.attribute)
    return two_way(values, *units, neutral=0.5, bounds=(0, 1), confidence=0.95, flips=FLIPS)


def alike(_: int) -> None:
    """The p-value where every pair prefers the stereotype: more such pairs never take a claim away."""
    print("| pairs, all stereotypical | p |\n|---|---|")
    for number in (6, 7, 8, 9, 10, 12):
        design = full(number, number)
        print(f"| {design.name} | {of_both(np.ones(number**2), design).p_value:.4f} |")
    print()


def measured(
    method: Callable[[np.ndarray, Design], TwoWay], drawn: Iterator[np.ndarray], design: Design, share: float
) -> tuple[float, float]:
    """Shares of the data sets whose interval covers the truth, and in which a preference is claimed."""
    results = [method(values, design) for values in drawn]
    covered = [r.interval.low - 1e-9 <= share <= r.interval.high + 1e-9 for r in results]
    return float(np.mean(covered)), float(np.mean([r.p_value <= 0.05 for r in results]))


def shares(repeats: int) -> None:
    """Most false claims and least coverage over all deviations; power where both are 0.5."""
    heads = [f"power at {share:g}" for share in SHARES]
    print(f"| design | sample | sets a world | false claims | least coverage | {' | '.join(heads)} |")
    print("|---|---|---|---|---|" + "---|" * len(SHARES))
    for design, (name, method) in product(DESIGNS, (("identities", of_identities), ("both", of_both))):
        claims, covered, power = [], [], []
        for share, (of_identity, of_attribute) in product((0.5, *SHARES), WORLDS):
            rng = np.random.default_rng([int(100 * share), int(10 * of_identity), int(10 * of_attribute)])
            drawn = (sides(rng, design, share, of_identity, of_attribute) for _ in range(repeats))
            coverage, claimed = measured(method, drawn, design, share)
            covered.append(coverage)
            if share == 0.5:
                claims.append(claimed)
            elif of_identity == of_attribute == 0.5:
                power.append(claimed)
        shown = " | ".join(f"{number:.2f}" for number in power)
        print(
            f"| {design.name} | {name} | {repeats} | {max(claims):.3f} | {min(covered):.3f} | {shown} |",
            flush=True,
        )


def comparisons(repeats: int) -> None:
    """Two models without a difference on average, whose difference varies by attribute: most false claims."""
    print("\n| design | identities alone | both |\n|---|---|---|")
    for design in DESIGNS[:4]:
        claims: dict[str, list[float]] = {"identities": [], "both": []}
        for of_attribute in DEVIATIONS:
            rng = np.random.default_rng(int(10 * of_attribute))
            claimed = {"identities": 0, "both": 0}
            for _ in range(repeats):
                models = [sides(rng, design, 0.5, 0.5, of_attribute) for _ in range(2)]
                values = (1 + models[0] - models[1]) / 2
                claimed["identities"] += of_identities(values, design).p_value <= 0.05
                claimed["both"] += of_both(values, design).p_value <= 0.05
            for name, number in claimed.items():
                claims[name].append(number / repeats)
        print(f"| {design.name} | {max(claims['identities']):.3f} | {max(claims['both']):.3f} |", flush=True)


def skewed(repeats: int) -> None:
    """Exponential effects of identities and attributes in place of normal ones, as long a tail on either side."""
    heads = [f"power at {share:g}" for share in SHARES]
    print(f"\n| design, skewed effects | sample | false claims | least coverage | {' | '.join(heads)} |")
    print("|---|---|---|---|" + "---|" * len(SHARES))
    for design, (name, method) in product(
        (full(30, 10), full(12, 40), collected(55, 224, 600)),
        (("identities", of_identities), ("both", of_both)),
    ):
        claims, covered, power = [], [], []
        for share, tail, deviation in product((0.5, *SHARES), (1, -1), (0.5, 1.0)):
            rng = np.random.default_rng([int(100 * share), 1 + tail, int(10 * deviation)])
            centre = -np.quantile(
                tail * deviation * (rng.exponential(size=(2, 200_000)) - 1).sum(axis=0)
                + rng.normal(size=200_000),
                1 - share,
            )

            def drawn(rng: np.random.Generator, centre: float, scale: float, design: Design) -> np.ndarray:
                latent = centre + rng.normal(size=len(design.identity))
                for codes in (design.identity, design.attribute):
                    latent += scale * (rng.exponential(size=codes.max() + 1) - 1)[codes]
                return (latent > 0).astype(float)

            sets = (drawn(rng, centre, tail * deviation, design) for _ in range(repeats))
            coverage, claimed = measured(method, sets, design, share)
            covered.append(coverage)
            if share == 0.5:
                claims.append(claimed)
            elif deviation == 0.5:
                power.append(claimed)
        shown = " | ".join(f"{np.mean(power[k : k + 2]):.2f}" for k in range(0, len(power), 2))
        print(f"| {design.name} | {name} | {max(claims):.3f} | {min(covered):.3f} | {shown} |", flush=True)


def sizes(repeats: int) -> None:
    """Identities with more pairs are preferred more (or less): the number of pairs is drawn with the effect."""
    print(
        "\n| identities, share goes with their pairs | sample | false claims | least coverage |\n|---|---|---|---|"
    )
    for identities, (name, method) in product(
        (12, 30, 60), (("identities", of_identities), ("both", of_both))
    ):
        claims, covered = [], []
        for share, direction in product((0.5, 0.7), (1.0, -1.0)):
            rng = np.random.default_rng([identities, int(100 * share), int(1 + direction)])
            many = rng.normal(size=200_000)
            weights = np.maximum(1, np.round(np.exp(1.5 + 0.8 * many)))
            centre = brentq(
                lambda c, many=many, weights=weights, direction=direction, share=share: float(
                    np.average(ndtr((c + 0.5 * direction * many) / np.sqrt(1.25)), weights=weights) - share
                ),
                -3,
                3,
            )
            results = []
            for _ in range(repeats):
                effect = rng.normal(size=identities)
                pairs = np.maximum(1, np.round(np.exp(1.5 + 0.8 * effect))).astype(int)
                identity = np.repeat(np.arange(identities), pairs)
                attribute = rng.integers(0, 3 * identities, len(identity))
                latent = centre + 0.5 * direction * effect[identity] + rng.normal(size=len(identity))
                latent += rng.normal(0, 0.5, 3 * identities)[attribute]
                results.append(method((latent > 0).astype(float), Design("", identity, attribute)))
            covered.append(np.mean([r.interval.low <= share <= r.interval.high for r in results]))
            if share == 0.5:
                claims.append(np.mean([r.p_value <= 0.05 for r in results]))
        print(f"| {identities} | {name} | {max(claims):.3f} | {min(covered):.3f} |", flush=True)


PARTS = {
    "alike": alike,
    "shares": shares,
    "comparisons": comparisons,
    "skewed": skewed,
    "sizes": sizes,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--repeats", type=int, default=200, help="data sets of each world")
    chosen = parser.parse_args()
    for part in chosen.part or PARTS:
        PARTS[part](chosen.repeats)
