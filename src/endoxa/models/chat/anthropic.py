"""Anthropic as a provider: its messages, written, sent and read, and its message batches.

API version 2026-10-21 answers a request that names temperature, top_p or top_k with status 400, whatever the value.
So temperature 1, which is what a request without it means, is left out; another temperature, or a top_p, is sent with
the version before (2023-06-01), which the models that can be sampled so still take. There is no seed.

A batch of theirs holds no metadata, and its requests are not shown until it has ended. So our tag stands in the name of
each request, where the results show it, and the list of batches is remembered as it was before a batch is handed in. A
batch whose id was lost is one of those that came after that, with as many requests, and with our tag in its results.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from endoxa.models.chat.presets import list_price
from endoxa.models.chat.remote import MAX_BYTES, MAX_REQUESTS, Calls, Line, RemoteModel, read_lines, reader
from endoxa.models.chat.spec import (
    BatchRequest,
    BatchStatus,
    ChatOptions,
    ChatSpec,
    Lost,
    Provider,
    Request,
    Submission,
    SubmissionStatus,
    UnusableError,
    read_key,
)
from endoxa.models.clients import CONNECT_SECONDS, keep_quiet
from endoxa.models.keys import shown
from endoxa.models.retrying import Failure, error_words
from endoxa.models.transport import async_guard
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL, CONTENT_FILTER, REFUSAL, TOOL_CALL, finish_reason

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


PATH = "/v1/messages"
MAX_TOKENS = 4096
"""Sent where no bound is given: the interface wants one."""
SAMPLED_VERSION = "2023-06-01"
_SAMPLING_FIELDS = ("temperature", "top_p", "top_k")


class _Block(BaseModel):
    type: str
    text: str = ""
    thinking: str = ""


class _Details(BaseModel):
    thinking_tokens: int | None = None


class _Counted(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens_details: _Details | None = None


class _Answered(BaseModel):
    content: list[_Block]
    stop_reason: str | None
    model: str = ""
    usage: _Counted = _Counted()


class AnthropicService:
    """One model of Anthropic's; see `endoxa.models.chat.spec.ChatService`."""

    def __init__(self, spec: ChatSpec, client: AsyncAnthropic) -> None:
        import anthropic

        self._spec, self._client = spec, client
        self.problems: type[Exception] = anthropic.APIError

    def request(self, messages: Sequence[Message], sampling: Sampling) -> Request:
        """See `ChatService.request`."""
        body = message_body(self._spec, messages, sampling)
        return Request(body, version_headers(body))

    async def send(self, request: Request) -> str:
        """See `ChatService.send`."""
        return await self._client.post(
            PATH, cast_to=str, body=request.body, options={"headers": dict(request.headers)}
        )

    def read(self, body: str | bytes) -> ChatAnswer:
        """See `ChatService.read`."""
        return read_message(body)

    async def models(self) -> list[str]:
        """See `ChatService.models`."""
        return [model.id async for model in self._client.models.list(limit=1000)]

    def describe(self) -> Mapping[str, Any]:
        """See `ChatService.describe`."""
        return {
            "interface": "Anthropic messages",
            "seed": "not honoured: the interface has none",
            "temperature": f"1 is left out; another value goes to version {SAMPLED_VERSION} of the interface",
        }

    async def close(self) -> None:
        """See `ChatService.close`."""
        await self._client.close()


