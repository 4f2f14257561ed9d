"""`endoxa probe extract`: several models extract the profile of each story's main character.

From stories to numbered conversations of two turns; from the journal to `records.parquet`: each story with its
profile, and every vote behind it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.tables import FEWEST
from endoxa.instruments.stories.outcomes import profiles_read
from endoxa.instruments.stories.profiles.reading import (
    Decision,
    ProfileReader,
    Read,
    Vote,
    decide,
    read_refusal,
    schemas_of,
    turns_of,
)
from endoxa.instruments.stories.profiles.sheet import require_new_sheet
from endoxa.instruments.stories.settings import ExtractSettings
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.asking.cost import Expected, Planned, expect, parse_models, planned, require_schemas
from endoxa.runs.asking.jobs import Job
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import NOTES, RECORDS, RUN
from endoxa.runs.instrument import Work
from endoxa.runs.items import chosen, chunked, counted, each_once, part_of_run, untestable
from endoxa.runs.journal import JournalFile
from endoxa.runs.run import read_run
from endoxa.schema import ChatAnswer
from endoxa.schema.finish import ERROR, LENGTH, finish_reason
from endoxa.schema.provenance import BUILT_BY, WORDS
from endoxa.schema.stories import EXTRACTED_COLUMNS
from endoxa.sources.files import require_file, sha256
from endoxa.sources.stereotales import (
    WHOLE_NUMBERS,
    Story,
    Vocabulary,
    read_stories,
    read_vocabulary,
    story_file,
)
from endoxa.words.used import Tally, Used

REFUSAL_TOKENS, TOKENS_PER_ATTRIBUTE = 10, 15
"""Tokens expected in an answer, for `--plan`."""


def stories(settings: ExtractSettings) -> Iterator[Story]:
    """The stories that a run takes, in file order."""
    return chosen(lambda: available(settings), settings, _stratum, lambda story: f"{story.name}|{story.text}")


def _stratum(story: Story) -> tuple[str, ...]:
    groups = ("language", "generator_model", "target_attribute", "target_attribute_value")
    return tuple(story.cells[name] or "" for name in groups)


def available(settings: ExtractSettings) -> Iterator[Story]:
    """Every story in file order after the filters, whatever part of them is taken."""
    return (
        story
        for story in read_stories(Path(settings.data))
        if not settings.languages or story.language in settings.languages
    )


def scan(settings: ExtractSettings, journal: JournalFile | None = None) -> int:
    """Read all stories once; how many there are.

    Args:
        settings: which stories.
        journal: keeps their names, to notice one that is there twice; None does not look.

    Raises:
        UserError: none is left after the filters, or one is there twice.
    """

    def repeated(_: str, first: int, second: int) -> str:
        return (
            f"{settings.data}: story {first} and story {second} have the same sample_id, generator_model and language. "
            "Give them different numbers in a column 'repeat'."
        )

    count = sum(1 for _ in each_once(stories(settings), lambda story: story.name, journal, repeated))
    if not count:
        where = f" in the language {', '.join(settings.languages)}" if settings.languages else ""
        raise UserError(f"{settings.data} contains no story{where}. Expected at least one.")
    return count


def jobs(settings: ExtractSettings, vocabulary: Vocabulary) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers; nobody is asked about a story without a word.

    What a model thought before its story repeats the prompt, and is not shown.
    """
    answers = {attribute.name: attribute.answers for attribute in vocabulary}
    schemas = schemas_of(vocabulary) if settings.structured else ()
    for number, story in enumerate(stories(settings)):
        text = without_thoughts(story.text)
        if text.strip():
            metadata = {"probe": "extract", "name": story.name, "story": text, "vocabulary": answers}
            turns = turns_of(text, story.language, vocabulary, settings.order)
            yield Job(
                number, turns, settings.system, settings.seed, metadata, schemas, (_says_whether_refused,)
            )


def _says_whether_refused(answer: str) -> bool:
    return read_refusal(answer) is not None


def expected_work(settings: ExtractSettings, vocabulary: Vocabulary) -> Expected:
    """Calls and tokens of one extractor, nothing answered yet."""
    total = Expected()
    for job in jobs(settings, vocabulary):
        total += expect(job, (REFUSAL_TOKENS, TOKENS_PER_ATTRIBUTE * len(vocabulary)))
    return total


COUNTS = (*WHOLE_NUMBERS, "refusal", "n_parsed")
TYPES = {name: pl.Int64 if name in COUNTS else pl.String for name in EXTRACTED_COLUMNS}
UNFINISHED = (LENGTH, ERROR)
"""A text without a word that ended so is no refusal: the model ran out of tokens, or the request failed. Nor is one of
thoughts alone."""


