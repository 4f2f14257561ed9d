"""Random tables with given margins, and how improbable each is: three ways to draw the same distribution.

Given its margins, a random table is what a random order of the stories gives. `Shuffled` orders them, which is fastest
where cells hold few stories. `patefield` draws cell after cell (Patefield 1981), which does not depend on the number of
stories. `Chain` draws column after column of tables with two or three rows by looking up all that can come next (the
alias method, Walker 1977). It must be prepared, which pays where many tables are drawn.

A table's improbability is the sum of the logarithms of the factorials of its cells: minus the logarithm of its
probability, but for a constant that the margins decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from endoxa.instruments.stories.associations.cells import log_factorials

Source = Callable[[np.random.Generator, int], np.ndarray]
"""Improbabilities of so many random tables."""

DENSE = 7
"""With more stories per cell than this, drawing cells is faster than ordering stories."""
CELLS_AT_ONCE = 65_536
"""Cells, or stories, of random tables held at once; they stay in a processor's cache."""
DEAR = 10
"""Preparing an entry of a `Chain` takes as long as drawing so many cells ..."""
AHEAD = 3
"""A test that has come to a round draws about so many times its tables before it is decided."""
COLUMN = 3000
"""... and a column as long as so many entries at least."""
MOST_ENTRIES = 2_000_000
"""Entries of the largest `Chain`."""


