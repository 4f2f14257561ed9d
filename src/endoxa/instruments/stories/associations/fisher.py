"""Fisher's exact test of r x c tables with prompts as units: exact for small tables, else Monte Carlo.

The base values of whole prompts are exchanged, with all their stories. Small tables are tested exactly, by listing
every table with the same margins. For others the p-value is the share of random tables that are at most as probable;
drawing stops as soon as the decisions of a family, after correction, can no longer change.

After each round every p-value has an interval (Clopper and Pearson 1934) that all rounds and tables of the family
together leave with probability at most `error`. Benjamini and Hochberg's step-up procedure rejects more when a p-value
falls; so what it rejects with all upper ends is rejected for sure, and what it does not reject with all lower ends is
kept for sure. Only tables whose interval holds a threshold that is still open are drawn further; small ones among them
are made exact by listing all tables with their margins, which is cheaper than many draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.instruments.stories.associations.cells import TOLERANCE, exact_p, log_factorials
from endoxa.instruments.stories.associations.tables import Units

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


class MonteCarlo:
    """The test of one table as far as it has been drawn.

    Attributes:
        generator: its own stream of random numbers, decided by a seed and the table's name.
        draws: random tables drawn so far.
        hits: those at least as far from chance as the observed one.
        exact: the p-value where another method gives it: nothing is drawn then.
        tried: whether its tables were counted, to list all of them where they are few.
    """

    def __init__(self, generator: np.random.Generator, limit: float) -> None:
        """A test whose random tables are hits from this `limit` of their statistic on."""
        self.generator, self._limit = generator, limit
        self.draws = self.hits = 0
        self.exact: float | None = None
        self.tried = False

    def draw(self, number: int) -> None:
        """Draw so many more tables with the same margins."""
        self.hits += sum(int((values >= self._limit).sum()) for values in self._statistics(number))
        self.draws += number

    def _statistics(self, number: int) -> Iterator[np.ndarray]:
        """Statistics of so many random tables, some at a time."""
        raise NotImplementedError

    def list_tables(self, most: int) -> None:  # noqa: ARG002
        """Find the exact p-value where there are at most so many tables; of whole prompts they are never listed."""
        self.tried = True

    @property
    def p_value(self) -> float:
        """The exact p-value where it is known, else (hits + 1) / (draws + 1)."""
        return (self.hits + 1) / (self.draws + 1) if self.exact is None else self.exact


class Undrawn(MonteCarlo):
    """The test of a table whose p-value is computed."""

    def __init__(self, p_value: float) -> None:
        """The test that gives this p-value."""
        self.draws = self.hits = 0
        self.exact, self.tried = p_value, True


class Exchanged(MonteCarlo):
    """The test of a table of prompts, whose base values are exchanged."""

    def __init__(self, units: Units, statistic: Statistic, generator: np.random.Generator) -> None:
        """The test of a table, prompt by prompt; `statistic` is what arrangements are compared by."""
        observed = float(statistic(units.table[None])[0])
        super().__init__(generator, observed - TOLERANCE * max(1.0, abs(observed)))
        self._units, self._statistic, types = units, statistic, len(units.blocks)
        self._type_bits = types.bit_length()
        self._chance_bits = min(
            CHANCE_BITS, KEY_BITS - self._type_bits - int(units.blocks[-1] + 1).bit_length()
        )
        kinds = np.repeat(np.arange(types), units.counts.sum(axis=0))
        above = np.uint64(self._chance_bits + self._type_bits)
        self._keys = units.blocks[kinds].astype(np.uint64) << above | kinds.astype(np.uint64)
        # Bits of a count of stories.
        self._width = int(units.table.sum()).bit_length()
        self._words = _packed(units.vectors, self._width)

    def _statistics(self, number: int) -> Iterator[np.ndarray]:
        most = max(1, AT_ONCE // len(self._keys))
        for start in range(0, number, most):
            yield self._statistic(self._drawn(min(most, number - start)))

    def _drawn(self, size: int) -> np.ndarray:
        """Tables of random arrangements, draws x base values x compared values.

        Prompts are put into a random order within their block by sorting random numbers; the first ones of a block
        then have its first base value, and so on.
        """
        bits = np.uint64(self._type_bits)
        keys = self.generator.integers(0, 1 << self._chance_bits, (size, len(self._keys)), dtype=np.uint64)
        keys <<= bits
        keys |= self._keys
        keys.sort(axis=1)
        keys &= (np.uint64(1) << bits) - np.uint64(1)
        kinds = keys.astype(np.intp)
        prompts = self._units.rows.T
        filled = prompts.ravel() > 0
        starts = (np.cumsum(prompts) - prompts.ravel())[filled]
        row = np.tile(np.arange(prompts.shape[1]), len(prompts))[filled]
        block = np.repeat(np.arange(len(prompts)), prompts.shape[1])[filled]
        words = []
        for word in self._words:
            parts = np.add.reduceat(word[kinds], starts, axis=1)
            sums = np.zeros((size, prompts.shape[1]), dtype=np.int64)
            for number in range(len(prompts)):
                sums[:, row[block == number]] += parts[:, block == number]
            words.append(sums)
        return _unpacked(words, self._width, self._units.vectors.shape[1])


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


CELLS_AT_ONCE = 65_536
"""Cells of random tables held at once; they stay in a processor's cache."""


