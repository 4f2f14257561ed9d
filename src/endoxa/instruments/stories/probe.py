"""What the probes of stories share, from items to conversations and records; and `endoxa probe stories`.

A probe is a declaration: which items a run takes, what is asked about each of them as often as it is repeated, and the
rows that its answers become. Conversations are numbered through, item by item and repeat by repeat.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.instrument import StoriesSettings
from endoxa.instruments.stories.outcomes import stories_written
from endoxa.runs.asking.cost import Planned, expect, parse_models, planned
from endoxa.runs.asking.jobs import FramedSettings, Job, draw_seed
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.outcomes import AnswerCounts
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.journal import JournalFile, Stratum, chosen, chunked, counted, each_once
from endoxa.schema import ChatAnswer
from endoxa.schema.stories import STORY_COLUMNS
from endoxa.sources.files import require_file, sha256
from endoxa.sources.stereotales.stories import WHOLE_NUMBERS, StoryPrompt, read_prompts
from endoxa.words.state import Tally, Used

T = TypeVar("T")

Answers = Mapping[str, Mapping[int, Sequence[ChatAnswer]]]
"""For each model, the answers of its conversations by their numbers."""
Row = tuple[Mapping[str, Any], Mapping[str, int]]
"""A row of the records, and what it adds to the counts of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Generic[T]):
    """What a run asks about stories.

    Attributes:
        settings: settings of the run.
        source: the file that the items are read from.
        available: gives the items anew after the filters, whatever part of them is taken.
        stratum: the groups of an item, see `endoxa.runs.journal.chosen`.
        content: all that an item says.
        name: what must be unique among the items.
        repeated: the sentence about a name that is there twice.
        nothing: the sentence where no item is left.
        ask: the conversation of this number about an item in this repeat, from 1; None where nothing can be asked.
        lengths: tokens expected in the answer to each turn.
        repeats: conversations about each item.
        types: columns of the records.
        rows: rows of some items, the number of the first conversation and the answers given.
        counts: what rows add to beside "records".
        outcomes: what became of the answers, from the records in the run folder.
        contents: see `endoxa.runs.asking.run.Questions`, beside the data.
        data: what `run.json` says of the data besides.
        in_memory: the items are in memory: their file is not read again when records are written.
        check: refuses settings that only a run needs, before anything is asked; is given the run folder.
    """

    settings: FramedSettings
    source: Path
    available: Callable[[], Iterable[T]]
    stratum: Callable[[T], Stratum]
    content: Callable[[T], str]
    name: Callable[[T], str]
    repeated: Callable[[str, int, int], str]
    nothing: str
    ask: Callable[[int, T, int], Job | None]
    lengths: Sequence[int]
    repeats: int
    types: Mapping[str, Any]
    rows: Callable[[int, Sequence[T], Answers], Iterable[Row]]
    counts: Sequence[str]
    outcomes: Callable[[Path], Sequence[AnswerCounts]]
    contents: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    in_memory: bool = False
    check: Callable[[Path], None] = lambda _: None

    def items(self) -> Iterator[T]:
        """The items that the run takes, in the order of the file."""
        return chosen(self.available, self.settings, self.stratum, self.content)

    def scan(self, journal: JournalFile | None = None) -> int:
        """Read all items once; how many there are.

        Args:
            journal: keeps their names, to notice one that is there twice; None does not look.

        Raises:
            UserError: none is left after the filters, or two have one name.
        """
        count = sum(1 for _ in each_once(self.items(), self.name, journal, self.repeated))
        if not count:
            raise UserError(self.nothing)
        return count

    def jobs(self) -> Iterator[Job]:
        """The conversations of the run, in the order of their numbers."""
        for index, item in enumerate(self.items()):
            for repeat in range(1, self.repeats + 1):
                job = self.ask(index * self.repeats + repeat - 1, item, repeat)
                if job is not None:
                    yield job.framed(self.settings)

    def each_answer(
        self, first: int, items: Sequence[T], answers: Answers
    ) -> Iterator[tuple[str, T, int, ChatAnswer]]:
        """Model, item, repeat and last answer of every conversation, model by model."""
        for model, by_number in answers.items():
            number = first
            for item in items:
                for repeat in range(1, self.repeats + 1):
                    yield model, item, repeat, by_number[number][-1]
                    number += 1

    def write_records(self, journal: AnswerJournal, out: Path) -> dict[str, int]:
        """Write `records.parquet` into the run folder; returns "records", its rows, and the counts of the probe."""
        totals = Counter(dict.fromkeys(("records", *self.counts), 0))
        with parquet_in_parts(out / RECORDS) as add:
            for start, items in chunked(self.items()):
                first, last = start * self.repeats, (start + len(items)) * self.repeats - 1
                answers = {
                    model: journal.answers(place, first, last)
                    for place, model in enumerate(self.settings.models)
                }
                rows = list(self.rows(first, items, answers))
                add(pl.DataFrame([cells for cells, _ in rows], schema=self.types, orient="row"))
                totals.update(records=len(rows))
                for _, counts in rows:
                    totals.update(counts)
        return dict(totals)

    def work(self, out: Path) -> Work:
        """The work of the run in a folder; counts "items", "records" and those of the probe.

        Raises:
            UserError: any user error in data, models or settings.
        """
        self.check(out)
        digest = sha256(self.source)
        return asking_work(
            Questions(
                settings=self.settings,
                specs=parse_models(self.settings.models),
                contents={"data": digest, **self.contents},
                data={"path": self.settings.data, "sha256": digest, **self.data},
                scan=self.scan,
                jobs=self.jobs,
                turns=len(self.lengths),
                calls=len(self.lengths) * self.repeats,
                write=self.write_records,
                outcomes=self.outcomes,
                files={} if self.in_memory else {self.source: digest},
                available=counted(self.available, self.settings),
            )
        )

    def plan(self) -> list[Planned]:
        """Expected calls, tokens and cost by model, nothing answered yet.

        Raises:
            UserError: as `work`, for data and the names of models.
        """
        specs = parse_models(self.settings.models)
        self.scan()
        return planned(self.settings, specs, expect((job, self.lengths) for job in self.jobs()))


