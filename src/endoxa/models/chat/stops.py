"""Where an answer of weights in this process is to end before the model ends it itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.templates import Template, render
from endoxa.schema.chat import Message, Sampling


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
    given = sampling.extra.get("stop") or ()
    texts = (
        (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list | tuple) else (None,)
    )
    if not all(isinstance(text, str) and text for text in texts):
        raise UserError(f'--extra: "stop" is {given!r}. Expected a text or a list of texts.')
    return Stops(texts, next_turn)


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
        _, found, after = render(name, tokenizer, template, talk, {}).partition(_ANSWER)
    except UserError:  # the template takes single messages
        return ""
    between, second, _ = after.partition(_SECOND)
    for token in tokenizer.all_special_tokens:  # a base model does not know to write them
        between = between.rpartition(token)[2]
    opening = between.strip()
    on_own_line = bool(opening) and "\n" in between[: between.index(opening)]
    return f"\n{opening}" if found and second and on_own_line else ""
