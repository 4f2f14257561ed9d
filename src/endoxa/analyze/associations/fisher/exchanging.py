"""Tests with prompts as units: the base values of whole prompts are exchanged, all their stories with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from endoxa.analyze.associations.cells import log_factorials
from endoxa.analyze.associations.fisher.listing import TOLERANCE
from endoxa.analyze.associations.prompts import Units

AT_ONCE = 200_000
"""Prompts drawn together; they stay in a processor's cache."""
CHANCE_BITS = 40
"""Random bits that decide the order of prompts: two alike among 1,000 have a probability below 1 in a million."""
KEY_BITS = 64
"""Bits of what is sorted: block, random bits, type."""


Statistic = Callable[[np.ndarray], np.ndarray]
"""From tables (draws x base values x compared values) to numbers that are larger the further they are from chance."""


def improbability(units: Units) -> Statistic:
    """Fisher's statistic: minus the logarithm of a table's probability given its margins, but for a constant.

    Totals of base values differ a little between draws where a block holds prompts of unlike size, so both margins
    are part of it; totals of compared values are the same in all.
    """
    factorials = log_factorials(int(units.table.sum())).astype(np.float64)

    def statistic(tables: np.ndarray) -> np.ndarray:
        cells = factorials[tables.reshape(len(tables), -1)].sum(axis=1)
        logs: np.ndarray = cells - factorials[tables.sum(axis=2)].sum(axis=1)
        return logs

    return statistic


@dataclass(slots=True)
class Exchanged:
    """The test of one table as far as it has been drawn; it has what `Sampled` has.

    Attributes:
        units: the table, prompt by prompt.
        statistic: what arrangements are compared by.
        generator: its own stream of random numbers.
        draws: arrangements drawn so far.
        hits: those at least as far from chance as the observed one.
        exact: p-value where another method gives it: nothing is drawn then.
        tried: see `Sampled`.
    """

    units: Units
    statistic: Statistic
    generator: np.random.Generator
    draws: int = 0
    hits: int = 0
    exact: float | None = None
    tried: bool = False
    _limit: float = field(init=False)
    _keys: np.ndarray = field(init=False)
    _words: tuple[np.ndarray, ...] = field(init=False)

    def __post_init__(self) -> None:
        observed, blocks = float(self.statistic(self.units.table[None])[0]), self.units.blocks
        self._limit = observed - TOLERANCE * max(1.0, abs(observed))
        kinds = np.repeat(np.arange(len(blocks)), self.units.counts.sum(axis=0))
        above = np.uint64(self._chance_bits + self._kind_bits)
        self._keys = blocks[kinds].astype(np.uint64) << above | kinds.astype(np.uint64)
        self._words = _packed(self.units.vectors, self._width)

    @property
    def _kind_bits(self) -> int:
        return len(self.units.blocks).bit_length()

    @property
    def _chance_bits(self) -> int:
        return min(CHANCE_BITS, KEY_BITS - self._kind_bits - int(self.units.blocks[-1] + 1).bit_length())

    @property
    def _width(self) -> int:
        """Bits of a count of stories."""
        return int(self.units.table.sum()).bit_length()

    def draw(self, number: int) -> None:
        """Draw so many more arrangements."""
        most = max(1, AT_ONCE // len(self._keys))
        for start in range(0, number, most):
            tables = self._drawn(min(most, number - start))
            self.hits += int((self.statistic(tables) >= self._limit).sum())
        self.draws += number

    def list_tables(self, most: int) -> None:  # noqa: ARG002
        """Nothing: arrangements are not listed."""
        self.tried = True

    @property
    def p_value(self) -> float:
        """(hits + 1) / (draws + 1), or `exact`."""
        return (self.hits + 1) / (self.draws + 1) if self.exact is None else self.exact

    def _drawn(self, size: int) -> np.ndarray:
        """Tables of random arrangements, draws x base values x compared values.

        Prompts are put into a random order within their block by sorting random numbers; the first ones of a block
        then have its first base value, and so on.
        """
        bits = np.uint64(self._kind_bits)
        keys = self.generator.integers(0, 1 << self._chance_bits, (size, len(self._keys)), dtype=np.uint64)
        keys <<= bits
        keys |= self._keys
        keys.sort(axis=1)
        keys &= (np.uint64(1) << bits) - np.uint64(1)
        kinds = keys.astype(np.intp)
        prompts = self.units.rows.T
        filled = prompts.ravel() > 0
        starts = (np.cumsum(prompts) - prompts.ravel())[filled]
        row = np.tile(np.arange(prompts.shape[1]), len(prompts))[filled]
        block = np.repeat(np.arange(len(prompts)), prompts.shape[1])[filled]
        words = []
        for word in self._words:
            parts = np.add.reduceat(word[kinds], starts, axis=1)
            sums = np.zeros((size, prompts.shape[1]), dtype=np.int64)
            for one in range(len(prompts)):
                sums[:, row[block == one]] += parts[:, block == one]
            words.append(sums)
        return _unpacked(words, self._width, self.units.vectors.shape[1])


def _packed(vectors: np.ndarray, width: int) -> tuple[np.ndarray, ...]:
    """Counts of several columns in one number each, so that they are added together."""
    most = 63 // width
    columns = vectors.shape[1]
    shifts = width * (np.arange(columns) % most)
    return tuple(
        (vectors[:, start : start + most] << shifts[start : start + most]).sum(axis=1)
        for start in range(0, columns, most)
    )


def _unpacked(words: list[np.ndarray], width: int, columns: int) -> np.ndarray:
    most = 63 // width
    tables = np.empty((*words[0].shape, columns), dtype=np.intp)
    for column in range(columns):
        shift = width * (column % most)
        tables[:, :, column] = words[column // most] >> shift & (1 << width) - 1
    return tables
