"""What chat models are asked: the settings of such runs, conversations, and the first answers.

A job is one conversation. The first answers stop a run where none of them can be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from annotated_types import Gt
from pydantic import model_validator

from endoxa.errors import UserError
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.chat.thoughts import spoken
from endoxa.models.keys import refuse_secrets
from endoxa.runs.options import EngineOptions, RunSettings, Seed
from endoxa.schema import ChatAnswer, Message, Sampling
from endoxa.schema.finish import ERROR, LENGTH
from endoxa.schema.options import ASKING, DATA, MONEY, NETWORK, Option, Setting, finite

CHAT_MODELS = (
    "Model: openai/NAME, anthropic/NAME, PROVIDER/NAME, http://HOST:PORT/v1#NAME, hf/ID-OR-FOLDER or sim/NAME; "
    "repeatable."
)

BY_LIKELIHOOD = ("loglik", "loglik-mean")
"""Ways of asking in which options are scored and nothing is generated (`endoxa.runs.asking.likelihoods`)."""


class ChatRunSettings(RunSettings):
    """Settings that all these runs share.

    Attributes:
        data: file with what is asked about.
        models: models as written on the command line.
        system: System message.
        sampling: how answers are drawn.
        options: how models are reached or loaded.
        engine: where local weights run.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        retry_errors: Ask again what ended with an error; answers are kept.
    """

    data: str
    models: Annotated[tuple[str, ...], Option(CHAT_MODELS, DATA, name="--model", metavar="MODEL")] = ()
    seed: Seed = 0
    system: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    sampling: Sampling = Sampling()
    options: ChatOptions = ChatOptions()
    engine: EngineOptions = EngineOptions()
    batch: Annotated[bool, Option(group=NETWORK, only_on=True, decides=False)] = False
    max_cost: Annotated[
        float | None, Gt(0), Option(group=MONEY, metavar="USD", parse=finite, decides=False)
    ] = None
    price: Annotated[str | None, Setting(group=MONEY, metavar="IN,OUT", decides=False)] = None
    retry_errors: Annotated[bool, Setting(group=ASKING, only_on=True, decides=False)] = False

    @model_validator(mode="after")
    def _without_secrets(self) -> Self:
        refuse_secrets(self.sampling.extra)
        return self


class FramedSettings(ChatRunSettings):
    """Settings of runs whose requests can have texts around them.

    Attributes:
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
    """

    before: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    after: Annotated[str, Setting(group=ASKING, metavar="TEXT")] = ""
    examples: Annotated[
        tuple[tuple[str, str], ...],
        Setting(group=ASKING, metavar="JSON", default="none", parse=json.loads),
    ] = ()

    def framed(self, text: str) -> str:
        """A request with the texts around it."""
        return "\n\n".join(filter(None, (self.before, text, self.after)))


Readable = Callable[[str], bool]
"""Whether an answer can be read."""


@dataclass(frozen=True, slots=True)
class Job:
    """A conversation to be had with a model.

    Attributes:
        number: its place in the run, by which the journal knows it.
        turns: the user's messages; each is sent when the one before has been answered.
        system: system message, or empty.
        seed: seed of the draws, or None.
        told: what only a simulated respondent is told.
        schemas: for each turn the JSON schema of its answer, or empty where answers are free.
        readable: for each turn whether its answer can be read; None, or no entry, where every answer will do.
        examples: what a user asks and what is answered, before the conversation.
    """

    number: int
    turns: tuple[str, ...]
    system: str = ""
    seed: int | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    schemas: tuple[Mapping[str, Any], ...] = ()
    readable: tuple[Readable | None, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()

    def opening(self) -> list[Message]:
        """What stands before the first message: system message and examples."""
        messages = [Message("system", self.system)] if self.system else []
        for asked, answered in self.examples:
            messages += [Message("user", asked), Message("assistant", answered)]
        return messages

    def framed(self, settings: FramedSettings) -> Job:
        """The same conversation with examples before it, and texts around each message of the user."""
        return replace(self, turns=tuple(map(settings.framed, self.turns)), examples=settings.examples)


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of one conversation.

    Attributes:
        job: number of the job.
        turn: which of its messages was answered, from 0.
        answer: what came back.
        batched: it came through the provider's batch interface (half the price).
    """

    job: int
    turn: int
    answer: ChatAnswer
    batched: bool = False


