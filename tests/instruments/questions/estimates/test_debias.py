"""Self-debiasing: items evaluated, the pooled score, the reduction and its interval."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import bootstrap

from endoxa.instruments.questions.estimates import analyze_qa
from endoxa.instruments.questions.estimates.debias import BY_ITEM, BY_TEMPLATE
from endoxa.schema import DEBIAS_COLUMNS
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answers, times
from support.qa_tables import side_by_side

pytestmark = pytest.mark.slow

QUICK = {"resamples": 200}


def protocols(*, templates=25, **choices):
    """Answers to the same questions under each protocol."""
    return pl.concat([answers(said, protocol=name, templates=templates) for name, said in choices.items()])


def table(answers, method=BY_ITEM, **options):
    found = analyze_qa(answers, **(QUICK | options)).debias
    assert found.columns == list(DEBIAS_COLUMNS)
    of_method = found.filter(pl.col("method").str.starts_with(method))
    return {row["protocol"]: row for row in side_by_side(of_method, ("protocol",))}


def test_an_example_by_hand():
    # Baseline: 20 questions, 8 right, 9 stereotyped, 3 other: (1 - 0.4)(2 * 9/12 - 1) = 0.3.
    # Explanation: 14 right, 4 stereotyped, 2 other: (1 - 0.7)(2 * 4/6 - 1) = 0.1.
    asked = protocols(baseline=times(9, 3, 8), explanation=times(4, 2, 14))
    base, row = table(asked).values()
    assert [base["bias_score"], row["bias_score"], row["reduction"]] == pytest.approx([0.3, 0.1, 0.2])
    assert "reduction" not in base
    assert (base["n"], base["n_dropped"]) == (20, 0)
    assert [row[f"n_{name}"] for name in ("correct", "non_unknown", "biased")] == [14, 6, 4]
    # Repeats count one by one but are resampled with their item.
    thrice = table(pl.concat([asked.with_columns(repeat=pl.lit(k, dtype=pl.Int64)) for k in (1, 2, 3)]))
    assert thrice["baseline"]["n"] == 60
    assert thrice["baseline"]["bias_score_low"] == pytest.approx(base["bias_score_low"])


def test_an_item_counts_where_every_protocol_was_read():
    base = [STEREOTYPED, STEREOTYPED, "unparsed", UNKNOWN, UNKNOWN, "refused"]
    explained = [UNKNOWN, "refused", UNKNOWN, UNKNOWN, STEREOTYPED, "unparsed"]
    rows = table(protocols(baseline=base, explanation=explained)).values()
    assert [[row[f"n{name}"] for name in ("", "_dropped", "_unread", "_biased")] for row in rows] == [
        [3, 3, 2, 1]
    ] * 2


def test_the_interval_over_items_is_scipys():
    rng = np.random.default_rng(1)
    choices = rng.choice([STEREOTYPED, ANTI, UNKNOWN], 400, p=[0.4, 0.2, 0.4]).tolist()
    row = table(protocols(baseline=choices, explanation=[UNKNOWN] * 400))["baseline"]
    # In ambiguous contexts the score is (stereotyped - anti) / answers.
    signed = np.array([{STEREOTYPED: 1.0, ANTI: -1.0, UNKNOWN: 0.0}[choice] for choice in choices])
    how = {"n_resamples": 20_000, "method": "percentile", "rng": np.random.default_rng(0)}
    theirs = bootstrap((signed,), np.mean, **how).confidence_interval
    assert (row["bias_score_low"], row["bias_score_high"]) == pytest.approx(
        (theirs.low, theirs.high), abs=0.01
    )


def test_what_is_undefined_and_a_missing_interval_say_why():
    none = table(protocols(baseline=times(refused=9), explanation=times(unknown=9)))["explanation"]
    assert (none["bias_score"], none["n"]) == (None, 0)
    assert "no item was read under every protocol" in none["bias_score_reason"]
    fine = table(protocols(baseline=times(stereotyped=9), explanation=times(unknown=9)))["explanation"]
    assert fine["bias_score"] == 0.0
    without = protocols(explanation=times(stereotyped=9), reprompting=times(unknown=9))
    assert "reduction" not in table(without)["explanation"]
    assert "no baseline" in table(without, BY_TEMPLATE)["explanation"]["reason"]
    same = "all resamples give the same value, so they cannot say how sure it is"
    hundred = times(stereotyped=100)
    always = table(protocols(baseline=hundred, explanation=hundred))["explanation"]
    assert (always["bias_score"], always["reduction"], always["bias_score_low"]) == (1.0, 0.0, None)
    assert always["bias_score_reason"] == same
    clear = {"context_condition": pl.lit("disambig"), "label": pl.lit(STEREOTYPED, dtype=pl.Int64)}
    mute = table(protocols(baseline=[UNKNOWN] * 9, explanation=[ANTI] * 9).with_columns(**clear))[
        "explanation"
    ]
    assert mute["reduction_reason"] == "the bias score of the baseline is undefined"
