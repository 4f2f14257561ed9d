"""Random tables: how they are drawn gives the probabilities of all tables with the margins."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.stats

from endoxa.instruments.stories.associations.fisher import Sampled, stream

DRAWS = 20_000
EDGES = {
    "2 x 2": [[3, 1], [1, 4]],
    "empty rows": [[0, 0, 0], [3, 1, 0], [0, 0, 0], [1, 0, 4], [0, 0, 0]],
    "an empty row and an empty column": [[3, 0, 1], [0, 0, 0], [1, 0, 4]],
    "ties": [[2, 2, 2], [2, 2, 2]],
    "three rows": [[3, 0, 1], [1, 2, 1], [0, 1, 3]],
}


def improbability(table: np.ndarray) -> float:
    return float(sum(math.lgamma(cell + 1) for cell in table.ravel()))


def drawn(counts: np.ndarray, seed: int, number: int) -> np.ndarray:
    return np.concatenate(list(Sampled(counts, stream(seed))._statistics(number)))


def chances(counts: np.ndarray) -> dict[float, float]:
    """Probability of each improbability, by listing all tables; improbabilities are rounded to nine digits."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    cells = [range(min(r, c) + 1) for r in rows[:-1] for c in columns[:-1]]
    found: dict[float, float] = {}
    for some in product(*cells):
        table = np.zeros(counts.shape, dtype=np.int64)
        table[:-1, :-1] = np.reshape(some, (len(rows) - 1, len(columns) - 1))
        table[:-1, -1] = rows[:-1] - table[:-1].sum(axis=1)
        table[-1] = columns - table[:-1].sum(axis=0)
        if (table >= 0).all():
            key = round(improbability(table), 9)
            found[key] = found.get(key, 0.0) + float(scipy.stats.random_table.pmf(table, rows, columns))
    return found


@pytest.mark.parametrize("name", EDGES)
def test_tables_come_with_their_probabilities(name: str) -> None:
    counts = np.array(EDGES[name])
    expected = chances(counts)
    assert sum(expected.values()) == pytest.approx(1)
    values, number = np.unique(np.round(drawn(counts, 3, DRAWS), 9), return_counts=True)
    assert number.sum() == DRAWS
    assert set(values.tolist()) <= set(expected)
    for value, chance in expected.items():
        share = number[values == value].sum() / DRAWS
        assert abs(share - chance) <= 5 * math.sqrt(chance * (1 - chance) / DRAWS) + 1e-12


@pytest.mark.parametrize("shape", [(5, 11, 70), (2, 5, 3000)], ids=str)
def test_they_agree_with_another_algorithm_on_larger_tables(shape: tuple[int, int, int]) -> None:
    """The distributions of the improbability, by the test of Kolmogorov and Smirnov (Boyett 1979 draws theirs)."""
    rows, columns, stories = shape
    generator = np.random.default_rng(5)
    counts = generator.multinomial(stories, np.full(rows * columns, 1 / (rows * columns))).reshape(
        rows, columns
    )
    tables = scipy.stats.random_table.rvs(
        counts.sum(axis=1), counts.sum(axis=0), size=2000, method="boyett", random_state=generator
    )
    theirs = np.array([improbability(table) for table in tables])
    ours = drawn(counts, 1, 2000)
    assert scipy.stats.ks_2samp(np.round(ours, 8), np.round(theirs, 8)).pvalue > 1e-4
