"""`endoxa probe harm`: models rate associations: harmful or not, and frequent in reality or not.

From associations to numbered conversations, one per association and repeat; from the journal to `records.parquet`,
with every raw answer and the rating read from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import polars as pl

from endoxa.instruments.stories.harm.answers import AnswerReader, HarmLanguage, read_language
from endoxa.instruments.stories.outcomes import ratings_read
from endoxa.instruments.stories.settings import HarmSettings
from endoxa.runs.asking.cost import Expected, Planned, expect, parse_models, planned
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.items import chosen, counted, untestable
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.sources.files import sha256
from endoxa.sources.stereotales.associations import distinct_associations, read_associations
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance
from endoxa.words.used import Tally, Used

First = Literal["harm", "frequent"]
Association = Mapping[str, str]
"""`association_id` and the four parts."""
ANSWER_TOKENS = 12
"""Tokens expected in an answer of two short lines."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One association as it is put once.

    Attributes:
        number: number of its job.
        association: its name and its four parts.
        repeat: which repeat, from 1.
        first: which question comes first.
        seed: seed of the draw.
    """

    number: int
    association: Association
    repeat: int
    first: First
    seed: int


def first_question(association_id: str, repeat: int, seed: int) -> First:
    """Which question comes first: each equally likely, decided by seed, association and repeat alone."""
    digest = hashlib.blake2b(f"{seed}|{repeat}|{association_id}".encode(), digest_size=8).digest()
    return "harm" if digest[0] % 2 == 0 else "frequent"


def turns(associations: Sequence[Association], settings: HarmSettings) -> Iterator[Turn]:
    """All that is put to one model, in the order of its numbers."""
    for index, association in enumerate(associations):
        for repeat in range(1, settings.repeats + 1):
            first = first_question(association["association_id"], repeat, settings.seed)
            number = index * settings.repeats + repeat - 1
            yield Turn(number, association, repeat, first, draw_seed(settings.seed, repeat))


def jobs(associations: Sequence[Association], settings: HarmSettings, words: HarmLanguage) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers."""
    reader = AnswerReader.of(words.answers, settings.language)
    for turn_of in turns(associations, settings):
        turn = question(turn_of.association, turn_of.first, words)
        metadata = {
            "probe": "harm",
            **turn_of.association,
            "order": turn_of.first,
            "language": settings.language,
        }
        yield Job(
            turn_of.number,
            (turn,),
            settings.system,
            turn_of.seed,
            metadata,
            readable=(partial(_readable, reader),),
        )


def _readable(reader: AnswerReader, answer: str) -> bool:
    return reader.read(answer).outcome != "unparsed"


def question(association: Association, first: First, words: HarmLanguage) -> str:
    """What is asked of an association: the statement, both questions, and the form of the answer."""
    wording = words.question
    base, compared = association["base_attribute"], association["compared_attribute"]
    statement = wording.statement.format(
        base=words.attribute(base),
        base_value=words.value(base, association["base_value"]),
        compared=words.attribute(compared),
        compared_value=words.value(compared, association["compared_value"]),
    )
    questions = [wording.harm, wording.frequent]
    lines = [": ".join(wording.harm_line), ": ".join(wording.frequent_line)]
    if first == "frequent":
        questions.reverse()
        lines.reverse()
    numbered = [f"{number}. {text}" for number, text in enumerate(questions, start=1)]
    return "\n".join([statement, "", wording.instruction, *numbered, "", wording.answer, *lines])


def expected_work(
    associations: Sequence[Association], settings: HarmSettings, words: HarmLanguage
) -> Expected:
    """Calls and tokens of one model, nothing answered yet."""
    total = Expected()
    for job in jobs(associations, settings, words):
        total += expect(job, [ANSWER_TOKENS])
    return total


CHUNK = 2048
"""Answers held in memory at a time, of each model."""
WHOLE_NUMBERS = ("repeat", "harm", "seed", "prompt_tokens", "completion_tokens")
TYPES = {name: pl.Int64 if name in WHOLE_NUMBERS else pl.String for name in HARM_RATING_COLUMNS}


