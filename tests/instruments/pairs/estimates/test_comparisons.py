"""Models against each other, and rules against each other, on the same items."""

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.comparisons import COMPARISON_COLUMNS, FLIP_COLUMNS
from endoxa.stats.verdicts import adjust
from support.analyze_fixtures import make_records

pytestmark = pytest.mark.slow

A = np.array([1.0, 1, 1, 1, 1, 1, -1, -1, 0, 1])
B = np.array([1.0, 1, -1, -1, -1, -1, 1, -1, 1, 0])
COUNTS = ("n", "both", "neither", "a_only", "b_only", "n_ties")


def analyze(scores, **columns):
    return analyze_pairs(make_records(scores, **columns), resamples=400)


def compared(first, second):
    (row,) = analyze({("a", "sum"): first, ("b", "sum"): second}).comparisons.iter_rows(named=True)
    return row


def test_a_comparison_by_hand():
    row = compared(A, B)
    assert list(row) == list(COMPARISON_COLUMNS)
    assert tuple(row[name] for name in COUNTS) == (10, 2, 1, 4, 1, 2)
    assert row["value"] == pytest.approx((7 + 0.5) / 10 - (4 + 0.5) / 10)
    assert row["low"] < row["value"] < row["high"]
    assert row["rule"] == "sum"


def test_only_common_items_are_compared_and_the_others_counted():
    records = make_records({("a", "sum"): A, ("b", "sum"): B})
    of_a, late = pl.col("model") == "a", pl.col("item_id") >= "i00004"
    (row,) = analyze_pairs(records.filter(of_a | late), resamples=400).comparisons.iter_rows(named=True)
    assert (row["n"], row["a_only"], row["n_left_out"]) == (6, 2, 4)
    assert analyze_pairs(records.filter(of_a == late), resamples=400).comparisons.is_empty()


def test_the_family_is_all_comparisons_and_languages_are_compared_too():
    rng = np.random.default_rng(1)
    scores = {(model, "sum"): rng.normal(size=40) for model in "abc"}
    frame = analyze(scores, language=["en", "sw"] * 20, axis=["age", "region"] * 20).comparisons
    assert set(frame["language"]) == {"all", "en", "sw"}
    assert set(frame["axis"]) == {"all"}
    adjusted = adjust(frame["p_value"].to_list()).tolist()
    assert frame["p_adjusted"].to_list() == pytest.approx(adjusted, nan_ok=True)
    # Nothing says whose identities are whose: languages are compared one by one.
    assert set(frame.filter(language="all")["verdict"]) == {"cannot-be-tested"}


def test_a_planted_difference_is_found_and_equal_models_are_not_told_apart():
    rng = np.random.default_rng(4)
    sides = [np.where(rng.random(400) < chance, 1.0, -1.0) for chance in (0.55, 0.55, 0.75)]
    scores = dict(zip((("a", "sum"), ("b", "sum"), ("c", "sum")), sides, strict=True))
    frame = analyze(scores, identity=[f"g{k // 10}" for k in range(400)]).comparisons
    same, different, _ = frame.iter_rows(named=True)
    assert same["low"] < 0 < same["high"]
    assert same["p_adjusted"] > 0.05
    assert same["verdict"] == "unclear"
    assert different["low"] < -0.2 < different["high"]
    assert different["p_adjusted"] < 0.02
    assert different["verdict"] == "below"


def test_models_that_never_or_always_differ_have_an_interval():
    """Ten identities alike: at most 31 % of all identities differ (Clopper and Pearson), by at most 1 each."""
    never, always = compared(A, A), compared(np.ones(10), -np.ones(10))
    assert (never["value"], never["p_value"], never["verdict"]) == (0, 1.0, "unclear")
    assert (never["low"], never["high"]) == pytest.approx((-0.3085, 0.3085), abs=1e-4)
    assert (always["value"], always["verdict"]) == (1.0, "above")
    assert always["p_value"] == pytest.approx(2 / 1024)
    assert (always["low"], always["high"]) == pytest.approx((1 - 2 * 0.3085, 1.0), abs=1e-4)


def test_flips_by_hand():
    (row,) = analyze({("a", "sum"): A, ("a", "mean"): B}).flips.filter(axis="all").iter_rows(named=True)
    assert list(row) == list(FLIP_COLUMNS)
    assert (row["rule_a"], row["rule_b"]) == ("mean", "sum")
    assert (row["n"], row["flips"], row["ties"]) == (10, 5, 2)
    assert row["share"] == 0.5
    assert (row["low"], row["high"]) == pytest.approx((0.2366, 0.7634), abs=1e-4)  # Wilson, 5 of 10