class Sampled(MonteCarlo):
    """The test of a table of independent stories, by random tables with its margins (Patefield 1981).

    The statistic is the sum of the logarithms of the factorials of the cells: minus the logarithm of the table's
    probability, but for a constant that the margins decide.
    """

    def __init__(self, counts: np.ndarray, generator: np.random.Generator) -> None:
        """The test of these counts."""
        self._counts, self._logs = counts, log_factorials(int(counts.sum())).astype(np.float64)
        super().__init__(generator, float(self._logs[counts].sum()) - TOLERANCE)

    def _statistics(self, number: int) -> Iterator[np.ndarray]:
        from scipy.stats import random_table

        # The largest rows and columns first: the last ones follow from the others.
        rows, columns = (np.sort(self._counts.sum(axis=axis))[::-1] for axis in (1, 0))
        most = max(1, CELLS_AT_ONCE // self._counts.size)
        for start in range(0, number, most):
            tables = random_table.rvs(
                rows,
                columns,
                size=min(most, number - start),
                method="patefield",
                random_state=self.generator,
            )
            yield self._logs.take(tables).sum(axis=(1, 2))

    def list_tables(self, most: int) -> None:
        """Find the exact p-value where there are at most so many tables."""
        self.tried = True
        self.exact = exact_p(self._counts, most)


def stream(seed: int, *names: object) -> np.random.Generator:
    """A stream of random numbers that depends on nothing but a seed and names."""
    digest = hashlib.blake2b("|".join(map(str, (seed, *names))).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(digest)))


FIRST_ROUND = 200
"""Tables drawn in the first round; every round doubles the number."""
LISTED_AFTER = 1600
"""Draws after which a test that is still open is made exact, if it has few enough tables."""
MOST_LISTED = 200_000
"""Most tables that are listed for an exact p-value."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What was decided about the tables of a family.

    Attributes:
        significant: rejected by Benjamini-Hochberg.
        certain: drawing on could change the decision with a probability of at most the stated error.
    """

    significant: np.ndarray
    certain: np.ndarray


def decide(
    tests: Sequence[MonteCarlo],
    *,
    alpha: float,
    most_draws: int,
    error: float,
    first_round: int = FIRST_ROUND,
) -> Decisions:
    """Draw until the decisions at false-discovery rate `alpha` are certain, or `most_draws` are spent.

    Args:
        tests: the tables of one family; drawn in place.
        alpha: false-discovery rate.
        most_draws: most tables drawn for a test.
        error: probability, for the whole family, that a decision called certain differs from the one with
            infinitely many draws.
        first_round: tables drawn before the first look; `most_draws` gives a test without early stopping.
    """
    rounds = 1 + max(0, int(np.ceil(np.log2(most_draws / first_round))))
    each = error / (len(tests) * rounds)
    low, high = np.zeros(len(tests)), np.ones(len(tests))
    open_tests = list(range(len(tests)))
    target = first_round
    while True:
        for k in open_tests:
            if tests[k].draws >= LISTED_AFTER and not tests[k].tried:
                tests[k].list_tables(MOST_LISTED)
            if tests[k].exact is None:
                tests[k].draw(min(target, most_draws) - tests[k].draws)
        low, high = _narrower(tests, each, low, high)
        sure, possible = rejected(high, alpha), rejected(low, alpha)
        open_tests = _open(low, high, int(sure.sum()), int(possible.sum()), alpha)
        if not open_tests or target >= most_draws:
            break
        target *= 2
    significant = rejected(np.array([test.p_value for test in tests]), alpha)
    certain = sure == possible
    return Decisions(np.where(certain, sure, significant), certain)


def _narrower(
    tests: Sequence[MonteCarlo], error: float, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals after another round, none wider than before; an exact p-value is both ends."""
    exact = np.array([np.nan if test.exact is None else test.exact for test in tests])
    hits, draws = (np.array([getattr(test, name) for test in tests]) for name in ("hits", "draws"))
    new_low, new_high = binomial_bounds(hits, draws, error)
    sampled = np.isnan(exact)
    return (
        np.where(sampled, np.maximum(low, new_low), exact),
        np.where(sampled, np.minimum(high, new_high), exact),
    )


def rejected(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Which hypotheses Benjamini and Hochberg's (1995) step-up procedure rejects: adjusted, they are below `alpha`."""
    n = len(p_values)
    below = np.sort(p_values) < alpha * np.arange(1, n + 1) / n
    return p_values < alpha * (np.flatnonzero(below)[-1] + 1) / n if below.any() else np.zeros(n, dtype=bool)


def binomial_bounds(hits: np.ndarray, draws: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson interval that misses the truth with probability at most `error`."""
    from scipy.special import betaincinv

    with np.errstate(invalid="ignore"):
        low = np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, 1), draws - hits + 1, error / 2))
        high = np.where(hits == draws, 1.0, betaincinv(hits + 1, np.maximum(draws - hits, 1), 1 - error / 2))
    return low, high


def _open(low: np.ndarray, high: np.ndarray, sure: int, possible: int, alpha: float) -> list[int]:
    """Tests whose interval holds one of the thresholds between the sure and the possible number of rejections."""
    thresholds = alpha * np.arange(sure + 1, possible + 1) / len(low)
    straddles = (low[:, None] < thresholds) & (thresholds <= high[:, None])
    return [int(k) for k in np.flatnonzero(straddles.any(axis=1))]
