"""`endoxa probe extract`: several models extract the profile of each story's main character.

From stories to conversations of two turns, and to `records.parquet`: each story with its profile, and every vote
behind it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.review.coding import require_new_sheet
from endoxa.errors import UserError
from endoxa.instruments.stories.associations.tables import FEWEST
from endoxa.instruments.stories.instrument import ExtractSettings
from endoxa.instruments.stories.outcomes import profiles_read
from endoxa.instruments.stories.probe import Answers, Probe, Row, most_of_a_value
from endoxa.instruments.stories.profiles.coding import load_extraction
from endoxa.instruments.stories.profiles.reading import (
    REFUSAL,
    Decision,
    ProfileReader,
    Vote,
    decide,
    majority,
    read_refusal,
    schemas_of,
    turns_of,
)
from endoxa.models.chat import ChatSpec
from endoxa.models.chat.simulated.model import SIMULATED
from endoxa.models.chat.simulated.stories import read_profile_line
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.asking.cost import parse_models, require_schemas
from endoxa.runs.asking.jobs import Job
from endoxa.runs.folder import AGREEMENT, NOTES, RECORDS, RUN
from endoxa.runs.items import part_of_run
from endoxa.runs.run import read_run
from endoxa.schema import ChatAnswer
from endoxa.schema.finish import ERROR, LENGTH, finish_reason
from endoxa.schema.provenance import BUILT_BY, WORDS
from endoxa.schema.stories import EXTRACTED_COLUMNS, EXTRACTOR_AGREEMENT_COLUMNS
from endoxa.sources.files import require_file
from endoxa.sources.frames import column_types, write_table
from endoxa.sources.stereotales import (
    OTHER,
    UNKNOWN,
    WHOLE_NUMBERS,
    Story,
    Vocabulary,
    read_stories,
    read_vocabulary,
    story_file,
)
from endoxa.stats.agreement import agreeing_pairs, alpha, alpha_interval
from endoxa.words.used import Tally, Used

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
        turns = turns_of(text, story.language, vocabulary)
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
        specs = parse_models(settings.models)
        require_schemas(settings, specs)
        _require_simulated(settings, specs)

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


LOOKED_AT = 100
"""Stories in which the line of a simulated teller is looked for."""


def _require_simulated(settings: ExtractSettings, specs: Sequence[ChatSpec]) -> None:
    """Refuse simulated readers of real stories: they take every one for a refusal.

    Raises:
        UserError: none of the first stories says its profile, and a model that is not simulated wrote one of them.
    """
    reader = next((spec for spec in specs if spec.host is SIMULATED), None)
    if reader is None:
        return
    stories = list(islice(read_stories(Path(settings.data)), LOOKED_AT))
    real = next((story for story in stories if not _is_simulated(story)), None)
    if real and not any(read_profile_line(story.text) for story in stories):
        raise UserError(
            f"{reader.text} is a simulated reader: it reads stories of simulated tellers only, which state their "
            f"profile, and '{real.name}' does not. Have a chat model read these: --model hf/FOLDER, openai/NAME ..."
        )


def _is_simulated(story: Story) -> bool:
    return (story.cells["generator_model"] or "").startswith(f"{SIMULATED.name}/")


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
    """What the stories say that their prompts were made with.

    Raises:
        UserError: the stories cannot be read.
    """
    tally = Tally()
    for story in extract_probe(settings).items():
        tally.add_stated(story.cells[BUILT_BY], story.cells[WORDS])
    return tally.used


CONFIDENCE = 0.95
RESAMPLES = 1000
VOTES = ("refusal", "votes_json", "refusal_votes_json", "unlisted_json")
"""Columns of the records that are read."""
PART = 20_000
"""Records read at a time."""

Patterns = Mapping[tuple[str, ...], int]
"""The votes on one story, sorted -> the number of stories that have them."""


def agreement_of_run(folder: Path) -> pl.DataFrame:
    """How far the extractors of a finished run agree: `EXTRACTOR_AGREEMENT_COLUMNS`.

    Raises:
        UserError: the folder holds no finished run of `probe extract`.
    """
    run = load_extraction(folder)
    return agreement_table(run.vocabulary, run.extractors, _records(folder), run.seed)


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    """The records one by one, read in parts."""
    scan, start = pl.scan_parquet(folder / RECORDS).select(VOTES), 0
    while (part := scan.slice(start, PART).collect()).height:
        yield from part.iter_rows(named=True)
        start += PART


def write_agreement(folder: Path, *, again: bool = False) -> Path:
    """Write `agreement.csv` into the folder of a finished run, unless it is there; with `again` in any case."""
    path = folder / AGREEMENT
    if again or not path.exists():
        write_table(agreement_of_run(folder), path)
    return path


def agreement_table(
    vocabulary: Vocabulary, extractors: int, records: Iterable[Mapping[str, Any]], seed: int
) -> pl.DataFrame:
    """One row per attribute, and one for the question of refusal (`EXTRACTOR_AGREEMENT_COLUMNS`).

    Records that no extractor was asked about count for nothing, and refusals for no attribute. Memory grows with the
    different patterns of votes, not with the stories.

    Args:
        vocabulary: the attributes.
        extractors: how many there are.
        records: rows with the columns `VOTES`.
        seed: seed of the intervals.
    """
    names = [attribute.name for attribute in vocabulary]
    patterns = {name: Counter[tuple[str, ...]]() for name in (REFUSAL, *names)}
    unlisted = {name: Counter[str]() for name in names}
    for record in records:
        refusals = json.loads(record["refusal_votes_json"] or "{}")
        if not refusals:
            continue
        patterns[REFUSAL][tuple(sorted(str(vote) for vote in refusals.values() if vote is not None))] += 1
        if record["refusal"]:
            continue
        profiles = [profile for profile in json.loads(record["votes_json"]).values() if profile is not None]
        for name in names:
            patterns[name][tuple(sorted(profile[name] for profile in profiles))] += 1
        for model, attributes in json.loads(record["unlisted_json"]).items():
            for name in attributes:
                unlisted[name][model] += 1
    rows = [_row(name, votes, unlisted.get(name), extractors, seed) for name, votes in patterns.items()]
    types = column_types(
        EXTRACTOR_AGREEMENT_COLUMNS, texts=("attribute", "unlisted_json"), counts=("n", "n_known")
    )
    return pl.DataFrame(rows, schema=types, orient="row").fill_nan(None)


def without_unknown(patterns: Patterns) -> Patterns:
    """The patterns without the votes for "unknown"."""
    left = Counter[tuple[str, ...]]()
    for votes, count in patterns.items():
        left[tuple(vote for vote in votes if vote != UNKNOWN)] += count
    return left


def _row(
    name: str, patterns: Patterns, unlisted: Counter[str] | None, extractors: int, seed: int
) -> dict[str, Any]:
    stories = sum(patterns.values())
    votes = sum(len(pattern) * count for pattern, count in patterns.items())
    row = {
        "attribute": name,
        **_alpha("n", "alpha", patterns, seed),
        "agreement": agreeing_pairs(*_counts(patterns)),
        "unparsed": _share(stories * extractors - votes, stories * extractors),
    }
    if unlisted is None:
        return row
    # None: no answer has more than half of the votes, or none was read.
    won = Counter[str | None]()
    for pattern, count in patterns.items():
        won[majority(pattern)] += count
    return row | {
        **_alpha("n_known", "alpha_known", without_unknown(patterns), seed),
        "ties": _share(won[None] - patterns.get((), 0), stories),
        "unknown": _share(won[UNKNOWN] + won[None], stories),
        "other": _share(won[OTHER], stories),
        "unlisted": _share(unlisted.total(), stories * extractors),
        "unlisted_json": json.dumps(dict(sorted(unlisted.items())), ensure_ascii=False),
    }


def _alpha(number: str, name: str, patterns: Patterns, seed: int) -> dict[str, Any]:
    """Stories with two votes or more, their alpha and its interval."""
    counts, weights = _counts(patterns)
    interval = alpha_interval(counts, weights, CONFIDENCE, resamples=RESAMPLES, seed=seed)
    return {
        number: int(weights.sum()),
        name: alpha(counts, weights=weights),
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def _counts(patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Votes per pattern and value, and stories per pattern, of patterns with two votes or more."""
    usable = {votes: count for votes, count in sorted(patterns.items()) if len(votes) >= 2}
    values = sorted({vote for votes in usable for vote in votes})
    counts = np.array([[votes.count(value) for value in values] for votes in usable], dtype=np.int64)
    return counts.reshape(len(usable), len(values)), np.array(list(usable.values()), dtype=np.int64)


def _share(count: int, total: int) -> float | None:
    return count / total if total else None
