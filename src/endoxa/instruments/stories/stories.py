"""`endoxa probe stories`: open-ended stories about a protagonist of whom one attribute is given.

From prompts to numbered conversations of one turn, one per prompt and repeat; from the journal to `records.parquet`,
one story per row, as the model wrote it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.tables import FEWEST
from endoxa.instruments.stories.outcomes import stories_written
from endoxa.instruments.stories.settings import StoriesSettings
from endoxa.runs.asking.cost import Expected, Planned, expect, parse_models, planned
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.items import chosen, chunked, counted, each_once, untestable
from endoxa.runs.journal import JournalFile
from endoxa.schema import ChatAnswer
from endoxa.schema.stories import STORY_COLUMNS
from endoxa.sources.files import require_file, sha256
from endoxa.sources.stereotales import WHOLE_NUMBERS, StoryPrompt, read_prompts
from endoxa.words.used import Tally, Used

EXPECTED_TOKENS = 300
"""Tokens expected in a story of about 200 words, for `--plan`."""


def prompts(settings: StoriesSettings) -> Iterator[StoryPrompt]:
    """The prompts that a run takes, in file order."""
    return chosen(lambda: available(settings), settings, _stratum, lambda prompt: prompt.prompt)


def _stratum(prompt: StoryPrompt) -> tuple[str, ...]:
    return (
        prompt.language,
        prompt.target_attribute,
        prompt.theme,
        prompt.target_attribute_value,
    )


def available(settings: StoriesSettings) -> Iterator[StoryPrompt]:
    """Every prompt in file order after the filters, whatever part of them is taken."""
    return (
        prompt
        for prompt in read_prompts(Path(settings.data))
        if (not settings.languages or prompt.language in settings.languages)
        and (not settings.themes or prompt.theme in settings.themes)
    )


def scan(settings: StoriesSettings, journal: JournalFile | None = None) -> int:
    """Read all prompts once; how many there are.

    Args:
        settings: which prompts.
        journal: keeps the ids, to notice one that is there twice; None does not look.

    Raises:
        UserError: none is left after the filters, or two have one id.
    """

    def repeated(name: str, first: int, second: int) -> str:
        return (
            f"{settings.data}: the prompt '{name}' appears twice (prompts {first} and {second}). Make sample_id "
            "unique; use --repeats to repeat prompts."
        )

    count = sum(1 for _ in each_once(prompts(settings), lambda prompt: prompt.sample_id, journal, repeated))
    if not count:
        filters = ", ".join((*settings.languages, *settings.themes))
        raise UserError(
            f"{settings.data} contains no prompt{f' for {filters}' if filters else ''}. Expected at least one."
        )
    return count


def number_of(index: int, repeat: int, settings: StoriesSettings) -> int:
    """Number of the job of the prompt with this index (from 0) in this repeat (from 1)."""
    return index * settings.repeats + repeat - 1


def jobs(settings: StoriesSettings) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers."""
    for index, prompt in enumerate(prompts(settings)):
        for repeat in range(1, settings.repeats + 1):
            number = number_of(index, repeat, settings)
            yield Job(
                number,
                (prompt.prompt,),
                settings.system,
                draw_seed(settings.seed, repeat),
                {
                    "probe": "stories",
                    "sample_id": prompt.sample_id,
                    "language": prompt.language,
                    "target_attribute": prompt.target_attribute,
                    "target_attribute_value": prompt.target_attribute_value,
                    "associations": json.loads(prompt.associations or "[]"),
                },
            )


def expected_work(settings: StoriesSettings) -> Expected:
    """Calls and tokens of one model, nothing answered yet."""
    length = min(EXPECTED_TOKENS, settings.sampling.max_tokens or EXPECTED_TOKENS)
    total = Expected()
    for job in jobs(settings):
        total += expect(job, (length,))
    return total


TYPES = {name: pl.Int64 if name in WHOLE_NUMBERS else pl.String for name in STORY_COLUMNS}


def write_records(settings: StoriesSettings, journal: AnswerJournal, out: Path) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "filtered": stories that the provider itself refused or filtered; "failed": prompts that
        it would not take. Neither disappears: their rows are there.
    """
    counts = {"records": 0, "filtered": 0, "failed": 0}
    with parquet_in_parts(out / RECORDS) as add:
        for first, chunk in chunked(prompts(settings)):
            rows = []
            for cells, answer in _answered(first, chunk, settings, journal):
                rows.append(
                    {
                        **cells,
                        **(
                            {
                                "story": answer.text,
                                "finish": answer.finish,
                                "served_model": answer.served_model,
                                "prompt_tokens": answer.usage.prompt_tokens,
                                "completion_tokens": answer.usage.completion_tokens,
                                "error": answer.error,
                            }
                        ),
                    }
                )
                counts["filtered"] += answer.refused
                counts["failed"] += bool(answer.error)
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
            counts["records"] += len(rows)
    return counts


def _answered(
    first: int, chunk: Sequence[StoryPrompt], settings: StoriesSettings, journal: AnswerJournal
) -> Iterator[tuple[dict[str, Any], ChatAnswer]]:
    """What each row of a chunk says of its question, with the answer."""
    last = number_of(first + len(chunk) - 1, settings.repeats, settings)
    for place, model in enumerate(settings.models):
        answers = journal.answers(place, number_of(first, 1, settings), last)
        for k, prompt in enumerate(chunk):
            for repeat in range(1, settings.repeats + 1):
                draw = {"generator_model": model, "repeat": repeat, "seed": draw_seed(settings.seed, repeat)}
                (answer,) = answers[number_of(first + k, repeat, settings)]
                yield {**asdict(prompt), **draw}, answer


def stories_work(settings: StoriesSettings, _out: Path) -> Work:
    """Every prompt to every model as often as asked; counts "items" (prompts), "records", "filtered" and "failed".

    Raises:
        UserError: any user error in data, models or settings.
    """
    require_file(Path(settings.data))
    specs = parse_models(settings.models)
    digest = sha256(Path(settings.data))
    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={"data": digest},
            data={"path": settings.data, "sha256": digest},
            scan=partial(scan, settings),
            jobs=lambda: jobs(settings),
            turns=1,
            calls=settings.repeats,
            write=partial(write_records, settings),
            outcomes=stories_written,
            files={Path(settings.data): digest},
            available=counted(lambda: available(settings), settings),
        )
    )


def plan_stories(settings: StoriesSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model.

    Raises:
        UserError: as `stories_work`, for data and the names of models.
    """
    require_file(Path(settings.data))
    specs = parse_models(settings.models)
    scan(settings)
    return planned(settings, specs, expected_work(settings))


def stories_warning(settings: StoriesSettings) -> str:
    """What a plan says where no value gets enough stories for a test; else empty."""
    counts = Counter((prompt.target_attribute, prompt.target_attribute_value) for prompt in prompts(settings))
    most = settings.repeats * max(counts.values())
    return untestable(settings, most, "stories per value and model", FEWEST)


def stories_words(settings: StoriesSettings) -> Used:
    """What the prompts say they were made with.

    Raises:
        UserError: the prompts cannot be read.
    """
    tally = Tally()
    for prompt in prompts(settings):
        tally.add_stated(prompt.built_by, prompt.words)
    return tally.used
