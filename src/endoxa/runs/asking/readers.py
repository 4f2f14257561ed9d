"""Chat models as readers of texts: asked about each one, in a run folder of their own, for an answer of a known form.

Statements of surveys and thoughts of other models are read so. What to ask and what an answer says is up to the caller.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import polars as pl

from endoxa.runs.asking.cost import Planned, expect, parse_models, planned
from endoxa.runs.asking.jobs import ChatRunSettings, Job
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warnings, count_answers, read_counts
from endoxa.runs.asking.run import Questions, asking_lines, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Work
from endoxa.runs.run import measure
from endoxa.schema import Progress, Sampling

Reading = TypeVar("Reading")

ANSWER_TOKENS = 40
"""Tokens expected in an answer, for the plan."""


class ReaderSettings(ChatRunSettings):
    """Settings of reader models; `run.json` of the folder beside the table keeps them."""

    sampling: Sampling = Sampling(temperature=0)


@dataclass(frozen=True, slots=True)
class ToRead(Generic[Reading]):
    """A text as readers are asked about it.

    Attributes:
        name: what tells it from every other.
        message: what readers are asked.
        schema: JSON schema of the answer.
        read: what an answer says; None where it cannot be read.
        facts: what only a simulated reader is told.
    """

    name: str
    message: str
    schema: Mapping[str, Any]
    read: Callable[[str], Reading | None]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Texts(Generic[Reading]):
    """The texts of one kind that readers are asked about.

    Attributes:
        kind: word for the run in `run.json`, and its unit.
        holds: what the run folder holds.
        key: column of the records with the name of the text.
        texts: the texts, in the order in which they are asked about.
    """

    kind: str
    holds: str
    key: str
    texts: Sequence[ToRead[Reading]]

    def jobs(self, settings: ReaderSettings) -> Iterator[Job]:
        """A conversation about each text."""
        for number, text in enumerate(self.texts):
            facts = {"probe": self.kind, "name": text.name, **text.facts}
            readable = partial(_readable, text)
            yield Job(
                number, (text.message,), settings.system, settings.seed, facts, (text.schema,), (readable,)
            )


def read_with_models(
    texts: Texts[Reading],
    settings: ReaderSettings,
    folder: Path,
    *,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> tuple[dict[str, dict[str, Reading]], list[str]]:
    """What each reader says of each text, by reader and name of the text; and lines about cost.

    Answers that cannot be read are left out.

    Args:
        texts: the texts.
        settings: whom to ask, and how.
        folder: run folder; a run that was stopped goes on there, and nothing is paid twice.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: any user error: model, key, money, folder, or another run in the folder.
    """
    run = measure(_instrument(texts), settings, folder, progress=progress, command=command)
    by_name = {text.name: text for text in texts.texts}
    readings: dict[str, dict[str, Reading]] = {model: {} for model in settings.models}
    for row in pl.read_parquet(folder / RECORDS).iter_rows(named=True):
        name = row[texts.key]
        if (reading := by_name[name].read(row["answer"] or "")) is not None:
            readings[row["model"]][name] = reading
    return readings, [*asking_lines(run), *answer_warnings(read_counts(folder), run.facts)]


def plan_readers(texts: Texts[Any], settings: ReaderSettings) -> list[Planned]:
    """Expected calls, tokens and cost; nothing is asked.

    Raises:
        UserError: a model's name, or how it is to be asked.
    """
    work = expect((job, [ANSWER_TOKENS]) for job in texts.jobs(settings))
    return planned(settings, parse_models(settings.models), work)


def _instrument(texts: Texts[Any]) -> Instrument[ReaderSettings]:
    def work(settings: ReaderSettings, _folder: Path) -> Work:
        messages = json.dumps([[text.name, text.message] for text in texts.texts], ensure_ascii=False)
        digest = hashlib.sha256(messages.encode()).hexdigest()
        return asking_work(
            Questions(
                settings=settings,
                specs=parse_models(settings.models),
                contents={"data": digest},
                data={"path": settings.data, "sha256": digest},
                scan=lambda _: len(texts.texts),
                jobs=lambda: texts.jobs(settings),
                turns=1,
                calls=1,
                write=partial(_write, texts, settings.models),
                outcomes=partial(_outcomes, texts),
            )
        )

    return Instrument(
        name=texts.kind,
        holds=texts.holds,
        unit=texts.kind,
        settings=ReaderSettings,
        help=f"Read {texts.kind} with chat models.",
        work=work,
        summary=lambda _settings, _run: (),
    )


def _readable(text: ToRead[Any], answer: str) -> bool:
    return text.read(answer) is not None


def _write(texts: Texts[Any], models: Sequence[str], journal: AnswerJournal, folder: Path) -> dict[str, int]:
    rows = [
        (model, texts.texts[number].name, answer.text, answer.error, answer.finish, answer.served_model)
        for place, model in enumerate(models)
        for number, answers in sorted(journal.answers(place, 0, len(texts.texts) - 1).items())
        for answer in answers[-1:]
    ]
    columns = ("model", texts.key, "answer", "error", "finish", "served_model")
    with parquet_in_parts(folder / RECORDS) as add:
        add(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row"))
    return {"records": len(rows)}


def _outcomes(texts: Texts[Any], folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers of all readers."""
    by_name, records = {text.name: text for text in texts.texts}, pl.read_parquet(folder / RECORDS)
    read = [_readable(by_name[name], answer) for name, answer in records.select(texts.key, "answer").rows()]
    return count_answers(
        records.select(
            *("model", "finish", "error"),
            context=pl.lit(""),
            read=pl.Series(read, dtype=pl.Boolean),
            refused=pl.lit(value=False),
            blank=pl.col("answer").str.strip_chars() == "",
        )
    )
