"""How known pairs are to a stated population, from ratings of people who were not drawn from it: post-stratification.

Near people are asked first and know more, so that the plain mean of all ratings is too high. Here the ratings of people
from a country, from near it and from elsewhere are averaged apart, and these three means are put together in the shares
that such people have in the population (Holt and Smith 1979, "Post stratification", section 2; it may be all the
people who took part). What it takes for granted: that among people equally near, those who were asked know as much as
the others. It needs no propensities, so that no single rating can outweigh the rest.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

IN, NEAR, FAR = "in", "near", "far"
"""From the country; from near it or feeling close to it; neither."""

LEAST_RATINGS = 5
"""Ratings from which the mean of people equally near stands for a country and tone; below that it is borrowed."""

_GROUPS = 50
"""Parts into which people are divided for the standard error."""


def shares_of(
    country: str, weights: Mapping[str, float], near: Callable[[str], Container[str]]
) -> dict[str, float]:
    """Shares of a population who are from a country, from near it, and from elsewhere.

    Args:
        country: the country that pairs are about.
        weights: people by country of origin, in any unit, all above 0.
        near: countries near to people of a country.
    """
    found = {IN: 0.0, NEAR: 0.0, FAR: 0.0}
    for origin, weight in weights.items():
        found[IN if origin == country else NEAR if country in near(origin) else FAR] += weight
    total = sum(found.values())
    return {place: weight / total for place, weight in found.items()}


class Answer(NamedTuple):
    """A rating: who, about which country, in which tone, how near the person is (IN, NEAR or FAR), and its value."""

    person: object
    country: str
    tone: str
    place: str
    value: float


@dataclass(frozen=True)
class Group:
    """Pairs of one country and tone, and who could be asked about them.

    Attributes:
        pairs: how many, and so how much they count.
        shares: of the population, by IN, NEAR and FAR; they add up to 1.
    """

    country: str
    tone: str
    pairs: float
    shares: Mapping[str, float]


@dataclass(frozen=True)
class PopulationMean:
    """A mean over all pairs and the whole population.

    Attributes:
        mean: of the ratings that everybody would give. NaN where nothing can be said of some of them.
        error: standard error, by leaving out a fiftieth of the people at a time (jackknife); NaN with one person.
        borrowed: share of the mean that comes from pairs about other countries, because too few ratings were there.
    """

    mean: float
    error: float
    borrowed: float


_Sums = dict[tuple[str, str, str], tuple[int, float]]


def population_mean(answers: Sequence[Answer], groups: Sequence[Group]) -> PopulationMean:
    """The mean over the pairs of `groups`, each of which counts once.

    Where fewer than `LEAST_RATINGS` ratings of people equally near are there for a country and tone, those about all
    countries in this tone stand for them, and where there are none, those in all tones.

    Raises:
        ValueError: shares do not add up to 1, or a number of pairs is negative.
    """
    for group in groups:
        if group.pairs < 0 or not math.isclose(sum(group.shares.values()), 1, abs_tol=1e-9):
            raise ValueError(f"{group} needs shares that add up to 1 and no negative number of pairs")
    mean, borrowed = _weighted(answers, groups)
    people = list(dict.fromkeys(one.person for one in answers))
    number = min(_GROUPS, len(people))
    part = {person: place % number for place, person in enumerate(people)}
    parts: list[list[Answer]] = [[] for _ in range(number)]
    for one in answers:
        for other in range(number):
            if other != part[one.person]:
                parts[other].append(one)
    left_out = (
        np.array([_weighted(some, groups)[0] for some in parts]) if number > 1 else np.array([math.nan])
    )
    spread = float(np.square(left_out - left_out.mean()).sum())
    return PopulationMean(mean, math.sqrt((number - 1) / number * spread) if number else math.nan, borrowed)


def weighted_mean(answers: Sequence[Answer], groups: Sequence[Group]) -> float:
    """`population_mean` without its error, which takes fifty times as long."""
    return _weighted(answers, groups)[0]


def _weighted(answers: Iterable[Answer], groups: Sequence[Group]) -> tuple[float, float]:
    sums = _sums(answers)
    total = borrowed = weight = 0.0
    for group in groups:
        for place, share in group.shares.items():
            if not share or not group.pairs:
                continue
            found, own = _mean(sums, group, place)
            total += group.pairs * share * found
            weight += group.pairs * share
            borrowed += 0.0 if own else group.pairs * share
    return (total / weight, borrowed / weight) if weight else (math.nan, math.nan)


def _sums(answers: Iterable[Answer]) -> _Sums:
    """Number and sum of ratings by country, tone and place; "" for all countries, and for all tones."""
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0, 0.0])
    for one in answers:
        for country, tone in ((one.country, one.tone), ("", one.tone), ("", "")):
            cell = found[country, tone, one.place]
            cell[0] += 1
            cell[1] += one.value
    return {key: (int(number), total) for key, (number, total) in found.items()}


def _mean(sums: _Sums, group: Group, place: str) -> tuple[float, bool]:
    """The mean of people at a place, and whether it is about the country itself."""
    for country, tone, least in (
        (group.country, group.tone, LEAST_RATINGS),
        ("", group.tone, 1),
        ("", "", 1),
    ):
        number, total = sums.get((country, tone, place), (0, 0.0))
        if number >= least:
            return total / number, bool(country)
    return math.nan, False
