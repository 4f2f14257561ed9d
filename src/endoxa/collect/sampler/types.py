"""Inputs and results of a draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

RECENT_CARDS = 500
"""Cards that say which countries and topics were drawn lately."""

NEEDS, TOPUP, OPEN, FULL, CANDIDATE = 0, 1, 2, 3, 4
"""State of a pair: fewer than k ratings; k or more and people disagree; k or more; k_max or more; not rated yet, since
only one person ticked it and nobody is near its country (`tiers.is_candidate`)."""


class Cell(NamedTuple):
    """Pairs that a region takes or leaves together."""

    country: str
    language: str
    need: int
    negative: bool


@dataclass(frozen=True)
class Region:
    """A part of the pool: cells by country, language and need.

    `countries` None means all. `without` are countries left out, `mild_in` those whose negative pairs are left out,
    `no_topics` topics left out (cells do not know topics: pools look after these).
    """

    needs: frozenset[int]
    languages: frozenset[str]
    countries: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    mild_in: frozenset[str] = frozenset()
    no_topics: frozenset[str] = frozenset()

    def takes(self, cell: Cell) -> bool:
        """Whether pairs of the cell belong to the region."""
        return (
            cell.need in self.needs
            and cell.language in self.languages
            and self.holds(cell.country, cell.need, negative=cell.negative)
        )

    def holds(self, country: str, need: int, *, negative: bool) -> bool:
        """The same for a pair whose language the person is known to read."""
        return (
            need in self.needs
            and (self.countries is None or country in self.countries)
            and country not in self.without
            and not (negative and country in self.mild_in)
        )


@dataclass(frozen=True)
class Rows:
    """Pairs of a region; all arrays have one entry a pair.

    `inclusion` is the probability that the pair got into these rows (1 where the region was read whole).
    """

    ids: IntArray
    countries: npt.NDArray[np.str_]
    needs: IntArray
    negative: npt.NDArray[np.bool_]
    topics: npt.NDArray[np.str_]
    ratings: IntArray
    waiting: FloatArray
    inclusion: FloatArray

    def only(self, region: Region) -> Rows:
        """The rows that belong to a region, as far as country, need and kindness say."""
        facts = zip(self.countries.tolist(), self.needs.tolist(), self.negative.tolist(), strict=True)
        kept = np.array(
            [region.holds(country, need, negative=negative) for country, need, negative in facts],
            dtype=np.bool_,
        )
        return self.at(np.flatnonzero(kept & ~np.isin(self.topics, list(region.no_topics))))

    def at(self, places: IntArray) -> Rows:
        """The rows at these places."""
        return Rows(*(getattr(self, one.name)[places] for one in fields(self)))


@dataclass(frozen=True)
class Person:
    """Whom the card is for.

    Attributes:
        origins, near: ISO 3166 codes; `near` holds countries felt close to and neighbours of the origins,
            without `origins`.
        languages: ISO 639 codes the person reads.
        excluded: pairs that the person had, by id, with their cells: seen, skipped, or proposed by this person.
        full: pairs that others have reserved up to what is needed, by id, with their cells.
        reserved: live leases of others, by id of the pair.
        last: countries of the latest cards, newest first, with whether each was negative.
        no_topics: topics that the person does not want to see.
    """

    origins: frozenset[str]
    near: frozenset[str]
    languages: frozenset[str]
    excluded: Mapping[int, Cell] = field(default_factory=dict)
    full: Mapping[int, Cell] = field(default_factory=dict)
    reserved: Mapping[int, int] = field(default_factory=dict)
    last: tuple[tuple[str, bool], ...] = ()
    no_topics: frozenset[str] = frozenset()

    @cached_property
    def barred(self) -> Mapping[int, Cell]:
        """Pairs that cannot be drawn, but for calibration, which does not mind reservations."""
        return {**self.excluded, **self.full}


class Pool(Protocol):
    """Where pairs are read from: the database, or memory in a simulation. All methods see live pairs only."""

    def count(self, region: Region) -> int:
        """How many pairs a region holds."""

    def whole(self, region: Region) -> Rows:
        """All pairs of a region; `inclusion` is 1."""

    def window(self, region: Region, start: float, size: int) -> Rows:
        """`size` pairs that follow `start` on the circle of random positions in [0, 1); all where there are no more."""

    def calibration(self, languages: frozenset[str]) -> Rows:
        """The pairs of the calibration set in these languages, in the random order in which everybody meets them."""

    def coverage(self) -> Mapping[str, int]:
        """Ratings that pairs of each country have."""

    def drawn(self) -> Mapping[str, int]:
        """Cards about each country among the latest `RECENT_CARDS`."""

    def heavy_topics(self) -> frozenset[str]:
        """Topics over their share of the recent draws."""


@dataclass(frozen=True)
class Drawn:
    """A drawn pair and how likely it was.

    Attributes:
        pair: id.
        tier: "own", "near", "anywhere", "topup", "open" (nothing needs ratings), or the branch "calibration",
            "exploration", "floor".
        weight: of the pair within what was weighed.
        propensity: P(this pair | person, moment), over all branches that could have drawn it.
        pool: pairs that could have been drawn in this tier.
    """

    pair: int
    tier: str
    weight: float
    propensity: float
    pool: int
