"""Random tables: every way to draw them gives the probabilities of all tables with the margins."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.instruments.stories.associations.cells import exact_p
from endoxa.instruments.stories.associations.fisher import Sampled, stream
from endoxa.instruments.stories.associations.random_tables import (
    Chain,
    Patefield,
    Shuffled,
    Source,
    source,
    table_improbability,
)
from endoxa.instruments.stories.associations.tested import _whitening

DRAWS = 20_000
EDGES = {
    "2 x 2": [[3, 1], [1, 4]],
    "one story": [[1, 0], [0, 0]],
    "one row": [[2, 3, 4]],
    "one column": [[2], [3]],
    "empty rows": [[0, 0, 0], [3, 1, 0], [0, 0, 0], [1, 0, 4], [0, 0, 0]],
    "an empty row and an empty column": [[3, 0, 1], [0, 0, 0], [1, 0, 4]],
    "ties": [[2, 2, 2], [2, 2, 2]],
    "two to a word and more columns": [[1, 0, 2, 1, 0, 1, 1, 2, 0, 1, 1], [0, 2, 1, 1, 1, 0, 2, 0, 1, 1, 1]],
    "three rows": [[3, 0, 1], [1, 2, 1], [0, 1, 3]],
}


def sources(counts: np.ndarray) -> dict[str, Source]:
    found: dict[str, Source] = {"stories": Shuffled.of(counts)}
    if min(counts.shape) > 1:  # scipy's draw of a single row is wrong; no such table is tested
        found["cells"] = Patefield.of(counts)
    chain = Chain.of(counts, 100_000)
    return found if chain is None else {**found, "columns": chain}


def chances(counts: np.ndarray) -> dict[float, float]:
    """Probability of each improbability, by listing all tables; improbabilities are rounded to nine digits."""
    if counts.shape[0] == 1 or counts.shape[1] == 1:
        return {round(table_improbability(counts), 9): 1.0}
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    cells = [range(min(r, c) + 1) for r in rows[:-1] for c in columns[:-1]]
    found: dict[float, float] = {}
    for some in product(*cells):
        table = np.zeros(counts.shape, dtype=np.int64)
        table[:-1, :-1] = np.reshape(some, (len(rows) - 1, len(columns) - 1))
        table[:-1, -1] = rows[:-1] - table[:-1].sum(axis=1)
        table[-1] = columns - table[:-1].sum(axis=0)
        if (table >= 0).all():
            key = round(table_improbability(table), 9)
            found[key] = found.get(key, 0.0) + float(scipy.stats.random_table.pmf(table, rows, columns))
    return found


@pytest.mark.parametrize("name", [name for name in EDGES if not name.startswith("two to")])
def test_all_ways_give_the_probabilities_of_all_tables(name: str) -> None:
    counts = np.array(EDGES[name])
    expected = chances(counts)
    assert sum(expected.values()) == pytest.approx(1)
    for way, draw in sources(counts).items():
        drawn = np.round(draw(stream(3, way), DRAWS), 9)
        assert len(drawn) == DRAWS
        values, number = np.unique(drawn, return_counts=True)
        assert set(values.tolist()) <= set(expected), way
        for value, chance in expected.items():
            share = number[values == value].sum() / DRAWS
            assert abs(share - chance) <= 5 * math.sqrt(chance * (1 - chance) / DRAWS) + 1e-12, way


@pytest.mark.parametrize(
    "shape", [(2, 11, 60), (3, 5, 40), (5, 11, 70), (11, 4, 90), (3, 3, 1200), (2, 5, 3000)], ids=str
)
def test_all_ways_agree_with_scipy_on_larger_tables(shape: tuple[int, int, int]) -> None:
    """The distributions of the improbability, by the test of Kolmogorov and Smirnov."""
    rows, columns, stories = shape
    generator = np.random.default_rng(5)
    counts = generator.multinomial(stories, np.full(rows * columns, 1 / (rows * columns))).reshape(
        rows, columns
    )
    tables = scipy.stats.random_table.rvs(
        counts.sum(axis=1), counts.sum(axis=0), size=2000, method="boyett", random_state=generator
    )
    theirs = np.array([table_improbability(table) for table in tables.astype(np.int64)])
    for way, draw in sources(counts).items():
        ours = draw(stream(1, way), 2000)
        assert scipy.stats.ks_2samp(np.round(ours, 8), np.round(theirs, 8)).pvalue > 1e-4, way


def test_more_columns_than_a_word_holds_are_all_counted() -> None:
    """Improbabilities are those of whole tables: with no cell above 1 they are 0."""
    counts = np.eye(40, dtype=np.int64)
    assert (Shuffled.of(counts)(stream(0), 50) == 0).all()
    counts = np.array(EDGES["two to a word and more columns"])
    least = min(chances(counts[:, :6]))
    assert (Shuffled.of(counts)(stream(0), 500) >= least - 1e-9).all()


@given(st.lists(st.integers(0, 6), min_size=6, max_size=6))
@settings(max_examples=40, deadline=None)
def test_what_is_drawn_is_as_frequent_as_its_exact_p_value(cells: list[int]) -> None:
    counts = np.array(cells).reshape(2, 3)
    if not (counts.sum(axis=0).all() and counts.sum(axis=1).all()):
        return
    exact = exact_p(counts, 100_000)
    assert exact is not None
    limit = table_improbability(counts) - 1e-9
    for way, draw in sources(counts).items():
        share = float((draw(stream(2, way), 4000) >= limit).mean())
        assert abs(share - exact) <= 5.5 * math.sqrt(exact * (1 - exact) / 4000) + 1e-9, way


def test_the_way_depends_on_the_table_and_the_number() -> None:
    sparse, dense = np.full((5, 5), 3), np.full((5, 5), 40)
    assert isinstance(source(sparse, 200), Shuffled)
    assert isinstance(source(dense, 500_000), Patefield)
    assert isinstance(source(np.full((2, 5), 40), 200), Patefield)
    assert isinstance(source(np.full((2, 5), 40), 400_000), Chain)
    assert Chain.of(np.full((3, 3), 2000), 1_000_000) is None


def test_a_test_goes_on_with_the_way_that_was_prepared() -> None:
    test = Sampled(np.full((2, 5), 40), stream(1))
    test.draw(400_000)
    test.draw(100)
    assert test.draws == 400_100
    assert test.hits == test.draws  # No table is more probable than the even one.


def test_values_are_made_independent_by_factor_and_by_eigenvectors() -> None:
    generator = np.random.default_rng(2)
    regular = np.cov(generator.normal(size=(6, 50)))
    singular = np.pad(regular, ((0, 1), (0, 1)))
    for covariance in (regular, singular):
        axes = _whitening(covariance)
        assert axes.shape[1] == 6
        np.testing.assert_allclose(axes.T @ covariance @ axes, np.eye(6), atol=1e-9)
    assert _whitening(np.zeros((0, 0))).shape == (0, 0)
    assert _whitening(np.zeros((2, 2))).shape == (2, 0)
