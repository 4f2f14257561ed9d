"""The error retention ratio: published numbers, pairing of items and seeds, planted ratios."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import analyze_qa, retention
from endoxa.schema import QA_COMPARISON_COLUMNS
from support.qa_answers import STEREOTYPED, UNKNOWN, answers, times

QUICK = {"resamples": 200}

# Pelosio et al. 2025, tables 1, 2 and 6: accuracy with nationalities and names, and the ratio.
PUBLISHED = [
    (0.950, 0.966, 0.68),
    (0.812, 0.857, 0.76),
    (0.822, 0.884, 0.65),
    (0.381, 0.406, 0.96),
    (0.905, 0.936, 0.67),
    (0.839, 0.852, 0.92),
    (0.964, 0.994, 0.17),
    (0.960, 0.996, 0.10),
    (0.997, 0.999, 0.33),
    (0.946, 0.945, 1.02),
    (0.973, 0.998, 0.07),
    (0.981, 0.979, 1.10),
]


def sides(before, after, **other):
    """The same questions, answered wrongly `before` and `after` times of 1000."""
    original = answers(times(stereotyped=before, unknown=1000 - before), **other)
    substituted = answers(times(stereotyped=after, unknown=1000 - after), data="Name", variant="1", **other)
    return original, substituted


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after", "ratio"), PUBLISHED)
def test_published_ratios_follow_from_published_accuracies(before, after, ratio):
    table = retention(*sides(round(1000 * (1 - before)), round(1000 * (1 - after))), **QUICK)
    assert table.columns == list(QA_COMPARISON_COLUMNS)
    assert table["value"][0] == pytest.approx(ratio, abs=0.0055)  # the paper's mean of rounded accuracies
    assert table["original_value"][0] == pytest.approx(1 - before)
    assert table["substituted_value"][0] == pytest.approx(1 - after)
    assert table["n"][0] == 1000


def test_only_items_that_both_answered_count():
    original = answers([STEREOTYPED] * 4 + [UNKNOWN] * 6)
    # Item 0 was not read with names, item 9 was not asked; of items 1 to 8, two are wrong.
    substituted = answers(["refused", STEREOTYPED, STEREOTYPED] + [UNKNOWN] * 6, data="Name", variant="1")
    row = retention(original, substituted, **QUICK).row(0, named=True)
    assert row["n"] == 8
    assert row["original_value"] == pytest.approx(3 / 8)
    assert row["value"] == pytest.approx(2 / 3)


def test_seeds_are_paired_in_order():
    original = pl.concat([answers(times(stereotyped=40, unknown=60), repeat=r) for r in (1, 2, 3)])
    named = [
        answers(times(stereotyped=10 * k, unknown=100 - 10 * k), data="Name", variant=str(k))
        for k in (1, 2, 3)
    ]
    row = retention(original, pl.concat(named), **QUICK).row(0, named=True)
    assert row["seeds"] == 3
    assert row["value"] == pytest.approx(60 / 120)
    assert row["mean"] == pytest.approx(np.mean([0.25, 0.5, 0.75]))
    assert row["sd"] == pytest.approx(0.25)


def test_every_variant_is_used_before_a_second_repeat_of_one():
    original = pl.concat([answers(times(stereotyped=40, unknown=60), repeat=r) for r in (1, 2, 3)])
    named = [
        answers(times(stereotyped=10 * k, unknown=100 - 10 * k), data="Name", variant=str(k), repeat=r)
        for k in (1, 2, 3)
        for r in (1, 2)
    ]
    row = retention(original, pl.concat(named), **QUICK).row(0, named=True)
    assert row["seeds"] == 3
    assert row["value"] == pytest.approx(60 / 120)  # with variant 1 twice it would be 40 / 120


@pytest.mark.parametrize("swap", [False, True])
def test_one_seed_is_paired_with_each_of_the_other_side(swap):
    one = answers(times(stereotyped=40, unknown=60))
    several = pl.concat(
        [answers(times(stereotyped=k, unknown=100 - k), data="Name", variant=str(k)) for k in (10, 20, 30)]
    )
    row = retention(*((several, one) if swap else (one, several)), **QUICK).row(0, named=True)
    assert row["seeds"] == 3
    assert row["n"] == 100
    assert row["value"] == pytest.approx(2.0 if swap else 0.5)


def test_without_errors_there_is_nothing_to_retain():
    row = retention(*sides(0, 30), **QUICK).row(0, named=True)
    assert row["value"] is row["low"] is row["mean"] is None
    assert "none to be retained" in row["reason"]
    cured = retention(*sides(30, 0), **QUICK).row(0, named=True)
    assert (cured["value"], cured["low"], cured["high"], cured["verdict"]) == (0.0, 0.0, 1.0, "below")
    always = retention(*sides(1000, 1000), **QUICK).row(0, named=True)
    # By Clopper and Pearson at most a share of 1 - 0.025^(1/25) of all templates are unlike 25 that are alike; in these
    # every answer may be right with names, and wrong with groups.
    others = 1 - 0.025 ** (1 / 25)
    assert (always["value"], always["verdict"]) == (1.0, "unclear")
    assert (always["low"], always["high"]) == pytest.approx((1 - others, 1 / (1 - others)))
    assert "templates that are alike" in cured["method"]
    assert cured["reason"] == ""


@pytest.mark.slow
def test_a_planted_ratio_is_covered():
    rng, held = np.random.default_rng(3), 0
    for _ in range(60):
        # 25 templates of 40 questions, their error rates differ, names keep half of the errors.
        rates = rng.beta(3, 4, 25)[np.arange(1000) % 25]
        wrong, kept = rng.random(1000) < rates, rng.random(1000) < rates / 2
        original = answers([STEREOTYPED if one else UNKNOWN for one in wrong])
        named = answers([STEREOTYPED if one else UNKNOWN for one in kept], data="Name", variant="1")
        row = retention(original, named, resamples=400).row(0, named=True)
        held += row["low"] <= 0.5 <= row["high"]
    assert held >= 52  # 95 % of 60 is 57; fewer than 52 would be odd


def test_models_of_both_are_paired_and_others_left_out():
    original, substituted = sides(40, 20)
    third = substituted.with_columns(model=pl.lit("other"))
    table = retention(original, pl.concat([substituted, third]), **QUICK)
    assert table["model"].to_list() == ["m"]
    alone = retention(original, third, **QUICK)
    assert alone["model"].to_list() == ["m -> other"]
    assert alone["value"][0] == pytest.approx(0.5)
    with pytest.raises(UserError, match="no answers of one model"):
        retention(original, pl.concat([third, third.with_columns(model=pl.lit("z"))]), **QUICK)


def test_items_that_are_not_the_same_are_refused():
    original, substituted = sides(40, 20)
    with pytest.raises(UserError, match="a different correct answer"):
        retention(original, substituted.with_columns(context_condition=pl.lit("disambig"), label=1), **QUICK)


def test_the_analysis_pairs_data_with_and_without_names():
    original, substituted = sides(40, 20)
    unrelated = answers(times(stereotyped=9, unknown=1), data="Faiths", category="Religion")
    found = analyze_qa(pl.concat([original, substituted, unrelated]), **QUICK).retention
    assert found.select("original", "substituted").rows() == [("Cities", "Name")]
    assert found["value"][0] == pytest.approx(0.5)


def test_data_that_only_number_their_items_alike_are_not_paired():
    original, substituted = sides(40, 20)
    others = answers([STEREOTYPED] * 9, data="Towns", condition="disambig")
    found = analyze_qa(pl.concat([original, substituted, others]), **QUICK).retention
    assert found.select("original", "substituted").rows() == [("Cities", "Name")]


def test_nothing_read_with_names_leaves_no_row_and_stops_nothing():
    original = answers(times(stereotyped=4, unknown=6))
    refused = answers(times(refused=10), data="Name", variant="1")
    assert analyze_qa(pl.concat([original, refused]), **QUICK).retention.is_empty()


def test_the_order_of_answers_changes_nothing():
    original, substituted = sides(400, 150)
    assert retention(original, substituted, **QUICK).equals(
        retention(original.reverse(), substituted.sample(fraction=1, shuffle=True, seed=4), **QUICK)
    )
