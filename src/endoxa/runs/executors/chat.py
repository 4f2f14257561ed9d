"""Chat models whose copies are in workers: conversations go to the copy that has least to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from endoxa.runs.executors.workers import Pool, start
from endoxa.runs.options import EngineOptions
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling


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
