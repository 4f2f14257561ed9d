"""Self-debiasing: items evaluated, the pooled score, the reduction and its interval."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import bootstrap

from endoxa.instruments.questions.estimates import analyze_qa, load_answers
from endoxa.instruments.questions.estimates.debias import BY_ITEM, BY_TEMPLATE, REPLICATES
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.run import measure
from endoxa.schema import DEBIAS_COLUMNS, PROTOCOLS
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answers, times
from support.qa_questions import questions, write
from support.qa_tables import side_by_side

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


def test_accuracy_is_over_all_items_of_both_contexts():
    ambiguous = protocols(baseline=times(stereotyped=4, unknown=6), explanation=times(unknown=10))
    clear = [
        answers([STEREOTYPED] * 8 + [ANTI] * 2, protocol=name, condition="disambig", start=100)
        for name in ("baseline", "explanation")
    ]
    row = table(pl.concat([ambiguous, *clear]))["baseline"]
    # 6 + 8 of 20 right; 14 name a person, 12 of them the stereotyped one.
    assert row["bias_score"] == pytest.approx((1 - 14 / 20) * (2 * 12 / 14 - 1))


def test_an_item_counts_where_every_protocol_was_read():
    base = [STEREOTYPED, STEREOTYPED, "unparsed", UNKNOWN, UNKNOWN, "refused"]
    explained = [UNKNOWN, "refused", UNKNOWN, UNKNOWN, STEREOTYPED, "unparsed"]
    rows = table(protocols(baseline=base, explanation=explained)).values()
    assert [[row[f"n{name}"] for name in ("", "_dropped", "_unread", "_biased")] for row in rows] == [
        [3, 3, 2, 1]
    ] * 2


def test_both_bootstraps_stand_side_by_side():
    choices = {"baseline": times(stereotyped=60, anti=20, unknown=40), "explanation": times(unknown=120)}
    items, templates = (table(protocols(**choices), by)["baseline"] for by in (BY_ITEM, BY_TEMPLATE))
    assert items["bias_score"] == templates["bias_score"]
    assert f"{REPLICATES} resamples" in items["method"]
    assert "25 templates" in templates["method"]
    row = table(protocols(**choices, templates=3), BY_TEMPLATE)["baseline"]
    assert (row["bias_score_low"], row["p_value"]) == (None, None)
    assert (row["verdict"], row["reason"]) == ("cannot-be-tested", "3 templates, at least 6 needed")


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


@pytest.mark.slow
def test_a_planted_reduction_is_covered_and_pairs_narrow_its_interval():
    rng, covered, widths = np.random.default_rng(5), 0, []
    for _ in range(40):
        wrong = rng.random(300) < 0.6  # the same questions go wrong under both protocols
        still = wrong & (rng.random(300) < 0.5)
        base, explained = (np.where(side, STEREOTYPED, UNKNOWN).tolist() for side in (wrong, still))
        row = table(protocols(baseline=base, explanation=explained), resamples=100)["explanation"]
        covered += row["reduction_low"] <= 0.3 <= row["reduction_high"]
        widths.append(row["reduction_high"] - row["reduction_low"])
    assert covered >= 34
    unpaired = 2 * 1.96 * np.sqrt((0.6 * 0.4 + 0.3 * 0.7) / 300)
    assert np.mean(widths) < 0.8 * unpaired


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


def test_one_protocol_alone_has_no_rows_and_order_changes_nothing():
    assert analyze_qa(answers(times(stereotyped=5, unknown=5)), **QUICK).debias.is_empty()
    three = protocols(**{name: times(stereotyped=10 * k + 5, unknown=30) for k, name in enumerate(PROTOCOLS)})
    shuffled = three.sample(fraction=1, shuffle=True, seed=1)
    assert analyze_qa(three, **QUICK).debias.equals(analyze_qa(shuffled, **QUICK).debias)


@pytest.mark.slow
def test_conditions_of_one_protocol_each_are_one_run_of_all_protocols(tmp_path):
    """`--conditions debias` and `--debias baseline,explanation,reprompting` are one measurement."""
    data = str(write(tmp_path / "questions.jsonl", questions(48)))
    for folder, asked in ({"all": PROTOCOLS} | {name: (name,) for name in PROTOCOLS}).items():
        measure(QUESTIONS, QaSettings(data=data, models=("sim/biased",), protocols=asked), tmp_path / folder)
    together = analyze_qa(load_answers([tmp_path / "all"]), **QUICK)
    apart = analyze_qa(load_answers([tmp_path / name for name in PROTOCOLS]), **QUICK)
    assert together.debias.height > 3
    assert apart.debias.equals(together.debias)
    assert apart.estimates.equals(together.estimates)