def write_records(
    associations: Sequence[Association],
    settings: HarmSettings,
    reader: AnswerReader,
    journal: AnswerJournal,
    out: Path,
) -> dict[str, int]:
    """Write `records.parquet` into the run folder; returns how many rows there are, and how many could be used."""
    records = rated = 0
    with parquet_in_parts(out / RECORDS) as add:
        several = turns(associations, settings)
        while chunk := list(islice(several, CHUNK)):
            rows = pl.DataFrame(list(_rows(chunk, settings, reader, journal)), schema=TYPES, orient="row")
            add(rows)
            records += len(rows)
            rated += rows["harm"].count()
    return {"records": records, "rated": rated}


def _rows(
    chunk: Sequence[Turn], settings: HarmSettings, reader: AnswerReader, journal: AnswerJournal
) -> Iterator[dict[str, Any]]:
    for number, model in enumerate(settings.models):
        answers = journal.answers(number, chunk[0].number, chunk[-1].number)
        for turn in chunk:
            answer = answers[turn.number][-1]
            rating = reader.read(answer.text, refused=answer.refused)
            yield {
                **turn.association,
                "rater": model,
                "rater_kind": "model",
                "repeat": turn.repeat,
                "order": turn.first,
                "language": settings.language,
                "harm": rating.harm,
                "frequent": rating.frequent,
                "outcome": rating.outcome,
                "answer": answer.text,
                "seed": turn.seed,
                "finish": answer.finish,
                "served_model": answer.served_model,
                "prompt_tokens": answer.usage.prompt_tokens,
                "completion_tokens": answer.usage.completion_tokens,
                "error": answer.error,
            }


def harm_work(settings: HarmSettings, _out: Path) -> Work:
    """Every association to every model, `repeats` times.

    Raises:
        UserError: any user error in data, models or settings.
    """
    specs = parse_models(settings.models)
    associations, words = _associations(settings), _words(settings)
    reader = AnswerReader.of(words.answers, settings.language)
    digest = sha256(Path(settings.data))
    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={"data": digest, "prompts": words.model_dump(mode="json")},
            data={"path": settings.data, "sha256": digest},
            scan=lambda _: len(associations),
            jobs=lambda: jobs(associations, settings, words),
            turns=1,
            calls=settings.repeats,
            write=lambda journal, folder: write_records(associations, settings, reader, journal, folder),
            available=counted(lambda: available(settings), settings),
            outcomes=ratings_read,
        )
    )


def plan_harm(settings: HarmSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model; nothing is asked.

    Raises:
        UserError: as `harm_work`, for data and the names of models.
    """
    specs = parse_models(settings.models)
    return planned(settings, specs, expected_work(_associations(settings), settings, _words(settings)))


def harm_warning(settings: HarmSettings) -> str:
    """What a plan says where too few associations are rated to test anything; else empty."""
    needed = fewest_units(significance(DEFAULT_CONFIDENCE))
    return untestable(settings, len(_associations(settings)), "associations", needed)


def _associations(settings: HarmSettings) -> list[Association]:
    """The associations that a run takes, in the order of the file."""
    return list(chosen(lambda: available(settings), settings, _stratum, itemgetter("association_id")))


def _stratum(association: Association) -> tuple[str, ...]:
    return association["base_attribute"], association["compared_attribute"], association["base_value"]


def available(settings: HarmSettings) -> list[Association]:
    """The distinct associations of the file, in its order, whatever part of them is taken."""
    return list(distinct_associations(read_associations(Path(settings.data))).iter_rows(named=True))


def _words(settings: HarmSettings) -> HarmLanguage:
    return read_language(settings.language, Path(settings.prompts) if settings.prompts else None)


def harm_words(settings: HarmSettings) -> Used:
    """Our questions on harm, unless they are the user's."""
    tally = Tally()
    if settings.prompts is None:
        tally.add("harm study questions", [settings.language])
        tally.add("answer patterns", [settings.language])
    return tally.used
