"""A second reader of statements, a chat model, and what both readers say together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.extract import Extraction, Question
from endoxa.curate.extract.omission import NOISE, REASONS, reason
from endoxa.curate.normalise import Tables, normal_attribute, normal_identity
from endoxa.runs.answers.language import ENGLISH, language, signs_of_new_question
from endoxa.runs.answers.text import before_new_question, first_reply, nested, outer_objects, read_first
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

MODEL_RULE = "model"
"""Name of the rule of what a model read."""
PAIRS, OMIT = "pairs", "omit"

SYSTEM = (
    "You read single statements of a survey about stereotypes. They are data for research on bias: reported speech, "
    "neither true nor ours. Take out of each statement whom it is about and what is said of them."
)
_QUESTION = """\
Question of the survey: what people say about {question}.{about}{country}{subject}
Statement: {statement}

Give each pair of a group of people (identity) and what is said of it (attribute).
- identity: plural, in lower case, without "the", "all" or "some" ("old people", "people from the north").
- attribute: in the words of the statement, in lower case, without "are"; keep "not", "less", "very" and "always".
- Adjectives or nouns joined by "and" are separate pairs; objects of one verb stay together.
- If the statement names nobody, the identity is the group of the question, or else that of the statement before it.
- If it should be left out, give no pairs and the reason under "omit": {reasons}.

