"""Association tests as a table: the published reference, planted truth, undefined values, bad input."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates import analyze_tests
from endoxa.instruments.association_tests.estimates.effect_size import UnitVectors, effect_size
from endoxa.instruments.association_tests.estimates.permutation import (
    count_tails,
    permutation_test,
    tie_tolerance,
)
from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.options import AnalysisOptions
from endoxa.schema import TEST_COLUMNS, AssociationTest, TermSet
from support.association_samples import planted, random_test

FEW = {"resamples": 100, "draws": 1000}


def analyze(*pairs, **options):
    vectors = {text: vector for _, found in pairs for text, vector in found.items()}
    chosen = AnalysisOptions(**(FEW | options))
    return analyze_tests([test for test, _ in pairs], vectors, model="m", pooling="cls", settings=chosen)


@pytest.fixture(scope="module")
def reference(shared):
    folder = shared / "data/reference_scores"
    with np.load(folder / "seat_embeddings_cls.npz") as arrays:
        vectors = dict(zip(arrays["texts"].tolist(), arrays["vectors"], strict=True))
    expected = pl.read_csv(folder / "seat_expected_2tests.csv", infer_schema=False).filter(pooling="cls")
    return (
        read_tests(folder / "seat_tests.json"),
        vectors,
        {row["test"]: row for row in expected.iter_rows(named=True)},
    )


@pytest.mark.slow
def test_the_original_code_gives_the_same(reference):
    tests, vectors, expected = reference
    found = analyze_tests(tests, vectors, model="tiny-bert", pooling="cls")
    wefe = analyze_tests(tests, vectors, model="m", pooling="", settings=AnalysisOptions(ddof="wefe"))
    for name, value in wefe.select("test", "value").iter_rows():
        assert value == pytest.approx(float(expected[name]["effect_size_ddof0_wefe"]), abs=1e-4)
    assert found["p_kind"].to_list() == ["sampled", "exact"]
    for row in found.iter_rows(named=True):
        theirs = expected[row["test"]]
        for ours, name in (("value", "effect_size"), ("statistic", "statistic_sum")):
            assert row[ours] == pytest.approx(float(theirs[name]), abs=1e-4)
        for name in ("n_x", "n_y", "n_a", "n_b", "n_partitions"):
            assert str(row[name]) == theirs[name]
        p = float(theirs["p_reference"])
        if row["p_kind"] == "exact":
            assert row["p_published"] == pytest.approx(float(theirs["p_exact_ge"]), abs=1e-6)
            assert abs(row["p_published"] - p) < 4 * sqrt(p * (1 - p) / 100_000)
        else:  # both are sampled
            assert abs(row["p_published"] - p) < 4 * sqrt(2 * p * (1 - p) / 100_000)
        assert row["p_value"] == pytest.approx(2 * min(row["p_published"], 1 - row["p_published"]), abs=1e-4)


def test_partitions_strictly_above_the_observed_one_are_those_of_the_reference(reference):
    tests, vectors, expected = reference
    test = tests[1]
    sets = (test.x, test.y, test.a, test.b)
    found = UnitVectors(vectors, (t for one in sets for t in one.texts)).associations(test)
    pool = np.concatenate([found.x, found.y])
    above = found.x.sum() + tie_tolerance(pool, found.error)
    count = count_tails(pool, 14, at_most=-9.0, at_least=above).upper
    assert count / comb(28, 14) == pytest.approx(float(expected[test.name]["p_exact_gt"]), abs=1e-6)


@pytest.mark.slow
@given(st.lists(st.floats(-1.9, 1.9), min_size=10, max_size=20))
@settings(max_examples=30)
def test_planted_associations_come_back_and_lengths_do_not_matter(values):
    x, y = np.array(values[:5]), np.array(values[5:])
    row = analyze(planted(x, y)).row(0, named=True)
    assert row["statistic"] == pytest.approx(x.sum() - y.sum(), abs=1e-9)
    if np.ptp(values) > 1e-6:
        together = np.std(values, ddof=1)
        assert row["value"] == pytest.approx((x.mean() - y.mean()) / together, abs=1e-6)
    swapped = analyze(planted(y, x)).row(0, named=True)
    effects = [float("nan") if each["value"] is None else each["value"] for each in (row, swapped)]
    assert effects[1] == pytest.approx(-effects[0], abs=1e-6, nan_ok=True)


def test_terms_with_one_text_each_are_texts():
    values = np.linspace(-0.5, 0.5, 12)
    names = [f"n{i}" for i in range(6)]
    rows = [
        analyze(planted(values[::2], values[1::2], "t", names, names), unit=unit) for unit in ("auto", "text")
    ]
    assert rows[0].equals(rows[1])
    with pytest.raises(UserError, match="no terms for the texts of X and Y"):
        analyze(planted(values[::2], values[1::2]), unit="term")


def test_unequal_sets_by_fixed_sizes_and_by_truncation():
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.1, 0.3, 14), rng.normal(0, 0.3, 13)
    fixed = analyze(planted(x, y)).row(0, named=True)
    cut = analyze(planted(x, y), unequal="truncate").row(0, named=True)
    assert (fixed["n_x"], fixed["n_y"], fixed["n_partitions"]) == (14, 13, str(comb(27, 14)))
    assert (cut["n_x"], cut["n_y"], cut["n_partitions"]) == (13, 13, str(comb(26, 13)))
    assert "fixed-size partitions of 14 against 13 texts" in fixed["method"]
    assert "truncated from 14 against 13 texts, partitions of 13 against 13 texts" in cut["method"]
    assert fixed["p_value"] == pytest.approx(permutation_test(x, y).p_value, abs=1e-9)
    assert cut["p_value"] == pytest.approx(permutation_test(x[:13], y).p_value, abs=1e-9)
    assert cut["value"] == pytest.approx(effect_size(x[:13], y))


def test_wefe_is_the_same_effect_with_ddof_0():
    rng = np.random.default_rng(6)
    pair = planted(rng.normal(0.2, 0.3, 9), rng.normal(0, 0.3, 9))
    ours, wefe = (analyze(pair, ddof=ddof).row(0, named=True) for ddof in ("1", "wefe"))
    assert [wefe[name] / ours[name] for name in ("value", "low", "high")] == pytest.approx(
        [sqrt(18 / 17)] * 3
    )
    assert "ddof 0 (WEFE)" in wefe["method"]


def test_no_spread_is_undefined_with_a_reason_and_never_zero():
    rng = np.random.default_rng(0)
    flat = planted(np.full(6, 0.25), np.full(6, 0.25), "flat")
    table = analyze(flat, planted(rng.normal(0.1, 0.2, 6), rng.normal(0, 0.2, 6), "varied"))
    row = table.row(0, named=True)
    assert not any(row[name] for name in ("value", "low", "high", "p_value"))
    assert row["p_adjusted"] is None
    assert row["p_kind"] == "undefined"
    assert "no spread" in row["undefined"]
    other = table.row(1, named=True)
    assert other["undefined"] == ""
    assert other["p_adjusted"] == other["p_value"], "what is undefined is not in the family"


def test_too_few_targets_have_no_interval_but_the_rest():
    row = analyze(planted([0.1, 0.3, 0.2, 0.5], [0.0, 0.1, -0.2, 0.2])).row(0, named=True)
    assert (row["low"], row["high"]) == (None, None)
    assert row["value"] > 0
    assert row["p_kind"] == "exact"
    assert "4 texts" in row["undefined"]
    sharp = analyze(planted(np.full(6, 0.5), np.full(6, 0.1))).row(0, named=True)
    assert sharp["low"] is None
    assert "too much alike" in sharp["undefined"]
    assert sharp["p_value"] == pytest.approx(2 / comb(12, 6))


def test_the_table_has_its_columns_and_repeats_itself():
    rng = np.random.default_rng(1)
    pairs = [random_test(rng, name) for name in ("one", "two", "three")]
    table = analyze(*pairs, seed=5)
    assert table.columns == list(TEST_COLUMNS)
    assert table["neutral"].to_list() == [0.0] * 3
    assert table["n_draws"].null_count() == 3
    assert "seed 5" in table.item(0, "method")
    assert len({method.partition(";")[0] for method in table["method"]}) == 1
    assert table.equals(analyze(*pairs, seed=5))
    again = analyze(*reversed(pairs), seed=5)
    assert again.sort("test").equals(table.sort("test")), "the order of tests changes nothing"


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        (np.zeros(12), "nothing but zeros"),
        (np.full(12, np.nan), "not finite"),
        (np.full(12, np.inf), "not finite"),
        (np.ones(5), r"shape \(5,\), that of 't x0' \(12,\)"),
        (np.ones((2, 6)), "one vector each"),
    ],
)
def test_vectors_without_a_direction_are_refused(vector, message):
    test, vectors = random_test(np.random.default_rng(0), "t")
    with pytest.raises(UserError, match=message):
        analyze((test, vectors | {"t y1": vector}))
    few = dict(list(vectors.items())[5:])
    with pytest.raises(UserError, match=r"5 of the 28 texts .* \('t x0', 't x1', 't x2', \.\.\.\)"):
        analyze((test, few))


def test_very_long_and_very_short_vectors_have_a_direction():
    test, vectors = random_test(np.random.default_rng(0), "t")
    scaled = {
        text: vector * 10.0 ** (300 if i % 2 else -300) for i, (text, vector) in enumerate(vectors.items())
    }
    one, other = (analyze((test, found)).item(0, "value") for found in (vectors, scaled))
    assert one == pytest.approx(other)


def test_nothing_to_analyze_is_a_sentence():
    with pytest.raises(UserError, match="No association tests"):
        analyze_tests([], {}, model="m", pooling="")
    sets = [TermSet(name, texts) for name, texts in (("x", ()), ("y", ("b",)), ("a", ("c",)), ("b", ("d",)))]
    with pytest.raises(UserError, match="set X: empty"):
        analyze_tests([AssociationTest("t", *sets)], {}, model="m", pooling="")