SKIPPED = "not asked"
"""How an answer ended that was never asked for, because the one before it failed."""


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""No text to databases, spreadsheets and UTF-8: the character NUL, and halves of characters."""


def storable(answer: ChatAnswer) -> ChatAnswer:
    """The same answer with U+FFFD for each character that no file can hold."""
    names = ("text", "finish", "served_model", "reasoning", "error", "system_fingerprint")
    texts: dict[str, Any] = {name: _UNSTORABLE.sub("\ufffd", getattr(answer, name)) for name in names}
    return replace(answer, **texts)


def draw_seed(seed: int, repeat: int) -> int:
    """Seed of the draws of one repeat, below 2**31.

    A hash, so that another seed or repeat gives other draws; with a sum, seed 1 would repeat the second draw of seed 0.
    """
    digest = hashlib.blake2b(f"{seed}|{repeat}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def broken_off(job: Job, answers: Sequence[ChatAnswer]) -> list[Answered]:
    """What stands for the turns that are left of a job whose last answer failed or was refused by the provider.

    Returns:
        Nothing where it can go on.
    """
    if not answers or not (answers[-1].error or answers[-1].refused):
        return []
    last = answers[-1]
    unasked = ChatAnswer("", SKIPPED, last.refused, error=last.error)
    return [Answered(job.number, turn, unasked) for turn in range(len(answers), len(job.turns))]


def conversation(job: Job, answers: Sequence[ChatAnswer]) -> list[Message]:
    """The messages to be sent next: all turns up to the first unanswered one, with the answers between them.

    Thoughts are not sent back.
    """
    messages = job.opening()
    for turn, answer in zip(job.turns, answers, strict=False):
        messages += [Message("user", turn), Message("assistant", spoken(answer).text)]
    return [*messages, Message("user", job.turns[len(answers)])]


FIRST_ANSWERS = 5
"""Answers at the beginning of a run after which it stops where none of them can be read."""
SHOWN = 60
"""Characters of an answer that a message shows."""


@dataclass(slots=True)
class FirstAnswers:
    """The first answers of one model, as long as none of them could be read.

    Attributes:
        watched: they still matter: no answer could be read, failed or was refused.
        unread: what is said of those that could not be read.
    """

    watched: bool
    unread: list[str] = field(default_factory=list)

    @property
    def hopeless(self) -> bool:
        """None of the first answers could be read."""
        return self.watched and len(self.unread) >= FIRST_ANSWERS

    def look(self, job: Job, turn: int, answer: ChatAnswer) -> None:
        """Look at the next answer; one to a turn whose answers are free does not count."""
        readable = job.readable[turn] if turn < len(job.readable) else None
        if readable is None or not self.watched or self.hopeless:
            return
        text = spoken(answer).text
        if answer.refused or answer.finish == ERROR or readable(text):
            self.watched = False
        elif shown := text.strip()[:SHOWN]:
            self.unread.append(f"one is '{shown}'")
        elif answer.finish == LENGTH:
            self.unread.append("the limit of tokens was reached before any text")
        else:
            self.unread.append(
                answer.error or ("they hold nothing but thoughts" if spoken(answer).reasoning else "")
            )

    def require_readable(self, name: str) -> None:
        """Stop a run whose first answers cannot be read.

        Args:
            name: the model.

        Raises:
            UserError: none of them can.
        """
        if not self.hopeless:
            return
        example = next(filter(None, self.unread), "they are empty")
        raise UserError(
            f"{name}: none of its first {len(self.unread)} answers can be read ({example}). Expected the format that "
            "the question asks for. Nothing is lost: repeat the command to go on and ask the rest all the same. Or try "
            "a model that follows instructions, a higher max_tokens, another chat_template (--set), or --restart with "
            "other settings."
        )
