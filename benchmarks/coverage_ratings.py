"""Do the tests of leniency and of disagreement by topic hold their level? Simulated, truth known.

Prints the tables of docs/methods/agreement.md: before (raters resampled; Fisher's test of associations) and now.

    python benchmarks/coverage_ratings.py --only leniency   some 5 minutes on one core; disagreement 2
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import fisher_exact

from endoxa.curate.ratings.disagreement import excess
from endoxa.stats.crossed import crossed_contrast
from endoxa.stats.permutation import units_by_group_test
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval


@dataclass(frozen=True)
class Campaign:
    """People of some groups rate associations about these groups; own ones are drawn more often."""

    name: str
    sizes: tuple[int, ...]
    per_group: int
    each: int
    own: float

    def drawn(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Rater, association, and the groups of both, of each rating."""
        group, about = np.repeat(np.arange(len(self.sizes)), self.sizes), np.repeat(range(4), self.per_group)
        about = about[about < max(2, len(self.sizes))]
        raters = []
        for topic in about:
            chance = np.where(group == topic, self.own, 1.0)
            raters.append(rng.choice(len(group), self.each, replace=False, p=chance / chance.sum()))
        rater, item = np.concatenate(raters), np.repeat(np.arange(len(about)), self.each)
        return rater, item, group, about


CAMPAIGNS = (
    Campaign("groups 28/4/4/4, everybody rates everything", (28, 4, 4, 4), 6, 40, 1.0),
    Campaign("groups 28/4/4/4, 6 ratings each", (28, 4, 4, 4), 20, 6, 3.0),
    Campaign("groups 10/10/10/10, 6 ratings each", (10, 10, 10, 10), 20, 6, 3.0),
    Campaign("groups 6/6/6/6, 4 ratings each", (6, 6, 6, 6), 10, 4, 2.0),
    Campaign("groups 4/3/3/3, 6 ratings each", (4, 3, 3, 3), 10, 6, 3.0),
)
WORLDS = {
    "raters and associations differ": (0.0, 0.0, 0.0),
    "means of groups of raters differ": (0.7, 0.0, 0.0),
    "means of groups of associations differ": (0.0, 0.7, 0.0),
    "leniency differs by rater and association": (0.0, 0.0, 0.5),
    "all of these": (0.7, 0.7, 0.5),
}
"""Standard deviations: of groups of raters, of groups of associations, of leniency by rater and by association."""


def leniency(repeats: int) -> None:
    """Most false claims and least coverage over all cells; power in the last world."""
    print(
        "| campaign | method | false claims | in which world | least coverage | power at 0.3 | power at 0.6 |"
    )
    print("|---|---|---|---|---|---|---|")
    methods = {"raters resampled": _resampled, "within, both samples": _within}
    for campaign in CAMPAIGNS:
        found: dict[str, dict[tuple[str, float], list[tuple[bool, bool]]]] = {name: {} for name in methods}
        cells = [(world, 0.0) for world in WORLDS] + [("all of these", truth) for truth in (0.3, 0.6)]
        for world, truth in cells:
            for repeat in range(repeats):
                rng = np.random.default_rng([repeat, int(10 * truth)])
                ratings = _ratings(rng, campaign, truth, *WORLDS[world])
                for name, method in methods.items():
                    low, high, p_value = method(*ratings)
                    hit = p_value <= 0.05, not low > truth and not high < truth
                    found[name].setdefault((world, truth), []).append(hit)
        for name, cells in found.items():
            claims = {world: np.mean([c for c, _ in cells[world, 0.0]]) for world in WORLDS}
            covered = min(np.mean([c for _, c in cell]) for cell in cells.values())
            power = " | ".join(f"{np.mean([c for c, _ in cells['all of these', t]]):.2f}" for t in (0.3, 0.6))
            worst = max(claims, key=lambda world: claims[world])
            print(
                f"| {campaign.name} | {name} | {claims[worst]:.3f} | {worst} | {covered:.3f} | {power} |",
                flush=True,
            )


def _ratings(
    rng: np.random.Generator,
    campaign: Campaign,
    truth: float,
    of_group: float,
    of_about: float,
    slopes: float,
) -> tuple[np.ndarray, ...]:
    rater, item, group, about = campaign.drawn(rng)
    inside = group[rater] == about[item]
    level = rng.normal(0, 0.5, len(group)) + rng.normal(0, of_group, 4)[group]
    known = rng.normal(0, 0.5, len(about)) + rng.normal(0, of_about, 4)[about]
    lenient = truth + rng.normal(0, slopes, len(group))[rater] + rng.normal(0, slopes, len(about))[item]
    return (
        3 + level[rater] + known[item] + inside * lenient + rng.normal(0, 0.8, len(rater)),
        inside,
        rater,
        item,
    )


