"""`endoxa probe harm`: models rate associations: harmful or not, and frequent in reality or not.

From associations to conversations, one per association and repeat, and to `records.parquet`, with every raw answer and
the rating read from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Literal

import polars as pl

from endoxa.instruments.stories.harm.answers import AnswerReader, HarmLanguage, read_language
from endoxa.instruments.stories.instrument import HarmSettings
from endoxa.instruments.stories.outcomes import ratings_read
from endoxa.instruments.stories.probe import Answers, Probe, Row, ending
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.sources.stereotales.associations import distinct_associations, read_associations
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance
from endoxa.words.used import Tally, Used

First = Literal["harm", "frequent"]
Association = Mapping[str, str]
"""`association_id` and the four parts."""
ANSWER_TOKENS = 12
"""Tokens expected in an answer of two short lines."""
COUNTS = ("repeat", "harm", "seed", "prompt_tokens", "completion_tokens")
TYPES = {name: pl.Int64 if name in COUNTS else pl.String for name in HARM_RATING_COLUMNS}


def first_question(association_id: str, repeat: int, seed: int) -> First:
    """Which question comes first: each equally likely, decided by seed, association and repeat alone."""
    digest = hashlib.blake2b(f"{seed}|{repeat}|{association_id}".encode(), digest_size=8).digest()
    return "harm" if digest[0] % 2 == 0 else "frequent"


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


def harm_probe(settings: HarmSettings) -> Probe[Association]:
    """Every association to every model, `repeats` times; counts answers with a rating ("rated").

    Raises:
        UserError: the associations cannot be read, or there are no questions in the language.
    """
    source = Path(settings.data)
    associations: Sequence[Association] = distinct_associations(read_associations(source)).rows(named=True)
    words = read_language(settings.language, Path(settings.prompts) if settings.prompts else None)
    reader = AnswerReader.of(words.answers, settings.language)

    def drawn(association: Association, repeat: int) -> tuple[First, int]:
        """Which question comes first, and the seed of the draw."""
        first = first_question(association["association_id"], repeat, settings.seed)
        return first, draw_seed(settings.seed, repeat)

    def ask(number: int, association: Association, repeat: int) -> Job:
        first, seed = drawn(association, repeat)
        metadata = {"probe": "harm", **association, "order": first, "language": settings.language}
        readable = (lambda answer: reader.read(answer).outcome != "unparsed",)
        turns = (question(association, first, words),)
        return Job(number, turns, settings.system, seed, metadata, readable=readable)

    def rows(first: int, several: Sequence[Association], answers: Answers) -> Iterator[Row]:
        for model, association, repeat, answer in probe.each_answer(first, several, answers):
            order, seed = drawn(association, repeat)
            rating = reader.read(answer.text, refused=answer.refused)
            cells = {
                **association,
                "rater": model,
                "rater_kind": "model",
                "repeat": repeat,
                "order": order,
                "language": settings.language,
                "harm": rating.harm,
                "frequent": rating.frequent,
                "outcome": rating.outcome,
                "answer": answer.text,
                "seed": seed,
                **ending(answer),
            }
            yield cells, {"rated": rating.harm is not None}

    probe = Probe(
        settings=settings,
        source=source,
        available=lambda: associations,
        stratum=itemgetter("base_attribute", "compared_attribute", "base_value"),
        content=itemgetter("association_id"),
        name=itemgetter("association_id"),
        repeated=lambda name, _, __: (
            f"{settings.data}: the association '{name}' appears twice. Keep one row."
        ),
        nothing=f"{settings.data} contains no associations. Expected at least one.",
        ask=ask,
        lengths=(ANSWER_TOKENS,),
        repeats=settings.repeats,
        types=TYPES,
        rows=rows,
        counts=("rated",),
        outcomes=ratings_read,
        contents={"prompts": words.model_dump(mode="json")},
        in_memory=True,
        units=lambda several: sum(1 for _ in several),
        needed=fewest_units(significance(DEFAULT_CONFIDENCE)),
        noun="associations",
    )
    return probe


def harm_words(settings: HarmSettings) -> Used:
    """Our questions on harm, unless they are the user's."""
    tally = Tally()
    if settings.prompts is None:
        tally.add("harm study questions", [settings.language])
        tally.add("answer patterns", [settings.language])
    return tally.used
