"""Measures of thoughts: by hand on twelve of them, planted shares recovered, three thinkers told apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.questions.thoughts.coded import coded, thoughts_of
from endoxa.instruments.questions.thoughts.estimates import thought_measures, thoughts_of_run
from endoxa.models.chat.simulated.questions import QUESTIONS as RESPONDENTS
from endoxa.runs.run import measure
from endoxa.schema.thoughts import MEASURES
from support.coded_thoughts import crossed, questions, thought
from support.qa_questions import write

pytestmark = pytest.mark.slow


def by_measure(table: pl.DataFrame, condition: str = "ambig") -> dict[str, dict]:
    rows = table.filter(context_condition=condition).iter_rows(named=True)
    return {row["measure"]: row for row in rows}


TWELVE = [
    thought(0, argued=0, choice=0, group_reason=1, stereotype=1),  # wrong, with a stereotyped reason
    thought(1, argued=0, choice=2, path="2 0"),  # right although it argued for the stereotyped person last
    thought(2, argued=2, choice=2, stereotype=1, rejects=1, missing=1),  # right, the stereotype rejected
    thought(3, argued=2, choice=2, stereotype=1),  # right, the stereotype spoken of and not rejected
    thought(4, argued=2, choice=2, missing=1),
    thought(5, argued=1, choice=1, missing=1),  # wrong, missing information noticed
    thought(6, argued=2, choice=0, missing=1, path="0 2"),  # wrong, noticed, turned
    thought(7, argued=0, choice=0),
    thought(8, argued=0, choice=1),
    thought(9, argued=None, choice=2),
    thought(10, argued=0, choice=None),
    thought(11, argued=None, choice=None, cut_off=1),
]


def test_twelve_thoughts_by_hand():
    found = by_measure(thought_measures(pl.DataFrame(TWELVE)))
    assert list(found) == list(MEASURES)
    by_hand = {
        "answers_bias": (10, (3 - 2) / 10),  # read: all finished but number 10
        "thoughts_bias": (10, (5 - 1) / 10),  # all finished but number 9
        "difference": (9, (4 - 1 - (3 - 2)) / 9),
        "stereotyped_reason": (5, 2 / 5),  # right: 1, 2, 3, 4, 9; of these 1 and 3
        "noticed_missing": (5, 2 / 5),  # wrong: 0, 5, 6, 7, 8; of these 5 and 6
        "turned": (9, 3 / 9),  # 1, 6, 8
        "changed_mind": (11, 2 / 11),
        "group_reason": (11, 1 / 11),
        "stereotype": (11, 3 / 11),
        "rejects": (11, 1 / 11),
        "missing": (11, 4 / 11),
        "cut_off": (12, 1 / 12),
    }
    for name, (n, value) in by_hand.items():
        assert (found[name]["n"], found[name]["value"]) == (n, pytest.approx(value)), name


def test_a_few_or_no_finished_thoughts_give_no_numbers_and_say_why():
    cut = by_measure(thought_measures(pl.DataFrame([TWELVE[11]])))
    assert cut["cut_off"]["value"] == 1
    assert {row["value"] for name, row in cut.items() if name != "cut_off"} == {None}
    assert cut["difference"]["verdict"] == "cannot-be-tested"
    few = by_measure(thought_measures(pl.DataFrame(TWELVE[:3])))
    assert few["thoughts_bias"]["verdict"] == "cannot-be-tested"
    assert few["thoughts_bias"]["reason"]
    assert few["thoughts_bias"]["low"] is None


def test_a_planted_lean_of_thoughts_is_found_and_none_where_none_is():
    leaning = by_measure(thought_measures(crossed(np.random.default_rng(0), lean=0.8)))
    assert leaning["thoughts_bias"]["verdict"] == leaning["difference"]["verdict"] == "above"
    assert leaning["thoughts_bias"]["low"] < 0.6 * 0.8 < leaning["thoughts_bias"]["high"]
    level = by_measure(thought_measures(crossed(np.random.default_rng(1))))
    assert level["thoughts_bias"]["verdict"] == level["difference"]["verdict"] == "unclear"
    assert level["group_reason"]["low"] < 0.3 < level["group_reason"]["high"]


@pytest.fixture(scope="module")
def thinkers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of the three simulated thinkers on 192 ambiguous questions."""
    home = tmp_path_factory.mktemp("thinkers")
    ambiguous = [row for row in questions() if row["context_condition"] == "ambig"]
    data = str(write(home / "questions.jsonl", ambiguous))
    names = ("thinker-fair", "thinker-biased", "thinker-biased-thoughts")
    for name in names:
        measure(QUESTIONS, QaSettings(data=data, models=(f"sim/{name}",)), home / name)
    return {name: home / name for name in names}


def test_three_thinkers_are_told_apart_and_planted_shares_are_read(thinkers):
    verdicts = {}
    for name in thinkers:
        rows = by_measure(thoughts_of_run(thinkers[name]))
        planted = RESPONDENTS.respondent(name)
        stereotyped, other, _ = planted.ambiguous(substituted=False, protocol="baseline")
        truth = {"thoughts_bias": planted.thoughts_lean(), "answers_bias": stereotyped - other}
        for measured, value in (truth | {"cut_off": planted.thought_cut}).items():
            assert rows[measured]["low"] < value < rows[measured]["high"]
        verdicts[name] = (rows["thoughts_bias"]["verdict"], rows["difference"]["verdict"])
    assert list(verdicts.values()) == [("unclear", "unclear"), ("above", "unclear"), ("above", "above")]
    codes = coded(thoughts_of(thinkers["thinker-biased-thoughts"])).filter(cut_off=0)
    persons = codes.filter(pl.col("argued") != pl.col("unknown"))
    for rows, name, share in (
        (persons, "group_reason", planted.thought_group),
        (persons, "missing", planted.thought_missing),
        (codes, "rejects", planted.thought_rejects),
    ):
        error = (share * (1 - share) / len(rows)) ** 0.5
        assert abs(rows[name].mean() - share) < 3.5 * error, name
