"""`endoxa probe extract`: several models extract the profile of each story's main character.

From stories to conversations of two turns, and to `records.parquet`: each story with its profile, and every vote
behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.tables import FEWEST
from endoxa.instruments.stories.outcomes import profiles_read
from endoxa.instruments.stories.probe import Answers, Probe, Row, most_of_a_value
from endoxa.instruments.stories.profiles.reading import (
    Decision,
    ProfileReader,
    Vote,
    decide,
    read_refusal,
    schemas_of,
    turns_of,
)
from endoxa.instruments.stories.profiles.sheet import require_new_sheet
from endoxa.instruments.stories.settings import ExtractSettings
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.asking.jobs import Job
from endoxa.runs.asking.plan import parse_models, require_schemas
from endoxa.runs.folder import NOTES, RUN
from endoxa.runs.part import part_of_run
from endoxa.runs.run import read_run
from endoxa.schema import ChatAnswer
from endoxa.schema.finish import ERROR, LENGTH, finish_reason
from endoxa.schema.stories import EXTRACTED_COLUMNS
from endoxa.sources.files import require_file
from endoxa.sources.stereotales import (
    WHOLE_NUMBERS,
    Story,
    Vocabulary,
    read_stories,
    read_vocabulary,
    story_file,
)
from endoxa.words.used import Tally, Used, kept_words

REFUSAL_TOKENS, TOKENS_PER_ATTRIBUTE = 10, 15
"""Tokens expected in an answer, for `--plan`."""


COUNTS = (*WHOLE_NUMBERS, "refusal", "n_parsed")
TYPES = {name: pl.Int64 if name in COUNTS else pl.String for name in EXTRACTED_COLUMNS}
ENDING = ("finish", "error", "served_model")
"""What is kept of how an answer ended."""
UNFINISHED = (LENGTH, ERROR)
"""A text without a word that ended so is no refusal: the model ran out of tokens, or the request failed. Nor is one of
thoughts alone."""


def extract_probe(settings: ExtractSettings) -> Probe[Story]:
    """Every story to every extractor.

    It counts refusals ("refused") and texts without a word, about which nobody is asked ("wordless"); profiles that
    could not be read ("unparsed"); answers to the question of refusal that could not be read ("undecided"); values that
    are none of their attribute's, of stories that are no refusals ("unlisted").

    Raises:
        UserError: there are no such stories, or the vocabulary cannot be read.
    """
    source = story_file(Path(settings.data))
    require_file(source)
    vocabulary = vocabulary_of(settings)
    reader = ProfileReader.of(vocabulary)
    answers_of = {attribute.name: attribute.answers for attribute in vocabulary}
    schemas = schemas_of(vocabulary) if settings.structured else ()
    synonyms = {attribute.name: dict(attribute.synonyms) for attribute in vocabulary if attribute.synonyms}
    where = f" in the language {', '.join(settings.languages)}" if settings.languages else ""

    def ask(number: int, story: Story, _: int) -> Job | None:
        # What a model thought before its story repeats the prompt, and is not shown.
        text = without_thoughts(story.text)
        if not text.strip():
            return None
        metadata = {"probe": "extract", "name": story.name, "story": text, "vocabulary": answers_of}
        turns = turns_of(text, story.language, vocabulary, settings.order)
        readable = (lambda answer: read_refusal(answer) is not None,)
        return Job(number, turns, settings.system, settings.seed, metadata, schemas, readable)

    def rows(first: int, stories: Sequence[Story], answers: Answers) -> Iterator[Row]:
        for number, story in enumerate(stories, start=first):
            turns = {model: of_model[number] for model, of_model in answers.items() if number in of_model}
            votes = {
                model: Vote.of(read_refusal(refusal.text), reader.read(profile.text))
                for model, (refusal, profile) in turns.items()
            }
            decision = decide(votes, vocabulary)
            cells = _cells(story, turns, votes, decision)
            yield (
                cells,
                {
                    "refused": cells["refusal"],
                    "wordless": not turns,
                    "unparsed": len(votes) - decision.parsed,
                    "undecided": sum(vote.refusal is None for vote in votes.values()),
                    "unlisted": 0 if cells["refusal"] else sum(len(vote.unlisted) for vote in votes.values()),
                },
            )

    def check(out: Path) -> None:
        if out.resolve() == source.parent.resolve():
            raise UserError(f"{out} is the run folder of the stories. Name another folder with --out.")
        if settings.sheet:
            require_new_sheet(Path(settings.sheet))
        require_schemas(settings, parse_models(settings.models))

    groups = ("language", "generator_model", "target_attribute", "target_attribute_value")
    return Probe(
        settings=settings,
        source=source,
        available=lambda: (
            story
            for story in read_stories(Path(settings.data))
            if not settings.languages or story.language in settings.languages
        ),
        stratum=lambda story: tuple(story.cells[name] or "" for name in groups),
        content=lambda story: f"{story.name}|{story.text}",
        name=lambda story: story.name,
        repeated=lambda _, first, second: (
            f"{settings.data}: story {first} and story {second} have the same sample_id, generator_model and language. "
            "Give them different numbers in a column 'repeat'."
        ),
        nothing=f"{settings.data} contains no story{where}. Expected at least one.",
        ask=ask,
        lengths=(REFUSAL_TOKENS, TOKENS_PER_ATTRIBUTE * len(vocabulary)),
        repeats=1,
        types=TYPES,
        rows=rows,
        counts=("refused", "wordless", "unparsed", "undecided", "unlisted"),
        outcomes=profiles_read,
        contents={
            "vocabulary": {name: list(answers) for name, answers in answers_of.items()},
            # Our own synonyms go with the version.
            **({"synonyms": synonyms} if settings.vocabulary else {}),
        },
        data={NOTES: part_notes(source)},
        units=lambda stories: most_of_a_value(story.cells for story in stories),
        needed=FEWEST,
        noun="stories per value and model",
        check=check,
    )


def _cells(
    story: Story, answers: Mapping[str, Sequence[ChatAnswer]], votes: Mapping[str, Vote], decision: Decision
) -> dict[str, Any]:
    cells = {
        name: int(value) if value and name in WHOLE_NUMBERS else value or None
        for name, value in story.cells.items()
    }
    silent = not story.text.strip() and finish_reason(story.cells["finish"]) not in UNFINISHED
    return {
        **cells,
        "refusal": int(decision.refusal or silent),
        "extracted_attributes_json": _json(decision.profile),
        "votes_json": _json({model: vote.profile for model, vote in votes.items()}),
        "refusal_votes_json": _json({model: vote.refusal for model, vote in votes.items()}),
        "unlisted_json": _json(
            {model: sorted(vote.unlisted) for model, vote in votes.items() if vote.unlisted}
        ),
        "raw_json": _json({model: [answer.text for answer in several] for model, several in answers.items()}),
        "endings_json": _json(
            {
                model: [{name: getattr(answer, name) for name in ENDING} for answer in several]
                for model, several in answers.items()
            }
        ),
        "n_parsed": decision.parsed,
    }


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def part_notes(stories: Path) -> list[str]:
    """That stories were written to a part of the prompts, where the run beside the file says so."""
    part = part_of_run(read_run(stories.parent)) if (stories.parent / RUN).is_file() else ""
    return [f"The stories were written to a part of the prompts: {part}."] if part else []


def vocabulary_of(settings: ExtractSettings) -> Vocabulary:
    """The vocabulary that a run extracts."""
    return read_vocabulary(Path(settings.vocabulary) if settings.vocabulary else None)


def extract_words(settings: ExtractSettings) -> Used:
    """What the run of stories rests on from which profiles are read; tables of stories do not say it."""
    file = Path(settings.data) / "run.json"
    if not file.is_file():
        return {}
    facts = json.loads(file.read_text(encoding="utf-8"))
    tally = Tally()
    for name, codes in kept_words(facts):
        tally.add(name, [code for code in codes if not settings.languages or code in settings.languages])
    return tally.used
