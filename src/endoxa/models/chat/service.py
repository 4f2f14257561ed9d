"""What a provider gives: a service that answers conversations, a batch interface, a price."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from endoxa.schema import ChatAnswer, Message, Sampling, Usage


@dataclass(frozen=True, slots=True)
class Request:
    """One request as a provider takes it.

    Attributes:
        body: the JSON body.
        headers: headers beside the client's own.
    """

    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


Lost = Callable[[Sequence[Message], Sampling, Usage | None], None]
"""Told of every call that may be billed and whose answer is not kept: what was asked, how it was to be drawn, and the
tokens, None where they are not known. What it raises ends that call; a UserError ends all calls."""


class UnusableError(ValueError):
    """What came is no answer: cut, malformed, of another kind, or empty of choices."""


class ChatService(Protocol):
    """One provider's interface."""

    @property
    def problems(self) -> type[Exception]:
        """What its client raises."""
        ...

    def request(self, messages: Sequence[Message], sampling: Sampling) -> Request:
        """Write a conversation."""
        ...

    async def send(self, request: Request) -> str:
        """Send it; the body of the answer as it came."""
        ...

    def read(self, body: str | bytes) -> ChatAnswer:
        """Read the body of an answer.

        Raises:
            UnusableError: it holds none.
        """
        ...

    async def models(self) -> list[str]:
        """Names of the models to be had."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What is particular about it, for `run.json`."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


BatchRequest = tuple[str, Sequence[Message], Sampling]
"""Name of a request (letters, digits, - and _; at most 64), the conversation, how to draw."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How far a batch is.

    Attributes:
        state: "working", "ended" (results can be fetched, perhaps not of all requests) or "failed" (there are none).
        done: requests dealt with.
        total: requests handed in.
        message: why it failed, or empty.
    """

    state: Literal["working", "ended", "failed"]
    done: int
    total: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """A batch as we know it before the provider does, so that it is found again whatever happens meanwhile.

    Attributes:
        tag: our name of it: `endoxa-` and 24 hexadecimal digits.
        requests: how many it holds; None in journals of earlier versions.
        mark: what `BatchClient.mark` gave before it was handed in; None in journals of earlier versions.
    """

    tag: str
    requests: int | None = None
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class SubmissionStatus:
    """What became of a submission whose answer did not reach us.

    Attributes:
        state: "found", "absent" (it did not arrive), "unfinished" (a batch may be it, which shows when it has ended)
            or "unknown" (nobody can tell).
        batch_id: of the batch that it is or may be, or empty.
    """

    state: Literal["found", "absent", "unfinished", "unknown"]
    batch_id: str = ""


class BatchClient(Protocol):
    """One model's batch interface.

    Attributes:
        max_requests: most requests of one batch; fewer than providers allow, so that its results fit into memory.
        max_bytes: most bytes of one batch as it is sent.
    """

    max_requests: int
    max_bytes: int

    async def mark(self) -> str:
        """Where the provider's list of batches stands, asked before handing in; empty where tags are enough."""
        ...

    async def submit(self, requests: Sequence[BatchRequest], submission: Submission) -> str | None:
        """Hand in a batch; its id, or None where only `find` can tell later whether it arrived.

        Raises:
            UserError: the provider refuses it.
        """
        ...

    async def find(self, submission: Submission) -> SubmissionStatus:
        """Look for a batch of which we do not know whether it arrived."""
        ...

    async def status(self, batch_id: str) -> BatchStatus:
        """How far it is."""
        ...

    def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """Name and answer of each request of a batch that ended, in any order; None is to be asked again.

        Raises:
            UserError: the provider refused every request of the batch.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Price:
    """What tokens cost, in US dollars.

    Attributes:
        input_per_million: a million tokens sent.
        output_per_million: a million tokens received.
        source: where the price is from.
    """

    input_per_million: float
    output_per_million: float
    source: str
