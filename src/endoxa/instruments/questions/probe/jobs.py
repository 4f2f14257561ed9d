"""From questions to conversations: order of options, prompt, and protocol.

Every item, repeat and protocol has a fixed number. The order of options is drawn from a recorded seed and depends on
nothing else that is asked. A question is put directly or in one of the two self-debiasing conversations (Gallegos et
al. 2025).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain, permutations
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from endoxa.curate.language import AssumedLanguage, language_of_questions
from endoxa.errors import UserError
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.answers.read import read_answer
from endoxa.runs.asking.cost import Expected, expect
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.journal import JournalFile, chosen, chunked, each_once
from endoxa.schema import QaItem
from endoxa.schema.qa import style_of
from endoxa.sources.bbq.items import find_metadata, read_items, targets_note
from endoxa.sources.files import require_file
from endoxa.sources.identities import identity_key
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import words_by_language
from endoxa.words.state import Tally, Used


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file of questions holds.

    Attributes:
        items: how many there are.
        label: what reports call the data.
        templates: number of their templates, which tests resample.
        styles: what those ask that endoxa made from associations (`schema.qa.STYLES`).
        note: how many have no target, and why; empty where all have one.
        names: how many names stand in the place of groups, and how many have a source; empty where none does.
    """

    items: int
    label: str
    templates: int
    styles: tuple[str, ...]
    note: str = ""
    names: str = ""


def metadata_of(settings: QaSettings) -> Path | None:
    """The metadata file named, or the one beside the data, or None."""
    return Path(settings.metadata) if settings.metadata else find_metadata(Path(settings.data))


def items(settings: QaSettings, *, part: bool = True) -> Iterator[QaItem]:
    """The questions that a run asks, in file order, or their variants with names.

    Args:
        settings: which questions.
        part: those that the run takes; else all that are left after the filters.

    Raises:
        UserError: the data or the file of names cannot be used.
    """
    if part and settings.sample is not None:
        return iter(_sample(settings.model_dump_json(), _state_of_files(settings)))
    return _asked(settings, part=part)


def without_names(settings: QaSettings) -> QaSettings:
    """The same settings, with the questions as they are."""
    return settings.model_copy(update={"names": None})


@lru_cache(maxsize=2)
def _sample(settings: str, _state: tuple[int, ...]) -> tuple[QaItem, ...]:
    """The sample of settings, given as JSON; drawn once for all that a run does with it, as its files are large."""
    return tuple(_asked(QaSettings.model_validate_json(settings), part=True))


def _asked(settings: QaSettings, *, part: bool) -> Iterator[QaItem]:
    if settings.names is not None:
        return _with_names(items(without_names(settings), part=part), settings.names, settings)
    return _taken(settings) if part else _filtered(settings.data, settings)


def _state_of_files(settings: QaSettings) -> tuple[int, ...]:
    """What changes when the files of the questions do: their sizes and times.

    Raises:
        UserError: there is no such file.
    """
    files = [Path(file) for file in (settings.data, settings.names, metadata_of(settings)) if file]
    for file in files:
        require_file(file)
    states = [file.stat() for file in files]
    return tuple(number for state in states for number in (state.st_size, state.st_mtime_ns))


def _taken(settings: QaSettings) -> Iterator[QaItem]:
    """The questions that a run takes of its data, in file order."""

    def stratum(item: QaItem) -> tuple[str, ...]:
        return item.language, item.category, item.condition, item.template, identity_key(item.identity)

    def content(item: QaItem) -> str:
        parts = (item.variant, item.polarity, item.context, item.question, item.options, item.label)
        return json.dumps(parts)

    return chosen(lambda: _filtered(settings.data, settings), settings, stratum, content)


def _with_names(questions: Iterable[QaItem], file: str, settings: QaSettings) -> Iterator[QaItem]:
    """The variants of these questions in a file of `build qa --names`; questions that have none are left out.

    Raises:
        UserError: a question of the file has no names, or another context or right answer than that of the data.
    """
    variants: dict[tuple[str, str], list[QaItem]] = defaultdict(list)
    for item in _filtered(file, settings):
        if not item.names:
            raise UserError(
                f"--names {file}: the question '{item.item_id}' has no names in place of groups. Expected a file of "
                "`endoxa build qa --names`."
            )
        variants[item.category, item.example_id].append(item)
    for question in questions:
        for item in variants[question.category, question.example_id]:
            if (item.condition, item.label) != (question.condition, question.label):
                raise UserError(
                    f"--names {file}: '{item.item_id}' has another context or right answer than the question "
                    f"'{question.item_id}' of the data. Make the file from these data with `endoxa build qa --names`."
                )
            yield item


def _filtered(file: str, settings: QaSettings) -> Iterator[QaItem]:
    """The questions of a file in the languages wanted."""
    stated = unstated_language(settings)
    questions = read_items(
        Path(file),
        metadata=metadata_of(settings),
        language=settings.languages[0] if len(settings.languages) == 1 else stated.code if stated else None,
        columns=settings.columns,
    )
    return (item for item in questions if not settings.languages or item.language in settings.languages)


