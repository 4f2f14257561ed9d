"""Models and encoders whose copies are in workers, with the interfaces of those in this process.

A worker holds a list: the encoders that it opened, or one model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from endoxa.models.encoders import Encoded
from endoxa.runs.executors.workers import Pool
from endoxa.schema import Architecture, Request, Score, Unscorable
from endoxa.schema.chat import ChatAnswer, Message, Sampling


def _facts(several: Sequence[Any]) -> list[dict[str, Any]]:
    """What each copy says of itself."""
    names = ("name", "architecture", "max_tokens", "tokenizer", "poolings")
    return [
        {**{name: getattr(copy, name, None) for name in names}, "described": dict(copy.describe())}
        for copy in several
    ]


def _called(several: Sequence[Any], place: int, method: str, *arguments: Any) -> Any:
    """What a method of a copy returns."""
    return getattr(several[place], method)(*arguments)


def _listed(
    several: Sequence[Any], items: Sequence[Any], *, place: int, method: str
) -> list[tuple[int, Any]]:
    """What a method of a copy yields for items, by their places."""
    results = getattr(several[place], method)(items)
    return [(each.index, each.vectors) if isinstance(each, Encoded) else each for each in results]


class _Pooled:
    """What has copies in workers, by what the first copy says of itself.

    Args:
        pool: the workers.
        facts: of the copy.
        place: of the copy in the list of a worker.
    """

    def __init__(self, pool: Pool, facts: Mapping[str, Any], place: int = 0) -> None:
        self._pool, self._described, self._place = pool, facts["described"], place
        self.name: str = facts["name"]

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return dict(self._described)

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.schema.Model.unknown_share`."""
        share: float | None = self._pool.do(_called, self._place, "unknown_share", texts)
        return share


class PooledModel(_Pooled):
    """A model that scores, with copies in workers.

    Rules that look at the tokenizer find it here too: requests are made in this process, once.
    """

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        (facts,) = pool.do(_facts)
        super().__init__(pool, facts)
        self.architecture: Architecture = facts["architecture"]
        self.max_tokens: int | None = facts["max_tokens"]
        self.tokenizer: Any = facts["tokenizer"]

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; the requests are sent to a worker now."""
        return self._pool.each(partial(_listed, place=0, method="score"), requests) if requests else iter(())


class PooledEncoder(_Pooled):
    """One of the encoders that the workers have copies of."""

    def __init__(self, pool: Pool, facts: Mapping[str, Any], place: int) -> None:
        super().__init__(pool, facts, place)
        self.poolings: tuple[str, ...] = facts["poolings"]

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.Encoder.encode`; the texts are sent to a worker now."""
        encoded = self._pool.each(partial(_listed, place=self._place, method="encode"), texts)
        return (Encoded(index, vectors) for index, vectors in encoded)


def pooled_encoders(pool: Pool) -> list[PooledEncoder]:
    """The encoders that a worker opened.

    Raises:
        UserError: the encoder cannot be had.
    """
    return [PooledEncoder(pool, facts, place) for place, facts in enumerate(pool.do(_facts))]


class PooledChat(_Pooled):
    """A chat model with copies in workers, each of which generates together what waits together."""

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        pool.do(_called, 0, "check")
        super().__init__(pool, *pool.do(_facts))

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
        answer: ChatAnswer = await self._pool.result(_called, 0, "ask", tuple(messages), sampling)
        return answer

    async def close(self) -> None:
        """End the workers."""
        self._pool.close()
