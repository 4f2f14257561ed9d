"""Step 1 of discovery: tests of independence for every table, decided family by family.

The generalised Cochran-Mantel-Haenszel test asks whether base and compared values are associated within languages.
Pooled over languages, two attributes can be associated because both depend on the language (Simpson 1951). The test
compares numbers of stories with those expected in each language, and adds up the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from endoxa.instruments.stories.associations.conditional import log_p_units
from endoxa.instruments.stories.associations.fisher import (
    FIRST_ROUND,
    Decisions,
    Exchanged,
    MonteCarlo,
    Sampled,
    Undrawn,
    decide,
    improbability,
    stream,
)
from endoxa.instruments.stories.associations.tables import Table, Units
from endoxa.instruments.stories.options import Discovery
from endoxa.runs.executors import computed
from endoxa.stats.correction import adjust

RANK = 1e-10
"""Eigenvalues below this part of the largest are zero."""
REGULAR = 1e-6
"""A covariance whose reciprocal condition number is larger has no eigenvalue near zero."""
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
    """What turns values with this covariance into independent ones of variance 1.

    The triangular factor where no eigenvalue is close to zero, which is far faster, else the eigenvectors.
    """
    from scipy.linalg import lapack

    if not covariance.size:
        return covariance
    factor, failed = lapack.dpotrf(covariance, lower=1)
    if not failed and lapack.dpocon(factor, np.abs(covariance).sum(axis=0).max(), uplo="L")[0] > REGULAR:
        inverse: np.ndarray = lapack.dtrtri(factor, lower=1)[0]
        return inverse.T
    values, axes = np.linalg.eigh(covariance)
    large = values > RANK * max(1.0, float(values[-1]) if len(values) else 0.0)
    whitening: np.ndarray = axes[:, large] / np.sqrt(values[large])
    return whitening


def _moments(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """Mean of all cells but those of the last row and column, and their covariance."""
    rows, columns = len(units.counts) - 1, units.vectors.shape[1] - 1
    number, vectors, drawn = _by_block(units)
    total, drawn = number.sum(axis=1), drawn[:, :-1]
    means = (number[:, None] @ vectors)[:, 0] / total[:, None]
    apart = (vectors - means[:, None])[:, :, :-1]
    parts = zip(apart, apart * number[:, :, None], np.bincount(units.blocks), strict=True)
    spread = np.stack([block[:types].T @ weighted[:types] for block, weighted, types in parts])
    spread /= np.maximum(total - 1, 1)[:, None, None]
    shared = drawn[:, :, None] * (np.eye(rows) - (drawn / total[:, None])[:, None, :])
    covariance = np.tensordot(shared, spread, (0, 0)).transpose(0, 2, 1, 3)
    return (drawn.T @ means[:, :-1]).ravel(), covariance.reshape(rows * columns, rows * columns)


def _by_block(units: Units) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prompts of each type, the vectors of the types (no prompts where a block has fewer), prompts of each base value.

    Returns:
        Arrays blocks x types, blocks x types x compared values, blocks x base values.
    """
    sizes = np.bincount(units.blocks)
    place = np.arange(len(units.blocks)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    number = np.zeros((len(sizes), sizes.max()))
    vectors = np.zeros((*number.shape, units.vectors.shape[1]))
    number[units.blocks, place], vectors[units.blocks, place] = units.counts.sum(axis=0), units.vectors
    return number, vectors, np.ascontiguousarray(units.rows.T, dtype=float)


def is_sparse(units: Units) -> bool:
    """Whether few prompts of some base value and few stories of some compared value make chi-square too small a tail.

    The variance of such a statistic under exchange exceeds that of chi-square by the product of how unevenly prompts
    weigh on either side (Dawson 1954 for one table; taken here over all blocks together).
    """
    drawn = units.counts.sum(axis=1).astype(float)
    drawn = drawn[drawn > 0]
    total, rows = drawn.sum(), len(drawn)
    number, vectors, _ = _by_block(units)
    means = (number[:, None] @ vectors) / number.sum(axis=1)[:, None, None]
    apart, number = (vectors - means).reshape(-1, vectors.shape[2]), number.ravel()
    inverse = np.linalg.pinv(apart.T @ (apart * number[:, None]), hermitian=True)
    leverage = np.einsum("ij,jk,ik->i", apart, inverse, apart)
    columns = float(number @ leverage)
    if rows < 2 or columns < 0.5:
        return False
    row_side = (1 / drawn).sum() - rows**2 / total
    column_side = number @ leverage**2 - columns**2 / total
    return bool(total * row_side * column_side > SPARSE * 2 * (rows - 1) * columns)


AT_ONCE = 64
"""Most families handed to a process together."""

WITHIN = "within languages"
"""Last part of the name of a stream of random numbers for the test within languages."""

Name = tuple[str, ...]
"""What a table is called; decides its stream of random numbers."""


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
        draws: random tables it rests on, 0 where all tables were listed.
        p_adjusted: after Benjamini-Hochberg over the family.
        significant: rejected at the false-discovery rate.
        certain: further draws could change the decision only with a probability of at most the stated error.
        log_p: natural logarithms of the p-values of its cells, row by row; only of a table that is kept, and only
            where prompts are units: those of stories are computed for all tables at once.
        within: what holds within languages; None where the table has one language.
    """

    p_value: float
    draws: int
    p_adjusted: float
    significant: bool
    certain: bool
    log_p: np.ndarray | None = None
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Tables that are corrected together, with their names."""

    tables: tuple[Table, ...]
    names: tuple[Name, ...]


def run_families(
    families: Sequence[Family], settings: Discovery, progress: Callable[[int], None]
) -> Iterator[list[Tested]]:
    """Test all tables, family by family, in order.

    Args:
        families: usable tables only.
        settings: draws, error, seed, processes.
        progress: told how many families are done.
    """
    at_once = min(AT_ONCE, max(1, len(families) // 32))
    groups = [families[k : k + at_once] for k in range(0, len(families), at_once)]
    done = 0
    for results in computed(partial(run_each, settings), groups, settings.cluster, settings.jobs):
        yield from results
        done += len(results)
        progress(done)


def run_each(settings: Discovery, families: Sequence[Family]) -> list[list[Tested]]:
    """`run_family` for several, in one process."""
    return [run_family(family, settings) for family in families]


def run_family(family: Family, settings: Discovery) -> list[Tested]:
    """Fisher's exact test of each table by Monte Carlo, Benjamini-Hochberg over them (StereoTales, step 1).

    What step 2 needs of single tables is computed here as well: it is the work of several processes.
    """
    tests: list[MonteCarlo] = []
    for table, name in zip(family.tables, family.names, strict=True):
        numbers, prompts = stream(settings.seed, *name), table.prompts
        tests.append(
            Sampled(table.counts, numbers)
            if prompts is None
            else Exchanged(prompts, improbability(prompts), numbers)
        )
    decisions = _decide(tests, settings)
    adjusted = adjust([test.p_value for test in tests])
    kept = decisions.significant
    within = _within(family, kept, settings)
    return [
        Tested(
            test.p_value,
            0 if test.exact is not None else test.draws,
            float(adjusted[k]),
            bool(kept[k]),
            bool(decisions.certain[k]),
            log_p_units(table.prompts) if kept[k] and table.prompts is not None else None,
            within[k],
        )
        for k, (test, table) in enumerate(zip(tests, family.tables, strict=True))
    ]


def _decide(tests: Sequence[MonteCarlo], settings: Discovery) -> Decisions:
    return decide(
        tests,
        alpha=settings.alpha,
        most_draws=settings.draws,
        error=settings.error,
        first_round=min(FIRST_ROUND, settings.draws) if settings.early_stop else settings.draws,
    )


def _within(family: Family, kept: np.ndarray, settings: Discovery) -> list[Within | None]:
    """The tests within languages: by chi-square, and by exchange where that is too small and the table is kept."""
    several = [k for k, table in enumerate(family.tables) if table.languages is not None]
    tests: dict[int, MonteCarlo] = {}
    for k in several:
        units = family.tables[k].languages
        assert units is not None
        distance = Distance.of(units)
        if not distance.freedom:
            continue
        tests[k] = (
            Exchanged(units, distance, stream(settings.seed, *family.names[k], WITHIN))
            if kept[k] and is_sparse(units)
            else Undrawn(float(np.exp(distance.log_p)))
        )
    if tests:
        _decide(list(tests.values()), settings)
    p_values = [tests[k].p_value if k in tests else float("nan") for k in range(len(family.tables))]
    adjusted = adjust(p_values)
    return [
        Within(p_values[k], float(adjusted[k]), log_p_units(units) if kept[k] else None)
        if (units := table.languages) is not None
        else None
        for k, table in enumerate(family.tables)
    ]
