"""Models and encoders whose copies are in workers, with the interfaces of those in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from endoxa.models.encoders.encoder import Encoded, Encoder
from endoxa.runs.executors.workers import Pool
from endoxa.schema import Architecture, Model, Request, Score, Unscorable
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling


class _Pooled:
    """What has copies in workers, by what the first copy says of itself."""

    def __init__(self, pool: Pool, facts: Mapping[str, Any]) -> None:
        self._pool, self._facts = pool, facts
        self.name: str = facts["name"]

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        described: Mapping[str, Any] = self._facts["described"]
        return described


def _facts_of_model(model: Model) -> dict[str, Any]:
    names = ("name", "architecture", "max_tokens", "tokenizer")
    return {**{name: getattr(model, name, None) for name in names}, "described": dict(model.describe())}


def _score(model: Model, requests: Sequence[Request]) -> list[tuple[int, Score | Unscorable]]:
    return list(model.score(requests))


def _unknown_share(model: Model, texts: Sequence[str]) -> float | None:
    return model.unknown_share(texts)


class PooledModel(_Pooled):
    """A model that scores, with copies in workers.

    Rules that look at the tokenizer find it here too: requests are made in this process, once.
    """

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        super().__init__(pool, pool.do(_facts_of_model))
        self.architecture: Architecture = self._facts["architecture"]
        self.max_tokens: int | None = self._facts["max_tokens"]
        self.tokenizer: Any = self._facts["tokenizer"]

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.schema.Model.unknown_share`."""
        share: float | None = self._pool.do(_unknown_share, texts)
        return share

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


class PooledEncoder(_Pooled):
    """One of the encoders that the workers have copies of."""

    def __init__(self, pool: Pool, which: int, facts: Mapping[str, Any]) -> None:
        """Take the encoder of this number."""
        super().__init__(pool, facts)
        self._which = which
        self.poolings: tuple[str, ...] = facts["poolings"]

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.models.encoders.Encoder.unknown_share`."""
        share: float | None = self._pool.do(_unknown_share_of, self._which, texts)
        return share

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


async def _facts_of_chat(model: ChatModel) -> dict[str, Any]:
    await model.check()
    return {"name": model.name, "described": dict(model.describe())}


async def _ask(model: ChatModel, messages: Sequence[Message], sampling: Sampling) -> ChatAnswer:
    return await model.ask(messages, sampling)


class PooledChat(_Pooled):
    """A chat model with copies in workers, each of which generates together what waits together."""

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        super().__init__(pool, pool.do(_facts_of_chat))

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
        answer: ChatAnswer = await self._pool.result(self._pool.begin(_ask, tuple(messages), sampling))
        return answer

    async def close(self) -> None:
        """End the workers."""
        self._pool.close()
