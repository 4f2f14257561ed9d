"""Measures of a simulated campaign: one row per campaign, their means, and arms compared over seeds.

One set of resamples serves a whole cell: each resample takes the same seeds for every arm and measure, so that the
luck that arms share does not widen the interval of their comparison.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from campaign_simulation import population
from campaign_simulation.campaign import Campaign
from campaign_simulation.population import Answer, Group
from campaign_simulation.run import Outcome
from campaign_simulation.world import FAR, JUNK, NEAR, OWN, FloatArray
from endoxa.stats.intervals import UNDEFINED
from endoxa.stats.resampling import percentile_interval, times_drawn
from endoxa_collect.sampler.slots import CANDIDATE

MAIN = "main"
"""Name of the main world in tables."""

MOST = 10
"""Ratings a pair from which on the distribution counts together."""

LONG_TAIL = 50
"""Salience rank after which a pair belongs to the long tail."""

MEASURES: dict[str, str] = {
    "minutes": "person-minutes that were spent",
    "ratings": "ratings given",
    "pairs": "pairs in the pool at the end, seeds included",
    "valid": "different true pairs that people added (per 1,000 person-minutes)",
    "complete": "those of them with k ratings or more (per 1,000 person-minutes)",
    "tail": "those of them beyond the 50 most salient of their country (per 1,000 person-minutes)",
    "reached": "share of the pairs that ask for ratings with k or more (all but candidates)",
    "candidates": "share of pairs that wait for a second mention and ask for no ratings",
    "words": "pairs said in words of people's own, new or not (per 1,000 person-minutes)",
    "over": "share of ratings on pairs that had k already",
    "surplus": "the same, less those asked for on purpose (calibration, disagreement, nothing else left)",
    "late": "share of ratings that came after their time",
    "near": "share of ratings by people of the country or of a near one",
    "near_present": "the same, of ratings about countries that somebody in the campaign is of or near",
    "own": "share of ratings by people of the country",
    "gini": "Gini coefficient of the added true pairs over the countries that people come from",
    "duplicates": "share of added true pairs that repeat another in other words",
    "true_mean": "mean rating that all people together would give to all pairs they can read",
    "raw_error": "mean of the ratings given, less the true mean",
    "weighted_error": "mean of the ratings up to k weighted by 1 / propensity (Hajek), less the true mean",
    "cut_error": "the same, with the largest 5 % of the weights cut to the next one",
    "population_error": "mean by post-stratification to all people of the campaign (`population`), less the true mean",
    **{f"rated_{n}": f"share of pairs with {n} ratings" for n in range(MOST)},
    f"rated_{MOST}": f"share of pairs with {MOST} ratings or more",
}
"""Measures of one campaign by name."""

_TRUNCATED = 0.05
"""Share of the weights that are cut."""

_PLACES = {OWN: population.IN, NEAR: population.NEAR, FAR: population.FAR}

_RESAMPLES = 2_000
_SEED = 1


def measure(outcome: Outcome) -> dict[str, float]:
    """All of `MEASURES`; NaN where a campaign does not have it."""
    campaign, minutes = outcome.campaign, outcome.minutes
    pool, ratings, world = campaign.pool, campaign.ratings, campaign.world
    added = (pool["rank"] != JUNK) & ~pool["seed"]
    facts = np.column_stack([pool[name][added] for name in ("country", "rank", "language", "ratings")])
    # Of duplicates, the one with most ratings stands for the pair.
    facts = facts[np.lexsort((-facts[:, 3], facts[:, 2], facts[:, 1], facts[:, 0]))]
    _, first = np.unique(facts[:, :3], axis=0, return_index=True)
    valid = facts[first]
    proximity = world.proximity[ratings.person, pool["country"][ratings.pair]]
    truth = _true_mean(campaign)
    value, propensity = np.array(ratings.value, dtype=np.float64), np.array(ratings.propensity)
    counted = ~np.array(ratings.over, dtype=np.bool_)
    per_thousand = 1_000 / minutes if minutes else math.nan
    chances = propensity[counted]
    # Truncating at this quantile bounds the weights 1 / propensity.
    finite = chances[np.isfinite(chances)]
    cut = float(np.quantile(finite, _TRUNCATED)) if finite.size else math.nan
    rated = np.bincount(np.minimum(pool["ratings"], MOST), minlength=MOST + 1) / max(1, pool.size)
    waits = pool["need"] == CANDIDATE
    present = np.any(world.proximity <= NEAR, axis=0)[pool["country"][ratings.pair]]
    return {
        "minutes": minutes,
        "ratings": float(len(value)),
        "pairs": float(pool.size),
        "valid": len(valid) * per_thousand,
        "complete": float((valid[:, 3] >= campaign.settings.k).sum()) * per_thousand,
        "tail": float((valid[:, 1] >= LONG_TAIL).sum()) * per_thousand,
        "reached": _mean(pool["ratings"][~waits] >= campaign.settings.k),
        "candidates": _mean(waits),
        "words": float(campaign.words) * per_thousand,
        "over": _mean(np.array(ratings.over)),
        "surplus": _mean(np.array(ratings.surplus)),
        "late": _mean(np.array(ratings.late)),
        "near": _mean(proximity <= NEAR),
        "near_present": _mean(proximity[present] <= NEAR),
        "own": _mean(proximity == OWN),
        "gini": gini(
            np.bincount(valid[:, 0], minlength=len(world.countries))[: len(world.settings.countries)]
        ),
        "duplicates": 1 - len(valid) / len(facts) if len(facts) else math.nan,
        "true_mean": truth,
        "raw_error": _mean(value) - truth,
        "weighted_error": weighted_mean(value[counted], chances) - truth,
        "cut_error": weighted_mean(value[counted], np.maximum(chances, cut)) - truth,
        "population_error": _population_mean(campaign, counted) - truth,
        **{f"rated_{number}": float(share) for number, share in enumerate(rated)},
    }


def weighted_mean(values: FloatArray, propensities: FloatArray) -> float:
    """Mean with weights 1 / propensity (Hajek's ratio estimator); NaN where none is known."""
    usable = np.isfinite(propensities) & (propensities > 0)
    if not usable.any():
        return math.nan
    return float(np.average(values[usable], weights=1 / propensities[usable]))


def gini(counts: np.ndarray) -> float:
    """Gini coefficient: 0 where all have the same, near 1 where one has all; NaN where there is nothing."""
    counts = np.sort(np.asarray(counts, dtype=np.float64))
    total, size = counts.sum(), len(counts)
    if not total:
        return math.nan
    return float(2 * (np.arange(1, size + 1) @ counts) / (size * total) - (size + 1) / size)


def _population_mean(campaign: Campaign, counted: npt.NDArray[np.bool_]) -> float:
    """Post-stratified mean of the ratings up to k; groups are countries, tones and languages."""
    pool, world, ratings = campaign.pool, campaign.world, campaign.ratings
    person, pair = (
        np.array(ratings.person, dtype=np.int64)[counted],
        np.array(ratings.pair, dtype=np.int64)[counted],
    )
    value = np.array(ratings.value, dtype=np.float64)[counted]
    country, negative = pool["country"], pool["negative"]
    proximity = world.proximity[person, country[pair]]
    answers = [
        Answer(who, str(where), str(tone), _PLACES[place], what)
        for who, where, tone, place, what in zip(
            person.tolist(),
            country[pair].tolist(),
            negative[pair].tolist(),
            proximity.tolist(),
            value.tolist(),
            strict=True,
        )
    ]
    live = pool["need"] != CANDIDATE
    kinds, numbers = np.unique(
        np.column_stack([country, negative, pool["language"]])[live], axis=0, return_counts=True
    )
    groups = []
    for (where, tone, language), number in zip(kinds.tolist(), numbers.tolist(), strict=True):
        readers = world.proximity[world.reads_english | (language == 0), where]
        shares = {name: float((readers == place).mean()) for place, name in _PLACES.items()}
        groups.append(Group(str(where), str(bool(tone)), float(number * len(readers)), shares))
    return population.weighted_mean(answers, groups)


def _true_mean(campaign: Campaign) -> float:
    """Over all people and all pairs in a language they read, but candidates and those they proposed themselves."""
    pool, world = campaign.pool, campaign.world
    ratings = world.ratings(pool["country"], pool["rank"])
    readable = np.stack([campaign.readable(person) for person in range(world.settings.people)])
    if campaign.mentions:
        readable[tuple(np.array(campaign.mentions).T)] = False
    readable &= pool["need"] != CANDIDATE
    return _mean(ratings[readable])


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


class CellResults:
    """All campaigns of one cell.

    Args:
        rows: columns `arm`, `seed` and those of `MEASURES`. Only seeds that every arm has are used.
    """

    def __init__(self, rows: pl.DataFrame) -> None:
        self.arms: list[str] = rows["arm"].unique(maintain_order=True).to_list()
        common = rows.group_by("seed").len().filter(pl.col("len") == len(self.arms))["seed"].implode()
        rows = rows.filter(pl.col("seed").is_in(common)).sort("seed")
        self.seeds = rows["seed"].n_unique()
        self._values: dict[str, FloatArray] = {
            arm: rows.filter(pl.col("arm") == arm).select(list(MEASURES)).to_numpy() for arm in self.arms
        }

    @cached_property
    def resamples(self) -> FloatArray:
        """(resamples, seeds): how often each resample takes each seed, as a share."""
        drawn = times_drawn(np.ones(self.seeds), _RESAMPLES, np.random.default_rng(_SEED))
        return drawn / self.seeds

    def values(self, arm: str, measure: str) -> FloatArray:
        """One measure of one arm, by seed."""
        return self._values[arm][:, list(MEASURES).index(measure)]

    def mean(self, arm: str, measure: str) -> Interval:
        """Mean over seeds."""
        values = self.values(arm, measure)
        return self.interval(float(values.mean()), self.resamples @ values)

    @staticmethod
    def interval(value: float, resampled: FloatArray) -> Interval:
        """A value with the interval of its resamples; without one where some have no value."""
        drawn = (
            percentile_interval(resampled, 0.95, constant=True) if np.isfinite(resampled).all() else UNDEFINED
        )
        return Interval(value, drawn.low, drawn.high)


def by_cell(rows: list[dict[str, Any]]) -> dict[str, CellResults]:
    """Results of each cell."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return {str(name): CellResults(part) for (name,), part in frame.group_by("cell", maintain_order=True)}


def summary_table(cells: dict[str, CellResults]) -> pl.DataFrame:
    """Mean and interval of each measure, by cell and arm."""
    return pl.DataFrame(
        [
            {
                "cell": name,
                "arm": arm,
                "measure": measure,
                "seeds": cell.seeds,
                **vars(cell.mean(arm, measure)),
            }
            for name, cell in cells.items()
            for arm in cell.arms
            for measure in MEASURES
        ]
    )
