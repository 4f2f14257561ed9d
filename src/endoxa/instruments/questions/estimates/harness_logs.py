"""Answers to BBQ's questions that lm-evaluation-harness has logged (`--log_samples`), as answers of ours.

Read are its tasks `bbq` (multiple choice: the option with the highest log-likelihood is the answer, any of its wordings
of "unknown" stands for the unknown option) and `bbq_generate` (the text is read as that of a chat model). The logs hold
the questions themselves; whom a question is about is taken from them, or from BBQ's additional_metadata.csv.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from endoxa.datasets.harness_logs import model_of, read_samples, task_of
from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.predictions import Predictions, read_predictions

OPTIONS = ("ans0", "ans1", "ans2")
QUESTION = (
    *("example_id", "question_index", "question_polarity", "context_condition", "category", "answer_info"),
    *("additional_metadata", "context", "question", *OPTIONS, "label"),
)
"""Fields of BBQ that a question of the harness has; it adds others."""
EXPECTED = "questions logged by lm-evaluation-harness. Expected its tasks bbq or bbq_generate, run with --log_samples."


def read_logs(
    paths: Sequence[Path], *, metadata: Path | None = None, language: str | None = None
) -> Predictions:
    """Answers in logs of one task, one log for each model.

    Args:
        paths: `samples_TASK_DATE.jsonl`, in the folders where the harness wrote them.
        metadata: BBQ's additional_metadata.csv, where the questions should be told by it whom they are about.
        language: language of the questions, which do not say theirs.

    Raises:
        UserError: a file is no such log, or the logs are of different tasks.
    """
    tasks = {task_of(path) for path in paths}
    if len(tasks) > 1:
        raise UserError(
            f"The logs are of different tasks ({', '.join(sorted(tasks))}). Analyze one task at a time."
        )
    questions: dict[tuple[str, str], Mapping[str, Any]] = {}
    answers = []
    for path in paths:
        model = model_of(path)
        for question, answer in read_samples(path, _sample, EXPECTED):
            key = (str(question["category"]), str(question["example_id"]))
            questions.setdefault(key, question)
            answers.append({"category": key[0], "example_id": key[1], "model": model, **answer})
    with TemporaryDirectory(prefix="endoxa-") as folder:
        data, predictions = Path(folder) / f"{tasks.pop()}.jsonl", Path(folder) / "predictions.jsonl"
        data.write_text("".join(json.dumps(one) + "\n" for one in questions.values()), encoding="utf-8")
        pl.DataFrame(answers, schema=dict.fromkeys(answers[0], pl.String)).write_ndjson(predictions)
        return read_predictions(data, predictions, metadata=metadata, language=language)


def _sample(sample: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A question and its answer."""
    doc = sample["doc"]
    question = {name: doc[name] for name in QUESTION}
    replies = sample["filtered_resps"]
    if isinstance(replies[0], str):
        return question, {"pred_text": replies[0]}
    return question, {"pred_index": str(_chosen(sample, question))}


def _chosen(sample: Mapping[str, Any], question: Mapping[str, Any]) -> int:
    """Number of the option with the highest log-likelihood; the first of equal ones, as the harness takes it.

    Raises:
        ValueError: a log-likelihood is no number, or no option is the unknown one.
    """
    texts = [str(one["arg_1"]).strip() for one in sample["arguments"].values()]
    found = [float(one[0]) for one in sample["filtered_resps"]]
    if len(texts) != len(found) or any(math.isnan(one) for one in found):
        raise ValueError("log-likelihoods are missing")
    best = texts[found.index(max(found))]
    named = [str(question[name]) for name in OPTIONS]
    if best in named:
        return named.index(best)
    unknown = [k for k, name in enumerate(OPTIONS) if "unknown" in question["answer_info"][name]]
    (only,) = unknown
    return only
