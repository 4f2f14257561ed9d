"""Votes on items, ratings of associations by people of several groups, and ratings of several topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import fisher_exact

from benchmarks.worlds import Reading
from endoxa.curate.ratings.disagreement import excess
from endoxa.stats.agreement import COEFFICIENTS, agreement_interval
from endoxa.stats.crossed import crossed_contrast
from endoxa.stats.permutation import units_by_group_test


@dataclass(frozen=True)
class Votes:
    """Codes that two raters gave to each item, the shares of categories, and the share of guesses."""

    codes: np.ndarray
    shares: np.ndarray
    error: float


def votes(rng: np.random.Generator, layout: tuple[int, list[float]], error: float) -> Votes:
    """Two raters name the truth, or guess (with the true shares) in this share of the items; items, shares."""
    items, shares = layout
    kinds = len(shares)
    truth, guesses = rng.choice(kinds, items, p=shares), rng.choice(kinds, (items, 2), p=shares)
    codes = np.where(rng.random((items, 2)) < error, guesses, truth[:, None])
    return Votes(codes, np.array(shares), error)


def agreement(name: str, data: Votes) -> Reading:
    """The interval of a coefficient of agreement."""
    coefficient, domain = COEFFICIENTS.get(name), np.arange(len(data.shares))
    truth = (1 - data.error) ** 2
    if name == "percent_agreement":
        truth += (1 - truth) * float(np.square(data.shares).sum())
    counts = (data.codes[:, :, None] == domain).sum(axis=1)
    if np.isnan(coefficient.value(counts, "nominal", domain)):
        return Reading(0, truth=truth)
    interval = agreement_interval(coefficient, counts, "nominal", domain, confidence=0.95, parts=2000)
    return Reading(0, interval.low, interval.high, truth)


@dataclass(frozen=True)
class Ratings:
    """A rating, whether it is about the rater's own people, the rater, and the association."""

    rating: np.ndarray
    inside: np.ndarray
    rater: np.ndarray
    item: np.ndarray


def campaign(
    rng: np.random.Generator,
    design: tuple[list[int], int, int, float],
    world: list[float],
    truth: float,
) -> Ratings:
    """People of some groups rate associations about these groups.

    Args:
        rng: the generator.
        design: people of each group, associations of each group, ratings of each, and how much more often people are
            asked about their own group.
        world: standard deviations of groups of raters, of groups of associations, and of leniency by rater and
            association.
        truth: mean leniency.
    """
    groups, per_group, each, more = design
    of_group, of_about, slopes = world
    group, about = np.repeat(np.arange(len(groups)), groups), np.repeat(np.arange(len(groups)), per_group)
    raters = []
    for topic in about:
        chance = np.where(group == topic, more, 1.0)
        raters.append(rng.choice(len(group), each, replace=False, p=chance / chance.sum()))
    rater, item = np.concatenate(raters), np.repeat(np.arange(len(about)), each)
    inside = group[rater] == about[item]
    severity = rng.normal(0, 0.5, len(group)) + rng.normal(0, of_group, len(groups))[group]
    level = rng.normal(0, 0.5, len(about)) + rng.normal(0, of_about, len(groups))[about]
    lenient = truth + rng.normal(0, slopes, len(group))[rater] + rng.normal(0, slopes, len(about))[item]
    rating = 3 + severity[rater] + level[item] + inside * lenient + rng.normal(0, 0.8, len(rater))
    return Ratings(rating, inside, rater, item)


def within(data: Ratings) -> Reading:
    """Leniency with raters and associations as samples."""
    result = crossed_contrast(
        data.rating, data.inside, data.rater, data.item, needed=6, confidence=0.95, bounds=(-99, 99)
    )
    return Reading.of(result.p_value, result.interval)


def topics(rng: np.random.Generator, layout: tuple[int, int], factor: float) -> pl.DataFrame:
    """Associations of words with identities, about four topics; ratings of the first have `factor` times the spread."""
    words, identities = layout
    word = np.repeat(np.arange(words), identities)
    first = word % 4 == 0
    spread = np.exp(rng.normal(-0.2, 0.3, words))[word] * np.where(first, factor, 1.0)
    mean = 3 + rng.normal(0, 0.4, len(word))
    values = np.clip(np.round(mean[:, None] + rng.normal(size=(len(word), 6)) * spread[:, None]), 1, 5)
    number = 6 - rng.integers(3, size=len(word))
    values[np.arange(6) >= number[:, None]] = np.nan
    return pl.DataFrame(
        {"word": word, "n": number, "mean": np.nanmean(values, axis=1), "variance": np.nanvar(values, axis=1)}
    )


def by_words(pairs: pl.DataFrame) -> Reading:
    """The rank of the variance at that mean, permuted over words: claims about the first topic."""
    word = pairs["word"].to_numpy()
    value = np.bincount(word, excess(pairs)) / np.bincount(word)
    return Reading(units_by_group_test(value, np.arange(len(value)) % 4, draws=499)[0] <= 0.05)


def fisher(pairs: pl.DataFrame) -> Reading:
    """Fisher's test of the fifth of associations with the highest variance."""
    variance, first = pairs["variance"].round(12).to_numpy(), pairs["word"].to_numpy() % 4 == 0
    high = variance > np.quantile(variance, 0.8, method="inverted_cdf")
    counts = [[(high & first).sum(), (high & ~first).sum()], [(~high & first).sum(), (~high & ~first).sum()]]
    return Reading(fisher_exact(counts).pvalue <= 0.05)