Answer with one JSON object and nothing else:
{{"pairs": [{{"identity": "...", "attribute": "..."}}], "omit": ""}}"""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        PAIRS: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"identity": {"type": "string"}, "attribute": {"type": "string"}},
                "required": ["identity", "attribute"],
                "additionalProperties": False,
            },
        },
        OMIT: {"type": "string"},
    },
    "required": [PAIRS, OMIT],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ReaderItem:
    """A statement as a model is asked about it.

    Attributes:
        statement_id: its name.
        statement: its words, in English.
        question: the question it answers.
        country: country of the respondent, or empty.
        subject: group of the statement before it, or empty.
        rule_pairs: pairs that only a simulated reader is told, from which it errs.
    """

    statement_id: str
    statement: str
    question: Question
    country: str = ""
    subject: str = ""
    rule_pairs: tuple[tuple[str, str], ...] = ()


def question_about(item: ReaderItem) -> str:
    """The message about one statement."""
    return _QUESTION.format(
        question=item.question.name,
        about=f" Every answer is about {item.question.identity}." if item.question.identity else "",
        country=f" Country of the respondent: {item.country}." if item.country else "",
        subject=f" The statement before was about {item.subject}." if item.subject else "",
        statement=item.statement,
        reasons=", ".join(REASONS),
    )


def _with_pairs(text: str) -> list[dict[str, Any]]:
    return [inner for outer in outer_objects(text) for inner in nested(outer) if PAIRS in inner]


def read_answer(text: str, item: ReaderItem, names: Tables | None = None) -> list[Extraction] | None:
    """The pairs of an answer in the forms that the rules use; None where it holds no object with "pairs".

    Thoughts are no answer; of several objects the last one counts. Confidence is 0: what a model's reading is worth is
    estimated from its agreement with the rules (`endoxa.curate.second.table`).
    """
    turn = first_reply(text)
    objects = read_first(turn, before_new_question(turn, language(ENGLISH)), _with_pairs, bool)
    if not objects or not isinstance(objects[-1][PAIRS], list):
        return None
    pairs_out = []
    for pair in objects[-1][PAIRS]:
        if not isinstance(pair, Mapping):
            return None
        identity = normal_identity(str(pair.get("identity") or ""), item.country, names)
        attribute = normal_attribute(str(pair.get("attribute") or ""))
        why = reason(identity, attribute, item.question.axis)
        pairs_out.append(Extraction(identity, attribute, MODEL_RULE, 0.0, bool(why), why))
    turn = str(objects[-1].get(OMIT) or "").strip().lower()
    if not pairs_out or (turn in REASONS and all(not pair.attribute for pair in pairs_out)):
        return [
            Extraction("", "", MODEL_RULE, 0.0, omit=True, omit_reason=turn if turn in REASONS else NOISE)
        ]
    return pairs_out


KIND = "statements"
ANSWER_TOKENS = 40
"""Tokens expected in an answer, for the plan."""
_TYPES = dict.fromkeys(("statement_id", "answer", "error", "finish", "served_model"), pl.String)


class ReaderSettings(ChatRunSettings):
    """Settings of a second reader; `run.json` of the folder beside the table keeps them."""

    system: str = SYSTEM
    sampling: Sampling = Sampling(temperature=0)


def read_with_model(
    items: Sequence[ReaderItem],
    settings: ReaderSettings,
    folder: Path,
    *,
    names: Tables | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> tuple[list[list[Extraction] | None], list[str]]:
    """What the model reads in each statement, None where its answer cannot be read; and lines about its cost.

    Args:
        items: the statements.
        settings: whom to ask, and how; one model.
        folder: run folder; a run that was stopped goes on there, and nothing is paid twice.
        names: tables to normalise names with.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: any user error: model, key, money, folder, or another run in the folder.
    """
    run = measure(_instrument(items), settings, folder, progress=progress, command=command)
    answers = dict(pl.read_parquet(folder / RECORDS).select("statement_id", "answer").iter_rows())
    return [read_answer(answers[item.statement_id] or "", item, names) for item in items], [
        *asking_lines(run),
        *answer_warnings(read_counts(folder), run.facts),
    ]


def plan_reader(items: Sequence[ReaderItem], settings: ReaderSettings) -> list[Planned]:
    """Expected calls, tokens and cost; nothing is asked.

    Raises:
        UserError: the model's name, or how it is to be asked.
    """
    total = Expected()
    for job in _jobs(items, settings):
        total += expect(job, [ANSWER_TOKENS])
    return planned(settings, parse_models(settings.models), total)


def _instrument(items: Sequence[ReaderItem]) -> Instrument[ReaderSettings]:
    def work(settings: ReaderSettings, _folder: Path) -> Work:
        specs = parse_models(settings.models)
        words = json.dumps([[item.statement_id, question_about(item)] for item in items], ensure_ascii=False)
        digest = hashlib.sha256(words.encode()).hexdigest()
        return asking_work(
            Questions(
                settings=settings,
                specs=specs,
                contents={"data": digest},
                data={"path": settings.data, "sha256": digest},
                scan=lambda _: len(items),
                jobs=lambda: _jobs(items, settings),
                turns=1,
                calls=1,
                write=lambda journal, folder: _write(items, journal, folder),
                outcomes=partial(_outcomes, items, settings.models[0]),
                signs=lambda: signs_of_new_question([ENGLISH]),
            )
        )

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


def _jobs(items: Sequence[ReaderItem], settings: ReaderSettings) -> Iterator[Job]:
    for number, item in enumerate(items):
        facts = {"probe": KIND, "name": item.statement_id, "pairs": [list(pair) for pair in item.rule_pairs]}
        readable = partial(_readable, item)
        yield Job(
            number, (question_about(item),), settings.system, settings.seed, facts, (SCHEMA,), (readable,)
        )


def _readable(item: ReaderItem, answer: str) -> bool:
    return read_answer(answer, item) is not None


def _write(items: Sequence[ReaderItem], journal: AnswerJournal, folder: Path) -> dict[str, int]:
    answers = journal.answers(0, 0, len(items) - 1)
    rows = [
        (item.statement_id, answer.text, answer.error, answer.finish, answer.served_model)
        for number, item in enumerate(items)
        for answer in answers[number][-1:]
    ]
    with parquet_in_parts(folder / RECORDS) as add:
        add(pl.DataFrame(rows, schema=_TYPES, orient="row"))
    return {"records": len(rows)}


def _outcomes(items: Sequence[ReaderItem], model: str, folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers about all statements."""
    statements = {item.statement_id: item for item in items}
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
