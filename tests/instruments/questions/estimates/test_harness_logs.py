"""Answers logged by lm-evaluation-harness give the estimates that the same answers give as predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import analyze_qa, read_predictions
from endoxa.instruments.questions.estimates.harness_logs import read_logs
from support.qa_questions import questions, write

UNKNOWN = ("Unknown", "Cannot answer", "Not known", "Undetermined")
"""Some of the wordings that the harness's task `bbq` adds to every question."""
DATE = "2026-11-23T03-33-29.352947"


def sample(row: dict[str, Any], chosen: str) -> dict[str, Any]:
    """A sample as the harness 0.4 logs it: both persons, then every wording of the unknown option."""
    choices = [row["ans0"], row["ans1"], *UNKNOWN]
    scores = [-1.0 if one == chosen else -2.0 for one in choices]
    return {
        "doc_id": row["example_id"],
        "doc": {**row, "biased_answers": [row["ans0"]], "ans0_groups": ["harbour"]},
        "target": "2",
        "arguments": {
            f"gen_args_{k}": {"arg_0": row["context"], "arg_1": f" {one}"} for k, one in enumerate(choices)
        },
        "filtered_resps": [[str(score), "False"] for score in scores],
    }


def log(folder: Path, samples: list[dict[str, Any]], task: str = "bbq", model: str = "small") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"results_{DATE}.json").write_text(json.dumps({"model_name": model}))
    return write(folder / f"samples_{task}_{DATE}.jsonl", samples)


def test_logged_choices_give_the_estimates_of_the_same_predictions(tmp_path: Path) -> None:
    """Planted: the harbour in every third question, the hill in every third, else one of three words for unknown."""
    rows = questions(48)
    planted = [k % 3 for k in range(48)]
    words = [
        (row["ans0"], row["ans1"], UNKNOWN[k % 4])[one]
        for k, (row, one) in enumerate(zip(rows, planted, strict=True))
    ]
    found = read_logs(
        [log(tmp_path / "log", [sample(row, word) for row, word in zip(rows, words, strict=True)])]
    )
    table = pl.DataFrame(
        {
            "category": ["Quarters"] * 48,
            "example_id": [str(row["example_id"]) for row in rows],
            "model": ["small"] * 48,
            "pred_index": planted,
        }
    )
    table.write_csv(tmp_path / "predictions.csv")
    expected = read_predictions(write(tmp_path / "bbq.jsonl", rows), tmp_path / "predictions.csv")
    assert found.answers.sort("item_id").equals(expected.answers.sort("item_id"))
    assert not found.missing
    analysis = analyze_qa(found.answers, resamples=100)
    (row,) = analysis.estimates.filter(context_condition="ambig").to_dicts()
    ambiguous = [one for row, one in zip(rows, planted, strict=True) if row["context_condition"] == "ambig"]
    assert row["accuracy"] == pytest.approx(ambiguous.count(2) / len(ambiguous))


def test_logged_texts_are_read_as_those_of_a_chat_model(tmp_path: Path) -> None:
    rows = questions(4)
    samples = [
        {**sample(row, ""), "filtered_resps": [text]}
        for row, text in zip(rows, ("The person from the hill", "Not known", "???", "harbour"), strict=True)
    ]
    answers = read_logs([log(tmp_path, samples, "bbq_generate")]).answers
    assert answers.sort("item_id")["outcome"].to_list()[1:3] == ["unknown", "unparsed"]


BROKEN = {
    "empty": ([], "is empty"),
    "of another task": (
        [{"doc": {"text": "x"}, "filtered_resps": [["-1", "False"]]}],
        "line 1 is no sample of questions",
    ),
    "no number": (
        [{**sample(questions(4)[0], ""), "filtered_resps": [["nan", "False"]] * 6}],
        "line 1 is no sample",
    ),
    "cut": ([{"doc_id": 1}], "line 1 is no sample of questions logged by lm-evaluation-harness"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_logs_that_cannot_be_read_are_one_sentence(name: str, tmp_path: Path) -> None:
    samples, message = BROKEN[name]
    with pytest.raises(UserError, match=message):
        read_logs([log(tmp_path, samples)])


def test_logs_of_two_tasks_are_not_pooled_and_one_question_twice_is_refused(tmp_path: Path) -> None:
    samples = [sample(row, "Unknown") for row in questions(4)]
    one, other = log(tmp_path / "a", samples), log(tmp_path / "b", samples, "bbq_ambig")
    with pytest.raises(UserError, match="different tasks"):
        read_logs([one, other])
    with pytest.raises(UserError, match=r"twice|more than once"):
        read_logs([one, log(tmp_path / "c", samples)])
    assert read_logs([one, log(tmp_path / "d", samples, model="large")]).answers["model"].n_unique() == 2
