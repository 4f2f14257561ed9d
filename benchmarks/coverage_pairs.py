"""Does the inference for sentence pairs hold its level where the data are? Simulated pairs with a planted truth.

Prints the tables of docs/methods/identities.md: coverage and width of intervals, false claims, power, for shares
from 0.5 to 1, 5 to 60 identities, correlations within identities from 0 to 0.6, equal and unequal numbers of pairs.

    python benchmarks/coverage_pairs.py                     everything, some 20 minutes on two cores
    python benchmarks/coverage_pairs.py shares --repeats 200
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates import STATISTICS
from endoxa.instruments.pairs.estimates.comparisons import compare_models
from endoxa.instruments.pairs.estimates.inference import Question
from endoxa.instruments.pairs.estimates.records import Cell, check_records, scores_of
from endoxa.instruments.pairs.estimates.statistics import detectable as least_detectable
from endoxa.schema import Estimate, Sample
from endoxa.stats.signs import fewest_units, sign_flip_test

IDENTITIES = (5, 6, 8, 12, 20, 60)
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
CORRELATIONS = (0.0, 0.1, 0.3, 0.6)


@dataclass(frozen=True)
class Found:
    """What a number of simulated data sets gave, as shares of them (width: mean)."""

    covered: float
    claimed: float
    width: float


def sizes(kind: str, identities: int) -> np.ndarray:
    """Pairs per identity: ten each, or 40, 25, 19, ... as in collected data."""
    if kind == "equal":
        return np.full(identities, 10)
    return np.maximum(1, np.round(40 / np.arange(1, identities + 1) ** 0.7)).astype(int)


def sides(rng: np.random.Generator, cluster: np.ndarray, share: float, correlation: float) -> np.ndarray:
    """+1 or -1 per pair; every identity has its own chance, beta-distributed about `share`."""
    identities = int(cluster.max()) + 1
    chance = np.full(identities, share)
    if correlation > 0 and 0 < share < 1:
        spread = (1 - correlation) / correlation
        chance = rng.beta(share * spread, (1 - share) * spread, identities)
    return np.where(rng.random(len(cluster)) < chance[cluster], 1.0, -1.0)


def sample(difference: np.ndarray, cluster: np.ndarray) -> Sample:
    """The pairs as a statistic sees them."""
    n = len(difference)
    return Sample(
        difference=difference,
        score_more=difference - 20.0,
        score_less=np.full(n, -20.0),
        direction=np.array(["stereo"] * n, dtype=np.str_),
        neutral_difference=np.full(n, np.nan),
        cluster=cluster,
        resamples=600,
    )


def clustered(name: str, one: Sample) -> Estimate:
    """The estimate that takes identities as independent: the second of two."""
    return STATISTICS.get(name).compute(one, 0.95, 1)[1]


def measure(name: str, truth: float, samples: Iterator[Sample], neutral: float) -> Found:
    """Coverage of the truth, claims that the value differs from `neutral`, and width, over simulated samples."""
    held, claimed, width, number = 0, 0, 0.0, 0
    for one in samples:
        found = clustered(name, one)
        held += found.low - 1e-9 <= truth <= found.high + 1e-9
        claimed += found.p_value <= 0.05 and not found.reason and abs(found.value - neutral) > 5e-4
        width += found.high - found.low
        number += 1
    return Found(held / number, claimed / number, width / number)


def shares(repeats: int) -> None:
    """Preference ratios: coverage and width by number of identities, over all shares, correlations and sizes."""
    print("| identities | coverage, least | coverage, median | width, median | false claims at 0.5, most |")
    print("|---|---|---|---|---|")
    for identities in IDENTITIES:
        found: list[tuple[Found, str]] = []
        levels: list[float] = []
        for kind in ("equal", "unequal"):
            cluster = np.repeat(np.arange(identities), sizes(kind, identities))
            for share in SHARES:
                for correlation in CORRELATIONS if share < 1 else (0.0,):
                    rng = np.random.default_rng([identities, int(1000 * share), int(1000 * correlation)])
                    drawn = (sample(sides(rng, cluster, share, correlation), cluster) for _ in range(repeats))
                    name = f"{kind}, share {share:g}, correlation {correlation:g}"
                    found.append((measure("preference_ratio", share, drawn, 0.5), name))
                levels += [level(cluster, correlation, 5 * repeats) for correlation in CORRELATIONS]
        worst, where = min(found, key=lambda one: one[0].covered)
        middle = np.median([(one.covered, one.width) for one, _ in found], axis=0)
        print(
            f"| {identities} | {worst.covered:.3f} ({where}) | {middle[0]:.3f} | {middle[1]:.2f} | {max(levels):.3f} |",
            flush=True,
        )


def level(cluster: np.ndarray, correlation: float, repeats: int) -> float:
    """How often the test of a ratio claims a preference where there is none."""
    if int(cluster.max()) + 1 < fewest_units(0.05):
        return 0.0
    rng = np.random.default_rng([len(cluster), int(1000 * correlation), 3])
    totals = (np.bincount(cluster, sides(rng, cluster, 0.5, correlation)) for _ in range(repeats))
    return float(np.mean([sign_flip_test(one) <= 0.05 for one in totals]))


def power(repeats: int) -> None:
    """Share of data sets in which a preference of practical size is claimed."""
    print("| identities | sizes | correlation | 0.6 | 0.7 | 0.8 | 0.9 |\n|---|---|---|---|---|---|---|")
    for identities in (6, 8, 12, 20, 60):
        for kind in ("equal", "unequal"):
            cluster = np.repeat(np.arange(identities), sizes(kind, identities))
            for correlation in (0.1, 0.3):
                cells = []
                for share in (0.6, 0.7, 0.8, 0.9):
                    rng = np.random.default_rng([identities, int(1000 * share), int(1000 * correlation), 1])
                    drawn = (sample(sides(rng, cluster, share, correlation), cluster) for _ in range(repeats))
                    cells.append(f"{measure('preference_ratio', share, drawn, 0.5).claimed:.2f}")
                print(f"| {identities} | {kind} | {correlation} | {' | '.join(cells)} |", flush=True)


def means(repeats: int) -> None:
    """Mean differences: normal, and skewed (exponential) identities and pairs."""
    print("| identities | distribution | coverage, least | coverage, median | false claims at 0, most |")
    print("|---|---|---|---|---|")
    for identities in IDENTITIES:
        for skewed in (False, True):
            found, level = [], 0.0
            for kind in ("equal", "unequal"):
                cluster = np.repeat(np.arange(identities), sizes(kind, identities))
                for correlation in CORRELATIONS:
                    for mean in (0.0, 0.4):
                        rng = np.random.default_rng([identities, int(1000 * correlation), int(10 * mean), 2])
                        drawn = (
                            sample(mean + noise(rng, cluster, correlation, skewed), cluster)
                            for _ in range(repeats)
                        )
                        one = measure("mean_difference", mean, drawn, 0.0)
                        found.append(one.covered)
                        level = max(level, one.claimed if mean == 0 else 0.0)
            shape = "skewed" if skewed else "normal"
            print(
                f"| {identities} | {shape} | {min(found):.3f} | {np.median(found):.3f} | {level:.3f} |",
                flush=True,
            )


def noise(rng: np.random.Generator, cluster: np.ndarray, correlation: float, skewed: bool) -> np.ndarray:
    """Mean 0, variance 1, this correlation within identities."""
    identities = int(cluster.max()) + 1
    own, each = (
        (rng.exponential(size=identities) - 1, rng.exponential(size=len(cluster)) - 1)
        if skewed
        else (rng.normal(size=identities), rng.normal(size=len(cluster)))
    )
    return np.sqrt(correlation) * own[cluster] + np.sqrt(1 - correlation) * each


def languages(repeats: int) -> None:
    """Translated identities pooled over languages: counted once (a stated key), and as if they were others."""
    print("| languages | identities linked | coverage | false claims |\n|---|---|---|---|")
    for number in (1, 2, 4):
        for linked in (True, False):
            rng, held, given, claimed = np.random.default_rng(number), 0, 0, 0
            for _ in range(repeats):
                found, unlinked = _pooled(rng, number, linked)
                given += not unlinked
                held += not unlinked and found.low <= 0.5 <= found.high
                claimed += not unlinked and found.p_value <= 0.05
            covered = f"{held / given:.3f}" if given else "none given"
            key = "yes" if linked else "no"
            print(f"| {number} | {key} | {covered} | {claimed / repeats:.3f} |", flush=True)


def _pooled(rng: np.random.Generator, number: int, linked: bool) -> tuple[Estimate, str]:
    """The pooled value of 20 identities with 5 pairs in each of several languages, and why it is not tested."""
    identities, each = 20, 5
    cluster = np.tile(np.repeat(np.arange(identities), each), number)
    language = np.repeat(np.arange(number), identities * each)
    side = sides(rng, cluster, 0.5, 0.2)
    records = pl.DataFrame(
        {
            "item_id": [f"i{k}" for k in range(len(side))],
            "language": [f"l{k}" for k in language],
            "axis": "all people",
            "direction": "stereo",
            "stereotypical": "more",
            "identity": [f"{lang} {who}" for lang, who in zip(language, cluster, strict=True)],
            "identity_key": [f"{who}" if linked else None for who in cluster],
            "model": "m",
            "rule": "sum",
            "score_more": side,
            "score_less": 0.0,
        },
        schema_overrides={"identity_key": pl.String},
    )
    (scores,) = scores_of(check_records(records), 100)
    every = np.ones(len(side), dtype=bool)
    return clustered("preference_ratio", scores.sample), scores.unlinked(every)


def comparisons(repeats: int) -> None:
    """Two models on the same pairs: alike, 20 points apart, and 95 against 5 %."""
    print("| identities | models | coverage of the difference | claims |\n|---|---|---|---|")
    for identities in (5, 8, 20, 60):
        cluster = np.repeat(np.arange(identities), sizes("unequal", identities))
        for first, second in ((0.6, 0.6), (0.7, 0.5), (0.95, 0.05)):
            rng, held, claimed = np.random.default_rng([identities, int(100 * first)]), 0, 0
            for _ in range(repeats):
                found = _compared(rng, cluster, first, second)
                held += found["low"] <= first - second <= found["high"]
                claimed += found["verdict"] in ("above", "below")
            print(
                f"| {identities} | {first} against {second} | {held / repeats:.3f} | {claimed / repeats:.3f} |",
                flush=True,
            )


def _compared(rng: np.random.Generator, cluster: np.ndarray, first: float, second: float) -> dict[str, Any]:
    n = len(cluster)
    one = {
        "item_id": [f"i{k}" for k in range(n)],
        "language": "en",
        "axis": "all people",
        "direction": "stereo",
        "stereotypical": "more",
        "identity": [f"p{who}" for who in cluster],
        "rule": "sum",
        "score_less": 0.0,
    }
    frames = [
        pl.DataFrame({**one, "model": model, "score_more": sides(rng, cluster, share, 0.2)})
        for model, share in (("a", first), ("b", second))
    ]
    scores = scores_of(check_records(pl.concat(frames)), 100)
    return compare_models(scores, [Cell("all", "all")], 0.95, 1).row(0, named=True)


def detectable(repeats: int) -> None:
    """The least detectable ratio as reported, and how often a preference of that size is then found."""
    print("| identities | correlation | reported, mean | power at that ratio |\n|---|---|---|---|")
    for identities in (8, 20, 60):
        own = sizes("equal", identities)
        cluster = np.repeat(np.arange(identities), own)
        units = (cluster, np.arange(len(cluster)))
        for correlation in (0.1, 0.3):
            rng = np.random.default_rng([identities, int(100 * correlation)])
            question = Question("ratio", np.nan, 0.95)
            reported = [
                least_detectable(question, sides(rng, cluster, 0.6, correlation), units)[0].value
                for _ in range(40)
            ]
            ratio = float(np.nanmean(reported))
            found = [
                sign_flip_test(np.bincount(cluster, sides(rng, cluster, ratio, correlation))) <= 0.05
                for _ in range(repeats)
            ]
            print(f"| {identities} | {correlation} | {ratio:.3f} | {np.mean(found):.2f} |", flush=True)


PARTS = {
    "shares": shares,
    "power": power,
    "means": means,
    "languages": languages,
    "comparisons": comparisons,
    "detectable": detectable,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--repeats", type=int, default=500, help="data sets per row")
    chosen = parser.parse_args()
    for name in chosen.part or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}\n")
        PARTS[name](chosen.repeats)
