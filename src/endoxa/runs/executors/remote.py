"""Models and encoders whose copies are in workers, with the interfaces of those in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from endoxa.models.encoders import Encoded, Encoder
from endoxa.runs.executors.workers import Pool, start
from endoxa.runs.options import EngineOptions
from endoxa.schema import Architecture, Model, Request, Score, Unscorable
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling


def _facts_of_model(model: Any) -> dict[str, Any]:
    return {
        "name": model.name,
        "architecture": model.architecture,
        "max_tokens": model.max_tokens,
        "tokenizer": getattr(model, "tokenizer", None),
        "described": dict(model.describe()),
    }


def _score(model: Model, requests: Sequence[Request]) -> list[tuple[int, Score | Unscorable]]:
    return list(model.score(requests))


def _unknown_share(model: Model, texts: Sequence[str]) -> float | None:
    return model.unknown_share(texts)


class PooledModel:
    """A model that scores, with copies in workers.

    Rules that look at the tokenizer find it here too: requests are made in this process, once.
    """

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        self._pool = pool
        facts = pool.do(_facts_of_model)
        self.name: str = facts["name"]
        self.architecture: Architecture = facts["architecture"]
        self.max_tokens: int | None = facts["max_tokens"]
        self.tokenizer: Any = facts["tokenizer"]
        self._described: Mapping[str, Any] = facts["described"]

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return self._described

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.schema.Model.unknown_share`."""
        return self._pool.do(_unknown_share, texts)

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; the requests are sent to a worker now."""
        return self._pool.each(_score, requests) if requests else iter(())


def _facts_of_encoders(several: Sequence[Encoder]) -> list[dict[str, Any]]:
    return [
        {"name": encoder.name, "poolings": encoder.poolings, "described": dict(encoder.describe())}
        for encoder in several
    ]


def _encode(several: Sequence[Encoder], texts: Sequence[str], *, which: int) -> list[tuple[int, Any]]:
    return [(encoded.index, encoded.vectors) for encoded in several[which].encode(texts)]


def _unknown_share_of(several: Sequence[Encoder], which: int, texts: Sequence[str]) -> float | None:
    return several[which].unknown_share(texts)


class PooledEncoder:
    """One of the encoders that the workers have copies of."""

    def __init__(self, pool: Pool, which: int, facts: Mapping[str, Any]) -> None:
        """Take the encoder of this number."""
        self._pool, self._which, self._facts = pool, which, facts
        self.name: str = facts["name"]
        self.poolings: tuple[str, ...] = facts["poolings"]

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        described: Mapping[str, Any] = self._facts["described"]
        return described

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.models.encoders.Encoder.unknown_share`."""
        return self._pool.do(_unknown_share_of, self._which, texts)

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.Encoder.encode`; the texts are sent to a worker now."""
        encoded = self._pool.each(partial(_encode, which=self._which), texts)
        return (Encoded(index, vectors) for index, vectors in encoded)


def pooled_encoders(pool: Pool) -> list[PooledEncoder]:
    """The encoders that a worker opened.

    Raises:
        UserError: the encoder cannot be had.
    """
    return [PooledEncoder(pool, which, facts) for which, facts in enumerate(pool.do(_facts_of_encoders))]


class ChatHolder:
    """What runs in a worker: a copy of the model, which generates together what waits together."""

    def __init__(self, opened: Callable[[], ChatModel]) -> None:
        self._opened = opened
        self._model: ChatModel | None = None
        self._opening = asyncio.Lock()

    async def ready(self) -> None:
        """Answers once the worker is there."""

    async def open(self) -> None:
        """Open the copy; what goes wrong is raised by the first task."""
        with suppress(Exception):
            await self._copy()

    async def do(self, task: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
        """The result of a task on the copy; no warnings, as several tasks run at once."""
        return await task(await self._copy(), *arguments), []

    async def _copy(self) -> ChatModel:
        async with self._opening:
            if self._model is None:
                self._model = await asyncio.to_thread(self._opened)
        return self._model


async def _facts(model: ChatModel) -> dict[str, Any]:
    await model.check()
    return {"name": model.name, "described": dict(model.describe())}


async def _ask(model: ChatModel, messages: Sequence[Message], sampling: Sampling) -> ChatAnswer:
    return await model.ask(messages, sampling)


class PooledChat:
    """A chat model with copies in workers."""

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        self._pool = pool
        facts: dict[str, Any] = pool.result(pool.begin(_facts))
        self.name: str = facts["name"]
        self._described: Mapping[str, Any] = facts["described"]

    def describe(self) -> Mapping[str, Any]:
        """What was loaded; see `endoxa.models.chat.local.LocalChat.describe`."""
        return self._described

    async def check(self) -> None:
        """The first copy has been tried."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`; a conversation whose worker is gone is asked for again.

        Raises:
            UserError: what the model raised, or workers died of the conversation.
        """
        del told  # for simulated respondents only
        answer: ChatAnswer = await self._pool.awaited(_ask, tuple(messages), sampling)
        return answer

    async def close(self) -> None:
        """End the workers."""
        self._pool.close()


def chat_workers(opened: Callable[[], ChatModel], engine: EngineOptions, name: str) -> Pool:
    """Workers that open a copy each.

    Raises:
        UserError: the cluster cannot be had, or has no room for a worker.
    """
    return start(ChatHolder, opened, engine, name)
