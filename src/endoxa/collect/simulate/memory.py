"""A pool of pairs in memory: `sampler.Pool` over arrays, with running counts."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from endoxa.collect.sampler import Cell, Region, Rows, SamplerSettings
from endoxa.collect.sampler.tiers import need
from endoxa.collect.sampler.types import CANDIDATE, NEEDS, RECENT_CARDS, FloatArray

_NEEDS = 5
_TOPICS = 100
"""Topics there can be."""

_ROW = np.dtype(
    [
        ("country", np.int64),
        ("rank", np.int64),
        ("language", np.int64),
        ("negative", np.bool_),
        ("topic", np.int64),
        ("seed", np.bool_),
        ("calibration", np.bool_),
        ("candidate", np.bool_),
        ("need", np.int64),
        ("ratings", np.int64),
        ("mentions", np.int64),
        ("total", np.int64),
        ("squares", np.int64),
        ("since", np.float64),
        ("opened", np.int64),
        ("closed", np.int64),
        ("position", np.float64),
    ]
)


class NewPair(NamedTuple):
    """A pair as it enters the pool: places in the lists of countries and languages, its rank in the world."""

    country: int
    rank: int
    language: int
    negative: bool
    topic: int
    seed: bool = False
    calibration: bool = False
    candidate: bool = False


class MemoryPool:
    """Pairs by number, all live; nobody leaves topics out in simulations.

    Args:
        countries, languages: codes; a pair refers to them by place.
        settings: k, k_max, what counts as disagreement.

    Attributes:
        size: pairs in it. missing: ratings missing up to k. cards: pairs drawn so far. now: the minute.
    """

    def __init__(
        self, countries: tuple[str, ...], languages: tuple[str, ...], settings: SamplerSettings
    ) -> None:
        self._countries, self._languages, self._settings = countries, languages, settings
        self._names = np.array(countries)
        self._topics = np.arange(_TOPICS).astype(np.str_)
        self._cells = [
            Cell(country, language, state, negative)
            for country in countries
            for language in languages
            for state in range(_NEEDS)
            for negative in (False, True)
        ]
        self._sizes: FloatArray = np.zeros(len(self._cells))
        self._rows = np.zeros(1_024, dtype=_ROW)
        self._cell: npt.NDArray[np.int64] = np.zeros(1_024, dtype=np.int64)
        self._coverage: Counter[str] = Counter()
        self._recent: deque[int] = deque()
        self._drawn: Counter[str] = Counter()
        self._seed_topics: Counter[int] = Counter()
        self._mask = lru_cache(maxsize=4_096)(self._read_mask)
        self._common: list[int] = []
        self._order: npt.NDArray[np.int64] | None = None
        self.size = 0
        self.missing = 0
        self.cards = 0
        self.now = 0.0

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column of all pairs, by number."""
        return self._rows[column][: self.size]

    def cell(self, pair: int) -> Cell:
        """Country, language, need and kindness of a pair."""
        return self._cells[int(self._cell[pair])]

    def codes(self, pair: int) -> tuple[int, int, int, int]:
        """Country, rank, language and ratings of a pair."""
        row = self._rows[pair]
        return int(row["country"]), int(row["rank"]), int(row["language"]), int(row["ratings"])

    def add(self, pair: NewPair, position: float) -> int:
        """Put a pair into the pool at `now`; gives its number."""
        number = self.size
        if number == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(number, dtype=_ROW)])
            self._cell = np.concatenate([self._cell, np.zeros(number, dtype=np.int64)])
        row = self._rows[number]
        for name, value in pair._asdict().items():
            row[name] = value
        row["since"], row["position"], row["opened"] = self.now, position, self.cards
        row["need"] = CANDIDATE if pair.candidate else NEEDS
        place = (pair.country * len(self._languages) + pair.language) * _NEEDS + int(row["need"])
        self._cell[number] = 2 * place + pair.negative
        self._sizes[self._cell[number]] += 1
        self._coverage[self._countries[pair.country]] += 0
        if pair.calibration:
            self._common.append(number)
        self._order = None
        self.missing += 0 if pair.candidate else self._settings.k
        self.size += 1
        return number

    def promote(self, pair: int) -> None:
        """Let a candidate ask for ratings from now on."""
        row = self._rows[pair]
        row["candidate"] = False
        row["since"], row["opened"] = self.now, self.cards
        self.missing += self._settings.k
        self._set_need(pair, NEEDS)

    def _set_need(self, pair: int, state: int) -> None:
        self._sizes[self._cell[pair]] -= 1
        self._cell[pair] += 2 * (state - int(self._rows[pair]["need"]))
        self._sizes[self._cell[pair]] += 1
        self._rows[pair]["need"] = state

    def rate(self, pair: int, value: int) -> None:
        """Count a rating."""
        row = self._rows[pair]
        self.missing -= bool(row["ratings"] < self._settings.k)
        row["ratings"] += 1
        row["total"] += value
        row["squares"] += value * value
        if row["ratings"] == self._settings.k:
            row["closed"] = self.cards
        self._coverage[self._countries[row["country"]]] += 1
        ratings = int(row["ratings"])
        variance = row["squares"] / ratings - (row["total"] / ratings) ** 2 if ratings > 1 else None
        state = need(ratings, variance, self._settings)
        if state != row["need"]:
            self._set_need(pair, state)

    def mention(self, pair: int) -> None:
        """Count that somebody proposed a pair unprompted."""
        self._rows[pair]["mentions"] += 1

    def waited(self) -> npt.NDArray[np.int64]:
        """Cards that were drawn, about any pair, while each pair waited for its k ratings; at least 1."""
        ended = np.where(self["ratings"] >= self._settings.k, self["closed"], self.cards)
        waited: npt.NDArray[np.int64] = np.maximum(1, ended - self["opened"])
        return waited

    def note(self, pair: int) -> None:
        """Count that a pair was drawn, for the guards of countries and topics."""
        self.cards += 1
        self._recent.append(pair)
        self._tally(pair, 1)
        if len(self._recent) > RECENT_CARDS:
            self._tally(self._recent.popleft(), -1)

    def _tally(self, pair: int, step: int) -> None:
        row = self._rows[pair]
        self._drawn[self._countries[row["country"]]] += step
        if row["seed"]:
            self._seed_topics[int(row["topic"])] += step

    def count(self, region: Region) -> int:
        """How many pairs a region holds."""
        return int(self._mask(region) @ self._sizes)

    def whole(self, region: Region) -> Rows:
        """All pairs of a region, by number."""
        found = np.flatnonzero(self._mask(region)[self._cell[: self.size]])
        return self._taken(found, np.ones(len(found)))

    def window(self, region: Region, start: float, size: int) -> Rows:
        """`size` pairs of a region that follow `start` on the circle of positions; all where there are no more."""
        if self._order is None:
            self._order = np.argsort(self["position"], kind="stable")
        circle = self._order[self._mask(region)[self._cell[self._order]] > 0]
        if len(circle) < size:
            return self._taken(circle, np.ones(len(circle)))
        positions = self["position"][circle]
        first = int(np.searchsorted(positions, start))
        steps = np.arange(first, first + size)
        taken = circle[steps % len(circle)]
        before = positions[(steps - size) % len(circle)]
        return self._taken(taken, np.mod(self["position"][taken] - before, 1.0))

    def calibration(self, languages: frozenset[str]) -> Rows:
        """The pairs of the calibration set in these languages, in the random order in which everybody meets them."""
        found = [number for number in self._common if self._cells[self._cell[number]].language in languages]
        found.sort(key=lambda number: float(self._rows[number]["position"]))
        return self._taken(np.array(found, dtype=np.int64), np.ones(len(found)))

    def coverage(self) -> Mapping[str, int]:
        """Ratings that pairs of each country have."""
        return self._coverage

    def drawn(self) -> Mapping[str, int]:
        """Cards about each country among the latest `RECENT_CARDS`."""
        return self._drawn

    def heavy_topics(self) -> frozenset[str]:
        """Topics of seeds over their share of the latest `RECENT_CARDS`."""
        cap = self._settings.topic_cap * len(self._recent)
        return frozenset(str(topic) for topic, count in self._seed_topics.items() if count > cap)

    def _read_mask(self, region: Region) -> FloatArray:
        """1 for the cells that a region takes: its countries, languages and needs do not depend on each other."""
        state = min(region.needs)
        places = [
            [region.holds(country, state, negative=negative) for negative in (False, True)]
            for country in self._countries
        ]
        languages = [code in region.languages for code in self._languages]
        needs = [state in region.needs for state in range(_NEEDS)]
        mask = np.einsum(
            "cn,l,d->cldn", *(np.array(part, dtype=np.float64) for part in (places, languages, needs))
        )
        return np.asarray(mask).ravel()

    def _taken(self, found: npt.NDArray[np.int64], inclusion: FloatArray) -> Rows:
        rows = self._rows[found]
        return Rows(
            ids=found,
            countries=self._names[rows["country"]],
            needs=rows["need"],
            negative=rows["negative"],
            topics=self._topics[rows["topic"]],
            ratings=rows["ratings"],
            waiting=self.now - rows["since"],
            inclusion=inclusion,
        )