def write_records(
    settings: ExtractSettings, vocabulary: Vocabulary, journal: AnswerJournal, out: Path
) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "refused": refusals among them, and "wordless": texts without a word, about which nobody
        was asked; "unparsed": profiles that could not be read; "undecided": answers to the question of refusal that
        could not be read; "unlisted": values that are none of their attribute's, of stories that are no refusals.
    """
    reader = ProfileReader.of(vocabulary)
    counts: Counter[str] = Counter(records=0, refused=0, wordless=0, unparsed=0, undecided=0, unlisted=0)
    with parquet_in_parts(out / RECORDS) as add:
        for first, chunk in chunked(stories(settings)):
            rows = []
            for story, answers in _answered(first, chunk, settings, journal):
                votes = {
                    model: _vote(read_refusal(refusal.text), reader.read(profile.text))
                    for model, (refusal, profile) in answers.items()
                }
                decision = decide(votes, vocabulary)
                row = _row(story, answers, votes, decision)
                counts.update(
                    records=1,
                    refused=row["refusal"],
                    wordless=not answers,
                    unparsed=len(votes) - decision.parsed,
                    undecided=sum(vote.refusal is None for vote in votes.values()),
                    unlisted=0 if row["refusal"] else sum(len(vote.unlisted) for vote in votes.values()),
                )
                rows.append(row)
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
    return dict(counts)


def _answered(
    first: int, chunk: Sequence[Story], settings: ExtractSettings, journal: AnswerJournal
) -> Iterator[tuple[Story, dict[str, Sequence[ChatAnswer]]]]:
    """Each story with the answers of each extractor; none where nobody was asked."""
    last = first + len(chunk) - 1
    answered = [journal.answers(place, first, last) for place in range(len(settings.models))]
    for number, story in enumerate(chunk, start=first):
        yield (
            story,
            {
                model: answers[number]
                for model, answers in zip(settings.models, answered, strict=True)
                if number in answers
            },
        )


def _vote(refusal: bool | None, read: Read | None) -> Vote:
    return Vote(refusal, None) if read is None else Vote(refusal, read.profile, read.unlisted)


def _row(
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
        "endings_json": _json({model: list(map(_ending, several)) for model, several in answers.items()}),
        "n_parsed": decision.parsed,
    }


def _ending(answer: ChatAnswer) -> dict[str, str]:
    return {"finish": answer.finish, "error": answer.error, "served_model": answer.served_model}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


TURNS = 2


def extract_work(settings: ExtractSettings, out: Path) -> Work:
    """Every story to every extractor; counts "items" (stories), "records", "refused", "wordless" and "unparsed".

    Raises:
        UserError: any user error in data, vocabulary, models or settings.
    """
    source = story_file(Path(settings.data))
    require_file(source)
    if out.resolve() == source.parent.resolve():
        raise UserError(f"{out} is the run folder of the stories. Name another folder with --out.")
    if settings.sheet:
        require_new_sheet(Path(settings.sheet))
    specs = parse_models(settings.models)
    require_schemas(settings, specs)
    vocabulary = vocabulary_of(settings)
    digest = sha256(source)
    synonyms = {attribute.name: dict(attribute.synonyms) for attribute in vocabulary if attribute.synonyms}
    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={
                "data": digest,
                "vocabulary": {attribute.name: list(attribute.answers) for attribute in vocabulary},
                # Our own synonyms go with the version.
                **({"synonyms": synonyms} if settings.vocabulary else {}),
            },
            data={"path": settings.data, "sha256": digest, NOTES: part_notes(source)},
            scan=partial(scan, settings),
            jobs=lambda: jobs(settings, vocabulary),
            turns=TURNS,
            calls=TURNS,
            write=partial(write_records, settings, vocabulary),
            outcomes=profiles_read,
            files={source: digest},
            available=counted(lambda: available(settings), settings),
        )
    )


def part_notes(stories: Path) -> list[str]:
    """That stories were written to a part of the prompts, where the run beside the file says so."""
    part = part_of_run(read_run(stories.parent)) if (stories.parent / RUN).is_file() else ""
    return [f"The stories were written to a part of the prompts: {part}."] if part else []


def plan_extract(settings: ExtractSettings) -> list[Planned]:
    """Expected calls, tokens and cost by extractor.

    Raises:
        UserError: as `extract_work`, for data, vocabulary and the names of models.
    """
    require_file(story_file(Path(settings.data)))
    specs = parse_models(settings.models)
    scan(settings)
    return planned(settings, specs, expected_work(settings, vocabulary_of(settings)))


def extract_warning(settings: ExtractSettings) -> str:
    """What a plan says where no value has enough stories for a test; else empty."""
    values = ("generator_model", "target_attribute", "target_attribute_value")
    counts = Counter(tuple(story.cells[name] for name in values) for story in stories(settings))
    return untestable(settings, max(counts.values()), "stories per value and model", FEWEST)


def vocabulary_of(settings: ExtractSettings) -> Vocabulary:
    """The vocabulary that a run extracts."""
    return read_vocabulary(Path(settings.vocabulary) if settings.vocabulary else None)


def extract_words(settings: ExtractSettings) -> Used:
    """What the stories say that their prompts were made with.

    Raises:
        UserError: the stories cannot be read.
    """
    tally = Tally()
    for story in stories(settings):
        tally.add_stated(story.cells[BUILT_BY], story.cells[WORDS])
    return tally.used
