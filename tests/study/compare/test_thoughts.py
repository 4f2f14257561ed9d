"""Changes of thoughts between two runs: planted ones recovered, none where nothing changed, edges."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.study.compare.thoughts import changes, changes_of
from support.coded_thoughts import crossed, questions, thought


def by_measure(before: pl.DataFrame, after: pl.DataFrame) -> dict:
    return {change.measure: change for change in changes_of(before, after)}


def test_by_hand():
    before = pl.DataFrame(
        [thought(0, argued=0, choice=2), thought(1), thought(2, argued=1, choice=1, missing=1)]
    )
    after = pl.DataFrame([thought(0, stereotype=1), thought(1, cut_off=1), thought(2, argued=0, choice=0)])
    found = by_measure(before, after)
    thoughts = found["thoughts_bias_ambig"]
    assert (thoughts.before, thoughts.after, thoughts.n_items) == (0.0, 0.5, 2)  # number 1 did not end
    answers = found["answers_bias_ambig"]
    assert (answers.before, answers.after, answers.difference) == (-0.5, 0.5, 1.0)
    reason = found["stereotyped_reason_ambig"]
    assert (reason.before, reason.after, reason.n_items) == (1.0, 1.0, 1)  # right in both: number 0
    assert found["noticed_missing_ambig"].difference == -1.0  # wrong in both: number 2
    assert found["cut_off_ambig"].after == pytest.approx(1 / 3)
    assert {change.verdict for change in found.values()} == {"cannot-be-tested"}  # three templates


def test_a_planted_change_and_its_price_are_found():
    rng = np.random.default_rng(0)
    before, after = crossed(rng), crossed(rng, lean=0.8, reasons=0.6, tokens=150)
    found = by_measure(before, after)
    for name, planted in (
        ("thoughts_bias_ambig", 0.48),
        ("group_reason_ambig", 0.3),
        ("thought_tokens_ambig", 50),
    ):
        assert found[name].verdict == "above"
        assert found[name].low < planted < found[name].high
    assert found["answers_bias_ambig"].verdict == "unclear"
    assert {name for name, change in found.items() if change.kind == "price"} == {
        "cut_off_ambig",
        "thought_tokens_ambig",
    }
    turned = by_measure(after, before)["thoughts_bias_ambig"]
    assert (turned.difference, turned.verdict) == (-found["thoughts_bias_ambig"].difference, "below")


def test_the_same_run_twice_changes_nothing():
    frame = crossed(np.random.default_rng(1))
    for change in changes_of(frame, frame):
        assert (change.difference, change.p_value, change.verdict) == (0.0, 1.0, "unclear")
        assert change.low <= 0 <= change.high


@pytest.mark.slow
def test_nothing_is_found_where_nothing_changed():
    """Of 60 sets; of 300 the largest rate of a measure was 0.040 (docs/analyze/thoughts.md)."""
    small, claimed = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = changes_of(crossed(rng), crossed(rng))
        small += sum(change.p_value <= 0.05 for change in found)
        claimed += any(change.clear for change in found)
    assert small / (60 * len(found)) < 0.05
    assert claimed <= 5


@pytest.mark.slow
def test_biased_thoughts_of_fair_answers_stand_in_the_comparison(tmp_path):
    rows = "".join(f"{json.dumps(row)}\n" for row in questions() if row["context_condition"] == "ambig")
    (tmp_path / "q.jsonl").write_text(rows, encoding="utf-8")
    for name in ("thinker-fair", "thinker-biased-thoughts"):
        ex.probe_questions(tmp_path / "q.jsonl", f"sim/{name}", out=tmp_path / name)
    comparison = ex.compare(tmp_path / "thinker-fair", tmp_path / "thinker-biased-thoughts")
    (contrast,) = comparison.contrasts
    verdicts = {change.measure: change.verdict for change in (*contrast.changes, *contrast.thoughts)}
    assert (verdicts["bias_ambig"], verdicts["thoughts_bias_ambig"]) == ("unclear", "above")
    assert any("thoughts_bias_ambig went from" in str(finding) for finding in comparison.about_thoughts)
    page = comparison.save(tmp_path / "page.html").read_text()
    assert "What the thoughts cost" in page
    assert comparison.changes.filter(measure="thoughts_bias_ambig").height == 1


def test_one_run_is_not_compared(tmp_path):
    with pytest.raises(UserError, match="1 were given"):
        changes([tmp_path])
