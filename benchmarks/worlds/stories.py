"""Associations in sets of stories, differences of protagonists, and people and models who rate associations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr
from scipy.stats import rankdata

from benchmarks.worlds import Reading
from benchmarks.worlds.story_sets import StorySets, Studies
from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.cells import Cells, design_effects, lift_interval
from endoxa.instruments.stories.associations.permutations import differences
from endoxa.instruments.stories.associations.tables import units_of_prompts
from endoxa.instruments.stories.harm import raters
from endoxa.instruments.stories.harm.raters import RESOLUTION, Ratings, difference
from endoxa.runs.options import Resampling
from endoxa.stats.verdicts import ABOVE, adjust, decide

DRAWS = 1_000
"""Random tables of a test: as valid as 500,000, and quick."""
NOISE = 0.8
ASSOCIATIONS, ATTRIBUTES = 80, 8


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


# ---------------------------------------------------------------------------- associations


def sets(rng: np.random.Generator, **design: Any) -> StorySets:
    """One set of stories of a design (`StorySets`)."""
    return StorySets(sets=1, seed=_seed(rng), **design)


def discovered(what: str, data: StorySets) -> Reading:
    """Whether a table is kept (`family`), or an association (or the planted one) is claimed (`association`).

    After `independent` stories are taken as independent and languages are pooled, as published.
    """
    independent = what.startswith("independent")
    settings = Discovery(draws=DRAWS, jobs=1, pooled="published" if independent else "stratified")
    result = discover(data.profiles(prompt_per_story=independent), settings)
    if what.endswith("family"):
        return Reading(result.tables.filter(significant=1).height > 0)
    claimed = result.associations.filter(verdict=ABOVE)
    return Reading(
        (claimed.filter(base_value="b0", compared_value="1") if data.lift != 1 else claimed).height > 0
    )


def lifts(data: StorySets) -> Reading:
    """The intervals of all lifts of a table."""
    profiles = data.profiles()
    kept = profiles.codes[:, 1] < data.columns
    row, value, prompt = profiles.base_value[kept], profiles.codes[kept, 1], profiles.sample[kept]
    units = units_of_prompts(row, value, prompt, (data.rows, data.columns), np.zeros_like(row))
    if units is None:
        return Reading(0)
    return Reading(0, *lift_interval(Cells.of(units.table), 0.95, design_effects(units)))


def protagonists(rng: np.random.Generator, by: str, **design: Any) -> tuple[pl.DataFrame, str, int]:
    """Stories of models, themes or languages (`Studies`), and what is compared."""
    return Studies(**design).stories(rng), by, _seed(rng)


def differing(data: tuple[pl.DataFrame, str, int]) -> Reading:
    """Whether a difference of protagonists is claimed."""
    stories, by, seed = data
    return Reading(bool((differences(stories, by, seed=seed, permutations=99)["verdict"] == ABOVE).any()))


# ---------------------------------------------------------------------------- harm


@dataclass(frozen=True)
class Study:
    """People of unequal severity rate associations from 1 to 5, and so do models.

    Attributes:
        scores: models' score of each association.
        people: people's ratings.
        sets: all associations, then those of each attribute.
        apart: the planted difference, models less people.
    """

    scores: np.ndarray
    people: Ratings
    sets: np.ndarray
    apart: float


def study(
    rng: np.random.Generator,
    people: int,
    severity: float = 0.6,
    values: int = 0,
    alike: float = 0.0,
    apart: float = 0.0,
    skewed: bool = False,
) -> Study:
    """80 associations of two of eight attributes each, which everybody rates.

    Args:
        rng: the generator.
        people: how many rate.
        severity: standard deviation of their severity, in points.
        values: base values of each attribute; 0: each association has its own.
        alike: standard deviation between base values of how models differ from people.
        apart: the planted difference.
        skewed: whether the deviations of base values are exponential.
    """
    level = rng.normal(3.0, 0.8, ASSOCIATIONS)
    severe = rng.normal(0.0, severity, people)
    item, person = np.divmod(np.arange(ASSOCIATIONS * people), people)
    rating = np.clip(np.round(level[item] + severe[person] + rng.normal(0, NOISE, len(item))), 1, 5)
    ends = np.array([rng.choice(ATTRIBUTES, 2, replace=False) for _ in range(ASSOCIATIONS)])
    base = compared = np.arange(ASSOCIATIONS)
    shared = np.zeros(ASSOCIATIONS)
    if values:
        base, compared = (side * values + rng.integers(values, size=ASSOCIATIONS) for side in ends.T)
        size = ATTRIBUTES * values
        shared = alike * (rng.exponential(size=size) - 1 if skewed else rng.normal(size=size))[base]
    spread = float(np.hypot(severity, NOISE))
    # The mean of a normal variable that is rounded and clipped to 1 to 5.
    expected = 1 + sum(ndtr((level - (point + 0.5)) / spread) for point in range(1, 5))
    sets = [np.ones(ASSOCIATIONS, bool), *((ends == k).any(axis=1) for k in range(ATTRIBUTES))]
    return Study(
        expected + shared + rng.normal(0.0, 0.4, ASSOCIATIONS) + apart,
        Ratings(item, person, rating, np.ones(len(item)), base[item], compared[item]),
        np.array(sets),
        apart,
    )


def _read(data: Study) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Claims (1, -1 or 0) and ends of intervals of all associations, then of each attribute."""
    rows = [difference(data.scores, data.people, chosen, 0.95) for chosen in data.sets]
    verdicts = [
        decide(
            row["delta"], 0.0, row["p_value"], p, alpha=0.05, untestable=row["reason"], resolution=RESOLUTION
        ).verdict
        for row, p in zip(rows, adjust([row["p_value"] for row in rows]), strict=True)
    ]
    claims = np.array([{"above": 1, "below": -1}.get(verdict, 0) for verdict in verdicts])
    low, high = (np.array([row[f"delta_{end}"] for row in rows], dtype=float) for end in ("low", "high"))
    return claims, low, high


