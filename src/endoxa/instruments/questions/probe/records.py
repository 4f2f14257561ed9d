"""From the journal to `records.parquet`: what was asked, what came back, and how it was read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.questions.answers import outcome, read_answer
from endoxa.instruments.questions.probe.items import items
from endoxa.instruments.questions.probe.jobs import Asked, asked_of, written
from endoxa.instruments.questions.probe.loglik import likeliest
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.folder import RECORDS
from endoxa.runs.items import chunked
from endoxa.runs.records import parquet_in_parts
from endoxa.schema import QA_RECORD_COLUMNS, ChatAnswer, Reading
from endoxa.schema.finish import THOUGHTS_ONLY

WHOLE_NUMBERS = (
    "label",
    "target",
    "unknown",
    "repeat",
    "seed",
    "choice",
    "prompt_tokens",
    "completion_tokens",
)
TYPES = {name: pl.Int64 if name in WHOLE_NUMBERS else pl.String for name in QA_RECORD_COLUMNS}


def write_records(settings: QaSettings, journal: AnswerJournal, out: Path) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "without_target": questions of which nobody knows the stereotyped option.
    """
    counts = {"records": 0, "without_target": 0}
    with parquet_in_parts(out / RECORDS) as add:
        for first, chunk in chunked(items(settings)):
            asked = [one for k, item in enumerate(chunk) for one in asked_of(item, first + k, settings)]
            rows = list(_rows(asked, settings, journal))
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
            counts["records"] += len(rows)
            counts["without_target"] += sum(item.target is None for item in chunk)
    return counts


def _rows(asked: Sequence[Asked], settings: QaSettings, journal: AnswerJournal) -> Iterator[dict[str, Any]]:
    for number, model in enumerate(settings.models):
        answers = journal.answers(number, asked[0].number, asked[-1].number)
        for one in asked:
            yield _row(one, model, settings.ask, answers[one.number])


def _row(asked: Asked, model: str, ask: str, answers: Sequence[ChatAnswer]) -> dict[str, Any]:
    item, last = asked.item, answers[-1]
    reading = read(asked, ask, last)
    thoughts = [answer.reasoning for answer in answers]
    return {
        "item_id": item.item_id,
        "category": item.category,
        "example_id": item.example_id,
        "variant": item.variant,
        "template": item.template,
        "question_polarity": item.polarity,
        "context_condition": item.condition,
        "language": item.language,
        "identity": item.identity,
        "association_id": item.association_id,
        "label": item.label,
        "target": item.target,
        "unknown": item.unknown,
        "model": model,
        "protocol": asked.protocol,
        "ask": ask,
        "repeat": asked.repeat,
        "seed": asked.seed,
        "order": written(asked.order),
        "answer": last.text,
        "turns": json.dumps([answer.text for answer in answers], ensure_ascii=False),
        "reasoning": json.dumps(thoughts, ensure_ascii=False) if any(thoughts) else "",
        "served_model": last.served_model,
        "finish": last.finish,
        "choice": reading.choice,
        "outcome": outcome(reading, item),
        "rule": reading.rule,
        "prompt_tokens": sum(answer.usage.prompt_tokens for answer in answers),
        "completion_tokens": sum(answer.usage.completion_tokens for answer in answers),
        "error": "; ".join(dict.fromkeys(answer.error for answer in answers if answer.error)),
    }


def read(asked: Asked, ask: str, answer: ChatAnswer) -> Reading:
    """What an answer says; a provider's own mark of refusal counts where no option was named."""
    if ask in ("loglik", "loglik-mean"):
        return Reading(likeliest(answer.text), refused=False, rule=ask)
    if not answer.text.strip() and answer.reasoning:
        return Reading(None, refused=False, rule=THOUGHTS_ONLY)
    reading = read_answer(answer.text, asked.item, asked.order)
    if answer.refused and reading.choice is None:
        return Reading(None, refused=True, rule="provider")
    return reading
