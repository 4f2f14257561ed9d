"""A chat model behind an interface: rate limits, one call, what a failure means, and again where it may help."""

from __future__ import annotations

import asyncio
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

from endoxa.errors import UserError
from endoxa.models.chat.spec import (
    BatchRequest,
    BatchStatus,
    ChatOptions,
    ChatSpec,
    Lost,
    Submission,
    SubmissionStatus,
    UnusableError,
    read_key,
)
from endoxa.models.keys import shown
from endoxa.models.retrying import (
    CHECK_PATIENCE,
    OUT_OF_MONEY,
    REFUSED_TEXTS,
    SLOW,
    Failure,
    Retrier,
    TransientError,
    raise_if_passing,
    read_failure,
)
from endoxa.models.transport import REFUSED_RESPONSE
from endoxa.schema import ChatAnswer, Message, Sampling
from endoxa.schema.finish import ERROR

T = TypeVar("T")


MALFORMED = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""The clients build whatever came into their types: what is missing or of another type shows where it is used."""
_FILTERED = re.compile(
    r"content[ _-](filter|polic|management)|usage polic|was flagged|requires moderation|responsible.ai", re.I
)
_TOO_LONG = re.compile(
    r"context.(length|window|size|limit)|maximum context|input token count|too long|reduce the length|too_large",
    re.I,
)


def judge(failure: Failure, spec: ChatSpec, *, worked: bool) -> ChatAnswer:
    """The answer that stands for a request refused for good.

    Args:
        failure: what came.
        spec: the model, to name it.
        worked: the same settings have been answered before, so a refusal blames this one request.

    Raises:
        TransientError: try again.
        UserError: no request will be answered.
    """
    text = f"{failure.code} {failure.words}"
    if blames_server(failure):
        raise_if_passing(failure)
    if failure.status in REFUSED_TEXTS | {403, 451} and _FILTERED.search(text):
        return ChatAnswer("", finish="content_filter", refused=True, error=failure.words)
    if failure.status == 413 or (failure.status not in {401, 402, 403, 404} and _TOO_LONG.search(text)):
        return ChatAnswer("", finish="error", error=failure.words)
    if worked and failure.status in REFUSED_TEXTS:
        return ChatAnswer("", finish="error", error=failure.words)
    raise permanent(failure, spec)


def blames_server(failure: Failure) -> bool:
    """Asking again may help; some servers answer 500 where a conversation is too long."""
    return failure.passing and (failure.status < 500 or not _TOO_LONG.search(failure.words))


def permanent(failure: Failure, spec: ChatSpec) -> UserError:
    """The sentence for a refusal that asking again does not mend."""
    model, where = f"The model '{spec.text}'", spec.base_url
    if failure.code == REFUSED_RESPONSE:
        return UserError(f"{model}: {failure.words}.")
    if failure.status == 401:
        return UserError(f"{model}: {where} refuses the key in the environment variable {spec.host.key}.")
    if failure.status == 403:
        return UserError(f"{model}: the key in {spec.host.key} may not use it at {where} ({failure.words}).")
    if failure.status == 404:
        return UserError(
            f"{model}: {where} has no model '{spec.served_name}', or is not the address of a chat interface "
            f"({failure.words})."
        )
    if failure.status == 402 or failure.code in OUT_OF_MONEY:
        return UserError(
            f"{model}: the account of {spec.host.key} has no money or quota left ({failure.words}). What was "
            "done is kept; the same command continues."
        )
    return UserError(f"{model}: {where} refused the request with status {failure.status} ({failure.words}).")


BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 that a token covers on average."""


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Tokens of a conversation, roughly."""
    return 1 + sum(len(message.content.encode()) for message in messages) // BYTES_PER_TOKEN


BURST_SECONDS = 5.0
"""The allowance of so many seconds may be used at once."""


def rate_limit(requests_per_minute: int | None) -> AbstractAsyncContextManager[None]:
    """A block that requests enter at a bounded rate; None bounds nothing."""
    if requests_per_minute is None:
        return nullcontext()
    from aiolimiter import AsyncLimiter

    burst = max(1.0, requests_per_minute * BURST_SECONDS / 60)
    return AsyncLimiter(burst, 60 * burst / requests_per_minute)


EMPTY_TRIES = 5
"""How often an empty answer is asked for again before it counts as the answer."""
AWAKE = 5
"""A call may take this many times the timeout in all: some providers keep a connection awake with blank lines."""
LIST_SECONDS = 60.0
"""Most seconds for the list of models."""
SMALL_QUESTION = (Message("user", "Say yes."),)
"""Asked to learn whether a provider answers at all."""
SHOWN = 5


class Client(ABC):
    """One model at a provider, reached by the client of the provider's library.

    Args:
        spec: the model.
        options: limits and patience.
        who: what is asked, for messages.

    Raises:
        UserError: there is no key.
    """

    _problems: type[Exception]
    """What the client raises."""
    _path: str
    """Where conversations are sent, below the address."""
    _body: Callable[[ChatSpec, Sequence[Message], Sampling], dict[str, Any]]
    """A conversation as the JSON of a request."""
    _read: Callable[[str], ChatAnswer]
    """Reads the body of an answer; UnusableError where it holds none."""

    def __init__(self, spec: ChatSpec, options: ChatOptions, who: str) -> None:
        self._spec, self._options, self._key = spec, options, read_key(spec)
        self._client = self._open()
        self._who = f"{who} '{spec.text}' at {spec.base_url}"
        self._retrier = Retrier(self._who, options.attempts, options.patience)

    @abstractmethod
    def _open(self) -> Any:
        """The client; it does not try again by itself. Sets `_problems`."""

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class RemoteModel(Client):
    """See `endoxa.schema.ChatModel`; what is particular about a provider is in what its subclass adds.

    Args:
        spec: the model.
        options: limits and patience.
        lost: see `endoxa.models.chat.spec.Lost`.
    """

    def __init__(self, spec: ChatSpec, options: ChatOptions, lost: Lost) -> None:
        super().__init__(spec, options, "The model")
        self._lost = lost
        self._rate_limit = rate_limit(options.requests_per_minute)
        self._trying_out = asyncio.Lock()

    @staticmethod
    def _headers(_body: Mapping[str, Any], /) -> dict[str, str]:
        """Headers that a request needs besides the client's."""
        return {}

    @abstractmethod
    async def _models(self) -> list[str]:
        """Names of the models to be had."""

    @abstractmethod
    def _particulars(self) -> Mapping[str, Any]:
        """What is particular about the interface, for `run.json`."""

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._spec.text

    def describe(self) -> Mapping[str, Any]:
        """See `ChatModel.describe`."""
        return {
            "name": self._spec.text,
            "kind": self._spec.host.kind,
            "provider": self._spec.host.name,
            "server": self._spec.base_url,
            "served_name": self._spec.served_name,
            "revision": None,
            **self._particulars(),
        }

    async def check(self) -> None:
        """See `ChatModel.check`; a model that is not in the provider's list is asked a first question."""
        # A retrier of its own: what is answered here was not asked with the settings of the run.
        patience = min(CHECK_PATIENCE, self._options.patience)
        retrier = Retrier(self._who, self._options.attempts, patience)
        names = await retrier.run(self._listed)
        if names is not None and self._spec.served_name not in names:
            await self._try_out(names, retrier)

    async def _try_out(self, listed: Sequence[str], retrier: Retrier) -> None:
        """Ask a first question where other models are listed: the name may be an alias.

        Raises:
            UserError: it is not answered.
        """
        sampling = Sampling(temperature=None, max_tokens=16)
        request = self._body(self._spec, SMALL_QUESTION, sampling)

        async def ask() -> None:
            sent = await self._sent(request)
            if isinstance(sent, Failure):
                judge(sent, self._spec, worked=False)
            else:
                self._lost(SMALL_QUESTION, sampling, sent.usage)

        try:
            await retrier.run(ask)
        except UserError as problem:
            near = get_close_matches(self._spec.served_name, listed, n=SHOWN) or listed[:SHOWN]
            hint = f" It lists: {', '.join(near) or 'no model'}."
            raise type(problem)(f"{problem}{hint}") from None

    async def _listed(self) -> list[str] | None:
        """Names of the models to be had, or None where they are not listed."""
        try:
            async with asyncio.timeout(min(LIST_SECONDS, self._options.timeout)):
                return await self._models()
        except TimeoutError:
            raise TransientError("the list of models did not come") from None
        except self._problems as problem:
            failure = read_failure(problem, self._key)
            # `transformers serve` answers 500 where it has no folder to list, and answers questions all the same.
            if failure.status in {404, 405, 500, 501}:
                return None
            judge(failure, self._spec, worked=False)
            return None
        except MALFORMED:
            return None

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `ChatModel.ask`."""
        del told  # for simulated respondents only
        request = self._body(self._spec, messages, sampling)
        empty = failures = 0

        async def once() -> ChatAnswer:
            nonlocal empty, failures
            try:
                async with self._rate_limit:
                    answer = await self._answer(messages, request, sampling)
            except TransientError as problem:
                if problem.billed:
                    self._lost(messages, sampling, None)
                failures += not problem.slow_down
                if failures >= self._options.attempts or self._retrier.silent:
                    await self._answers_at_all(sampling)
                raise
            if not answer.text and not answer.refused and not answer.error and answer.finish != "length":
                empty += 1
                if empty < EMPTY_TRIES:
                    self._lost(messages, sampling, answer.usage)
                    raise TransientError("the answer was empty")
            return answer

        try:
            return await self._retrier.run(once)
        except TransientError as problem:
            return ChatAnswer("", finish="error", error=f"failed {failures} times: {problem}")

    async def _answer(
        self, messages: Sequence[Message], request: Mapping[str, Any], sampling: Sampling
    ) -> ChatAnswer:
        """One attempt.

        Raises:
            TransientError: try again.
            UserError: no request will be answered.
        """
        sent = await self._sent(request)
        if isinstance(sent, ChatAnswer):
            return sent
        try:
            answer = judge(sent, self._spec, worked=self._retrier.worked)
        except UserError:
            if sent.status not in REFUSED_TEXTS or not await self._answers_at_all(sampling):
                raise
            answer = judge(sent, self._spec, worked=True)
        if sent.billed:
            self._lost(messages, sampling, None)
        return answer

    async def _answers_at_all(self, sampling: Sampling) -> bool:
        """Whether a small question is answered with the same settings: then a failure blames its own request."""
        failed = self._retrier.now()
        async with self._trying_out:
            if self._retrier.answered_since(failed):
                return True
            if self._retrier.over:
                return False
            question = self._body(self._spec, SMALL_QUESTION, sampling)
            async with self._rate_limit:
                sent = await self._sent(question, self._options.patience)
            answered = isinstance(sent, ChatAnswer)
            if answered:
                self._retrier.note_success()
        if isinstance(sent, ChatAnswer):
            self._lost(SMALL_QUESTION, sampling, sent.usage)
        elif sent.billed:
            self._lost(SMALL_QUESTION, sampling, None)
        return answered

    async def _sent(self, request: Mapping[str, Any], patience: float = math.inf) -> ChatAnswer | Failure:
        """What comes of a request, waited for no longer than `patience` seconds."""
        try:
            async with asyncio.timeout(min(AWAKE * self._options.timeout, patience)):
                how: Any = {"headers": self._headers(request)}
                return self._read(await self._client.post(self._path, cast_to=str, body=request, options=how))
        except TimeoutError:
            return Failure(0, SLOW, billed=True)
        except UnusableError as problem:
            return Failure(0, shown(str(problem), self._key), billed=True)
        except self._problems as problem:
            return read_failure(problem, self._key)


PAGES = 20
"""Maximum number of pages of the list of batches that are searched, newest first."""


Line = tuple[str, str | Failure | None]
"""What a file of results says of a request: its name, and the body of its answer, what came instead, or nothing."""


class BatchClient(Client):
    """One model's batch interface; what is particular about a provider's is in the methods that it adds.

    Batches and pages of their list are those of the client's library.

    Args:
        spec: the model.
        options: attempts and patience.
        worked: the same settings have been answered before, so a refusal blames its own request.

    Attributes:
        max_requests: maximum number of requests per batch; fewer than providers allow, so that results fit into memory.
        max_bytes: maximum number of bytes of a batch as it is sent.
        page: number of batches on a page of their list.
        after: parameter with the id of the batch behind which a page begins.
    """

    max_requests = 10_000
    max_bytes = 100_000_000
    page: int
    after = "after"
    _line: Callable[[Mapping[str, Any], str], Line]
    """Reads a line of a file of results, which may repeat the key."""

    def __init__(self, spec: ChatSpec, options: ChatOptions, worked: bool) -> None:
        super().__init__(spec, options, "The batch interface of")
        self._worked = worked

    @abstractmethod
    async def find(self, submission: Submission) -> SubmissionStatus:
        """Look for a batch of which we do not know whether it arrived."""

    @abstractmethod
    def _endpoint(self) -> Any:
        """Where the client's library has batches."""

    @abstractmethod
    async def _prepare(self, requests: Sequence[BatchRequest], tag: str) -> dict[str, Any]:
        """What a batch is made of, as the endpoint takes it."""

    @abstractmethod
    async def _results(self, batch: Any) -> list[str]:
        """Files of results."""

    @abstractmethod
    def _status(self, batch: Any) -> BatchStatus:
        """How far a batch is."""

    async def mark(self) -> str:
        """Where the provider's list of batches stands, asked before handing in; empty where tags are enough."""
        return ""

    async def submit(self, requests: Sequence[BatchRequest], submission: Submission) -> str | None:
        """Hand in a batch; its id, or None where only `find` can tell later whether it arrived.

        A batch whose answer got lost on the way is looked for, not made twice.

        Raises:
            UserError: the provider refuses it.
        """
        prepared = await self._run(partial(self._prepare, requests, submission.tag))
        tried = False

        async def create() -> str | None:
            nonlocal tried
            status = await self.find(submission) if tried else SubmissionStatus("absent")
            tried = True
            if status.state == "absent":
                return str(self._checked(await self._endpoint().create(**prepared)).id)
            return status.batch_id if status.state == "found" else None

        return await self._run(create)

    async def status(self, batch_id: str) -> BatchStatus:
        """How far it is."""
        return self._status(await self._batch(batch_id))

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """Name and answer of each request of a batch that ended, in any order; None is to be asked again.

        Raises:
            UserError: the provider refused every request of the batch.
        """
        for named in self.answers(await self._lines(await self._batch(batch_id))):
            yield named

    def answers(self, lines: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ChatAnswer | None]]:
        """Name and answer of each line of a file of results.

        Raises:
            UserError: every request of the batch was refused for good.
        """
        several = [self._line(line, self._key) for line in lines]
        worked = self._worked or any(isinstance(outcome, str) for _, outcome in several)
        for name, outcome in several:
            yield name, self._answer(outcome, worked=worked)

    def _answer(self, outcome: str | Failure | None, *, worked: bool) -> ChatAnswer | None:
        try:
            if isinstance(outcome, str):
                return self._read(outcome)
            return None if outcome is None else judge(outcome, self._spec, worked=worked)
        except UnusableError as problem:  # it would come as it is once more
            return ChatAnswer("", finish=ERROR, error=shown(str(problem), self._key))
        except TransientError:
            return None

    async def _batch(self, batch_id: str) -> Any:
        async def retrieve() -> Any:
            return self._checked(await self._endpoint().retrieve(batch_id))

        return await self._run(retrieve)

    async def _lines(self, batch: Any) -> list[dict[str, Any]]:
        async def fetch() -> list[dict[str, Any]]:
            return [line for text in await self._results(batch) for line in read_lines(text)]

        return await self._run(fetch)

    async def _newer(self, mark: str) -> tuple[list[Any], bool]:
        """Batches that came after `mark`, newest first, and whether these are all: it was seen, or there was none."""
        newer: list[Any] = []
        for _ in range(PAGES):
            batches, more = await self._listed(newer[-1].id if newer else "", self.page)
            for batch in batches:
                if batch.id == mark:
                    return newer, True
                newer.append(batch)
            if not more or not batches:
                return newer, not mark
        return newer, False

    async def _listed(self, after: str, limit: int) -> tuple[list[Any], bool]:
        """At most `limit` batches, newest first, behind the one with the id `after`; and whether there are more."""

        async def fetch() -> tuple[list[Any], bool]:
            query = {self.after: after} if after else None
            page = await self._endpoint().list(limit=limit, extra_query=query)
            return [self._checked(batch) for batch in page.data], bool(page.has_more)

        return await self._run(fetch)

    def _checked(self, batch: Any) -> Any:
        """A batch with an id and a status.

        Raises:
            ValueError, TypeError, AttributeError: it lacks one.
        """
        if not isinstance(batch.id, str) or not batch.id:
            raise ValueError("a batch without an id")
        self._status(batch)
        return batch

    async def _run(self, send: Callable[[], Awaitable[T]]) -> T:
        """What `send` returns, sent until what comes can be read.

        Raises:
            UserError: the provider refuses, has no such interface, or does not answer.
        """

        async def once() -> T:
            try:
                return await send()
            except self._problems as problem:
                failure = read_failure(problem, self._key)
            except MALFORMED:
                raise TransientError("the answer cannot be read") from None
            raise_if_passing(failure)
            raise self._refusal(failure)

        try:
            return await self._retrier.run(once)
        except TransientError as problem:
            raise UserError(
                f"The batch interface of '{self._spec.text}' fails again and again ({problem}). What was done is "
                "kept; the same command continues."
            ) from None

    def _refusal(self, failure: Failure) -> UserError:
        if failure.status in {404, 405, 501}:
            return UserError(
                f"The model '{self._spec.text}': {self._spec.base_url} has no batch interface, or does not have that "
                f"batch ({failure.words}). Leave out --batch to ask one by one."
            )
        return permanent(failure, self._spec)


def read_lines(text: str) -> list[dict[str, Any]]:
    """Reads JSON lines; ValueError where one is cut or is no object."""
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not all(isinstance(line, dict) and "custom_id" in line for line in lines):
        raise ValueError("not lines of results")
    return lines
