"""A chat model asked about every statement: journal, batches, cost and plan are those of every run that asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from endoxa.curate.extract import Extraction
from endoxa.curate.normalise import Tables
from endoxa.curate.second.prompt import SCHEMA, SYSTEM, Asked, question_about, read_answer
from endoxa.runs.answers.language import ENGLISH, signs_of_new_question
from endoxa.runs.asking.cost import Expected, expect
from endoxa.runs.asking.jobs import Job
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warnings, count_answers, read_counts
from endoxa.runs.asking.plan import Planned, parse_models, planned
from endoxa.runs.asking.run import Questions, asking_lines, asking_work
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Run, Work
from endoxa.runs.records import parquet_in_parts
from endoxa.runs.run import measure
from endoxa.schema import Progress, Sampling

KIND = "statements"
ANSWER_TOKENS = 40
"""Tokens expected in an answer, for the plan."""
_TYPES = dict.fromkeys(("statement_id", "answer", "error", "finish", "served_model"), pl.String)


class ReaderSettings(ChatRunSettings):
    """Settings of a second reader; `run.json` of the folder beside the table keeps them."""

    system: str = SYSTEM
    sampling: Sampling = Sampling(temperature=0)


def read_with_model(
    asked: Sequence[Asked],
    settings: ReaderSettings,
    folder: Path,
    *,
    known: Tables | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> tuple[list[list[Extraction] | None], list[str]]:
    """What the model reads in each statement, None where its answer cannot be read; and lines about its cost.

    Args:
        asked: the statements.
        settings: whom to ask, and how; one model.
        folder: run folder; a run that was stopped goes on there, and nothing is paid twice.
        known: tables to normalise names with.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: any user error: model, key, money, folder, or another run in the folder.
    """
    run = measure(_instrument(asked), settings, folder, progress=progress, command=command)
    answers = dict(pl.read_parquet(folder / RECORDS).select("statement_id", "answer").iter_rows())
    return [read_answer(answers[one.statement_id] or "", one, known) for one in asked], [
        *asking_lines(run),
        *answer_warnings(read_counts(folder), run.facts),
    ]


def plan_reader(asked: Sequence[Asked], settings: ReaderSettings) -> list[Planned]:
    """Expected calls, tokens and cost; nothing is asked.

    Raises:
        UserError: the model's name, or how it is to be asked.
    """
    total = Expected()
    for job in _jobs(asked, settings):
        total += expect(job, [ANSWER_TOKENS])
    return planned(settings, parse_models(settings.models), total)


def _instrument(asked: Sequence[Asked]) -> Instrument[ReaderSettings]:
    def work(settings: ReaderSettings, _folder: Path) -> Work:
        return _work(asked, settings)

    return Instrument(
        name=KIND,
        holds="readings of statements",
        unit="statements",
        settings=ReaderSettings,
        help="Read statements with a chat model.",
        work=work,
        summary=_no_lines,
    )


def _no_lines(_settings: ReaderSettings, _run: Run) -> Iterable[str]:
    return ()


def _work(asked: Sequence[Asked], settings: ReaderSettings) -> Work:
    specs = parse_models(settings.models)
    words = json.dumps([[one.statement_id, question_about(one)] for one in asked], ensure_ascii=False)
    digest = hashlib.sha256(words.encode()).hexdigest()
    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={"data": digest},
            data={"path": settings.data, "sha256": digest},
            scan=lambda _: len(asked),
            jobs=lambda: _jobs(asked, settings),
            turns=1,
            calls=1,
            write=lambda journal, folder: _write(asked, journal, folder),
            outcomes=partial(_outcomes, asked, settings.models[0]),
            signs=lambda: signs_of_new_question([ENGLISH]),
        )
    )


def _jobs(asked: Sequence[Asked], settings: ReaderSettings) -> Iterator[Job]:
    for number, one in enumerate(asked):
        told = {"probe": KIND, "name": one.statement_id, "pairs": [list(pair) for pair in one.told]}
        readable = partial(_readable, one)
        yield Job(
            number, (question_about(one),), settings.system, settings.seed, told, (SCHEMA,), (readable,)
        )


def _readable(one: Asked, answer: str) -> bool:
    return read_answer(answer, one) is not None


def _write(asked: Sequence[Asked], journal: AnswerJournal, folder: Path) -> dict[str, int]:
    answers = journal.answers(0, 0, len(asked) - 1)
    rows = [
        (one.statement_id, answer.text, answer.error, answer.finish, answer.served_model)
        for number, one in enumerate(asked)
        for answer in answers[number][-1:]
    ]
    with parquet_in_parts(folder / RECORDS) as add:
        add(pl.DataFrame(rows, schema=_TYPES, orient="row"))
    return {"records": len(rows)}


def _outcomes(asked: Sequence[Asked], model: str, folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers about all statements."""
    statements = {one.statement_id: one for one in asked}
    rows = [
        {
            "model": model,
            "context": "",
            "finish": row["finish"],
            "error": row["error"],
            "read": read_answer(row["answer"], statements[row["statement_id"]]) is not None,
            "refused": False,
            "blank": not row["answer"].strip(),
        }
        for row in pl.read_parquet(folder / RECORDS).iter_rows(named=True)
    ]
    return count_answers(pl.DataFrame(rows))
