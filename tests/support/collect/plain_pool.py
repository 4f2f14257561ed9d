"""A pool of pairs in a list, written as plainly as possible: what the sampler's tests read from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from endoxa.collect.sampler import Cell, Rows


@dataclass
class PlainPair:
    id: int
    country: str
    language: str = "es"
    ratings: int = 0
    need: int = 0
    negative: bool = False
    topic: str = ""
    waiting: float = 0.0
    calibration: bool = False
    position: float = 0.0

    @property
    def cell(self):
        return Cell(self.country, self.language, self.need, self.negative)


@dataclass
class PlainPool:
    pairs: list[PlainPair]
    recent: dict[str, int] = field(default_factory=dict)
    heavy: frozenset[str] = frozenset()

    def sizes(self):
        return Counter(pair.cell for pair in self.pairs)

    def count(self, region):
        return len(self._in(region))

    def _in(self, region):
        return [pair for pair in self.pairs if region.takes(pair.cell) and pair.topic not in region.no_topics]

    def whole(self, region):
        return rows_of(self._in(region))

    def window(self, region, start, size):
        circle = sorted(self._in(region), key=lambda pair: pair.position)
        if len(circle) < size:
            return rows_of(circle)
        first = next((n for n, pair in enumerate(circle) if pair.position >= start), 0)
        taken = [circle[(first + n) % len(circle)] for n in range(size)]
        before = [circle[(first + n - size) % len(circle)] for n in range(size)]
        gaps = [(after.position - left.position) % 1 for after, left in zip(taken, before, strict=True)]
        return rows_of(taken, gaps)

    def calibration(self, languages):
        common = [pair for pair in self.pairs if pair.calibration and pair.language in languages]
        return rows_of(sorted(common, key=lambda pair: (pair.position, pair.id)))

    def coverage(self):
        counted = Counter()
        for pair in self.pairs:
            counted[pair.country] += pair.ratings
        return counted

    def drawn(self):
        return self.recent

    def heavy_topics(self):
        return self.heavy


def rows_of(pairs, inclusion=None):
    return Rows(
        ids=np.array([pair.id for pair in pairs], dtype=np.int64),
        countries=np.array([pair.country for pair in pairs], dtype=np.str_),
        needs=np.array([pair.need for pair in pairs], dtype=np.int64),
        negative=np.array([pair.negative for pair in pairs], dtype=np.bool_),
        topics=np.array([pair.topic for pair in pairs], dtype=np.str_),
        ratings=np.array([pair.ratings for pair in pairs], dtype=np.int64),
        waiting=np.array([pair.waiting for pair in pairs], dtype=np.float64),
        inclusion=np.ones(len(pairs)) if inclusion is None else np.array(inclusion),
    )