def _resampled(rating: np.ndarray, inside: np.ndarray, rater: np.ndarray, _: np.ndarray) -> tuple[float, ...]:
    clusters = Clusters.of(rater, inside * rating, inside, ~inside * rating, ~inside)
    draws = bootstrap(clusters, lambda sums: sums[:, 1] / sums[:, 2] - sums[:, 3] / sums[:, 4], 400, 0)
    interval = expanded_interval(draws, clusters, 0.95)
    return interval.low, interval.high, float(interval.low <= 0 <= interval.high)


def _within(rating: np.ndarray, inside: np.ndarray, rater: np.ndarray, item: np.ndarray) -> tuple[float, ...]:
    found = crossed_contrast(rating, inside, rater, item, needed=6, confidence=0.95, bounds=(-99, 99))
    return found.interval.low, found.interval.high, found.p_value


TOPICS = {
    "400 words of one identity": (400, 1, 0.0, 6),
    "32 words x 12 identities": (32, 12, 0.0, 6),
    "120 words, one topic near the ceiling": (120, 3, 1.7, 6),
    "120 words, one topic rated 2 to 4 times": (120, 3, 0.0, 4),
    "all of these, 32 words x 12": (32, 12, 1.7, 4),
}
"""Words, identities, how much higher one topic is rated, most ratings of its associations (others have 4 to 6)."""


def disagreement(repeats: int) -> None:
    """Claims about the first of four topics: as disputed as others, or with 1.4 or 1.8 times the spread."""
    print("\n| associations | method | false claims | power at 1.4 | power at 1.8 |\n|---|---|---|---|---|")
    for name, world in TOPICS.items():
        claimed = np.zeros((2, 3))
        for place, factor in enumerate((1.0, 1.4, 1.8)):
            for repeat in range(repeats):
                pairs = _associations(np.random.default_rng([repeat, place]), factor, *world)
                claimed[:, place] += (_fisher(pairs) <= 0.05, _permuted(pairs) <= 0.05)
        for method, row in zip(
            ("Fisher, associations", "rank at that mean, words"), claimed / repeats, strict=True
        ):
            print(f"| {name} | {method} | {row[0]:.3f} | {row[1]:.2f} | {row[2]:.2f} |", flush=True)


def _associations(
    rng: np.random.Generator, factor: float, words: int, identities: int, ceiling: float, ratings: int
) -> pl.DataFrame:
    word = np.repeat(np.arange(words), identities)
    first = word % 4 == 0
    spread = np.exp(rng.normal(-0.2, 0.3, words))[word] * np.where(first, factor, 1.0)
    mean = 3 + ceiling * first + rng.normal(0, 0.4, len(word))
    values = np.clip(np.round(mean[:, None] + rng.normal(size=(len(word), 6)) * spread[:, None]), 1, 5)
    n = np.where(first, ratings, 6) - rng.integers(3, size=len(word))
    values[np.arange(6) >= n[:, None]] = np.nan
    columns = {
        "word": word,
        "n": n,
        "mean": np.nanmean(values, axis=1),
        "variance": np.nanvar(values, axis=1),
    }
    return pl.DataFrame(columns)


def _fisher(pairs: pl.DataFrame) -> float:
    variance, first = pairs["variance"].round(12).to_numpy(), pairs["word"].to_numpy() % 4 == 0
    high = variance > np.quantile(variance, 0.8, method="inverted_cdf")
    return float(
        fisher_exact(
            [[(high & first).sum(), (high & ~first).sum()], [(~high & first).sum(), (~high & ~first).sum()]]
        ).pvalue
    )


def _permuted(pairs: pl.DataFrame) -> float:
    word = pairs["word"].to_numpy()
    value = np.bincount(word, excess(pairs)) / np.bincount(word)
    return float(units_by_group_test(value, np.arange(len(value)) % 4, draws=499)[0])


PARTS = {"leniency": leniency, "disagreement": disagreement}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=300, help="data sets of each kind")
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    for part, print_table in PARTS.items():
        if arguments.only in {None, part}:
            print_table(arguments.repeats)
