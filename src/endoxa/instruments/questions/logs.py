"""Answers to BBQ's questions in logs of other harnesses, as answers of ours.

lm-evaluation-harness: its tasks `bbq` (multiple choice: the option with the highest log-likelihood is the answer, any
of its wordings of "unknown" stands for the unknown option) and `bbq_generate` (the text is read as that of a chat
model). Inspect: multiple choice as in `bbq` of inspect_evals, read as its scorer `choice` read it; epochs are repeats.
The logs hold the questions themselves; whom a question is about is taken from them, or from BBQ's
additional_metadata.csv.
"""

from __future__ import annotations

import json
import math
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.questions.estimates.predictions import read_predictions
from endoxa.runs.folder import RECORDS
from endoxa.schema import QA_RECORD_COLUMNS
from endoxa.sources.files import sha256
from endoxa.sources.logs import HARNESS, Log

OPTIONS = ("ans0", "ans1", "ans2")
DESCRIBED = (
    *("question_index", "question_polarity", "context_condition", "category", "answer_info"),
    "additional_metadata",
)
QUESTION = ("example_id", *DESCRIBED, "context", "question", *OPTIONS, "label")
"""Fields of BBQ that a logged question has; harnesses add others."""
EXPECTED = (
    "questions. Expected bbq or bbq_generate of lm-evaluation-harness, or multiple choice as in bbq of Inspect, with "
    "BBQ's fields in its metadata."
)
QUESTIONS = "questions.jsonl"


def holds(sample: Mapping[str, Any]) -> bool:
    """Whether a sample is a question with BBQ's fields."""
    return "answer_info" in sample.get("doc", {}) or "answer_info" in (sample.get("metadata") or {})


def write_run(
    logs: Sequence[Log], folder: Path, metadata: Path | None = None, language: str | None = None
) -> dict[str, Any]:
    """Write the answers in logs of one task into a run folder, and the questions beside them, as BBQ's JSONL.

    Args:
        logs: of one task, one or several for each model.
        folder: the run folder.
        metadata: BBQ's additional_metadata.csv, where the questions should be told by it whom they are about.
        language: language of the questions, which do not say theirs.

    Returns:
        Facts for `run.json`.

    Raises:
        UserError: a log is damaged or of another task.
    """
    answers = _answers_of(logs, folder, metadata, language)
    missing = [name for name in QA_RECORD_COLUMNS if name not in answers.columns]
    records = answers.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing)
    records.select(list(QA_RECORD_COLUMNS)).write_parquet(folder / RECORDS)
    data = folder / QUESTIONS
    return {
        "data": {"path": str(data), "label": logs[0].group, "sha256": sha256(data)},
        "counts": {"items": answers["item_id"].n_unique(), "records": answers.height},
    }


def _answers_of(
    logs: Sequence[Log], folder: Path, metadata: Path | None, language: str | None
) -> pl.DataFrame:
    questions: dict[tuple[str, str], Mapping[str, Any]] = {}
    answers = []
    for log in logs:
        for question, answer in log.each(_harness if log.harness == HARNESS else _inspect, EXPECTED):
            key = (str(question["category"]), str(question["example_id"]))
            questions.setdefault(key, question)
            answers.append({"category": key[0], "example_id": key[1], "model": log.model, **answer})
    data, predictions = folder / QUESTIONS, folder / "predictions.jsonl"
    data.write_text("".join(json.dumps(entry) + "\n" for entry in questions.values()), encoding="utf-8")
    pl.DataFrame(answers, schema=dict.fromkeys(answers[0], pl.String)).write_ndjson(predictions)
    try:
        return read_predictions(data, predictions, metadata=metadata, language=language).answers
    finally:
        predictions.unlink()


def _harness(sample: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A question and its answer."""
    doc = sample["doc"]
    question = {name: doc[name] for name in QUESTION}
    replies = sample["filtered_resps"]
    if isinstance(replies[0], str):
        return question, {"pred_text": replies[0]}
    return question, {"pred_index": str(_likeliest(sample, question))}


def _likeliest(sample: Mapping[str, Any], question: Mapping[str, Any]) -> int:
    """Number of the option with the highest log-likelihood; the first of equal ones, as the harness takes it.

    Raises:
        ValueError: a log-likelihood is no number, or no option is the unknown one.
    """
    texts = [str(entry["arg_1"]).strip() for entry in sample["arguments"].values()]
    likelihoods = [float(entry[0]) for entry in sample["filtered_resps"]]
    if len(texts) != len(likelihoods) or any(math.isnan(entry) for entry in likelihoods):
        raise ValueError("log-likelihoods are missing")
    best = texts[likelihoods.index(max(likelihoods))]
    named = [str(question[name]) for name in OPTIONS]
    if best in named:
        return named.index(best)
    unknown = [k for k, name in enumerate(OPTIONS) if "unknown" in question["answer_info"][name]]
    (only,) = unknown
    return only


def _inspect(sample: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A question and its answer; a sample that failed, or no clear letter, is an answer that was not read."""
    fields, choices = sample["metadata"], sample["choices"]
    context, _, question_text = str(sample["input"]).rpartition("Question:")
    question = {
        "example_id": fields.get("source_id", fields.get("example_id", sample["id"])),
        **{name: fields[name] for name in DESCRIBED},
        "context": context.removeprefix("Context:").strip(),
        "question": question_text.strip(),
        **dict(zip(OPTIONS, choices, strict=True)),
        "label": string.ascii_uppercase.index(str(sample["target"])),
    }
    scores = sample.get("scores") or {}
    letter = str(scores["choice"].get("answer") or "").strip() if scores else ""
    chosen = string.ascii_uppercase.find(letter) if len(letter) == 1 else -1
    index = str(chosen) if 0 <= chosen < len(OPTIONS) else ""
    return question, {"pred_index": index, "repeat": str(sample.get("epoch", 1))}
