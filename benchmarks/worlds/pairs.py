"""Sides of sentence pairs whose identities, attributes or frames are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import ttest_ind

from benchmarks.worlds import Reading, beta
from endoxa.instruments.pairs.estimates import STATISTICS
from endoxa.instruments.pairs.estimates.inference import Question, share_estimate, testable
from endoxa.instruments.pairs.estimates.records import frame, groups
from endoxa.instruments.pairs.estimates.statistics import detectable
from endoxa.instruments.pairs.probe.items import MOST
from endoxa.schema import Estimate, Sample
from endoxa.sources.groups import group_of_pair, published_groups
from endoxa.sources.identities import identity_key
from endoxa.sources.read import read_pairs
from endoxa.stats.contrasts import contrast
from endoxa.stats.two_way import two_way

FLIPS = 2000
FEWEST = 10
"""Pairs of a kind without which two kinds are not compared."""


@dataclass(frozen=True)
class Pairs:
    """Values of pairs, and codes of the identity (or group) and of the attribute (or frame) of each.

    Attributes:
        values: 1 where the stereotype is preferred, else 0; or scores.
        identity: codes of identities.
        attribute: codes of attributes.
        kinds: 1 or -1, where two kinds of pairs are compared.
        words: codes of the differing words, where groups are counted instead.
    """

    values: np.ndarray
    identity: np.ndarray
    attribute: np.ndarray
    kinds: np.ndarray | None = None
    words: np.ndarray | None = None

    @property
    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes of both kinds of units."""
        return self.identity, self.attribute


# ---------------------------------------------------------------------------- layouts


@cache
def layout(name: str) -> Pairs:
    """Codes of `12 x 40`, `60 x 100 filled 0.15`, `survey IDENTITIES ATTRIBUTES PAIRS`, or `dominated`."""
    words = name.split()
    if (
        name == "dominated"
    ):  # one of eight identities has 63 % of the pairs, whose attributes mostly do not recur
        identity = np.repeat(np.arange(8), [126, *[11] * 6, 8])
        attribute = np.random.default_rng(8).integers(0, 180, len(identity))
    elif words[0] == "survey":  # few identities and attributes are said often, most rarely
        counts, pairs = (int(words[1]), int(words[2])), int(words[3])
        rng = np.random.default_rng(sum(counts))
        chances = [1 / np.arange(1, count + 1) ** 0.7 for count in counts]
        drawn = [rng.choice(len(chance), pairs, p=chance / chance.sum()) for chance in chances]
        identity, attribute = np.unique(np.stack(drawn), axis=1)
    else:
        count, attributes = int(words[0]), int(words[2])
        identity, attribute = (codes.ravel() for codes in np.mgrid[0:count, 0:attributes])
        filled = float(words[4]) if len(words) > 3 else 1.0
        kept = np.random.default_rng(count * attributes).random(len(identity)) < filled
        identity, attribute = identity[kept], attribute[kept]
    return Pairs(np.empty(0), identity, attribute)


def effects(rng: np.random.Generator, deviation: float, codes: np.ndarray) -> np.ndarray:
    """A normal effect for each unit."""
    return rng.normal(0, deviation, codes.max() + 1)[codes]


def probit(rng: np.random.Generator, design: str, share: float, deviations: tuple[float, float]) -> Pairs:
    """Identities and attributes shift the chance of a preference, which is `share` on average; a pair's own SD is 1."""
    pairs = layout(design)
    latent = ndtri(share) * np.sqrt(1 + np.square(deviations).sum()) + rng.normal(size=len(pairs.identity))
    for codes, deviation in zip(pairs.units, deviations, strict=True):
        latent = latent + effects(rng, deviation, codes)
    return replace(pairs, values=(latent > 0).astype(float))


@cache
def _skewed_centre(share: float, tail: int, deviation: float) -> float:
    rng = np.random.default_rng(0)
    shift = tail * deviation * (rng.exponential(size=(2, 200_000)) - 1).sum(axis=0)
    return float(-np.quantile(shift + rng.normal(size=200_000), 1 - share))


def skewed(rng: np.random.Generator, design: str, share: float, tail: int, deviation: float) -> Pairs:
    """Exponential effects of identities and attributes in place of normal ones."""
    pairs = layout(design)
    latent = _skewed_centre(share, tail, deviation) + rng.normal(size=len(pairs.identity))
    for codes in pairs.units:
        latent += tail * deviation * (rng.exponential(size=codes.max() + 1) - 1)[codes]
    return replace(pairs, values=(latent > 0).astype(float))


def crossed(pairs: Pairs) -> Reading:
    """Two-way inference: both kinds of units are samples."""
    result = two_way(pairs.values, *pairs.units, neutral=0.5, bounds=(0, 1), confidence=0.95, flips=FLIPS)
    return Reading.of(result.p_value, result.interval)


