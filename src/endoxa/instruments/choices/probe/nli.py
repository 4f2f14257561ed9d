"""Inferences labelled by a local NLI model: a classifier of premise and hypothesis with three labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from endoxa.errors import UserError, first_line
from endoxa.models.chat import ChatSpec
from endoxa.runs.asking.calls import Report
from endoxa.runs.asking.jobs import Answered
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.likelihoods import FINISH, Options
from endoxa.runs.asking.run import Score
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import ChatAnswer

LABELS = ("entail", "contradict", "neutral")
"""How the labels begin, in the order of the options of an inference."""
BATCH = 32


def nli_scorer(
    _settings: ChatRunSettings, specs: Sequence[ChatSpec], chunks: Callable[[], Iterable[Sequence[Options]]]
) -> Score:
    """What brings log-probabilities of entailment, contradiction and neutral into the journal.

    Args:
        specs: the models, `hf/ID-OR-FOLDER`.
        chunks: premises (`prompt`) and hypotheses (the one option), a chunk at a time.
    """

    def score(number: int, journal: AnswerJournal, report: Report) -> dict[str, Any]:
        model, tokenizer, order = _opened(specs[number].text)
        for chunk in chunks():
            answered = journal.answers(number, chunk[0].number, chunk[-1].number)
            missing = [each for each in chunk if each.number not in answered]
            for start in range(0, len(missing), BATCH):
                part = missing[start : start + BATCH]
                scores = _log_probabilities(model, tokenizer, part, order)
                journal.add(
                    number,
                    (
                        Answered(each.number, 0, ChatAnswer(json.dumps(row), FINISH))
                        for each, row in zip(part, scores, strict=True)
                    ),
                )
                report(len(part))
        return {
            "name": specs[number].text,
            "architecture": "nli",
            "labels": [*model.config.id2label.values()],
        }

    return score


def _opened(text: str) -> tuple[Any, Any, list[int]]:
    """Model, tokenizer, and the places of `LABELS` among its outputs.

    Raises:
        UserError: it is no local model, cannot be loaded, or has other labels.
    """
    if not text.startswith("hf/"):
        raise UserError(f"--ask nli needs a local NLI model (hf/ID-OR-FOLDER); '{text}' is none.")
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    name = text.removeprefix("hf/")
    try:
        model = AutoModelForSequenceClassification.from_pretrained(name).eval()
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as problem:
        raise UserError(f"The NLI model '{text}' cannot be loaded: {first_line(problem)}") from problem
    labels = {int(place): str(label).lower() for place, label in model.config.id2label.items()}
    order = [next((k for k, label in labels.items() if label.startswith(each)), None) for each in LABELS]
    if len(labels) != len(LABELS) or None in order:
        raise UserError(
            f"'{text}' has the labels {', '.join(labels.values())}. Expected entailment, neutral and contradiction "
            "(id2label in its config.json)."
        )
    return model, tokenizer, [place for place in order if place is not None]


def _log_probabilities(
    model: Any, tokenizer: Any, part: Sequence[Options], order: Sequence[int]
) -> list[list[float]]:
    import torch

    texts = [each.prompt for each in part], [each.options[0] for each in part]
    batch = tokenizer(*texts, padding=True, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        logits = model(**batch).logits.float().log_softmax(-1)
    rows: list[list[float]] = logits[:, list(order)].tolist()
    return rows
