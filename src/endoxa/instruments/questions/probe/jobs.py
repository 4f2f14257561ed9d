"""From questions to conversations: order of options, prompt, and protocol.

Every item, repeat and protocol has a fixed number. The order of options is drawn from a recorded seed and depends on
nothing else that is asked. A question is put directly or in one of the two self-debiasing conversations (Gallegos et
al. 2025).
"""

from __future__ import annotations

import hashlib
import logging
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from endoxa.errors import UserError
from endoxa.instruments.questions.answers.read import read_answer
from endoxa.instruments.questions.probe.items import items
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.asking.cost import Expected, expect
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.schema import QaItem
from endoxa.sources.files import require_file
from endoxa.words.packs import words_by_language

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


def read_prompts(path: Path | None = None) -> dict[str, Prompts]:
    """Instructions by language: ours, or those of a TOML file.

    Raises:
        UserError: the file is no TOML, a language lacks an instruction, or there is none at all.
    """
    if path is None:
        ours = words_by_language("question_prompts.toml")
        return {language: Prompts(**instructions) for language, instructions in ours.items()}
    require_file(path)
    try:
        text = path.read_text(encoding="utf-8")
        prompts = TypeAdapter(dict[str, Prompts]).validate_python(tomllib.loads(text))
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not valid TOML: {problem}.") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        raise UserError(
            f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}. Each language needs: "
            f"{', '.join(Prompts.model_fields)}."
        ) from problem
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
        "no instructions in '%s': those in '%s' are used; --prompts FILE takes yours", language, instead
    )


def question(item: QaItem, order: Order) -> str:
    """Context, question and the options in the order given, each behind its letter."""
    options = (f"({letter}) {item.options[place]}" for letter, place in zip(LETTERS, order, strict=True))
    return "\n".join((item.context, item.question, *options))


ANSWER_TOKENS, TEXT_TOKENS, EXPLANATION_TOKENS = 4, 12, 200
"""Tokens expected in an answer, for `--plan`."""


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


def expected_tokens(protocol: str, ask: str, max_tokens: int | None) -> tuple[int, ...]:
    """Tokens expected in the answer to each turn."""
    answer = ANSWER_TOKENS if ask == "letters" else TEXT_TOKENS
    lengths = {"explanation": (EXPLANATION_TOKENS, answer), "reprompting": (answer, answer)}.get(
        protocol, (answer,)
    )
    return tuple(min(length, max_tokens or length) for length in lengths)


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
            )


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
    total = Expected()
    for job in jobs(once, prompts):
        lengths = expected_tokens(job.told["protocol"], settings.ask, most)
        total += expect(job, [most] * len(lengths) if longest and most else lengths)
    return total.times(settings.repeats)


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