def unstated_language(settings: QaSettings) -> AssumedLanguage | None:
    """The language that is taken for questions that do not name theirs; None where they do, or --language says it.

    Raises:
        UserError: the data cannot be read, or its language cannot be told.
    """
    if len(settings.languages) == 1:
        return None
    return language_of_questions(Path(settings.data), settings.columns)


def scan(settings: QaSettings, journal: JournalFile | None = None) -> Contents:
    """Read all items once.

    Args:
        settings: which items.
        journal: keeps the ids, to notice one that is there twice; None where that was done.

    Raises:
        UserError: none is left after the filters, or two have one id.
    """
    count = named = 0
    sources: dict[tuple[str, str], str | None] = {}
    categories: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    templates: set[str] = set()
    styles: set[str | None] = set()

    def repeated(name: str, first: int, second: int) -> str:
        return (
            f"{settings.data}: the item '{name}' appears twice (questions {first} and {second}). Make the combination "
            "of category, example_id and variant unique."
        )

    for item in each_once(items(settings), lambda item: item.item_id, journal, repeated):
        count += 1
        named += bool(item.names)
        sources |= {(group, name): item.name_sources.get(name) for group, name in item.names.items()}
        categories[item.category] += 1
        reasons[item.no_target] += 1
        templates.add(item.template)
        styles.add(style_of(item.built_by))
    if not count:
        language = f" in the language {', '.join(settings.languages)}" if settings.languages else ""
        where = f"{settings.names} contains none of the questions of {settings.data}"
        where = where if settings.names else f"{settings.data} contains no question"
        raise UserError(f"{where}{language}. Expected at least one.")
    category = next(iter(categories)) if len(categories) == 1 else Path(settings.data).stem
    label = settings.label or ("Name" if named == count else category)
    known = tuple(sorted(style for style in styles if style is not None))
    note = targets_note(reasons, count)
    stated = sum(source is not None for source in sources.values())
    names = (
        f"{stated:,} of {len(sources):,} names that stand for groups have a stated source." if sources else ""
    )
    return Contents(count, label, len(templates), known, note, names)


def words(settings: QaSettings) -> Used:
    """What the questions say they were made with; instructions, unless they are the user's; words that read answers.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    languages: set[str] = set()
    for item in items(settings):
        languages.add(item.language)
        tally.add_stated(item.built_by, item.words)
    if settings.prompts is None:
        tally.add("question prompts", languages)
    if not settings.by_likelihood:
        tally.add("answer words", languages)
        tally.add("answer patterns", languages)
    return tally.used


Order = tuple[int, int, int]
"""Order shown: `(2, 0, 1)` shows option 2 first."""

ORDERS = cast("tuple[Order, ...]", tuple(permutations(range(3))))
AS_PUBLISHED: Order = (0, 1, 2)


def order_of(item_id: str, repeat: int, seed: int) -> Order:
    """One of the six orders, each equally likely, decided by seed, item and repeat alone."""
    digest = hashlib.blake2b(f"{seed}|{repeat}|{item_id}".encode(), digest_size=8).digest()
    return ORDERS[int.from_bytes(digest) % len(ORDERS)]


def written(order: Order) -> str:
    """The order as records have it: '201'."""
    return "".join(map(str, order))


log = logging.getLogger(__name__)

LETTERS = "ABC"
FALLBACK = "en"


class Prompts(BaseModel):
    """Instructions in one language.

    Attributes:
        letters: asks for a letter.
        text: asks for the words of an option.
        explanation: asks which options rest on assumptions (first turn of the protocol "explanation").
        again: asks for the answer once more, without bias (second turn of "reprompting").
        answer: what stands before an option whose log-likelihood is taken.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    letters: str
    text: str
    explanation: str
    again: str
    answer: str


LACES = "laces"
"""Name of the published instructions that come with endoxa, in place of a file."""


def read_prompts(file: str | None = None) -> dict[str, Prompts]:
    """Instructions by language: ours, those of a TOML file, or those of LACES (`laces`).

    Raises:
        UserError: the file is no TOML, a language lacks an instruction, or there is none at all.
    """
    if file is None:
        ours = words_by_language("question_prompts.toml")
        return {language: Prompts(**instructions) for language, instructions in ours.items()}
    path = Path(file)
    if file == LACES and not path.exists():
        path = Path(__file__).with_name("laces.toml")
    each = f"Each language needs: {', '.join(Prompts.model_fields)}."
    prompts = {
        language: validated(Prompts, table, f"{path}, [{language}]", each)
        for language, table in read_toml(path).items()
    }
    if not prompts:
        raise UserError(f"{path} contains no instructions. Expected them under a language, for example [en].")
    return prompts


def prompts_for(prompts: Mapping[str, Prompts], language: str) -> Prompts:
    """Instructions in a language; English ones (or the first there are) where it has none, which is said once."""
    if language in prompts:
        return prompts[language]
    instead = FALLBACK if FALLBACK in prompts else next(iter(prompts))
    _say_once(language, instead)
    return prompts[instead]