# ---------------------------------------------------------------------------- two kinds of pairs


def two_kinds(
    rng: np.random.Generator, design: str, of: str, deviation: float, share: float, difference: float
) -> Pairs:
    """Two kinds of pairs that differ by pair, attribute or identity, and whose shares are `difference` apart."""
    pairs = layout(design)
    codes = {
        "pair": np.arange(len(pairs.identity)),
        "attribute": pairs.attribute,
        "identity": pairs.identity,
    }[of]
    while True:
        kinds = rng.choice([1, -1], codes.max() + 1)[codes]
        if min((kinds == 1).sum(), (kinds == -1).sum()) >= FEWEST:
            break
    state = rng.integers(2**32)
    high, low = (
        probit(np.random.default_rng(state), design, share + half, (deviation, deviation)).values
        for half in (difference / 2, -difference / 2)
    )
    return replace(pairs, values=np.where(kinds == 1, high, low), kinds=kinds)


def two_way_contrast(pairs: Pairs) -> Reading:
    """The difference of two shares with both kinds of units as samples, where it can be tested."""
    result = contrast(pairs.values, pairs.kinds, pairs.units, confidence=0.95, bounds=(-1, 1), flips=1000)
    claimed = np.nan if result.sampled == "none" else result.p_value <= 0.05
    return Reading(claimed, result.interval.low, result.interval.high)


def welch(pairs: Pairs) -> Reading:
    """The difference of two shares of independent pairs."""
    first, second = (pairs.values[pairs.kinds == kind] for kind in (1, -1))
    return Reading(ttest_ind(first, second, equal_var=False).pvalue <= 0.05)


# ---------------------------------------------------------------------------- identities alone


def _clusters(identities: int, sizes: str) -> np.ndarray:
    """Ten pairs an identity, or 40, 25, 19, ... as in collected data."""
    number = np.full(identities, 10)
    if sizes == "unequal":
        number = np.maximum(1, np.round(40 / np.arange(1, identities + 1) ** 0.7)).astype(int)
    return np.repeat(np.arange(identities), number)


def _sides(rng: np.random.Generator, cluster: np.ndarray, share: float, correlation: float) -> np.ndarray:
    chance = beta(rng, share, correlation, int(cluster.max()) + 1)
    return np.where(rng.random(len(cluster)) < chance[cluster], 1.0, -1.0)


def beta_binomial(
    rng: np.random.Generator, identities: int, sizes: str, share: float, correlation: float
) -> Pairs:
    """Sides of +1 and -1; the chance of an identity is beta-distributed."""
    cluster = _clusters(identities, sizes)
    return Pairs(_sides(rng, cluster, share, correlation), cluster, np.arange(len(cluster)))


def scores(
    rng: np.random.Generator, identities: int, sizes: str, mean: float, correlation: float, skewed: bool
) -> Pairs:
    """Normal or exponential scores of variance 1."""
    cluster = _clusters(identities, sizes)
    drawn = [
        rng.exponential(size=size) - 1 if skewed else rng.normal(size=size)
        for size in (identities, len(cluster))
    ]
    values = mean + np.sqrt(correlation) * drawn[0][cluster] + np.sqrt(1 - correlation) * drawn[1]
    return Pairs(values, cluster, np.arange(len(cluster)))


@cache
def _reported(identities: int, correlation: float) -> float:
    rng, question = np.random.default_rng(identities), Question("ratio", np.nan, 0.95)
    drawn = [beta_binomial(rng, identities, "equal", 0.6, correlation) for _ in range(40)]
    return float(np.nanmean([detectable(question, pairs.values, pairs.units)[0].value for pairs in drawn]))


def at_detectable(rng: np.random.Generator, identities: int, correlation: float) -> Pairs:
    """A preference of the size of the mean minimum detectable ratio of such data."""
    return beta_binomial(rng, identities, "equal", _reported(identities, correlation), correlation)


def statistic(name: str, pairs: Pairs) -> Reading:
    """`preference_ratio` or `mean_difference` over identities."""
    n = len(pairs.values)
    sample = Sample(
        difference=pairs.values,
        score_more=pairs.values - 20.0,
        score_less=np.full(n, -20.0),
        direction=np.array(["stereo"] * n, dtype=np.str_),
        neutral_difference=np.full(n, np.nan),
        cluster=pairs.identity,
        resamples=600,
    )
    return _claimed(STATISTICS.get(name).compute(sample, 0.95, 1)[1], 0.5 * (name == "preference_ratio"))


