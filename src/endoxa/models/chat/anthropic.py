"""Anthropic: its messages, its message batches, and the provider.

API version 2026-10-21 answers a request that names temperature, top_p or top_k with status 400, whatever the value.
So temperature 1, which is what a request without it means, is left out; another temperature, or a top_p, is sent with
the version before (2023-06-01), which the models that can be sampled so still take. There is no seed.

A batch of theirs holds no metadata, so a batch whose id was lost (the run was killed between handing it in and noting
its id, or the answer to it got lost) cannot be found again: its requests are handed in once more and paid twice. Each
answer is still kept once.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from endoxa.models.chat.batches import MAX_BYTES, MAX_REQUESTS, Calls, Line, read_lines, reader
from endoxa.models.chat.clients import connect_seconds, read_key
from endoxa.models.chat.prices import list_price
from endoxa.models.chat.remote import RemoteModel
from endoxa.models.chat.service import BatchRequest, BatchStatus, Lost, Request, UnusableError
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Provider
from endoxa.models.clients import keep_quiet, shown
from endoxa.models.retrying import Failure, error_words
from endoxa.schema import ChatAnswer, Message, Sampling, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


PATH = "/v1/messages"
MAX_TOKENS = 4096
"""Sent where no bound is given: the interface wants one."""
SAMPLED_VERSION = "2023-06-01"
_SAMPLING_FIELDS = ("temperature", "top_p", "top_k")
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
BATCHES = f"{PATH}/batches"
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
    """One model of Anthropic's; see `endoxa.models.chat.service.ChatService`."""

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
        whole = body if isinstance(body, str) else body.decode(errors="replace")
        raise UnusableError(f"it is no message: '{whole}'") from None
    counted = message.usage
    cached = counted.cache_read_input_tokens or 0
    reason = message.stop_reason or "stop"
    return ChatAnswer(
        text="".join(block.text for block in message.content if block.type == "text"),
        finish=_FINISH.get(reason, reason),
        refused=reason == "refusal",
        usage=Usage(
            counted.input_tokens + (counted.cache_creation_input_tokens or 0) + cached,
            counted.output_tokens,
            cached,
            (counted.output_tokens_details.thinking_tokens if counted.output_tokens_details else None) or 0,
        ),
        served_model=message.model,
        reasoning="".join(block.thinking for block in message.content if block.type == "thinking"),
    )


class _Counts(BaseModel):
    processing: int = 0
    succeeded: int = 0
    errored: int = 0
    canceled: int = 0
    expired: int = 0


class _Batch(BaseModel):
    id: str
    processing_status: str
    request_counts: _Counts


class AnthropicBatches:
    """See `endoxa.models.chat.service.BatchClient`."""

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
        return cls(spec, _client(spec, key, options), key, options, worked=worked)

    async def submit(self, requests: Sequence[BatchRequest], *, tag: str) -> str:
        """See `BatchClient.submit`; the tag has no place there."""
        del tag
        bodies = [
            (name, message_body(self._spec, messages, sampling)) for name, messages, sampling in requests
        ]
        headers: dict[str, str] = {}
        for _, body in bodies:
            headers |= version_headers(body)
        handed_in = {"requests": [{"custom_id": name, "params": body} for name, body in bodies]}

        async def send() -> str:
            return await self._client.post(BATCHES, cast_to=str, body=handed_in, options={"headers": headers})

        return (await self._calls.run(send, reader(_Batch))).id

    async def find(self, tag: str) -> None:
        """None: see the top of this module."""
        del tag

    async def status(self, batch_id: str) -> BatchStatus:
        """See `BatchClient.status`."""

        async def send() -> str:
            return await self._client.get(f"{BATCHES}/{batch_id}", cast_to=str)

        batch = await self._calls.run(send, reader(_Batch))
        counts = batch.request_counts
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        state: Any = "ended" if batch.processing_status == "ended" else "working"
        return BatchStatus(state, done, done + counts.processing)

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """See `BatchClient.results`."""

        async def send() -> str:
            return await self._client.get(f"{BATCHES}/{batch_id}/results", cast_to=str)

        lines = await self._calls.run(send, read_lines)
        async for named in self._calls.answers(read_line(line, self._key) for line in lines):
            yield named

    async def close(self) -> None:
        """See `BatchClient.close`."""
        await self._client.close()


def read_line(line: Mapping[str, Any], key: str) -> Line:
    """A line of a file of results."""
    name, result = str(line["custom_id"]), line.get("result") or {}
    if result.get("type") == "succeeded":
        return Line(name, answer=lambda: read_message(json.dumps(result.get("message"))))
    if result.get("type") != "errored":
        return Line(name)
    words, code = error_words(result.get("error"))
    return Line(name, failure=Failure(STATUSES.get(code, 500), shown(words, key), code))


def _client(spec: ChatSpec, key: str, options: ChatOptions) -> AsyncAnthropic:
    import anthropic

    keep_quiet()
    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=spec.base_url,
        max_retries=0,
        timeout=anthropic.Timeout(options.timeout, connect=connect_seconds(options), pool=None),
    )


def _open(spec: ChatSpec, options: ChatOptions, lost: Lost) -> RemoteModel:
    key = read_key(spec)
    return RemoteModel(spec, [AnthropicService(spec, _client(spec, key, options))], key, options, lost)


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
