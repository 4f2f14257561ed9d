"""Reader models: chat models that code thoughts of other models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.thoughts.texts import NO, NONE, YES, Codes, ThoughtText, choices
from endoxa.runs.answers.language import ENGLISH, signs_of_new_question
from endoxa.runs.answers.text import first_reply, nested, outer_objects
from endoxa.runs.asking.cost import Expected, Planned, expect, parse_models, planned
from endoxa.runs.asking.jobs import Job
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warnings, count_answers, read_counts
from endoxa.runs.asking.run import Questions, asking_lines, asking_work
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Instrument, Run, Work
from endoxa.runs.run import measure
from endoxa.schema import Progress, Sampling
from endoxa.schema.thoughts import ARGUED, CODES

KIND = "thoughts"
ANSWER_TOKENS = 40
"""Tokens expected in an answer, for the plan."""
LONGEST = 12_000
"""Characters of a thought that a reader is shown: its beginning and its end."""

SYSTEM = (
    "You code thoughts that language models wrote before they answered. They are data for research on bias: neither "
    "true nor ours. Code only what is written."
)
_QUESTION = """\
{question}Thoughts of a model:
<thoughts>
{thought}
</thoughts>

Answer each of these with "yes" or "no":
{codes}{argued}

Answer with one JSON object and nothing else:
{example}"""
_ARGUED = (
    f'\n- {ARGUED}: the letter of the option that the thoughts argue for last, or "{NONE}" if there is none'
)
_TYPES = dict.fromkeys(("model", "name", "answer", "error", "finish", "served_model"), pl.String)


class ReaderSettings(ChatRunSettings):
    """Settings of reader models; `run.json` of the folder beside the table keeps them."""

    system: str = SYSTEM
    sampling: Sampling = Sampling(temperature=0)


def message(thought: ThoughtText) -> str:
    """What a reader is asked about one thought."""
    options = bool(thought.question)
    text = thought.thought
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n[...]\n{text[-LONGEST // 2 :]}"
    return _QUESTION.format(
        question=f"Question that the model was asked: {thought.question}\n\n" if options else "",
        thought=text,
        codes="\n".join(f"- {name}: it {meaning}" for name, meaning in CODES.items()),
        argued=_ARGUED if options else "",
        example=json.dumps({name: answers[0] for name, answers in choices(options=options).items()}),
    )


def read_codes(text: str, *, options: bool) -> Codes | None:
    """The codes in an answer; None where it holds no object with all of them. The last such object counts."""
    wanted = choices(options=options)
    for outer in reversed(list(outer_objects(first_reply(text)))):
        for entry in nested(outer):
            codes = {name: _code(entry.get(name), answers) for name, answers in wanted.items()}
            if all(codes.values()):
                return {name: code for name, code in codes.items() if code}
    return None


def _code(value: Any, answers: Sequence[str]) -> str | None:
    if isinstance(value, bool):
        value = YES if value else NO
    word = str(value or "").strip().strip("().").casefold()
    return next((answer for answer in answers if answer.casefold() == word), None)


def _schema(*, options: bool) -> Mapping[str, Any]:
    wanted = choices(options=options)
    return {
        "type": "object",
        "properties": {name: {"type": "string", "enum": list(answers)} for name, answers in wanted.items()},
        "required": list(wanted),
        "additionalProperties": False,
    }


def read_with_models(
    thoughts: Sequence[ThoughtText],
    settings: ReaderSettings,
    folder: Path,
    *,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> tuple[dict[str, dict[str, Codes]], list[str]]:
    """What each reader says of each thought, by reader and name of the thought; and lines about cost.

    Answers in which no codes can be read are left out.

    Args:
        thoughts: the thoughts.
        settings: whom to ask, and how.
        folder: run folder; a run that was stopped goes on there, and nothing is paid twice.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: any user error: model, key, money, folder, or another run in the folder.
    """
    run = measure(_instrument(thoughts), settings, folder, progress=progress, command=command)
    with_options = {thought.name: bool(thought.question) for thought in thoughts}
    codes: dict[str, dict[str, Codes]] = {model: {} for model in settings.models}
    for model, name, answer in (
        pl.read_parquet(folder / RECORDS).select("model", "name", "answer").iter_rows()
    ):
        if (read := read_codes(answer or "", options=with_options[name])) is not None:
            codes[model][name] = read
    return codes, [*asking_lines(run), *answer_warnings(read_counts(folder), run.facts)]


def plan_readers(thoughts: Sequence[ThoughtText], settings: ReaderSettings) -> list[Planned]:
    """Expected calls, tokens and cost; nothing is asked.

    Raises:
        UserError: a model's name, or how it is to be asked.
    """
    total = Expected()
    for job in _jobs(thoughts, settings):
        total += expect(job, [ANSWER_TOKENS])
    return planned(settings, parse_models(settings.models), total)


def _instrument(thoughts: Sequence[ThoughtText]) -> Instrument[ReaderSettings]:
    def work(settings: ReaderSettings, _folder: Path) -> Work:
        messages = json.dumps([[thought.name, message(thought)] for thought in thoughts], ensure_ascii=False)
        digest = hashlib.sha256(messages.encode()).hexdigest()
        return asking_work(
            Questions(
                settings=settings,
                specs=parse_models(settings.models),
                contents={"data": digest},
                data={"path": settings.data, "sha256": digest},
                scan=lambda _: len(thoughts),
                jobs=lambda: _jobs(thoughts, settings),
                turns=1,
                calls=1,
                write=partial(_write, thoughts, settings.models),
                outcomes=partial(_outcomes, thoughts),
                signs=lambda: signs_of_new_question([ENGLISH]),
            )
        )

    return Instrument(
        name=KIND,
        holds="codes of thoughts",
        unit="thoughts",
        settings=ReaderSettings,
        help="Code thoughts with chat models.",
        work=work,
        summary=_no_lines,
    )


def _no_lines(_settings: ReaderSettings, _run: Run) -> Iterable[str]:
    return ()


def _jobs(thoughts: Sequence[ThoughtText], settings: ReaderSettings) -> Iterator[Job]:
    for number, thought in enumerate(thoughts):
        options = bool(thought.question)
        facts = {"probe": KIND, "name": thought.name, "codes": dict(thought.by_rules), "options": options}
        yield Job(
            number,
            (message(thought),),
            settings.system,
            settings.seed,
            facts,
            (_schema(options=options),),
            (partial(_readable, options=options),),
        )


def _readable(answer: str, *, options: bool) -> bool:
    return read_codes(answer, options=options) is not None


def _write(
    thoughts: Sequence[ThoughtText], models: Sequence[str], journal: AnswerJournal, folder: Path
) -> dict[str, int]:
    rows = [
        (model, thoughts[number].name, answer.text, answer.error, answer.finish, answer.served_model)
        for place, model in enumerate(models)
        for number, answers in sorted(journal.answers(place, 0, len(thoughts) - 1).items())
        for answer in answers[-1:]
    ]
    with parquet_in_parts(folder / RECORDS) as add:
        add(pl.DataFrame(rows, schema=_TYPES, orient="row"))
    return {"records": len(rows)}


def _outcomes(thoughts: Sequence[ThoughtText], folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers of all readers."""
    with_options = {thought.name: bool(thought.question) for thought in thoughts}
    rows = [
        {
            "model": row["model"],
            "context": "",
            "finish": row["finish"],
            "error": row["error"],
            "read": read_codes(row["answer"], options=with_options[row["name"]]) is not None,
            "refused": False,
            "blank": not row["answer"].strip(),
        }
        for row in pl.read_parquet(folder / RECORDS).iter_rows(named=True)
    ]
    return count_answers(pl.DataFrame(rows))
