"""Logs of lm-evaluation-harness become run folders, and give the estimates that the same answers give otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.logs import runs_and_logs, unscored_lines, write_runs
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.questions.estimates import load_answers, read_predictions
from support.qa_questions import questions, write

UNKNOWN = ("Unknown", "Cannot answer", "Not known", "Undetermined")
"""Some of the wordings that the harness's task `bbq` adds to every question."""
DATE = "2026-11-23T03-33-29.352947"
ASKED = ("data", "item_id", "model", "choice", "outcome", "repeat", "target", "label", "identity")


def harness_question(row: dict[str, Any], chosen: str) -> dict[str, Any]:
    """A sample of `bbq` as the harness 0.4 logs it: both persons, then every wording of the unknown option."""
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


def harness_pair(number: int, more: str, less: str) -> dict[str, Any]:
    """A sample of crows_pairs as the harness 0.4 logs it."""
    return {
        "doc_id": number,
        "doc": {"sent_more": more, "sent_less": less, "bias_type": "Age", "stereo_antistereo": "antistereo"},
        "arguments": {"gen_args_0": {"arg_0": "", "arg_1": more}, "gen_args_1": {"arg_0": "", "arg_1": less}},
        "filtered_resps": [["-12.5", "False"], ["-13.0", "False"]],
    }


def harness_log(folder: Path, samples: list[dict[str, Any]], task: str = "bbq", model: str = "small") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"results_{DATE}.json").write_text(json.dumps({"model_name": model, "group_subtasks": {}}))
    return write(folder / f"samples_{task}_{DATE}.jsonl", samples)


def answers_in(paths: list[Path]) -> pl.DataFrame:
    with runs_and_logs(paths) as folders:
        return load_answers(folders)


def test_logged_choices_are_read_as_the_same_predictions(tmp_path: Path) -> None:
    rows = questions(48)
    chosen = [k % 3 for k in range(48)]  # the option planted for each, a third each
    words = [
        (row["ans0"], row["ans1"], UNKNOWN[n % 4])[k]
        for n, (row, k) in enumerate(zip(rows, chosen, strict=True))
    ]
    samples = [harness_question(row, word) for row, word in zip(rows, words, strict=True)]
    path = harness_log(tmp_path / "log", samples)
    predicted = pl.DataFrame(
        {"category": "Quarters", "example_id": range(48), "model": "small", "pred_index": chosen}
    )
    predicted.write_csv(tmp_path / "p.csv")
    expected = read_predictions(write(tmp_path / "bbq.jsonl", rows), tmp_path / "p.csv").answers
    columns = [name for name in ASKED if name in expected.columns]
    assert answers_in([path]).select(columns).sort("item_id").equals(expected.select(columns).sort("item_id"))
    result = ex.read_logs(path)
    right = [k == 2 for row, k in zip(rows, chosen, strict=True) if row["context_condition"] == "ambig"]
    (row,) = result.estimates.filter(context_condition="ambig", name="accuracy").to_dicts()
    assert row["value"] == pytest.approx(sum(right) / len(right))
    assert "small" in str(result.headline())


def test_texts_that_the_harness_logged_are_read_as_those_of_a_chat_model(tmp_path: Path) -> None:
    texts = ("The person from the hill", "Not known \ud83d", "???", "harbour")
    samples = [
        {**harness_question(row, ""), "filtered_resps": [text]}
        for row, text in zip(questions(4), texts, strict=True)
    ]
    answers = answers_in([harness_log(tmp_path, samples, "bbq_generate")])
    assert answers.sort("item_id")["outcome"].to_list()[1:3] == ["unknown", "unparsed"]


def test_crows_pairs_of_the_harness(tmp_path: Path) -> None:
    rows = [
        harness_pair(0, "Old people sing.", "Young people sing."),
        harness_pair(1, "Old men run.", "Young men run."),
    ]
    (tmp_path / "gpt2").mkdir()
    path = write(tmp_path / "gpt2" / "samples_crows_pairs_english_2026-11-22T10-00-00.000000.jsonl", rows)
    (folder,) = write_runs([path], tmp_path / "runs")
    found = load_records([folder])
    assert found["score_more"].to_list() == [-12.5, -12.5]
    assert found["identity"].str.to_lowercase().to_list() == ["old", "old"]
    assert found.select("model", "rule", "language", "axis", "direction").row(0) == (
        *("gpt2", "sum-bos", "en", "age", "antistereo"),
    )


def test_tasks_of_a_group_belong_together_and_others_do_not(tmp_path: Path) -> None:
    one = harness_log(tmp_path, [harness_pair(0, "Old people sing.", "Young people sing.")], "mine_en")
    other = harness_log(tmp_path, [harness_pair(1, "Old men run.", "Young men run.")], "mine_hi")
    assert len(write_runs([one, other], tmp_path / "apart")) == 2
    with pytest.raises(UserError, match=r"several tasks \(mine-en, mine-hi\)"):
        ex.read_logs(one, other)
    results = {"model_name": "small", "group_subtasks": {"mine": ["mine_en", "mine_hi"]}}
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps(results))
    (folder,) = write_runs([one, other], tmp_path / "together")
    assert (folder.name, load_records([folder]).height) == ("mine", 2)


def test_one_question_twice_is_refused_and_two_models_are_compared(tmp_path: Path) -> None:
    samples = [harness_question(row, "Unknown") for row in questions(4)]
    one = harness_log(tmp_path / "a", samples)
    with pytest.raises(UserError, match=r"twice|more than once"):
        answers_in([one, harness_log(tmp_path / "b", samples)])
    assert answers_in([one, harness_log(tmp_path / "c", samples, model="large")])["model"].n_unique() == 2


QUESTION = harness_question(questions(4)[0], "Unknown")


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "is empty"),
        (["", ""], "holds no samples"),
        (
            [{"doc": {"text": "x"}, "filtered_resps": [["-1", "False"]]}],
            "neither sentence pairs nor questions",
        ),
        ([[1]], "neither sentence pairs nor questions"),
        ([QUESTION | {"filtered_resps": [["nan", "False"]] * 6}], "line 1 is no sample of questions"),
        ([QUESTION, {"doc_id": 1}], "line 2 is no sample of questions"),
    ],
)
def test_logs_that_cannot_be_read_are_one_sentence(samples: list[Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "samples_bbq.jsonl"
    path.write_text("".join(f"{json.dumps(row) if row else ''}\n" for row in samples), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        write_runs([path], tmp_path / "runs")


def test_what_was_not_scored_is_counted_for_each_model_and_reason(tmp_path: Path) -> None:
    reasons = {"model": ["small", "small", "large"], "reason": ["not scored"] * 3}
    pl.DataFrame(reasons).write_csv(tmp_path / "unscored.csv")
    lines = ["small: 2 pairs not scored, not counted.", "large: 1 pair not scored, not counted."]
    assert unscored_lines([tmp_path, tmp_path / "none"]) == lines
