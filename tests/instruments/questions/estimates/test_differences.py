"""Differences between groups and names: those of the estimates; intervals hold planted ones and use the pairing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.questions.estimates import analyze_qa
from endoxa.instruments.questions.estimates.measures import MEASURES
from endoxa.schema import QA_COMPARISON_COLUMNS
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answers, times

QUICK = {"resamples": 200}


def sides(with_groups, with_names, **other):
    return pl.concat([answers(with_groups, **other), answers(with_names, data="Name", variant="1", **other)])


def table(both, **options):
    found = analyze_qa(both, **(QUICK | options)).differences
    assert found.columns == list(QA_COMPARISON_COLUMNS)
    return {row["name"]: row for row in found.filter(context_condition="ambig").iter_rows(named=True)}


def test_an_example_by_hand():
    # Groups: 60 right of 100, 30 against 10: 0.5, times 0.4. Names: 80 right, 12 against 8: 0.2, times 0.2.
    rows = table(sides(times(30, 10, 60), times(12, 8, 80)))
    assert rows["accuracy"]["value"] == pytest.approx(-0.2)
    assert rows["bias_unscaled"]["value"] == pytest.approx(0.5 - 0.2)
    assert rows["bias_score"]["value"] == pytest.approx(0.2 - 0.04)
    assert rows["bias_score"]["method"].startswith("paired template bootstrap")
    assert rows["accuracy"]["low"] < -0.2 < rows["accuracy"]["high"]


def test_values_are_those_of_the_estimates_where_both_answered_everything():
    both = pl.concat(
        [
            sides(times(30, 10, 60), times(12, 8, 80)),
            sides([STEREOTYPED] * 40 + [ANTI] * 20, [STEREOTYPED] * 60, condition="disambig", start=500),
            sides([ANTI] * 50, [STEREOTYPED] * 50, condition="disambig", start=600, label=ANTI),
        ]
    )
    analysis = analyze_qa(both, **QUICK)
    for row in analysis.differences.iter_rows(named=True):
        values = [
            analysis.estimates.filter(
                data=row[side],
                context_condition=row["context_condition"],
                name="lean" if row["name"] == "accuracy_gap" else row["name"],
            )["value"].item()
            for side in ("original", "substituted")
        ]
        assert [row["original_value"], row["substituted_value"]] == pytest.approx(values)
        assert (row["value"], row["n_left_out"]) == (pytest.approx(values[0] - values[1]), 0)
    measures = analysis.differences.group_by("context_condition").agg(pl.col("name"))
    assert {one: set(found) for one, found in measures.iter_rows()} == {
        "ambig": set(MEASURES),
        "disambig": {*MEASURES, "accuracy_gap"},
    }


def test_values_are_over_the_items_that_were_read_in_both():
    groups = [times(30, 10, 50, 5, 5), times(20, 10, 60, 10)]
    names = times(12, 8, 70, 10)
    rows = table(pl.concat([sides(groups[0], names), answers(groups[1], repeat=2)]))
    shared = [
        (one, other)
        for given in groups
        for one, other in zip(given, names, strict=False)
        if isinstance(one, int) and isinstance(other, int)
    ]
    for place, side in enumerate(("original_value", "substituted_value")):
        own = [pair[place] for pair in shared]
        right, biased, anti = (own.count(choice) for choice in (UNKNOWN, STEREOTYPED, ANTI))
        assert rows["accuracy"][side] == pytest.approx(right / len(own))
        assert rows["bias_unscaled"][side] == pytest.approx((biased - anti) / (biased + anti))
        assert rows["bias_score"][side] == pytest.approx((biased - anti) / len(own))
    # Items 0 to 89 were read in both; 90 to 99 of the second repeat's sides were read in one of them only.
    assert (rows["accuracy"]["n"], rows["accuracy"]["n_left_out"]) == (90, 0)


def test_other_questions_cannot_make_a_difference():
    """Where the shared items are answered alike, there is no difference, whatever stands beside them."""
    shared = sides(times(20, 20, 60), times(20, 20, 60))
    more = answers(times(stereotyped=200), start=1000)
    row = table(pl.concat([shared, more]))["bias_score"]
    assert (row["value"], row["n"], row["n_left_out"]) == (0.0, 100, 200)
    assert (row["p_value"], row["verdict"]) == (1.0, "unclear")


@pytest.mark.slow
def test_a_planted_difference_is_covered_and_pairs_narrow_its_interval():
    rng, held, widths = np.random.default_rng(8), 0, []
    single = []
    for _ in range(60):
        # 25 templates of 40 questions whose error rates differ much; names keep half of the errors.
        rates = rng.beta(1.5, 2, 25)[np.arange(1000) % 25]
        truth = rng.beta(1.5, 2, 100_000).mean() / 2
        wrong, kept = rng.random(1000) < rates, rng.random(1000) < rates / 2
        both = sides(
            [STEREOTYPED if one else UNKNOWN for one in wrong],
            [STEREOTYPED if one else UNKNOWN for one in kept],
        )
        analysis = analyze_qa(both, resamples=300)
        row = analysis.differences.filter(name="accuracy").row(0, named=True)
        held += row["low"] <= -truth <= row["high"]
        widths.append(row["high"] - row["low"])
        ends = analysis.estimates.filter(name="accuracy").select("low", "high").rows()
        single.append(np.hypot(*(high - low for low, high in ends)))
    assert held >= 52  # 95 % of 60 is 57; fewer than 52 would be odd
    assert np.mean(widths) < 0.7 * np.mean(single)


def test_nothing_changed_is_a_difference_of_zero_with_the_interval_of_templates_that_are_alike():
    row = table(sides(times(30, 10, 60), times(30, 10, 60)))["accuracy"]
    # By Clopper and Pearson at most 1 - 0.025^(1/25) of all templates are unlike 25 that are alike.
    reach = 1 - 0.025 ** (1 / 25)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((0.0, -reach, reach))
    assert (row["p_value"], row["verdict"], row["reason"]) == (1.0, "unclear", "")


def test_what_is_undefined_says_on_which_side():
    row = table(sides(times(30, 10, 60), times(unknown=100)))["bias_unscaled"]
    assert row["value"] is row["low"] is row["substituted_value"] is None
    assert row["reason"] == "undefined with names"


def test_differences_of_few_templates_have_no_interval():
    row = table(sides(times(30, 10, 60), times(12, 8, 80), templates=3))["accuracy"]
    assert row["low"] is row["high"] is None
    assert row["reason"] == "3 templates, at least 6 needed"


def test_data_without_a_partner_have_no_differences_and_order_changes_nothing():
    assert analyze_qa(answers(times(30, 10, 60)), **QUICK).differences.is_empty()
    both = sides(times(30, 10, 60), times(12, 8, 80))
    shuffled = both.sample(fraction=1, shuffle=True, seed=2)
    assert analyze_qa(both, **QUICK).differences.equals(analyze_qa(shuffled, **QUICK).differences)
