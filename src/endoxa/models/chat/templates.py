"""From a conversation to the text that a local model continues, and from text to an answer without its thoughts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from endoxa.datasets.files import require_file
from endoxa.errors import UserError
from endoxa.schema.chat import Message

OPENS, CLOSES = "<think>", "</think>"
"""Around the thoughts of reasoning models (DeepSeek-R1, Qwen 3 and others)."""


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
            "give one with --chat-template FILE, or have the options compared by their probability with --ask loglik."
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
            f"{' '.join(str(problem).split())[:200]}. Leave out --system, or give another --chat-template FILE."
        ) from problem
    if not text:
        raise UserError(
            f"The chat template of '{name}' ({template.source}) writes nothing for a conversation: it must go through "
            "'messages', each with 'role' and 'content'."
        )
    return str(text)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model wrote, parted.

    Attributes:
        text: the answer, unaltered.
        reasoning: the thoughts before it, or empty.
    """

    text: str
    reasoning: str


def part_thoughts(prompt: str, text: str) -> Spoken:
    """Split `<think>...</think>` off the answer; some templates open the thoughts at the end of the prompt.

    Thoughts that never end, because the answer was cut, leave no answer.
    """
    opened = prompt.rstrip().endswith(OPENS) or text.lstrip().startswith(OPENS)
    thoughts, closing, answer = text.partition(CLOSES)
    if not opened and not closing:
        return Spoken(text, "")
    return Spoken(answer, thoughts.strip().removeprefix(OPENS).strip())


_TAGS = r"(?:think|thinking|thought|reasoning)"
_OPENS = re.compile(rf"<{_TAGS}>", re.IGNORECASE)
_CLOSES = re.compile(rf"</{_TAGS}>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """What a model says once it has thought: what stands behind the last `</think>` (or the like).

    The opening tag may be missing, because some templates write it at the end of the prompt. Thoughts that never end,
    because the answer was cut, hold no answer.
    """
    *_, closing = [None, *_CLOSES.finditer(text)]
    said = text if closing is None else text[closing.end() :]
    opening = _OPENS.search(said)
    return said if opening is None else said[: opening.start()]