def ending(answer: ChatAnswer) -> dict[str, Any]:
    """How an answer ended, in the columns that records have for it."""
    return {
        "finish": answer.finish,
        "served_model": answer.served_model,
        "prompt_tokens": answer.usage.prompt_tokens,
        "completion_tokens": answer.usage.completion_tokens,
        "error": answer.error,
    }


EXPECTED_TOKENS = 300
"""Tokens expected in a story of about 200 words, for `--plan`."""


def stories_probe(settings: StoriesSettings) -> Probe[StoryPrompt]:
    """Open-ended stories about a protagonist of whom the prompt names one attribute, as the models wrote them.

    Stories that the provider itself refused or filtered ("filtered") and prompts that it would not take ("failed") are
    rows as well.

    Raises:
        UserError: there is no such file.
    """
    source = Path(settings.data)
    require_file(source)
    filters = ", ".join((*settings.languages, *settings.themes))

    def available() -> Iterator[StoryPrompt]:
        return (
            prompt
            for prompt in read_prompts(source)
            if (not settings.languages or prompt.language in settings.languages)
            and (not settings.themes or prompt.theme in settings.themes)
        )

    def ask(number: int, prompt: StoryPrompt, repeat: int) -> Job:
        names = ("sample_id", "language", "target_attribute", "target_attribute_value")
        metadata = {
            "probe": "stories",
            **{name: getattr(prompt, name) for name in names},
            "associations": json.loads(prompt.associations or "[]"),
        }
        seed = draw_seed(settings.seed, repeat)
        return Job(number, (prompt.prompt,), settings.system, seed, metadata)

    def rows(first: int, prompts: Sequence[StoryPrompt], answers: Answers) -> Iterator[Row]:
        for model, prompt, repeat, answer in probe.each_answer(first, prompts, answers):
            draw = {"generator_model": model, "repeat": repeat, "seed": draw_seed(settings.seed, repeat)}
            cells = {**asdict(prompt), **draw, "story": answer.text, **ending(answer)}
            yield cells, {"filtered": answer.refused, "failed": bool(answer.error)}

    probe = Probe(
        settings=settings,
        source=source,
        available=available,
        stratum=lambda prompt: (
            *(prompt.language, prompt.target_attribute, prompt.theme, prompt.target_attribute_value),
        ),
        content=lambda prompt: prompt.prompt,
        name=lambda prompt: prompt.sample_id,
        repeated=lambda name, first, second: (
            f"{settings.data}: the prompt '{name}' appears twice (prompts {first} and {second}). Make sample_id "
            "unique; use --repeats to repeat prompts."
        ),
        nothing=f"{settings.data} contains no prompt{f' for {filters}' if filters else ''}. Expected at least one.",
        ask=ask,
        lengths=(min(EXPECTED_TOKENS, settings.sampling.max_tokens or EXPECTED_TOKENS),),
        repeats=settings.repeats,
        types={name: pl.Int64 if name in WHOLE_NUMBERS else pl.String for name in STORY_COLUMNS},
        rows=rows,
        counts=("filtered", "failed"),
        outcomes=stories_written,
    )
    return probe


def stories_words(settings: StoriesSettings) -> Used:
    """What the prompts say they were made with.

    Raises:
        UserError: the prompts cannot be read.
    """
    tally = Tally()
    for prompt in stories_probe(settings).items():
        tally.add_stated(prompt.built_by, prompt.words)
    return tally.used
