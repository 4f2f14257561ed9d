"""From a conversation to the text that a local model continues: how it is drawn, and where its answer ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.schema.chat import Message, Sampling
from endoxa.sources.files import require_file


@dataclass(frozen=True, slots=True)
class Template:
    """A chat template: how a tokenizer writes a conversation down.

    Attributes:
        text: the Jinja template.
        source: where it is from.
    """

    text: str
    source: str

    @property
    def sha256(self) -> str:
        """Its hash, for `run.json`."""
        return sha256(self.text.encode()).hexdigest()


def find_template(name: str, tokenizer: Any, file: str | None) -> Template:
    """The template of `file`, or the tokenizer's own.

    Raises:
        UserError: the file cannot be read, or there is neither.
    """
    if file is not None:
        path = Path(file)
        require_file(path)
        try:
            return Template(path.read_text("utf-8"), path.name)
        except UnicodeDecodeError as problem:
            raise UserError(f"The chat template {path} is no UTF-8 text (byte {problem.start}).") from problem
    try:
        return Template(tokenizer.get_chat_template(), "the tokenizer's own")
    except ValueError as problem:
        raise UserError(
            f"The tokenizer of '{name}' has no chat template, so nobody knows how a conversation is written for it: "
            "give one with --set chat_template=FILE, or compare the options by probability with --ask loglik."
        ) from problem


def render(
    name: str,
    tokenizer: Any,
    template: Template,
    messages: Sequence[Message],
    arguments: Mapping[str, Any],
) -> str:
    """The conversation as the model reads it, up to where its answer begins.

    Args:
        name: the model, for messages.
        tokenizer: names the special tokens.
        template: how it is written.
        messages: the conversation.
        arguments: further variables of the template ("enable_thinking").

    Raises:
        UserError: the template is broken, writes nothing, or refuses such a conversation (some have no system message).
    """
    from jinja2 import TemplateError

    conversation = [{"role": message.role, "content": message.content} for message in messages]
    try:
        text = tokenizer.apply_chat_template(
            conversation,
            chat_template=template.text,
            add_generation_prompt=True,
            tokenize=False,
            **arguments,
        )
    except (TemplateError, TypeError, ValueError, KeyError, AttributeError) as problem:
        roles = ", ".join(message.role for message in messages)
        raise UserError(
            f"The chat template of '{name}' ({template.source}) does not take a conversation of {roles}: "
            f"{' '.join(str(problem).split())[:200]}. Leave out the system message, or give another chat_template."
        ) from problem
    if not text:
        raise UserError(
            f"The chat template of '{name}' ({template.source}) writes nothing for a conversation: it must go through "
            "'messages', each with 'role' and 'content'."
        )
    return str(text)


_FIRST, _ANSWER, _SECOND = "First message.", "Answer to it.", "Second message."


def next_turn_of(name: str, tokenizer: Any, template: Template) -> str:
    """How the user's next message begins on a line of its own, for a model that was given a template.

    A base model, which was trained without a template, seldom ends its answer and goes on with the next message. A
    tokenizer with a template of its own belongs to a model that ends its turns. Empty there, and where nothing that can
    be told apart begins a message.
    """
    if getattr(tokenizer, "chat_template", None):
        return ""
    talk = [Message("user", _FIRST), Message("assistant", _ANSWER), Message("user", _SECOND)]
    try:
        _, answer, after = render(name, tokenizer, template, talk, {}).partition(_ANSWER)
    except UserError:  # the template takes single messages
        return ""
    between, second, _ = after.partition(_SECOND)
    for token in tokenizer.all_special_tokens:  # a base model does not know to write them
        between = between.rpartition(token)[2]
    opening = between.strip()
    on_new_line = bool(opening) and "\n" in between[: between.index(opening)]
    return f"\n{opening}" if answer and second and on_new_line else ""


@dataclass(frozen=True, slots=True)
class Stops:
    """Texts at which an answer ends; none of them belongs to it.

    Attributes:
        texts: those asked for, wherever they stand.
        next_turn: how the user's next message would begin, once something was said; or empty.
    """

    texts: tuple[str, ...] = ()
    next_turn: str = ""

    def find(self, text: str) -> int | None:
        """Where the first of them begins, or None."""
        places = [text.find(stop) for stop in self.texts]
        if self.next_turn:
            places.append(text.find(self.next_turn, len(text) - len(text.lstrip()) + 1))
        return min((place for place in places if place >= 0), default=None)


NO_STOPS = Stops()


def stops_of(sampling: Sampling, next_turn: str) -> Stops:
    """The texts asked for, one or a list as OpenAI's interface takes them, and the beginning of a next turn.

    Raises:
        UserError: "stop" is something else.
    """
    stop = sampling.extra.get("stop") or ()
    texts = (stop,) if isinstance(stop, str) else tuple(stop) if isinstance(stop, list | tuple) else (None,)
    if not all(isinstance(text, str) and text for text in texts):
        raise UserError(f'extra: "stop" is {stop!r}. Expected a text or a list of texts.')
    return Stops(texts, next_turn)


BITS = 48
"""Bits of a draw: far below the resolution of any probability, and exact in 64-bit floats."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a prompt is answered; prompts of a batch share all of it but `max_tokens`.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: share of the probability mass that is drawn from, or None for all of it.
        top_k: number of likeliest tokens that are drawn from, or None for all.
        max_tokens: most tokens of an answer.
        stop: texts at which an answer ends.
    """

    temperature: float
    top_p: float | None
    top_k: int | None
    max_tokens: int
    stop: Stops = NO_STOPS


@dataclass(frozen=True)
class Prompt:
    """One conversation, ready for the network.

    Attributes:
        ids: its tokens.
        settings: how to draw.
        seed: seed of its draws.
    """

    ids: tuple[int, ...]
    settings: Settings
    seed: int

    @cached_property
    def key(self) -> bytes:
        """What its draws depend on besides the step: seed and tokens."""
        return blake2b(f"{self.seed}|{self.ids}".encode(), digest_size=32).digest()

    def uniform(self, step: int) -> float:
        """The draw of one step: uniform in [0, 1)."""
        digest = blake2b(step.to_bytes(4, "big"), key=self.key, digest_size=BITS // 8).digest()
        return float(int.from_bytes(digest, "big") / 2**BITS)


@dataclass(frozen=True, slots=True)
class Generated:
    """What the network wrote for one prompt.

    Attributes:
        ids: tokens up to, and without, the end token.
        ended: it came to an end by itself.
    """

    ids: tuple[int, ...]
    ended: bool
