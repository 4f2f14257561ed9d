"""From items to conversations: order of options, order of words, and prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.instruments.choices.answers import readable
from endoxa.instruments.choices.items import read_items
from endoxa.instruments.choices.options import ORDERS, ChoiceSettings
from endoxa.instruments.choices.wording import COMPONENT, templates_of
from endoxa.runs.asking.cost import Expected, expect
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.journal import chosen
from endoxa.schema.choices import ChoiceItem, Word
from endoxa.words.state import Tally, Used

LETTERS = "ABC"
ANSWER_TOKENS, TEXT_TOKENS, WORD_TOKENS = 4, 12, 8
"""Tokens expected in an answer, and for each word of a list, for the plan."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """One item as it is put once.

    Attributes:
        number: number of its job.
        item: the item.
        repeat: which repeat, from 1.
        order: the options in the order shown.
        words: of a list, in the order shown.
        seed: seed of the draw.
    """

    number: int
    item: ChoiceItem
    repeat: int
    order: tuple[int, ...]
    words: tuple[Word, ...]
    seed: int


def filtered(settings: ChoiceSettings) -> Iterator[ChoiceItem]:
    """The items in the languages wanted."""
    for item in read_items(Path(settings.data)):
        if not settings.languages or item.language in settings.languages:
            yield item


def items(settings: ChoiceSettings) -> Iterator[ChoiceItem]:
    """The items that a run asks, in file order; an item and its counterpart together or not at all."""

    def pairs() -> Iterator[tuple[ChoiceItem, ...]]:
        return (tuple(pair) for _, pair in groupby(filtered(settings), lambda item: item.pair))

    def stratum(pair: tuple[ChoiceItem, ...]) -> tuple[str, ...]:
        item = pair[0]
        return item.language, item.axis, item.kind, item.identity_key, item.association_id, item.situation

    def content(pair: tuple[ChoiceItem, ...]) -> str:
        return "\n".join(json.dumps(asdict(item), sort_keys=True) for item in pair)

    taken: Iterator[tuple[ChoiceItem, ...]] = chosen(pairs, settings, stratum, content)
    return chain.from_iterable(taken)


def presentations_of(item: ChoiceItem, index: int, settings: ChoiceSettings) -> Iterator[Presentation]:
    """All ways in which the item with this index (from 0) is put: two orders in each repeat, as its counterpart is."""
    for repeat in range(1, settings.repeats + 1):
        random = np.random.default_rng([settings.seed, repeat, *item.pair.encode()])
        order = tuple(int(place) for place in random.permutation(len(item.options)))
        words = tuple(item.words[place] for place in random.permutation(len(item.words)))
        for turn in range(ORDERS):
            yield Presentation(
                (index * settings.repeats + repeat - 1) * ORDERS + turn,
                item,
                repeat,
                order[::-1] if turn else order,
                words,
                draw_seed(settings.seed, repeat * ORDERS + turn),
            )


def shown(presentation: Presentation) -> str:
    """The item with its options behind letters; a word list with its words."""
    item, words = presentation.item, templates_of(presentation.item.language)
    options = [item.options[place] for place in presentation.order]
    if item.kind == "association":
        instruction = item.question.format(first=options[0], second=options[1])
        listed = ", ".join(word.text for word in presentation.words)
        return f"{instruction}\n\n{words.association.words}: {listed}"
    lettered = [
        f"({letter}) {option[:1].upper()}{option[1:]}"
        for letter, option in zip(LETTERS, options, strict=False)
    ]
    if item.kind == "inference":
        labels = words.inference
        text = [f"{labels.first}: {item.context}", f"{labels.second}: {item.question}", labels.question]
    else:
        context = item.context.format(first=options[0], second=options[1])
        text = [f"{context[:1].upper()}{context[1:]} {item.question}"]
    return "\n".join((*text, *lettered))


def prompt(presentation: Presentation, ask: str) -> str:
    """What a chat model is asked."""
    words = templates_of(presentation.item.language)
    if presentation.item.kind == "association":
        return shown(presentation)
    return f"{words.letters if ask == 'letters' else words.text}\n\n{shown(presentation)}"


def jobs(settings: ChoiceSettings) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers."""
    for index, item in enumerate(items(settings)):
        for presentation in presentations_of(item, index, settings):
            yield Job(
                presentation.number,
                (prompt(presentation, settings.ask),),
                settings.system,
                presentation.seed,
                _simulation_facts(presentation, settings.ask),
                readable=(partial(readable, item, presentation.order),),
            ).framed(settings)


def _simulation_facts(presentation: Presentation, ask: str) -> dict[str, Any]:
    """What only a simulated respondent is told."""
    item = presentation.item
    told = ("item_id", "kind", "association_id", "premise", "options", "stereotyped", "language")
    return {
        "probe": "choices",
        **{name: getattr(item, name) for name in told},
        "order": presentation.order,
        "words": [(word.text, word.association_id, word.group) for word in presentation.words],
        "ask": ask,
    }


def expected_work(settings: ChoiceSettings, *, longest: bool = False) -> Expected:
    """Calls and tokens of one model, nothing answered yet."""
    most = settings.sampling.max_tokens

    def length(job: Job) -> int:
        words = job.told["words"]
        likely = WORD_TOKENS * len(words) or (ANSWER_TOKENS if settings.ask == "letters" else TEXT_TOKENS)
        return most if longest and most else min(likely, most or likely)

    single = jobs(settings.model_copy(update={"repeats": 1}))
    return expect(((job, [length(job)]) for job in single), settings.repeats)


def words(settings: ChoiceSettings) -> Used:
    """What items say they were made with, and the words that ask and that read answers."""
    tally = Tally()
    languages: set[str] = set()
    for item in items(settings):
        languages.add(item.language)
        tally.add_stated(item.built_by, item.made_with)
    for component in (COMPONENT, "answer words", "answer patterns"):
        tally.add(component, languages)
    return tally.used
