"""The whole analysis: cells, families, planted truths, and what must not matter."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.report.preference import headline_of
from endoxa.stats.verdicts import adjust
from support.analyze_fixtures import make_records

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(5)
CLUSTERED = "identities and attributes as units"
NINE = [f"g{i % 9}" for i in range(40)]


def quick(records, **options):
    return analyze_pairs(records, resamples=options.pop("resamples", 200), **options)


def drawn(number, **columns):
    """Records of one model under one rule, of so many normal differences."""
    return make_records({("m", "sum"): RNG.normal(size=number)}, **columns)


def value(analysis, name, *, method="", language="all", axis="all", column="value", **where):
    rows = analysis.estimates.filter(name=name, language=language, axis=axis, **where).filter(
        pl.col("method").str.starts_with(method)
    )
    assert len(rows) == 1, rows
    return rows[column][0]


def clustered(analysis, column="value", name="preference_ratio", **where):
    return value(analysis, name, method=CLUSTERED, column=column, **where)


def by_name(analysis, key, **where):
    """Rows of the preference ratio, identities as units, by what a column holds."""
    rows = analysis.estimates.filter(name="preference_ratio", interval="identities", **where)
    return {row[key]: row for row in rows.iter_rows(named=True)}


@pytest.mark.parametrize("identities", [5, 6])
def test_what_cannot_be_tested_has_no_interval(identities):
    records = make_records(
        {("a", "sum"): RNG.normal(2, 1, 60), ("b", "sum"): RNG.normal(0, 1, 60)},
        identity=[f"group {k % identities}" for k in range(60)],
    ).with_columns(attribute=pl.Series([f"attribute {k % 5}" for k in range(60)] * 2))
    analysis = quick(records)
    for table in (analysis.estimates.filter(interval="identities"), analysis.comparisons):
        asked = table.filter(pl.col("neutral").is_not_nan(), pl.col("low").is_not_null())
        untested = asked["verdict"] == "cannot-be-tested"
        assert untested.any() == (identities == 5)
        assert asked.filter(untested)["low"].is_nan().all()
        assert asked.filter(~untested)["low"].is_not_nan().any() == (identities == 6)
    assert analysis.estimates.filter(interval="wilson", name="preference_ratio")["low"].is_not_nan().all()


ALL_AXES = {("all", axis) for axis in ("all", "age", "gender")}
OF_TWO = {("en", "all"), ("sw", "all"), ("en", "age"), ("sw", "age"), ("sw", "gender")}


@pytest.mark.parametrize(
    ("languages", "cells"), [(["en"] * 20, ALL_AXES), (["en"] * 10 + ["sw"] * 10, ALL_AXES | OF_TWO)]
)
def test_every_cell_that_occurs_is_there_once(languages, cells):
    analysis = quick(drawn(20, language=languages, axis=["age"] * 15 + ["gender"] * 5))
    assert set(analysis.estimates.select("language", "axis").iter_rows()) == cells
    if "sw" in languages:
        assert value(analysis, "bpr", language="sw", axis="age", column="n") == 5


def test_the_label_says_which_sentence_is_stereotypical_and_turns_the_neutral_difference():
    turned = ["less", "more", "less"]
    analysis = quick(make_records({("m", "sum"): np.array([1.0, 2.0, -1.0])}, stereotypical=turned))
    assert value(analysis, "bpr") == pytest.approx(2 / 3)
    assert value(analysis, "mean_difference", method="paired") == pytest.approx(2 / 3)
    assert value(analysis, "bias_percentage_always_more") == pytest.approx(200 / 3)
    differences, neutral = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, 1.0])
    analysis = quick(make_records({("m", "sum"): differences}, neutral=neutral, stereotypical=turned))
    assert value(analysis, "calibrated_mean_difference", method="paired") == pytest.approx(4 / 3)


def test_the_families_are_models_and_after_them_models_by_axes():
    scores = {(model, rule): RNG.normal(0.3, 1, 60) for model in "ab" for rule in ("sum", "mean")}
    analysis = quick(make_records(scores, axis=["age", "gender", "region"] * 20))
    family = analysis.estimates.filter(rule="sum", name="bpr")
    assert len(family) == 2 * 4
    for part in (family.filter(axis="all"), family.filter(pl.col("axis") != "all")):
        assert part["p_adjusted"].to_list() == pytest.approx(adjust(part["p_value"].to_list()).tolist())


@pytest.mark.parametrize("identity", [None, NINE])
def test_neither_the_order_of_rows_nor_their_numbers_as_ids_change_a_byte(identity):
    records = make_records({(model, "sum"): RNG.normal(size=40) for model in "ab"}, identity=identity)
    records = records.with_columns(
        pl.format("{} {}", pl.lit(name), "item_id").alias(name) for name in ("sent_more", "sent_less")
    )
    ids = records["item_id"].unique(maintain_order=True)
    turned = records.with_columns(pl.col("item_id").replace_strict(ids, ids.reverse())).reverse()
    analyses = [quick(table) for table in (records, turned, records.sample(fraction=1, shuffle=True, seed=4))]
    assert len({analysis.estimates.write_csv() for analysis in analyses}) == 1
    assert len({analysis.comparisons.write_csv() for analysis in analyses}) == 1


def test_other_models_change_only_the_family():
    first, second = RNG.normal(size=40), RNG.normal(size=40)
    alone = quick(make_records({("a", "sum"): first}, identity=NINE)).estimates
    both = quick(make_records({("a", "sum"): first, ("b", "sum"): second}, identity=NINE)).estimates
    # The least detectable ratio depends on the number of tests too.
    family = pl.col("name") != "minimum_detectable_ratio"
    own = [
        frame.filter(family).drop("p_adjusted", "verdict", "reason")
        for frame in (alone, both.filter(model="a"))
    ]
    assert_frame_equal(*own, check_exact=True)


def test_the_seed_decides_what_is_drawn():
    records = drawn(40)
    p_values = [clustered(quick(records, seed=seed), "p_value", "mean_difference") for seed in (1, 1, 2)]
    assert p_values[0] == p_values[1]
    assert p_values[0] != p_values[2]


def test_an_identity_at_the_start_of_a_sentence_is_the_same_one():
    names = ["Sénégalais", "se\u0301ne\u0301galais ", "Sénégalais\u200b", "Farmers", "farmers "] * 2
    assert "2 identities in 10 pairs" in clustered(quick(drawn(10, identity=names)), "method")


def test_one_name_in_two_files_is_two_items():
    records = drawn(10)
    both = pl.concat([records.with_columns(data=pl.lit("x")), records.with_columns(data=pl.lit("y"))])
    assert value(quick(both), "bpr", column="n") == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "between 0 and 1"),
        ({"resamples": 5}, "At least 100"),
        ({"seed": -1}, "not be negative"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        quick(drawn(3), **options)


differences = st.lists(
    st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 3)), min_size=6, max_size=25
).map(np.array)


@settings(max_examples=6)
@given(differences, st.floats(-5, 5).map(lambda x: round(x, 2)))
def test_swapping_the_sentences_mirrors_the_ratio_and_a_constant_shifts_the_mean(values, shift):
    one, other, shifted = (
        quick(make_records({("m", "sum"): changed}), resamples=100)
        for changed in (values, -values, values + shift)
    )
    shares = [value(side, "preference_ratio", method="Wilson") for side in (one, other)]
    assert shares[0] == pytest.approx(1 - shares[1])
    means = [value(side, "mean_difference", method="paired") for side in (one, other, shifted)]
    assert means[0] == pytest.approx(-means[1], abs=1e-9)
    assert means[2] == pytest.approx(means[0] + shift, abs=1e-9)
    p_values = [value(side, "mean_difference", method="paired", column="p_value") for side in (one, other)]
    assert p_values[0] == pytest.approx(p_values[1], nan_ok=True)


def test_axes_that_cannot_be_tested_take_no_claim_away():
    """One axis of 12 x 12 beside six of three identities: Benjamini-Hochberg over all of them claimed it in 0.07."""
    cells = {"big": 12, **{f"small {k}": 3 for k in range(6)}}
    cell = pl.DataFrame(
        [(name, i, j) for name, n in cells.items() for i in range(n) for j in range(12)], orient="row"
    )
    axis, identity, attribute = cell.get_columns()
    shares = np.where(axis == "big", 0.72, 0.5)
    records = make_records(
        {("m", "sum"): np.where(np.random.default_rng(11).random(len(cell)) < shares, 1.0, -1.0)},
        identity=(axis + ", identity " + identity.cast(pl.String)).to_list(),
        axis=axis.to_list(),
    )
    analysis = quick(records.with_columns(attribute=pl.format("word {}", attribute)))
    rows = by_name(analysis, "axis")
    assert rows["big"]["p_value"] == rows["big"]["p_adjusted"] < 0.02
    assert rows["all"]["p_value"] == rows["all"]["p_adjusted"]
    assert rows["big"]["verdict"] == "above"
    for name in cells.keys() - {"big"}:
        assert rows[name]["verdict"] == "cannot-be-tested"
        assert math.isnan(rows[name]["p_value"])
        assert math.isnan(rows[name]["p_adjusted"])


@pytest.mark.parametrize("rules", [("sum", "mean"), ("mean", "sum")])
def test_of_several_rules_the_one_named_first_decides(rules):
    """Both rules prefer every stereotype: alone each is claimed, side by side the first one only."""
    first, other = rules
    scores = {("m", rule): RNG.normal(3, 0.1, 64) for rule in rules}
    records = make_records(scores, identity=[f"g{k % 8}" for k in range(64)])

    def verdicts(analysis):
        rows = by_name(analysis, "rule", axis="all")
        return {rule: (row["verdict"], row["reason"]) for rule, row in rows.items()}

    unclaimed = f"shown without a claim: {first} decides, the rule named first"
    assert verdicts(quick(records)) == {first: ("above", ""), other: ("", unclaimed)}
    assert verdicts(quick(records.filter(rule=other))) == {other: ("above", "")}
    shown = headline_of(quick(records).estimates)
    place = shown.columns.index("verdict")
    assert {row[1]: row[place] for row in shown.texts} == {first: "above", other: "shown without a claim"}
