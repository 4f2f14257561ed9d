"""The pairs of a simulated campaign, in arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from endoxa_collect.sampler import SamplerSettings, Slot
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS, Filled, need

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
        ("own", np.int64),
        ("near", np.int64),
        ("mentions", np.int64),
        ("total", np.int64),
        ("squares", np.int64),
        ("since", np.float64),
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
        settings: k, k_max, what counts as disagreement.

    Attributes:
        size: pairs in it. missing: ratings missing up to k. candidates: pairs that wait for a second mention.
        now: the minute.
    """

    def __init__(self, settings: SamplerSettings) -> None:
        self._settings = settings
        self._rows = np.zeros(1_024, dtype=_ROW)
        self.size = 0
        self.missing = 0
        self.candidates = 0
        self.now = 0.0

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column of all pairs, by number."""
        return self._rows[column][: self.size]

    def codes(self, pair: int) -> tuple[int, int, int, int]:
        """Country, rank, language and ratings of a pair."""
        row = self._rows[pair]
        return int(row["country"]), int(row["rank"]), int(row["language"]), int(row["ratings"])

    def filled(self, pair: int) -> Filled:
        """The ratings of a pair by what they were for."""
        row = self._rows[pair]
        own, near = int(row["own"]), int(row["near"])
        return Filled(own, near, int(row["ratings"]) - own - near)

    def add(self, pair: NewPair) -> int:
        """Put a pair into the pool at `now`; gives its number."""
        number = self.size
        if number == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(number, dtype=_ROW)])
        row = self._rows[number]
        for name, value in pair._asdict().items():
            row[name] = value
        row["since"] = self.now
        row["need"] = CANDIDATE if pair.candidate else NEEDS
        self.candidates += pair.candidate
        self.missing += 0 if pair.candidate else self._settings.k
        self.size += 1
        return number

    def promote(self, pair: int) -> None:
        """Let a candidate ask for ratings from now on."""
        row = self._rows[pair]
        row["candidate"], row["since"], row["need"] = False, self.now, NEEDS
        self.candidates -= 1
        self.missing += self._settings.k

    def rate(self, pair: int, value: int, slot: Slot) -> None:
        """Count a rating for a slot."""
        row = self._rows[pair]
        self.missing -= bool(row["ratings"] < self._settings.k)
        row["ratings"] += 1
        row["total"] += value
        row["squares"] += value * value
        if slot is not Slot.ANYONE:
            row[slot.value] += 1
        ratings = int(row["ratings"])
        variance = row["squares"] / ratings - (row["total"] / ratings) ** 2 if ratings > 1 else None
        row["need"] = need(ratings, variance, self._settings)

    def mention(self, pair: int) -> None:
        """Count that somebody proposed a pair unprompted."""
        self._rows[pair]["mentions"] += 1