def message_body(spec: ChatSpec, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """The request's JSON; `extra` overrides: a null in it takes a field out."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    body: dict[str, Any] = {
        "model": spec.served_name,
        "max_tokens": sampling.max_tokens or MAX_TOKENS,
        "messages": [
            {"role": message.role, "content": message.content}
            for message in messages
            if message.role != "system"
        ],
        **_thinking(sampling.reasoning),
    }
    if sampling.answer_schema is not None:
        answer_format = {"type": "json_schema", "schema": sampling.answer_schema}
        body["output_config"] = {**body.get("output_config", {}), "format": answer_format}
    if system:
        body["system"] = system
    if sampling.temperature not in {None, 1.0}:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    return {name: value for name, value in {**body, **sampling.extra}.items() if value is not None}


def _thinking(reasoning: str | None) -> dict[str, Any]:
    """A word is an effort of adaptive thinking, a number a budget of tokens (models before Claude 4.6)."""
    if reasoning is None:
        return {}
    if reasoning == "none":
        return {"thinking": {"type": "disabled"}}
    if reasoning.isdecimal():
        return {"thinking": {"type": "enabled", "budget_tokens": int(reasoning)}}
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": reasoning}}


def version_headers(body: Mapping[str, Any]) -> dict[str, str]:
    """The older version of the interface where the body names how to sample."""
    return {"anthropic-version": SAMPLED_VERSION} if any(name in body for name in _SAMPLING_FIELDS) else {}


def read_message(body: str | bytes) -> ChatAnswer:
    """Read a message's JSON.

    Raises:
        UnusableError: it is none.
    """
    try:
        message = _Answered.model_validate_json(body)
    except ValidationError:
        text = body if isinstance(body, str) else body.decode(errors="replace")
        raise UnusableError(f"the server returned no message: '{text}'") from None
    counted = message.usage
    cached = counted.cache_read_input_tokens or 0
    finish = finish_reason(message.stop_reason)
    text = "".join(block.text for block in message.content if block.type == "text")
    return ChatAnswer(
        text=text,
        finish=finish,
        refused=finish in (REFUSAL, CONTENT_FILTER),
        usage=Usage(
            counted.input_tokens + (counted.cache_creation_input_tokens or 0) + cached,
            counted.output_tokens,
            cached,
            (counted.output_tokens_details.thinking_tokens if counted.output_tokens_details else None) or 0,
        ),
        served_model=message.model,
        reasoning="".join(block.thinking for block in message.content if block.type == "thinking"),
        error=CALLED_A_TOOL if finish == TOOL_CALL and not text.strip() else "",
    )


def open_client(spec: ChatSpec, key: str, options: ChatOptions) -> AsyncAnthropic:
    """The client, which leaves trying again to us."""
    import anthropic

    keep_quiet()
    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=spec.base_url,
        max_retries=0,
        timeout=anthropic.Timeout(options.timeout, connect=min(options.timeout, CONNECT_SECONDS), pool=None),
        http_client=anthropic.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks=async_guard(key, anthropic.APIConnectionError)
        ),
    )


BATCHES = f"{PATH}/batches"
PAGE = 1000
PAGES = 20
"""So many pages of the list of batches are searched, newest first."""
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "api_error": 500,
    "overloaded_error": 529,
}
"""HTTP status of each type of error (Anthropic's list of errors); results name the type alone."""
_TAGGED = re.compile("endoxa-[0-9a-f]{24}-")
"""Our tag in front of a request's name."""


class _Counts(BaseModel):
    processing: int = 0
    succeeded: int = 0
    errored: int = 0
    canceled: int = 0
    expired: int = 0

    @property
    def done(self) -> int:
        return self.succeeded + self.errored + self.canceled + self.expired

    @property
    def total(self) -> int:
        return self.done + self.processing


class _Batch(BaseModel):
    id: str
    processing_status: str
    request_counts: _Counts
    archived_at: str | None = None

    @property
    def ended(self) -> bool:
        return self.processing_status == "ended"


class _Page(BaseModel):
    data: list[_Batch]
    has_more: bool = False


class _UnsettledError(Exception):
    """Handing in failed, and whether the batch arrived cannot be told yet."""


class AnthropicBatches:
    """See `endoxa.models.chat.spec.BatchClient`."""

    max_requests = MAX_REQUESTS
    max_bytes = MAX_BYTES

    def __init__(
        self, spec: ChatSpec, client: AsyncAnthropic, key: str, options: ChatOptions, *, worked: bool
    ) -> None:
        import anthropic

        self._spec, self._client, self._key = spec, client, key
        self._calls = Calls(spec, key, options, anthropic.APIError, worked=worked)

    @classmethod
    def open(cls, spec: ChatSpec, options: ChatOptions, *, worked: bool) -> AnthropicBatches:
        """A client with the key from the environment.

        Raises:
            UserError: a package or the key is missing.
        """
        key = read_key(spec)
        return cls(spec, open_client(spec, key, options), key, options, worked=worked)

    async def mark(self) -> str:
        """See `BatchClient.mark`: the newest batch."""
        newest = (await self._page({"limit": 1})).data
        return newest[0].id if newest else ""

    async def submit(self, requests: Sequence[BatchRequest], submission: Submission) -> str | None:
        """See `BatchClient.submit`."""
        bodies = [
            (f"{submission.tag}-{name}", message_body(self._spec, messages, sampling))
            for name, messages, sampling in requests
        ]
        headers: dict[str, str] = {}
        for _, body in bodies:
            headers |= version_headers(body)
        handed_in = {"requests": [{"custom_id": name, "params": body} for name, body in bodies]}
        tried = False

        async def send() -> str:
            nonlocal tried
            status = await self.find(submission) if tried else SubmissionStatus("absent")
            tried = True
            if status.state == "found":
                return await self._client.get(f"{BATCHES}/{status.batch_id}", cast_to=str)
            if status.state != "absent":
                raise _UnsettledError
            return await self._client.post(BATCHES, cast_to=str, body=handed_in, options={"headers": headers})

        try:
            return (await self._calls.run(send, reader(_Batch))).id
        except _UnsettledError:
            return None

    async def find(self, submission: Submission) -> SubmissionStatus:
        """See `BatchClient.find`."""
        listed, complete = await self._newer(submission.mark)
        unfinished: list[str] = []
        for batch in reversed(listed):
            if batch.request_counts.total != submission.requests:
                continue
            if not batch.ended:
                unfinished.append(batch.id)
            elif batch.archived_at is not None:
                complete = False
            else:
                lines = await self._results(batch.id)
                if lines and str(lines[0]["custom_id"]).startswith(f"{submission.tag}-"):
                    return SubmissionStatus("found", batch.id)
        if unfinished:
            return SubmissionStatus("unfinished", unfinished[0])
        return SubmissionStatus("absent" if complete else "unknown")

    async def _newer(self, mark: str) -> tuple[list[_Batch], bool]:
        """Batches that came after `mark`, newest first, and whether these are all: it was seen, or there was none."""
        newer: list[_Batch] = []
        params: dict[str, object] = {"limit": PAGE}
        for _ in range(PAGES):
            page = await self._page(params)
            for batch in page.data:
                if batch.id == mark:
                    return newer, True
                newer.append(batch)
            if not page.has_more or not page.data:
                return newer, not mark
            params = {"limit": PAGE, "after_id": page.data[-1].id}
        return newer, False

    async def _page(self, params: Mapping[str, object]) -> _Page:
        async def send() -> str:
            return await self._client.get(BATCHES, cast_to=str, options={"params": params})

        return await self._calls.run(send, reader(_Page))

    async def status(self, batch_id: str) -> BatchStatus:
        """See `BatchClient.status`."""

        async def send() -> str:
            return await self._client.get(f"{BATCHES}/{batch_id}", cast_to=str)

        batch = await self._calls.run(send, reader(_Batch))
        counts = batch.request_counts
        return BatchStatus("ended" if batch.ended else "working", counts.done, counts.total)

    async def _results(self, batch_id: str) -> list[dict[str, Any]]:
        async def send() -> str:
            return await self._client.get(f"{BATCHES}/{batch_id}/results", cast_to=str)

        return await self._calls.run(send, read_lines)

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """See `BatchClient.results`."""
        lines = await self._results(batch_id)
        async for named in self._calls.answers(read_line(line, self._key) for line in lines):
            yield named

    async def close(self) -> None:
        """See `BatchClient.close`."""
        await self._client.close()


def read_line(line: Mapping[str, Any], key: str) -> Line:
    """A line of a file of results."""
    name, result = _TAGGED.sub("", str(line["custom_id"]), count=1), line.get("result") or {}
    if result.get("type") == "succeeded":
        return Line(name, answer=lambda: read_message(json.dumps(result.get("message"))))
    if result.get("type") != "errored":
        return Line(name)
    words, code = error_words(result.get("error"))
    return Line(name, failure=Failure(STATUSES.get(code, 500), shown(words, key), code))


def _open(spec: ChatSpec, options: ChatOptions, lost: Lost) -> RemoteModel:
    key = read_key(spec)
    return RemoteModel(spec, AnthropicService(spec, open_client(spec, key, options)), key, options, lost)


def _open_batch(spec: ChatSpec, options: ChatOptions, worked: bool) -> AnthropicBatches:
    return AnthropicBatches.open(spec, options, worked=worked)


ANTHROPIC = Provider(
    name="anthropic",
    kind="anthropic",
    open=_open,
    open_batch=_open_batch,
    base_url="https://api.anthropic.com",
    key="ANTHROPIC_API_KEY",
    price=list_price,
    libraries=("anthropic", "stamina", "aiolimiter"),
)