def page(data: Study) -> Reading:
    """Whether a page has a false claim, and the interval over all associations."""
    claims, low, high = _read(data)
    return Reading(bool(((claims != 0) & (claims != np.sign(data.apart))).any()), low[0], high[0])


def page_of_associations(data: Study) -> Reading:
    """The same with each association by itself."""
    alone = data.people.association
    return page(replace(data, people=replace(data.people, base_value=alone, compared_value=alone)))


def overall(data: Study) -> Reading:
    """Whether the difference over all associations is claimed, in the right direction."""
    claims, low, high = _read(data)
    return Reading(claims[0] == np.sign(data.apart), low[0], high[0])


def attributes(data: Study) -> Reading:
    """The share of attributes whose difference is claimed, in the right direction, and their intervals."""
    claims, low, high = _read(data)
    return Reading(float((claims[1:] == np.sign(data.apart)).mean()), low[1:], high[1:])


def rated(
    rng: np.random.Generator, associations: int, values: int, alike: float
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Base values and means of a model and of eight people: of a study, and of a large sample of the same world."""
    severity = rng.normal(0, 0.6, 8)
    study = _rated(rng, associations, values, alike, severity)
    return study, _rated(rng, 40_000, 20_000, alike, severity)


def _rated(
    rng: np.random.Generator, size: int, values: int, alike: float, severity: np.ndarray
) -> tuple[np.ndarray, ...]:
    base = rng.integers(0, values, size)
    shared = rng.normal(0, alike, (2, values))[:, base]
    level = 3 + shared[0] + rng.normal(0, np.sqrt(0.8 - alike**2), size)
    apart = (shared[1] + rng.normal(0, np.sqrt(0.5 - alike**2 / 2), size))[:, None]
    means = [
        np.clip(np.round(level[:, None] + moved + rng.normal(0, NOISE, (size, number))), 1, 5).mean(axis=1)
        for moved, number in ((severity, len(severity)), (apart, 3))
    ]
    return base, *means


def measured(name: str, data: tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]) -> Reading:
    """A correlation or agreement (`spearman`, `pearson`, `agreement`, `kappa`) of a model with people."""
    (base, *means), (_, *every) = data
    if name in ("agreement", "kappa"):
        means, every = ([(mean >= 3.5).astype(float) for mean in side] for side in (means, every))
    x, y = (rankdata(side) for side in every) if name == "spearman" else every
    if name in ("spearman", "pearson"):
        truth = float(np.corrcoef(x, y)[0, 1])
    else:
        truth = float((x == y).mean())
        chance = float(x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean()))
        truth = truth if name == "agreement" else (truth - chance) / (1 - chance)
    row = getattr(raters, name)(*means, Resampling(0.95, 200), base)
    return Reading(0, row.low, row.high, truth)
