"""Unique and shared concepts: planted overlaps, either direction, ties, blocks, associations, intervals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.curate.novelty import (
    analyze_novelty,
    likeness,
    nearest,
    share_interval,
)
from endoxa.stats.intervals import wilson
from support.toy_vectors import TableEncoder, ToyEncoder, associations, attributes, cos

pytestmark = pytest.mark.slow


def shared(found, one, other):
    row = found.shared.row(
        by_predicate=(pl.col("from_dataset") == one) & (pl.col("to_dataset") == other), named=True
    )
    return row["n_shared"]


def unique(found):
    return dict(found.shares.select("dataset", "n_unique").iter_rows())


# Three data sets: A has 10 concepts, 4 of them in B and 2 in C, one of them in both; B has 6, C has 3.
A = ["a only 1", "a only 2", "a only 3", "a only 4", "a only 5", "x1", "x2", "x3", "xy", "y1"]
B = ["x1", "x2", "x3", "xy", "b only 1", "b only 2"]
C = ["xy", "y1", "c only 1"]


def test_planted_overlaps_are_counted():
    found = analyze_novelty([attributes("A", A), attributes("B", B), attributes("C", C)], ToyEncoder(), 0.9)
    assert unique(found) == {"A": 5, "B": 2, "C": 1}
    assert {(a, b): shared(found, a, b) for a in "ABC" for b in "ABC" if a != b} == {
        ("A", "B"): 4,
        ("B", "A"): 4,
        ("A", "C"): 2,
        ("C", "A"): 2,
        ("B", "C"): 1,
        ("C", "B"): 1,
    }
    assert found.shares["share_unique"].to_list() == pytest.approx([0.5, 2 / 6, 1 / 3])
    assert found.shared["share"].to_list() == pytest.approx([4 / 10, 2 / 10, 4 / 6, 1 / 6, 2 / 3, 1 / 3])


def test_the_relation_is_not_symmetric():
    """Three concepts of A lie around one of B: A is found whole in B, and of B's four only one is found in A."""
    angles = {"near 1": 5, "near 2": -5, "near 3": 10, "middle": 0}
    one, other = attributes("A", ["near 1", "near 2", "near 3"]), attributes("B", ["middle", "p", "q", "r"])
    found = analyze_novelty([one, other], ToyEncoder(angles), cos(12))
    assert (shared(found, "A", "B"), shared(found, "B", "A")) == (3, 1)
    assert unique(found) == {"A": 0, "B": 3}


@pytest.mark.parametrize("cosine", [0.6, 0.7, 1.0])
def test_a_cosine_exactly_at_the_threshold_is_present(cosine):
    """Float32 holds 0.7 as 0.69999999 and 0.6 as 0.60000002: neither decides."""
    table = {"one": [1, 0], "other": [cosine, np.sqrt(1 - cosine**2)]}
    datasets = [attributes("A", ["one"]), attributes("B", ["other"])]
    assert unique(analyze_novelty(datasets, TableEncoder(table), cosine)) == {"A": 0, "B": 0}
    assert unique(analyze_novelty(datasets, TableEncoder(table), min(1.0, cosine + 1e-4))) == (
        {"A": 0, "B": 0} if cosine == 1 else {"A": 1, "B": 1}
    )


def test_a_copy_has_nothing_unique_and_an_interval_above_0():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(40, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = {f"t{k}": vector for k, vector in enumerate(vectors)}
    copy = analyze_novelty([attributes("A", table), attributes("B", table)], TableEncoder(table), 1.0)
    assert unique(copy) == {"A": 0, "B": 0}
    assert copy.shares["low"].to_list() == [0, 0]
    assert all(0 < high < 0.2 for high in copy.shares["high"])


dyadic = st.lists(st.integers(-4, 4), min_size=3, max_size=3).map(lambda row: [cell / 4 for cell in row])
rows = st.lists(dyadic, min_size=1, max_size=9)


@settings(max_examples=15, deadline=None)
@given(rows, rows, st.integers(1, 90))
def test_blocks_of_any_size_give_the_same(one, other, cells):
    """Quarters, so that sums of products are exact: the rows are no unit vectors, which does not matter here."""
    sides = [(np.array(part, dtype=np.float32),) for part in (one, other)]
    whole = likeness(*sides)
    there, back = nearest(*sides, cells), nearest(*sides[::-1], cells)
    for (cosine, row), matrix in ((there, whole), (back, whole.T)):
        assert np.array_equal(cosine, np.minimum(matrix.max(axis=1), 1))
        assert np.array_equal(row, matrix.argmax(axis=1))


def test_an_association_needs_both_parts():
    """The joined text would match on the identity alone; the weaker part decides."""
    angles = {"lazy": 0, "idle": 10, "kind": 90, "x people": 0, "x folk": 15, "y people": 90}
    one = associations("A", [("x people", "lazy"), ("x people", "kind"), ("y people", "lazy")])
    other = associations("B", [("x folk", "idle")])
    found = analyze_novelty([one, other], ToyEncoder(angles), cos(16), kind="association")
    assert found.concepts["unique"].to_list() == [False, True, True, False]
    assert found.concepts["cosine"][0] == pytest.approx(cos(15), abs=1e-6)
    assert found.concepts["concept"][0] == "x people: lazy"


def test_without_identities_the_interval_is_wilsons():
    flags = np.array([True] * 3 + [False] * 7)
    interval, method, named = share_interval(flags, [()] * 10, 0.95)
    assert (method, named) == ("wilson", 0)
    assert (interval.low, interval.high) == pytest.approx(
        (0.1078, 0.6032), abs=1e-4
    )  # Wilson (1927), 3 of 10
    few = share_interval(flags, [(f"i{k % 4}",) for k in range(10)], 0.95)
    assert few[0] == wilson(3, 10, 0.95)
    assert few[1:] == ("wilson", 4)


def test_concepts_of_one_identity_are_not_counted_as_independent():
    """Of 20 identities 8 have unique concepts only, ten each: as certain as 20 concepts, not as 200."""
    flags = np.repeat([True, False], [80, 120])
    said_of = [(f"i{place // 10}",) for place in range(200)]
    interval, method, named = share_interval(flags, said_of, 0.95)
    assert (method, named) == ("identities", 20)
    assert interval.low < wilson(80, 200, 0.95).low - 0.05
    assert interval.high > wilson(80, 200, 0.95).high + 0.05


def test_the_interval_covers_a_planted_share():
    """Identities differ in how much of what is said of them is unique; the share over all of them is 0.4."""
    rng = np.random.default_rng(3)
    covered = {"identities": 0, "wilson": 0}
    for _ in range(100):
        own = rng.beta(0.8, 1.2, size=30)
        sizes = rng.integers(3, 15, size=30)
        flags = np.concatenate([rng.random(n) < p for n, p in zip(sizes, own, strict=True)])
        said_of = [(f"i{k}",) for k, n in enumerate(sizes) for _ in range(n)]
        for method, names in (("identities", said_of), ("wilson", [()] * len(said_of))):
            interval, used, _ = share_interval(flags, names, 0.95)
            assert used == method
            covered[method] += interval.low <= 0.4 <= interval.high
    assert covered["identities"] >= 0.9 * 100
    assert covered["wilson"] < 0.85 * 100  # as if concepts of one identity were independent