def source(counts: np.ndarray, number: int) -> Source:
    """The fastest way to draw `number` tables with the margins of `counts`."""
    cells = AHEAD * number * counts.size
    chain = Chain.of(counts, min(MOST_ENTRIES, cells // DEAR - COLUMN * max(counts.shape)))
    if chain is not None:
        return chain
    return Shuffled.of(counts) if counts.sum() <= DENSE * counts.size else Patefield.of(counts)


def table_improbability(counts: np.ndarray) -> float:
    """The improbability of one table."""
    return float(factorials(int(counts.sum()))[counts].sum())


def _compact(counts: np.ndarray) -> np.ndarray:
    """A table without empty rows and columns, and with no more rows than columns."""
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    return counts.T if counts.shape[0] > counts.shape[1] else counts


def factorials(most: int) -> np.ndarray:
    """log(0!) .. log(most!), and perhaps more."""
    return _factorials(1 << most.bit_length())


@cache
def _factorials(most: int) -> np.ndarray:
    return log_factorials(most).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Patefield:
    """Cell after cell.

    Attributes:
        rows: stories in each row.
        columns: stories in each column.
    """

    rows: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> Patefield:
        """For tables with the margins of these counts, largest first: the last ones follow from the others."""
        return cls(np.sort(counts.sum(axis=1))[::-1], np.sort(counts.sum(axis=0))[::-1])

    def __call__(self, generator: np.random.Generator, number: int) -> np.ndarray:
        """Improbabilities of so many tables."""
        from scipy.stats import random_table

        logs, sums = factorials(int(self.rows.sum())), []
        for size in _sizes(number, len(self.rows) * len(self.columns)):
            tables = random_table.rvs(
                self.rows, self.columns, size=size, method="patefield", random_state=generator
            )
            sums.append(logs.take(tables.reshape(size, -1)).sum(axis=1))
        return np.concatenate(sums)


def _sizes(number: int, cells: int) -> list[int]:
    """How many tables are drawn together."""
    most = max(1, CELLS_AT_ONCE // cells)
    return [min(most, number - start) for start in range(0, number, most)]


WORD = 32
"""Bits of a number that holds several cells."""
LOOKED_UP = 15
"""Bits of the cells whose factorials are looked up together."""


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Stories in random order: the first ones are the first row, and so on.

    What is sorted has random bits above and, below, the place of the story's column: the bit that is one story of it
    in a row of cells packed into words. Orders in which two stories have the same random bits are drawn again, so that
    all orders are equally probable.

    Attributes:
        places: of each story, column by column.
        starts: where rows begin in the order.
        width: bits of a cell.
    """

    places: np.ndarray
    starts: np.ndarray
    width: int

    @classmethod
    def of(cls, counts: np.ndarray) -> Shuffled:
        """For tables with the margins of these counts."""
        counts = _compact(counts)
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        width = int(min(rows.max(), columns.max())).bit_length()
        word, place = np.divmod(np.arange(len(columns)), WORD // width)
        places = (word * WORD + place * width).astype(np.uint32)
        return cls(np.repeat(places, columns), np.cumsum(rows) - rows, width)

    def __call__(self, generator: np.random.Generator, number: int) -> np.ndarray:
        """Improbabilities of so many tables."""
        sizes = _sizes(number, len(self.places))
        return np.concatenate([self._scored(self._order(generator, size)) for size in sizes])

    def _order(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """Places in random order, one line for each table."""
        mask = np.uint32((1 << int(self.places.max()).bit_length()) - 1)
        stories = len(self.places)
        words = generator.integers(0, 1 << 64, (size * stories + 1) // 2, dtype=np.uint64)
        keys = words.view(np.uint32)[: size * stories].reshape(size, stories)
        keys &= ~mask
        keys |= self.places
        keys.sort(axis=1)
        alike = keys[:, 1:] ^ keys[:, :-1] <= mask
        keys &= mask
        if alike.any():
            again = np.flatnonzero(alike.any(axis=1))
            keys[again] = self._order(generator, len(again))
        return keys

    def _scored(self, order: np.ndarray) -> np.ndarray:
        together = max(1, LOOKED_UP // self.width)
        sums = _packed_factorials(self.width, together)
        bits = self.width * together
        logs = np.zeros((len(order), len(self.starts)))
        for word in range(int(self.places.max()) // WORD + 1):
            # A place in another word becomes a shift beyond this one, which leaves nothing.
            bits_set = np.left_shift(np.uint32(1), order - np.uint32(word * WORD))
            cells = np.add.reduceat(bits_set, self.starts, axis=1)
            for shift in range(0, self.width * (WORD // self.width), bits):
                logs += sums.take((cells >> np.uint32(shift) & np.uint32((1 << bits) - 1)).astype(np.intp))
        result: np.ndarray = logs.sum(axis=1)
        return result


@cache
def _packed_factorials(width: int, together: int) -> np.ndarray:
    """Sums of logarithms of factorials for cells packed into one number."""
    packed = np.arange(1 << width * together)
    single = factorials((1 << width) - 1)
    return sum((single[packed >> width * k & (1 << width) - 1] for k in range(together)), np.zeros(1))


LEAST = -36.0
"""What is less probable than the most probable by this logarithm is left out: 500,000 draws do not meet it."""
MOST_ROWS = 3
"""Rows of a table that a `Chain` draws; with more there are too many states."""
BOXED = 0.1
"""At least this share of the states in a box is likely enough to be kept."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One column: what can come next from each state, the rows' totals that are left.

    Attributes:
        threshold: share of each of the equally probable choices that is the choice itself, states x choices.
        other: what the choice is otherwise; flat places in states x choices.
        state: the state after each, states x choices, flat.
        improbability: of the column, for each choice.
    """

    threshold: np.ndarray
    other: np.ndarray
    state: np.ndarray
    improbability: np.ndarray


@dataclass(frozen=True, slots=True)
class Chain:
    """Columns drawn one after the other, each by looking it up.

    Attributes:
        steps: all columns but the last.
        last: improbability of the last column, for each state.
    """

    steps: tuple[_Step, ...]
    last: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray, most: int) -> Chain | None:
        """For tables with the margins of these counts; None where it has more than `most` entries."""
        if most <= 0 or min(counts.shape) > MOST_ROWS:
            return None
        counts = _compact(counts)
        if len(counts) < 2:
            return None
        rows, columns = counts.sum(axis=1), np.sort(counts.sum(axis=0))
        left = columns[::-1].cumsum()[::-1]
        if BOXED * _boxed(rows, columns[:-1]) @ _boxed(rows, left[:-1]) > most:
            return None
        states = [_ways(rows, int(total)) for total in left]
        choices = [_ways(rows, int(total)) for total in columns[:-1]]
        if sum(len(before) * len(some) for before, some in zip(states, choices, strict=False)) > most:
            return None
        steps = zip(states, states[1:], choices, strict=False)
        last = factorials(int(rows.sum()))[states[-1]].sum(axis=1)
        return cls(tuple(_step(before, after, some) for before, after, some in steps), last)

    def __call__(self, generator: np.random.Generator, number: int) -> np.ndarray:
        """Improbabilities of so many tables."""
        return np.concatenate([self._drawn(generator, size) for size in _sizes(number, len(self.steps))])

    def _drawn(self, generator: np.random.Generator, size: int) -> np.ndarray:
        state, logs = np.zeros(size, dtype=np.intp), np.zeros(size)
        for step in self.steps:
            choices = len(step.improbability)
            uniform = generator.random(size)
            uniform *= choices
            choice = uniform.astype(np.intp)
            uniform -= choice
            place = state * choices
            choice += place
            drawn = np.where(uniform < step.threshold.take(choice), choice, step.other.take(choice))
            state = step.state.take(drawn)
            drawn -= place
            logs += step.improbability.take(drawn)
        logs += self.last.take(state)
        return logs


def _boxed(rows: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """For each total, about how many ways there are to take as many stories from the rows, in a box around the mean."""
    n = rows.sum()
    shares = (rows[:-1] / n)[:, None]
    width = np.sqrt(-8 * LEAST * shares * (1 - shares) * totals * (n - totals) / n) + 1
    ways: np.ndarray = np.minimum(width, np.minimum(rows[:-1, None], totals) + 1).prod(axis=0)
    return ways


def _ways(rows: np.ndarray, total: int) -> np.ndarray:
    """All ways to take `total` stories from the rows that are likely enough, in the order of the rows."""
    ranges = [_likely(int(row), total, int(rows.sum())) for row in rows[:-1]]
    ways = np.stack([x.ravel() for x in np.meshgrid(*ranges, indexing="ij")], axis=1)
    ways = np.column_stack([ways, total - ways.sum(axis=1)])
    ways = ways[((ways >= 0) & (ways <= rows)).all(axis=1)]
    logs = factorials(int(rows.sum()))
    chance = -(logs[ways] + logs[rows - ways]).sum(axis=1)
    likely: np.ndarray = ways[chance - chance.max() > LEAST]
    return likely


def _likely(row: int, total: int, n: int) -> np.ndarray:
    """Numbers of a row's stories among `total` of `n` that are likely enough."""
    logs = factorials(n)
    x = np.arange(max(0, total + row - n), min(row, total) + 1)
    chance = -(logs[x] + logs[row - x] + logs[total - x] + logs[n - row - total + x])
    likely: np.ndarray = x[chance - chance.max() > LEAST]
    return likely


def _step(states: np.ndarray, after: np.ndarray, choices: np.ndarray) -> _Step:
    """One column's choices from each state, weighed by how many orders of stories give them."""
    logs = factorials(int(states.sum(axis=1)[0]))
    rest = states[:, None] - choices
    # Place of each wanted state among the states, -1 where it is not there.
    low = after.min(axis=0)[:-1]
    size = after.max(axis=0)[:-1] - low + 1
    places = np.full(size, -1, dtype=np.intp)
    places[tuple((after[:, :-1] - low).T)] = np.arange(len(after))
    at = np.moveaxis(rest[..., :-1] - low, -1, 0)
    inside = np.logical_and.reduce([(axis >= 0) & (axis < most) for axis, most in zip(at, size, strict=True)])
    place: np.ndarray = np.where(inside, places[tuple(np.where(inside, axis, 0) for axis in at)], -1)
    of_column = logs[choices].sum(axis=1)
    chance = np.where(place >= 0, -of_column - logs[np.maximum(rest, 0)].sum(axis=2), -np.inf)
    weights = np.exp(chance - chance.max(axis=1, keepdims=True))
    threshold, other = _aliases(weights * (len(choices) / weights.sum(axis=1, keepdims=True)))
    other += np.arange(len(states))[:, None] * len(choices)
    return _Step(threshold.ravel(), other.ravel(), np.maximum(place, 0).ravel(), of_column)


def _aliases(mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's thresholds and other choices of each line, whose masses are 1 on average.

    Lines are swept together: a choice with more than 1 left fills up the next one with less; when it has less itself,
    the next one with more fills it up (Hübschle-Schneider and Sanders 2022).
    """
    lines, choices = mass.shape
    order = np.argsort(mass >= 1, axis=1, kind="stable")
    sorted_mass = np.pad(np.take_along_axis(mass, order, axis=1), ((0, 0), (0, 1)))
    lights = (mass < 1).sum(axis=1)
    line, light, heavy = np.arange(lines), np.zeros(lines, dtype=np.intp), np.minimum(lights, choices - 1)
    threshold, other = np.ones((lines, choices)), np.tile(np.arange(choices), (lines, 1))
    rest = sorted_mass[line, heavy]
    for _ in range(choices):
        fills = (rest > 1) & (light < lights)
        keeps = (rest <= 1) & (heavy + 1 < choices)
        if not (fills | keeps).any():
            break
        small, giver = np.where(fills, light, heavy), np.where(fills, heavy, heavy + 1)
        moved = np.flatnonzero(fills | keeps)
        small, giver = small[moved], giver[moved]
        before, added = rest[moved], sorted_mass[moved, np.where(fills[moved], small, giver)]
        threshold[moved, small] = np.where(fills[moved], added, before)
        other[moved, small] = giver
        rest[moved] = before + added - 1
        light += fills
        heavy += keeps
    # Back from the order in which they were swept.
    result = np.empty_like(threshold), np.empty_like(other)
    np.put_along_axis(result[0], order, threshold, axis=1)
    np.put_along_axis(result[1], order, np.take_along_axis(order, other, axis=1), axis=1)
    return result
