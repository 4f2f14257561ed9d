"""The same number of pairs from every country: seeded sampling of what was built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from endoxa.curate.summary import choices
from endoxa.errors import UserError

COUNTRY = "country"

BALANCE_COLUMNS: dict[str, str] = {
    "balanced_by": "how pairs were drawn: 'country, seed N'; only with --balance",
    "balanced_country": "the country the pair was drawn for; empty where the region is not given",
}
"""Columns of pairs that were balanced, after those of every table of pairs."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Associations that were drawn.

    Attributes:
        country: country by association, of those that were drawn.
        available: number of pairs that each country had, by country.
        each: number of pairs drawn per country.
        placeless: associations without any country.
    """

    country: Mapping[str, str]
    available: Mapping[str, int]
    each: int
    placeless: int

    @property
    def sentence(self) -> str:
        """What was drawn, and which country decided how many."""
        fewest = min(self.available, key=lambda country: (self.available[country], country))
        counts = ", ".join(f"{country} {self.each} of {n}" for country, n in self.available.items())
        left = f" {self.placeless} without a country are left out." if self.placeless else ""
        return f"Balanced by country, pairs drawn at random: {counts}. {fewest} has the fewest.{left}"


def draw_by_country(regions: Mapping[str, str], seed: int) -> Draw:
    """As many associations of every country as the country with the fewest has.

    What people of several countries said counts for that of them which has the fewest so far, so it is drawn once at
    most.

    Args:
        regions: countries of each association, separated by '; '.
        seed: of the draw.

    Raises:
        UserError: no association has a country, or all have the same one.
    """
    rng = np.random.default_rng(seed)
    countries = {name: sorted(choices(region)) for name, region in sorted(regions.items())}
    placed = [name for name, places in countries.items() if places]
    members: dict[str, list[str]] = {
        place: [] for place in sorted({place for places in countries.values() for place in places})
    }
    if len(members) < 2:
        raise UserError(
            "--balance country needs associations of two countries or more (column 'region'). Leave out --balance."
        )
    order = [placed[place] for place in rng.permutation(len(placed))]
    for name in sorted(order, key=lambda name: len(countries[name])):
        fewest = min(countries[name], key=lambda place: (len(members[place]), place))
        members[fewest].append(name)
    each = min(map(len, members.values()))
    drawn = {
        names[place]: country
        for country, names in members.items()
        for place in rng.choice(len(names), each, replace=False)
    }
    available = {country: len(names) for country, names in members.items()}
    return Draw(drawn, available, each, len(regions) - len(placed))
