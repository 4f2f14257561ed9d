"""Differences between groups and names: those of the estimates, over the items that both answered."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.questions.estimates import analyze_qa
from endoxa.instruments.questions.estimates.measures import MEASURES
from endoxa.schema import QA_COMPARISON_COLUMNS
from support.qa_answers import ANTI, STEREOTYPED, answers, times

pytestmark = pytest.mark.slow

QUICK = {"resamples": 200}
GROUPS, NAMES = times(30, 10, 60), times(12, 8, 80)


def sides(with_groups, with_names, **other):
    return pl.concat([answers(with_groups, **other), answers(with_names, data="Name", variant="1", **other)])


def table(both, **options):
    found = analyze_qa(both, **(QUICK | options)).differences
    assert found.columns == list(QA_COMPARISON_COLUMNS)
    return {row["name"]: row for row in found.filter(context_condition="ambig").iter_rows(named=True)}


def test_an_example_by_hand():
    # Groups: 60 right of 100, 30 against 10: 0.5, times 0.4. Names: 80 right, 12 against 8: 0.2, times 0.2.
    rows = table(sides(GROUPS, NAMES))
    values = [rows[name]["value"] for name in ("accuracy", "bias_unscaled", "bias_score")]
    assert values == pytest.approx([-0.2, 0.5 - 0.2, 0.2 - 0.04])
    assert rows["bias_score"]["method"].startswith("paired template bootstrap")
    assert rows["accuracy"]["low"] < -0.2 < rows["accuracy"]["high"]


def test_values_are_those_of_the_estimates_where_both_answered_everything():
    both = pl.concat(
        [
            sides(GROUPS, NAMES),
            sides([STEREOTYPED] * 40 + [ANTI] * 20, [STEREOTYPED] * 60, condition="disambig", start=500),
            sides([ANTI] * 50, [STEREOTYPED] * 50, condition="disambig", start=600, label=ANTI),
        ]
    )
    analysis = analyze_qa(both, **QUICK)
    estimates = {
        tuple(row[name] for name in ("data", "context_condition", "name")): row["value"]
        for row in analysis.estimates.iter_rows(named=True)
    }
    for row in analysis.differences.iter_rows(named=True):
        name = "lean" if row["name"] == "accuracy_gap" else row["name"]
        values = [
            estimates[row[side], row["context_condition"], name] for side in ("original", "substituted")
        ]
        assert [row["original_value"], row["substituted_value"]] == pytest.approx(values)
        assert (row["value"], row["n_left_out"]) == (pytest.approx(values[0] - values[1]), 0)
    measures = analysis.differences.group_by("context_condition").agg(pl.col("name"))
    assert {condition: set(names) for condition, names in measures.iter_rows()} == {
        "ambig": set(MEASURES),
        "disambig": {*MEASURES, "accuracy_gap"},
    }


def test_edges_say_what_they_are():
    row = table(sides(GROUPS, GROUPS))["accuracy"]
    # By Clopper and Pearson at most 1 - 0.025^(1/25) of all templates are unlike 25 that are alike.
    reach = 1 - 0.025 ** (1 / 25)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((0.0, -reach, reach))
    assert (row["p_value"], row["verdict"], row["reason"]) == (1.0, "unclear", "")
    row = table(sides(GROUPS, times(unknown=100)))["bias_unscaled"]
    assert row["value"] is row["low"] is row["substituted_value"] is None
    assert row["reason"] == "undefined with names"
    row = table(sides(GROUPS, NAMES, templates=3))["accuracy"]
    assert row["low"] is row["high"] is None
    assert row["reason"] == "3 templates, at least 6 needed"
