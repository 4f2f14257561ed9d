"""Step 1 of discovery: tests of independence for every table, decided family by family.

Fisher's exact test of r x c tables, by the share of random tables with the same margins that are at most as probable.
Where a prompt has several stories, prompts are the units: the base values of whole prompts are exchanged, with all
their stories. Drawing stops as soon as the decisions of a family, after correction, can no longer change.

After each round every p-value has an interval (Clopper and Pearson 1934) that all rounds and tables of the family
together leave with probability at most `error`. Benjamini and Hochberg's step-up procedure rejects more when a p-value
falls; so what it rejects with all upper ends is rejected for sure, and what it does not reject with all lower ends is
kept for sure. Only tables whose interval holds a threshold that is still open are drawn further.

Pooled over languages, two attributes can be associated because both depend on the language (Simpson 1951). The
generalised Cochran-Mantel-Haenszel test asks whether base and compared values are associated within languages: it
compares numbers of stories with those expected in each language, and adds up the differences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from endoxa.instruments.stories.associations.cells import (
    TOLERANCE,
    Cells,
    log_factorials,
    log_p_greater,
    log_p_units,
)
from endoxa.instruments.stories.associations.tables import Table, Units
from endoxa.instruments.stories.options import Discovery
from endoxa.runs.executors import computed
from endoxa.stats.verdicts import adjust

AT_ONCE = 200_000
"""Prompts drawn together; they stay in a processor's cache."""


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
        exact: the p-value where it is computed: nothing is drawn then.
    """

    exact: float | None = None

    def __init__(self, generator: np.random.Generator, limit: float) -> None:
        """A test whose random tables are hits from this `limit` of their statistic on."""
        self.generator, self._limit = generator, limit
        self.draws = self.hits = 0

    def draw(self, number: int) -> None:
        """Draw so many more tables with the same margins."""
        self.hits += sum(int((values >= self._limit).sum()) for values in self._statistics(number))
        self.draws += number

    def _statistics(self, number: int) -> Iterator[np.ndarray]:
        """Statistics of so many random tables, some at a time."""
        raise NotImplementedError

    @property
    def p_value(self) -> float:
        """The exact p-value where it is known, else (hits + 1) / (draws + 1)."""
        return (self.hits + 1) / (self.draws + 1) if self.exact is None else self.exact


class Undrawn(MonteCarlo):
    """The test of a table whose p-value is computed."""

    def __init__(self, p_value: float) -> None:
        """The test that gives this p-value."""
        self.draws = self.hits = 0
        self.exact = p_value


class Exchanged(MonteCarlo):
    """The test of a table of prompts, whose base values are exchanged."""

    def __init__(self, units: Units, statistic: Statistic, generator: np.random.Generator) -> None:
        """The test of a table, prompt by prompt; `statistic` is what arrangements are compared by."""
        observed = float(statistic(units.table[None])[0])
        super().__init__(generator, observed - TOLERANCE * max(1.0, abs(observed)))
        self._units, self._statistic = units, statistic
        # Prompts block by block: the type of each, and the base value of each place.
        self._types = np.repeat(np.arange(len(units.blocks)), units.counts.sum(axis=0))
        prompts = units.rows.T
        self._rows = np.repeat(np.tile(np.arange(prompts.shape[1]), len(prompts)), prompts.ravel())
        self._limits = [0, *np.cumsum(prompts.sum(axis=1)).tolist()]

    def _statistics(self, number: int) -> Iterator[np.ndarray]:
        most = max(1, AT_ONCE // len(self._types))
        for start in range(0, number, most):
            yield self._statistic(self._drawn(min(most, number - start)))

    def _drawn(self, size: int) -> np.ndarray:
        """Tables of random arrangements, draws x base values x compared values.

        Prompts are put into a random order within their block; the first ones of a block then have its first base
        value, and so on.
        """
        types = np.tile(self._types, (size, 1))
        for start, stop in pairwise(self._limits):
            types[:, start:stop] = self.generator.permuted(types[:, start:stop], axis=1)
        rows, kinds = self._units.counts.shape
        place = (np.arange(size)[:, None] * rows + self._rows) * kinds + types
        counts = np.bincount(place.ravel(), minlength=size * rows * kinds).reshape(-1, kinds)
        tables: np.ndarray = counts.astype(float) @ self._units.vectors.astype(float)
        return tables.astype(np.intp).reshape(size, rows, -1)


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
                rows, columns, size=min(most, number - start), method="patefield", random_state=self.generator
            )
            yield self._logs.take(tables).sum(axis=(1, 2))


def stream(seed: int, *names: object) -> np.random.Generator:
    """A stream of random numbers that depends on nothing but a seed and names."""
    digest = hashlib.blake2b("|".join(map(str, (seed, *names))).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(digest)))


FIRST_ROUND = 200
"""Tables drawn in the first round; every round doubles the number."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What was decided about the tables of a family.

    Attributes:
        significant: rejected by Benjamini-Hochberg.
        certain: drawing on could change the decision with a probability of at most the stated error.
    """

    significant: np.ndarray
    certain: np.ndarray


def decide(tests: Sequence[MonteCarlo], settings: Discovery) -> Decisions:
    """Draw until the decisions on a family are certain, but for `settings.error`, or until its draws are spent.

    Args:
        tests: the tables of one family; drawn in place.
        settings: false-discovery rate, draws, error, and whether to stop early.
    """
    alpha, target = (
        settings.alpha,
        min(FIRST_ROUND, settings.draws) if settings.early_stop else settings.draws,
    )
    rounds = 1 + max(0, int(np.ceil(np.log2(settings.draws / target))))
    each = settings.error / (len(tests) * rounds)
    low, high = np.zeros(len(tests)), np.ones(len(tests))
    open_tests = list(range(len(tests)))
    while True:
        for k in open_tests:
            if tests[k].exact is None:
                tests[k].draw(min(target, settings.draws) - tests[k].draws)
        low, high = _narrower(tests, each, low, high)
        sure, possible = rejected(high, alpha), rejected(low, alpha)
        open_tests = _open(low, high, int(sure.sum()), int(possible.sum()), alpha)
        if not open_tests or target >= settings.draws:
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
    return adjust(p_values) < alpha


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


RANK = 1e-10
"""Eigenvalues below this part of the largest are zero."""
SPARSE = 0.03
"""Where the variance of the statistic exceeds that of chi-square by a larger part, its p-value is drawn."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a table is from what exchanging base values within blocks gives on average.

    Landis, Heyman and Koch (1978): the squared distance in all cells, in the metric of its covariance. Mean and
    covariance are those of whole prompts, so that stories of one prompt count as what they are.

    Attributes:
        expected: mean of all cells but those of the last row and column.
        axes: what turns differences from it into independent ones of variance 1, cells x degrees of freedom.
        observed: the distance of the observed table.
    """

    expected: np.ndarray
    axes: np.ndarray
    observed: float

    @classmethod
    def of(cls, units: Units) -> Distance:
        """The distance in these blocks, and that of their table."""
        expected, covariance = _moments(units)
        distance = cls(expected, _whitening(covariance), 0.0)
        return cls(distance.expected, distance.axes, float(distance(units.table[None])[0]))

    @property
    def freedom(self) -> int:
        """Degrees of freedom; 0 where nothing can vary, as when every language has one base value."""
        return int(self.axes.shape[1])

    @property
    def log_p(self) -> float:
        """Natural logarithm of the p-value by chi-square; NaN without degrees of freedom."""
        from scipy.special import chdtrc

        with np.errstate(divide="ignore"):
            return float(np.log(chdtrc(self.freedom, self.observed))) if self.freedom else float("nan")

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        """Distances of tables, draws x base values x compared values."""
        cells = tables[:, :-1, :-1].reshape(len(tables), -1) - self.expected
        distances: np.ndarray = ((cells @ self.axes) ** 2).sum(axis=1)
        return distances


def _whitening(covariance: np.ndarray) -> np.ndarray:
    """What turns values with this covariance into independent ones of variance 1, by its eigenvectors."""
    values, axes = np.linalg.eigh(covariance)
    large = values > RANK * max(1.0, values.max(initial=0.0))
    whitening: np.ndarray = axes[:, large] / np.sqrt(values[large])
    return whitening


def _by_block(units: Units) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """For each block: prompts of each type, mean vector, what types differ from it, prompts of each base value."""
    starts = np.flatnonzero(np.diff(units.blocks))
    for counts, vectors in zip(
        np.split(units.counts, starts + 1, axis=1), np.split(units.vectors, starts + 1), strict=True
    ):
        number = counts.sum(axis=0)
        mean = number @ vectors / number.sum()
        yield number, mean, vectors - mean, counts.sum(axis=1)


def _moments(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """Mean of all cells but those of the last row and column, and their covariance."""
    cells = (len(units.counts) - 1) * (units.vectors.shape[1] - 1)
    expected, covariance = np.zeros(cells), np.zeros((cells, cells))
    for number, mean, apart, prompts in _by_block(units):
        total, drawn, varied = number.sum(), prompts[:-1], apart[:, :-1]
        expected += np.outer(drawn, mean[:-1]).ravel()
        spread = varied.T @ (varied * number[:, None]) / max(total - 1, 1)
        covariance += np.kron(np.diag(drawn) - np.outer(drawn, drawn) / total, spread)
    return expected, covariance


def is_sparse(units: Units) -> bool:
    """Whether few prompts of some base value and few stories of some compared value make chi-square too small a tail.

    The variance of such a statistic under exchange exceeds that of chi-square by the product of how unevenly prompts
    weigh on either side (Dawson 1954 for one table; taken here over all blocks together).
    """
    drawn = units.counts.sum(axis=1).astype(float)
    drawn = drawn[drawn > 0]
    total, rows = drawn.sum(), len(drawn)
    number, _, apart, _ = zip(*_by_block(units), strict=True)
    weights, apart = np.concatenate(number), np.concatenate(apart)
    inverse = np.linalg.pinv(apart.T @ (apart * weights[:, None]), hermitian=True)
    leverage = np.einsum("ij,jk,ik->i", apart, inverse, apart)
    columns = float(weights @ leverage)
    if rows < 2 or columns < 0.5:
        return False
    row_side = (1 / drawn).sum() - rows**2 / total
    column_side = weights @ leverage**2 - columns**2 / total
    return bool(total * row_side * column_side > SPARSE * 2 * (rows - 1) * columns)


FAMILIES_AT_ONCE = 64
"""Most families handed to a process together."""

WITHIN = "within languages"
"""Last part of the name of a stream of random numbers for the test within languages."""


@dataclass(frozen=True, slots=True)
class Within:
    """What the tests within languages found for one table.

    Attributes:
        p_value: generalised Cochran-Mantel-Haenszel test; NaN where nothing can vary within a language.
        p_adjusted: after Benjamini-Hochberg over the family.
        log_p: natural logarithms of the p-values of its cells, row by row; only of a table that is kept.
    """

    p_value: float
    p_adjusted: float
    log_p: np.ndarray | None


@dataclass(frozen=True, slots=True)
class Tested:
    """What the test of one table found.

    Attributes:
        p_value: Fisher's exact test, prompts being exchanged where a prompt has several stories.
        draws: random tables it rests on.
        p_adjusted: after Benjamini-Hochberg over the family.
        significant: rejected at the false-discovery rate.
        certain: further draws could change the decision only with a probability of at most the stated error.
        log_p: natural logarithms of the p-values of its cells, row by row; only of a table that is kept.
        within: what holds within languages; None where the table has one language.
    """

    p_value: float
    draws: int
    p_adjusted: float
    significant: bool
    certain: bool
    log_p: np.ndarray | None
    within: Within | None


def run_families(
    families: Sequence[Sequence[Table]], settings: Discovery, progress: Callable[[int], None]
) -> Iterator[list[Tested]]:
    """Test all tables, family by family, in order.

    Args:
        families: usable tables only, those that are corrected together.
        settings: draws, error, seed, processes.
        progress: told how many families are done.
    """
    at_once = min(FAMILIES_AT_ONCE, max(1, len(families) // 32))
    groups = [families[k : k + at_once] for k in range(0, len(families), at_once)]
    done = 0
    for results in computed(partial(run_each, settings), groups, settings.jobs):
        yield from results
        done += len(results)
        progress(done)


def run_each(settings: Discovery, families: Sequence[Sequence[Table]]) -> list[list[Tested]]:
    """`run_family` for several, in one process."""
    return [run_family(tables, settings) for tables in families]


def run_family(tables: Sequence[Table], settings: Discovery) -> list[Tested]:
    """Fisher's exact test of each table by Monte Carlo, Benjamini-Hochberg over them (StereoTales, step 1).

    The p-values of cells, which step 2 needs, are computed here as well: it is the work of several processes.
    """
    tests: list[MonteCarlo] = []
    for table in tables:
        numbers, prompts = stream(settings.seed, *table.name), table.prompts
        tests.append(
            Sampled(table.counts, numbers)
            if prompts is None
            else Exchanged(prompts, improbability(prompts), numbers)
        )
    decisions, adjusted = decide(tests, settings), adjust([test.p_value for test in tests])
    within = _within(tables, decisions.significant, settings)
    tested = []
    for k, (test, table) in enumerate(zip(tests, tables, strict=True)):
        kept, log_p = bool(decisions.significant[k]), None
        if kept:
            log_p = log_p_units(table.prompts) if table.prompts else log_p_greater(Cells.of(table.counts))
        p_adjusted, certain = float(adjusted[k]), bool(decisions.certain[k])
        tested.append(Tested(test.p_value, test.draws, p_adjusted, kept, certain, log_p, within[k]))
    return tested


def _within(tables: Sequence[Table], kept: np.ndarray, settings: Discovery) -> list[Within | None]:
    """The tests within languages: by chi-square, and by exchange where that is too small and the table is kept."""
    tests: dict[int, MonteCarlo] = {}
    for k, table in enumerate(tables):
        if table.languages is None:
            continue
        distance = Distance.of(table.languages)
        if not distance.freedom:
            continue
        tests[k] = (
            Exchanged(table.languages, distance, stream(settings.seed, *table.name, WITHIN))
            if kept[k] and is_sparse(table.languages)
            else Undrawn(float(np.exp(distance.log_p)))
        )
    if tests:
        decide(list(tests.values()), settings)
    p_values = [tests[k].p_value if k in tests else float("nan") for k in range(len(tables))]
    return [
        None
        if table.languages is None
        else Within(p_value, p_adjusted, log_p_units(table.languages) if significant else None)
        for table, p_value, p_adjusted, significant in zip(
            tables, p_values, adjust(p_values).tolist(), kept.tolist(), strict=True
        )
    ]
