"""Functions and weights of a Python program as a provider of chat models: `live/NAME`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.local import as_chat, model_options
from endoxa.models.chat.service import Lost
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Provider
from endoxa.models.live import LIVE, Function, Weights, called, checkpoint_of, fingerprint, offered_for_chat
from endoxa.models.spec import ModelSpec
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling


def identity(spec: ChatSpec, _options: ChatOptions) -> Mapping[str, Any]:
    """What decides the answers: the weights, or the function as far as its name tells."""
    found = offered_for_chat(spec.text)
    if isinstance(found, Weights):
        return {"name": spec.text, "fingerprint": fingerprint(found.network)}
    return {"name": spec.text, "function": called(found)}


def open_live_chat(spec: ChatSpec, options: ChatOptions, lost: Lost) -> ChatModel:
    """Weights in memory with their chat template, or a function that answers.

    Raises:
        UserError: the weights cannot write, or have no chat template.
    """
    del lost  # nobody sends a bill
    found = offered_for_chat(spec.text)
    if not isinstance(found, Weights):
        return FunctionChat(spec.text, found)
    held = ModelSpec(spec.text, LIVE, spec.served_name, held=True)
    return as_chat(checkpoint_of(held, model_options(options, packed_weights=False)), options, keep=True)


class FunctionChat:
    """A function as a chat model.

    Args:
        name: the words that name it.
        function: takes a list of {"role": ..., "content": ...} and returns the answer. Settings of the draw
            (`temperature`, `max_tokens`, `seed`) are handed to parameters of these names. It may be a coroutine;
            otherwise it runs in a thread, so that several calls are under way at once.
    """

    def __init__(self, name: str, function: Function) -> None:
        self.name, self._function = name, function
        taken = inspect.signature(function).parameters
        anything = any(one.kind is one.VAR_KEYWORD for one in taken.values())
        self._takes = [word for word in ("temperature", "max_tokens", "seed") if anything or word in taken]

    def describe(self) -> Mapping[str, Any]:
        """Its name in the program."""
        return {"name": self.name, "provider": LIVE, "function": called(self._function)}

    async def check(self) -> None:
        """A function is there."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`.

        Raises:
            UserError: the function raised, or returned something else than text.
        """
        del told  # for simulated respondents only
        said = [{"role": message.role, "content": message.content} for message in messages]
        settings = {word: getattr(sampling, word) for word in self._takes}
        try:
            if inspect.iscoroutinefunction(self._function):
                answer = await self._function(said, **settings)
            else:
                answer = await asyncio.to_thread(self._function, said, **settings)
        except Exception as problem:
            raise UserError(
                f"The function of '{self.name}' raised {type(problem).__name__}: {problem}. Answers so far are kept."
            ) from problem
        if not isinstance(answer, str):
            raise UserError(
                f"The function of '{self.name}' returned {type(answer).__name__}; it must return the answer as text."
            )
        return ChatAnswer(answer, served_model=self.name)

    async def close(self) -> None:
        """Nothing to give back."""


HELD = Provider(
    name=LIVE,
    kind=LIVE,
    open=open_live_chat,
    free=True,
    unpriced="free (your own function)",
    likelihoods=True,
    identity=identity,
)