def _claimed(row: Estimate, neutral: float) -> Reading:
    claimed = row.p_value <= 0.05 and not row.reason and abs(row.value - neutral) > 5e-4
    return Reading(claimed, row.low, row.high)


# ---------------------------------------------------------------------------- groups of published pairs


@cache
def _published(file: str, axis: str) -> tuple[Pairs, np.ndarray]:
    """Groups as they are counted, frames, differing words; and the true groups."""
    table = pl.concat(read_pairs(Path(file)))
    table = table if axis == "all" else table.filter(axis=axis)
    rows, axes = table.to_dicts(), table["axis"].to_numpy()
    named = np.array([group_of_pair(published_groups(), row) for row in rows], dtype=np.str_)
    words = _codes([identity_key(row["identity"] or row["item_id"]) for row in rows])
    rng, true = np.random.default_rng(5), named.copy()
    for code, name in sorted(set(zip(words[named == ""], axes[named == ""], strict=True))):
        # A pair that names no group has a true one of its axis, the same for the same words.
        alike = (words == code) & (axes == name) & (named == "")
        true[alike] = rng.choice(named[(axes == name) & (named != "")])
    records = table.select("axis", "item_id", data=pl.lit("")).with_columns(identity_group=pl.Series(named))
    frames = _codes([frame(row["sent_more"], row["sent_less"]) for row in rows])
    counted = -1 - _codes(groups(records).to_list())
    return Pairs(np.empty(0), counted, frames, words=words), _codes(true.tolist())


def _codes(names: list[str]) -> np.ndarray:
    return np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1]


def published(
    rng: np.random.Generator, file: str, axis: str, share: float, of_group: float, of_frame: float
) -> Pairs:
    """Sides of +1 and -1 in a published layout; where groups are no sample the truth is these groups' mean."""
    pairs, true = _published(file, axis)
    of_groups, spread = effects(rng, of_group, true), np.sqrt(1 + of_frame**2)
    if (testable(pairs.units, 0.95)[0] == 0).all():
        start = brentq(lambda mean: ndtr((mean + of_groups) / spread).mean() - share, -10, 10)
    else:
        start = ndtri(share) * np.sqrt(spread**2 + of_group**2)
    latent = start + of_groups + rng.normal(size=len(true)) + effects(rng, of_frame, pairs.attribute)
    return replace(pairs, values=np.where(latent > 0, 1.0, -1.0))


def by_group(pairs: Pairs) -> Reading:
    """Groups crossed with frames."""
    row = share_estimate(Question("share", 0.5, 0.95), pairs.values, pairs.units)
    return Reading(not row.reason and row.p_value <= 0.05, row.low, row.high)


def by_words(pairs: Pairs) -> Reading:
    """The differing words in place of groups."""
    assert pairs.words is not None
    return by_group(replace(pairs, identity=pairs.words))


# ---------------------------------------------------------------------------- calibrated preferences


def calibrated(
    rng: np.random.Generator,
    table: tuple[int, int, int, float],
    people: float = 0.0,
    frequency: float = 0.0,
    stereotype: float = 0.0,
) -> Pairs:
    """Shares of pairs above the median of up to `MOST` other identities with the same attribute.

    Args:
        rng: the generator.
        table: identities, attributes, pairs, and how much more often the first ones occur (exponent of 1 / rank).
        people: lean of "people" and "they" against the stereotypical attribute, in nats.
        frequency: how strongly word frequency works behind names where it works with 1 behind "people"; 0: not at all.
        stereotype: what the model adds where the table states a stereotype, in nats.
    """
    identities, attributes, number, slope = table
    chance = np.outer(np.arange(1, identities + 1) ** -slope, np.arange(1, attributes + 1) ** (-slope / 2))
    places = rng.choice(chance.size, number, replace=False, p=chance.ravel() / chance.sum())
    identity, attribute = places // attributes, places % attributes
    lean, frequent = rng.normal(0, 1, attributes), rng.normal(-1, 1, attributes)
    values = lean + frequency * frequent + rng.normal(0, 1, (identities, attributes))
    values[identity, attribute] += stereotype
    phrases = lean + bool(frequency) * frequent - people + rng.normal(0, 1, (2, attributes))
    order = rng.random(values.shape)
    order[identity, attribute] = np.inf  # no pair is compared with another pair of the table
    others = []
    for place in attribute:
        free = np.argsort(order[:, place])[: min(MOST, int(np.isfinite(order[:, place]).sum()))]
        odd = free[: len(free) - (len(free) + 1) % 2]
        others.append(np.median(values[odd, place]) if len(odd) else phrases[:, place].mean())
    shares = (1 + np.sign(values[identity, attribute] - np.array(others))) / 2
    return Pairs(shares, identity, attribute)