@cache
def _say_once(language: str, instead: str) -> None:
    log.warning(
        "no instructions in '%s': those in '%s' are used; --set prompts=FILE takes yours", language, instead
    )


def question(item: QaItem, order: Order) -> str:
    """Context, question and the options in the order given, each behind its letter."""
    options = (f"({letter}) {item.options[place]}" for letter, place in zip(LETTERS, order, strict=True))
    return "\n".join((item.context, item.question, *options))


LIKELY_TOKENS = {"letters": 4, "text": 12}
EXPLANATION_TOKENS = 200
"""Tokens expected in an answer, by how it is asked for, and in an explanation, for `--plan`."""


def turns_of(item: QaItem, order: Order, prompts: Prompts, ask: str, protocol: str) -> tuple[str, ...]:
    """The user's messages of one conversation; the answer that counts is the last one.

    Structure as in LACES, appendix B.2; the words are ours (`question_prompts.toml`):
    "baseline" asks; "explanation" has the model say which options rest on assumptions and then asks; "reprompting"
    asks, and asks again for an answer without bias.
    """
    shown = question(item, order)
    instruction = prompts.letters if ask == "letters" else prompts.text
    text = f"{instruction}\n\n{shown}"
    if protocol == "explanation":
        return f"{prompts.explanation}\n\n{shown}", text
    if protocol == "reprompting":
        return text, prompts.again
    return (text,)


@dataclass(frozen=True, slots=True)
class Presentation:
    """One item as it is put once.

    Attributes:
        number: number of its job.
        item: the item.
        repeat: which repeat, from 1.
        protocol: how it is put.
        order: the options in the order shown.
        seed: seed of the draw.
    """

    number: int
    item: QaItem
    repeat: int
    protocol: str
    order: Order
    seed: int


def presentations_of(item: QaItem, index: int, settings: QaSettings) -> Iterator[Presentation]:
    """All ways in which the item with this index (from 0) is put, numbered one after the other."""
    number = index * settings.repeats * len(settings.protocols)
    for repeat in range(1, settings.repeats + 1):
        order = order_of(item.item_id, repeat, settings.seed) if settings.shuffle else AS_PUBLISHED
        for protocol in settings.protocols:
            yield Presentation(number, item, repeat, protocol, order, draw_seed(settings.seed, repeat))
            number += 1


def presented(settings: QaSettings) -> Iterator[tuple[list[QaItem], list[Presentation]]]:
    """The items of a run with all their presentations, a chunk at a time."""
    for first, chunk in chunked(items(settings)):
        ways = (presentations_of(item, first + k, settings) for k, item in enumerate(chunk))
        yield chunk, list(chain.from_iterable(ways))


def jobs(settings: QaSettings, prompts: Mapping[str, Prompts]) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers."""
    for index, item in enumerate(items(settings)):
        words = prompts_for(prompts, item.language)
        for presentation in presentations_of(item, index, settings):
            yield Job(
                presentation.number,
                turns_of(item, presentation.order, words, settings.ask, presentation.protocol),
                settings.system,
                presentation.seed,
                _simulation_facts(presentation, settings.ask),
                readable=(
                    *[None] * (presentation.protocol == "explanation"),
                    partial(_readable, presentation),
                ),
            ).framed(settings)


def _readable(presentation: Presentation, answer: str) -> bool:
    """Whether an answer names an option or declines to."""
    reading = read_answer(answer, presentation.item, presentation.order)
    return reading.choice is not None or reading.refused


def expected_work(settings: QaSettings, prompts: Mapping[str, Prompts], *, longest: bool = False) -> Expected:
    """Calls and tokens of one model, nothing answered yet.

    Args:
        settings: the run's settings.
        prompts: instructions by language.
        longest: every answer is as long as it may be.
    """
    once = settings.model_copy(update={"repeats": 1})  # every repeat takes the same
    most = settings.sampling.max_tokens
    answer = LIKELY_TOKENS.get(settings.ask, LIKELY_TOKENS["text"])

    def lengths(job: Job) -> list[int]:
        likely = [answer] * len(job.turns)
        if job.told["protocol"] == "explanation":
            likely[0] = EXPLANATION_TOKENS
        return [most if longest and most else min(length, most or length) for length in likely]

    return expect(((job, lengths(job)) for job in jobs(once, prompts)), settings.repeats)


def _simulation_facts(presentation: Presentation, ask: str) -> dict[str, Any]:
    """What only a simulated respondent is told."""
    item = presentation.item
    return {
        "probe": "qa",
        "item_id": item.item_id,
        "association_id": item.association_id,
        "condition": item.condition,
        "options": item.options,
        "order": presentation.order,
        "label": item.label,
        "target": item.target,
        "unknown": item.unknown,
        "substituted": bool(item.names),
        "protocol": presentation.protocol,
        "ask": ask,
        "language": item.language,
    }
