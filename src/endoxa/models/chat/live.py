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
    model = offered_for_chat(spec.text)
    if isinstance(model, Weights):
        return {"name": spec.text, "fingerprint": fingerprint(model.network)}
    return {"name": spec.text, "function": called(model)}


def open_live_chat(spec: ChatSpec, options: ChatOptions, lost: Lost) -> ChatModel:
    """Weights in memory with their chat template, or a function that answers.

    Raises:
        UserError: the weights cannot write, or have no chat template.
    """
    del lost  # nobody sends a bill
    model = offered_for_chat(spec.text)
    if not isinstance(model, Weights):
        return FunctionChat(spec.text, model)
    model_spec = ModelSpec(spec.text, LIVE, spec.served_name, in_memory=True)
    return as_chat(
        checkpoint_of(model_spec, model_options(options, packed_weights=False)), options, keep=True
    )


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
        parameters = inspect.signature(function).parameters
        anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        self._takes = [
            word for word in ("temperature", "max_tokens", "seed") if anything or word in parameters
        ]

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
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        settings = {word: getattr(sampling, word) for word in self._takes}
        try:
            if inspect.iscoroutinefunction(self._function):
                answer = await self._function(conversation, **settings)
            else:
                answer = await asyncio.to_thread(self._function, conversation, **settings)
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


IN_MEMORY = Provider(
    name=LIVE,
    kind=LIVE,
    open=open_live_chat,
    free=True,
    unpriced="free (your own function)",
    likelihoods=True,
    identity=identity,
)
