"""The rule of all verdicts."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.runs.estimates import COMPARISONS, PREFERENCES, adjusted, decided
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import CORRECTED, TOO_SMALL, VERDICTS, adjust, decide, significance, too_few

NAN = math.nan


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.7, 0.5, 0.01, 0.02), ("above", "")),
        ((0.3, 0.5, 0.01, 0.02), ("below", "")),
        ((0.7, 0.5, 0.05, 0.05), ("above", "")),
        ((0.7, 0.5, 0.01, 0.06), ("unclear", CORRECTED)),
        ((0.7, 0.5, 0.07, 0.07), ("unclear", "")),
        ((0.5004, 0.5, 0.001, 0.001), ("unclear", TOO_SMALL)),
        ((1.8e-9, 0.0, 0.001, 0.001), ("unclear", TOO_SMALL)),
        ((0.5, 0.5, 1.0, 1.0), ("unclear", "")),
        ((0.7, 0.5, NAN, NAN), ("cannot-be-tested", "no p-value is defined")),
        ((NAN, 0.5, 0.01, 0.01), ("cannot-be-tested", "no p-value is defined")),
        ((0.7, NAN, 0.01, 0.01), ("", "")),
    ],
)
def test_the_rule(numbers, expected):
    found = decide(*numbers)
    assert (found.verdict, found.reason) == expected


@pytest.mark.parametrize(("alpha", "units"), [(0.05, 6), (0.1, 5), (0.0625, 5), (0.01, 8), (0.2, 4)])
def test_the_fewest_units_are_those_whose_least_p_value_reaches_the_level(alpha, units):
    assert fewest_units(alpha) == units
    assert 2 / 2**units <= alpha < 2 / 2 ** (units - 1)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.2, 0.05, 0.01]))
def test_a_claim_needs_the_corrected_p_value_and_the_side(value, p, more, alpha):
    found = decide(value, 0.0, p, max(p, more), alpha=alpha)
    assert found.verdict in VERDICTS
    if found.verdict in ("above", "below"):
        assert max(p, more) <= alpha + 1e-9
        assert (value > 0) == (found.verdict == "above")


def test_families_are_corrected_apart():
    table = pl.DataFrame(
        {"rule": ["a", "a", "b"], "name": "x", "interval": "identities", "p_value": [0.01, 0.04, 0.04]}
    ).with_columns(language=pl.lit("all"), axis=pl.lit("age"))
    assert adjusted(table, PREFERENCES)["p_adjusted"].to_list() == [0.02, 0.04, 0.04]
    assert adjusted(table, COMPARISONS)["p_adjusted"].to_list() == adjust([0.01, 0.04, 0.04]).tolist()
    assert (PREFERENCES.numbers(table), COMPARISONS.numbers(table)) == ([0, 3], [3])


def test_what_cannot_be_tested_and_what_is_about_a_part_take_nothing_from_the_headline():
    table = pl.DataFrame(
        {
            "axis": ["all", "age", "gender", "religion", "all"],
            "language": ["all", "all", "all", "all", "en"],
            "p_value": [0.04, 0.04, 0.9, 0.02, 0.03],
            "reason": ["", "", "", "3 identities, at least 6 needed", ""],
        }
    ).with_columns(rule=pl.lit("sum"), name=pl.lit("preference_ratio"), interval=pl.lit("identities"))
    found = adjusted(table, PREFERENCES)
    assert found["p_value"].fill_nan(None).to_list() == [0.04, 0.04, 0.9, None, 0.03]
    # Benjamini-Hochberg by hand over the three after the headline: 0.03, 0.04 and 0.9.
    assert found["p_adjusted"].fill_nan(None).to_list() == pytest.approx([0.04, 0.06, 0.9, None, 0.06])
    assert PREFERENCES.numbers(found) == [1, 3]


def test_a_table_is_decided_row_by_row():
    table = pl.DataFrame(
        {
            "value": [0.9, 0.9, None],
            "neutral": 0.5,
            "p_value": [0.001, 0.04, None],
            "p_adjusted": [0.001, 0.08, None],
            "reason": ["", "", "every pair is a tie"],
            "low": 0.6,
            "high": 0.95,
        }
    )
    found = decided(table, confidence=0.95)
    assert found.select("low", "high").rows()[:2] == [(0.6, 0.95)] * 2
    assert found.select("low", "high").fill_nan(None).row(2) == (None, None)
    assert found["verdict"].to_list() == ["above", "unclear", "cannot-be-tested"]
    assert found["reason"].to_list() == ["", CORRECTED, "every pair is a tie"]
    assert decided(table, confidence=0.99)["verdict"].to_list()[0] == "above"
    assert significance(0.99) == 0.01


def test_a_reason_why_nothing_can_be_tested_beats_every_number():
    found = decide(0.95, 0.5, 0.001, 0.001, untestable=too_few(4, "identities", 6))
    assert (found.verdict, found.reason) == ("cannot-be-tested", "4 identities, at least 6 needed")
