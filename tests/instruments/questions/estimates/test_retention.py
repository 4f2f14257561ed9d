"""The error retention ratio: published numbers, pairing of items and seeds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import analyze_qa, retention
from endoxa.schema import QA_COMPARISON_COLUMNS
from support.qa_answers import STEREOTYPED, UNKNOWN, answers, times

# Pelosio et al. 2025, tables 1, 2 and 6: accuracy with nationalities and names, and the ratio.
PUBLISHED = [
    *((0.950, 0.966, 0.68), (0.812, 0.857, 0.76), (0.822, 0.884, 0.65), (0.381, 0.406, 0.96)),
    *((0.905, 0.936, 0.67), (0.839, 0.852, 0.92), (0.964, 0.994, 0.17), (0.960, 0.996, 0.10)),
    *((0.997, 0.999, 0.33), (0.946, 0.945, 1.02), (0.973, 0.998, 0.07), (0.981, 0.979, 1.10)),
]


def of(wrong, total, **more):
    return answers(times(stereotyped=wrong, unknown=total - wrong), **more)


def named(wrong, total, variant="1", **more):
    return of(wrong, total, data="Name", variant=variant, **more)


def sides(before, after):
    """The same questions, answered wrongly `before` and `after` times of 1000."""
    return of(before, 1000), named(after, 1000)


def retained(original, substituted, resamples=200):
    table = retention(original, substituted, resamples=resamples)
    assert table.columns == list(QA_COMPARISON_COLUMNS)
    return table.row(0, named=True)


@pytest.mark.parametrize(("before", "after", "ratio"), PUBLISHED)
def test_published_ratios_follow_from_published_accuracies(before, after, ratio):
    row = retained(*sides(round(1000 * (1 - before)), round(1000 * (1 - after))), resamples=100)
    assert row["value"] == pytest.approx(ratio, abs=0.0055)  # the paper's mean of rounded accuracies
    assert [row["original_value"], row["substituted_value"]] == pytest.approx([1 - before, 1 - after])
    assert row["n"] == 1000


def test_only_items_that_both_answered_count():
    original = answers([STEREOTYPED] * 4 + [UNKNOWN] * 6)
    # Item 0 was not read with names, item 9 was not asked; of items 1 to 8, two are wrong.
    substituted = answers(["refused", STEREOTYPED, STEREOTYPED] + [UNKNOWN] * 6, data="Name", variant="1")
    row = retained(original, substituted)
    assert (row["n"], row["original_value"]) == (8, pytest.approx(3 / 8))
    assert row["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("repeats", [1, 2])
def test_seeds_are_paired_in_order_and_every_variant_is_used_before_a_second_repeat_of_one(repeats):
    original = pl.concat([of(40, 100, repeat=r) for r in (1, 2, 3)])
    substituted = [named(10 * k, 100, str(k), repeat=r + 1) for k in (1, 2, 3) for r in range(repeats)]
    row = retained(original, pl.concat(substituted))
    assert (row["seeds"], row["value"]) == (
        3,
        pytest.approx(60 / 120),
    )  # with variant 1 twice it would be 40 / 120
    assert (row["mean"], row["sd"]) == (pytest.approx(np.mean([0.25, 0.5, 0.75])), pytest.approx(0.25))


def test_without_errors_there_is_nothing_to_retain():
    row = retained(*sides(0, 30))
    assert row["value"] is row["low"] is row["mean"] is None
    assert "none to be retained" in row["reason"]
    cured = retained(*sides(30, 0))
    assert (cured["value"], cured["low"], cured["high"], cured["verdict"]) == (0.0, 0.0, 1.0, "below")
    assert ("templates that are alike" in cured["method"], cured["reason"]) == (True, "")
    always = retained(*sides(1000, 1000))
    # By Clopper and Pearson at most a share of 1 - 0.025^(1/25) of all templates are unlike 25 that are alike; in these
    # every answer may be right with names, and wrong with groups.
    others = 1 - 0.025 ** (1 / 25)
    assert (always["value"], always["verdict"]) == (1.0, "unclear")
    assert (always["low"], always["high"]) == pytest.approx((1 - others, 1 / (1 - others)))


def test_models_of_both_are_paired_and_what_is_not_the_same_is_refused():
    original, substituted = sides(40, 20)
    third = substituted.with_columns(model=pl.lit("other"))
    assert retention(original, pl.concat([substituted, third]), resamples=200)["model"].to_list() == ["m"]
    alone = retained(original, third)
    assert (alone["model"], alone["value"]) == ("m -> other", pytest.approx(0.5))
    for others, complaint in (
        (pl.concat([third, third.with_columns(model=pl.lit("z"))]), "no answers of one model"),
        (
            substituted.with_columns(context_condition=pl.lit("disambig"), label=1),
            "a different correct answer",
        ),
    ):
        with pytest.raises(UserError, match=complaint):
            retained(original, others)


def test_the_analysis_pairs_data_with_and_without_names_alone():
    """Other categories, and items that only have the same numbers, are not paired; what was not read leaves no row."""
    unrelated = of(9, 10).with_columns(data=pl.lit("Faiths"), category=pl.lit("Religion"))
    alike = answers([STEREOTYPED] * 9, data="Towns", condition="disambig")
    found = analyze_qa(pl.concat([*sides(40, 20), unrelated, alike]), resamples=200).retention
    assert found.select("original", "substituted", "value").rows() == [("Cities", "Name", pytest.approx(0.5))]
    refused = answers(times(refused=10), data="Name", variant="1")
    assert analyze_qa(pl.concat([of(4, 10), refused]), resamples=200).retention.is_empty()
