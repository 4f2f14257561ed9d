"""What else may explain a lean: planted guessing, places of options, lost answers, and a run with none of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.report.quoting import _other_rule, run_diagnostics
from endoxa.instruments.reports import write_report
from endoxa.report.quoting import ordered
from endoxa.testing.sentences import check_finding
from support.report_qa_samples import HOSTILE, Lean, qa_folder, questions, records

pytestmark = pytest.mark.slow

RECOGNITION, PLACE, LOST = "recognition of the answers", "position of the options", "answers not read"


def found(tmp_path, lean=None, change=None, model="m", **facts):
    asked = questions()
    answers = records(asked, {model: lean or Lean(error=0.3, wrong=0.05)})
    if change is not None:
        answers = change(answers)
    folder = qa_folder(tmp_path / "run", asked, answers, "Town", **facts)
    QUESTIONS.logged().estimate(folder)
    made = run_diagnostics(folder)
    for diagnostic in made:
        check_finding(diagnostic.finding, ["m", "Town", "95\u00a0%", "98.3\u00a0%"])
    return (
        {each.name: each for each in made},
        [each.name for each in ordered(made) if each.concerning],
        folder,
    )


def shuffled(answers: pl.DataFrame) -> pl.DataFrame:
    orders = np.random.default_rng(2).choice(["012", "021", "102", "120", "201", "210"], answers.height)
    return answers.with_columns(order=pl.Series(orders))


def test_a_model_that_knows_the_answers_and_prefers_no_place_concerns_by_what_cannot_be_read(tmp_path):
    diagnostics, concerning, _ = found(tmp_path, change=shuffled)
    assert concerning == []
    assert set(diagnostics) == {RECOGNITION, LOST, PLACE}
    assert diagnostics[RECOGNITION].value > 0.9
    assert abs(diagnostics[PLACE].value) < 0.1
    diagnostics, concerning, _ = found(
        tmp_path / "lost", Lean(0.3, wrong=0.05, unparsed=0.4), change=shuffled
    )
    assert LOST in concerning
    assert 0.25 < diagnostics[LOST].value < 0.55


def test_a_model_that_names_whatever_stands_first(tmp_path):
    def first(answers: pl.DataFrame) -> pl.DataFrame:
        table = shuffled(answers)
        shown = table["order"].str.slice(0, 1).cast(pl.Int64)
        outcome = pl.when(shown == pl.col("unknown")).then(pl.lit("unknown"))
        outcome = outcome.when(shown == pl.col("target")).then(pl.lit("stereotyped"))
        return table.with_columns(choice=shown, outcome=outcome.otherwise(pl.lit("anti-stereotyped")))

    diagnostics, concerning, _ = found(tmp_path, change=first)
    place = diagnostics[PLACE]
    assert PLACE in concerning
    assert "shown first is chosen in 100.0\u00a0%" in place.sentence
    assert place.value == pytest.approx(1 - place.numbers["right"])
    assert place.low > 0.3


def test_precision_and_words_come_from_run_json_and_names_are_escaped(tmp_path):
    name = f"hf/{HOSTILE}"
    facts = {"models": [{"name": name, "dtype": "bfloat16"}], "own_words": {"question templates": ["es"]}}
    diagnostics, concerning, folder = found(tmp_path, change=shuffled, model=name, **facts)
    assert {"precision of the numbers", "review by speakers"} <= set(concerning)
    page = write_report([folder], tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("Precision of the numbers. ") < page.index("Also looked at: ")
    assert HOSTILE not in page
    assert "Before you quote this number" in str(QUESTIONS.headline_of(folder)).replace("\n", " ")
    assert len(diagnostics) == 5


def test_scored_questions_that_the_other_rule_leaves_open_are_counted():
    """A long option that nothing determines has the smaller sum and the larger mean: -6 / 3 against -4 / 1."""
    cells = {"model": "m", "ask": "loglik", "context_condition": "ambig", "unknown": 2}
    long, short = "[[-4.0, 1], [-5.0, 1], [-6.0, 3]]", "[[-4.0, 2], [-5.0, 1], [-9.0, 3]]"
    table = pl.DataFrame([cells | {"answer": answer} for answer in (long, long, short)])
    (line,) = _other_rule(table, {})
    assert (
        "leaves 0 of 3 ambiguous questions open; by their log-likelihood per token it would be 2."
        in line.sentence
    )
    assert list(_other_rule(table.with_columns(ask=pl.lit("letters")), {})) == []
