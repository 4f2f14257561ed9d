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
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

IN, NEAR, FAR = "in", "near", "far"
"""From the country; from near it or feeling close to it; neither."""

LEAST_RATINGS = 5
"""Ratings from which the mean of people equally near stands for a country and tone; below that it is borrowed."""


def shares_of(
    country: str, weights: Mapping[str, float], near: Callable[[str], Container[str]]
) -> dict[str, float]:
    """Shares of a population who are from a country, from near it, and from elsewhere.

    Args:
        country: the country that pairs are about.
        weights: people by country of origin, in any unit, all above 0.
        near: countries near to people of a country.
    """
    shares = {IN: 0.0, NEAR: 0.0, FAR: 0.0}
    for origin, weight in weights.items():
        shares[IN if origin == country else NEAR if country in near(origin) else FAR] += weight
    total = sum(shares.values())
    return {place: weight / total for place, weight in shares.items()}


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


_Sums = dict[tuple[str, str, str], tuple[int, float]]


def weighted_mean(answers: Iterable[Answer], groups: Iterable[Group]) -> float:
    """The mean over the pairs of `groups`, each of which counts once; NaN where some of them have no ratings at all.

    Where fewer than `LEAST_RATINGS` ratings of people equally near are there for a country and tone, those about all
    countries in this tone stand for them, and where there are none, those in all tones.

    Raises:
        ValueError: shares do not add up to 1, or a number of pairs is negative.
    """
    # Number and sum of ratings by country, tone and place.
    cells: defaultdict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0, 0.0])
    for answer in answers:
        for country, tone in ((answer.country, answer.tone), ("", answer.tone), ("", "")):
            cell = cells[country, tone, answer.place]
            cell[0] += 1
            cell[1] += answer.value
    sums = {key: (int(number), total) for key, (number, total) in cells.items()}
    total = weight = 0.0
    for group in groups:
        # Shares are NaN where it is not known of anybody where they are from.
        share_sum = sum(group.shares.values())
        if group.pairs < 0 or not (math.isnan(share_sum) or math.isclose(share_sum, 1, abs_tol=1e-9)):
            raise ValueError(f"{group} needs shares that add up to 1 and no negative number of pairs")
        for place, share in group.shares.items():
            if share and group.pairs:
                total += group.pairs * share * _mean(sums, group, place)
                weight += group.pairs * share
    return total / weight if weight else math.nan


def _mean(sums: _Sums, group: Group, place: str) -> float:
    for country, tone, least in (
        (group.country, group.tone, LEAST_RATINGS),
        ("", group.tone, 1),
        ("", "", 1),
    ):
        number, total = sums.get((country, tone, place), (0, 0.0))
        if number >= least:
            return total / number
    return math.nan
