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
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from endoxa.models.chat.presets import list_price
from endoxa.models.chat.remote import MALFORMED, BatchClient, Client, Line, RemoteModel
from endoxa.models.chat.spec import (
    BatchRequest,
    BatchStatus,
    ChatSpec,
    Provider,
    Submission,
    SubmissionStatus,
    UnusableError,
)
from endoxa.models.keys import shown
from endoxa.models.retrying import Failure, error_words
from endoxa.models.transport import provider_settings
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL, CONTENT_FILTER, REFUSAL, TOOL_CALL, finish_reason

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Usage as Counted


PATH = "/v1/messages"
MAX_TOKENS = 4096
"""Sent where no bound is given: the interface wants one."""
SAMPLED_VERSION = "2023-06-01"
_SAMPLING_FIELDS = ("temperature", "top_p", "top_k")


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
    from anthropic.types import Message as Answered

    try:
        fields = json.loads(body)
        message = Answered.construct(**fields)
        text = "".join(block.text for block in message.content if block.type == "text")
        thoughts = "".join(block.thinking for block in message.content if block.type == "thinking")
        finish, usage = finish_reason(fields["stop_reason"]), _usage(message.usage)
    except MALFORMED:
        words = body if isinstance(body, str) else body.decode(errors="replace")
        raise UnusableError(f"the server returned no message: '{words}'") from None
    return ChatAnswer(
        text=text,
        finish=finish,
        refused=finish in (REFUSAL, CONTENT_FILTER),
        usage=usage,
        served_model=str(message.model or ""),
        reasoning=thoughts,
        error=CALLED_A_TOOL if finish == TOOL_CALL and not text.strip() else "",
    )


def _usage(counted: Counted | None) -> Usage:
    if counted is None:
        return Usage()
    cached, details = int(counted.cache_read_input_tokens or 0), counted.output_tokens_details
    return Usage(
        int(counted.input_tokens or 0) + int(counted.cache_creation_input_tokens or 0) + cached,
        int(counted.output_tokens or 0),
        cached,
        int((details and details.thinking_tokens) or 0),
    )


class Anthropic(Client):
    """Anthropic."""

    _path = PATH
    _body = staticmethod(message_body)
    _read = staticmethod(read_message)

    def _open(self) -> AsyncAnthropic:
        import anthropic

        self._problems = anthropic.APIError
        settings = provider_settings(anthropic, self._spec.base_url, self._key, self._options.timeout)
        return anthropic.AsyncAnthropic(**settings)


class AnthropicModel(Anthropic, RemoteModel):
    """See `endoxa.models.chat.remote.RemoteModel`."""

    _headers = staticmethod(version_headers)

    async def _models(self) -> list[str]:
        return [model.id async for model in self._client.models.list(limit=1000)]

    def _particulars(self) -> Mapping[str, Any]:
        return {
            "interface": "Anthropic messages",
            "seed": "not honoured: the interface has none",
            "temperature": f"1 is left out; another value goes to version {SAMPLED_VERSION} of the interface",
        }


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


def read_line(line: Mapping[str, Any], key: str) -> Line:
    """A line of a file of results."""
    name, result = _TAGGED.sub("", str(line["custom_id"]), count=1), line.get("result") or {}
    if result.get("type") == "succeeded":
        return name, json.dumps(result.get("message"))
    if result.get("type") != "errored":
        return name, None
    words, code = error_words(result.get("error"))
    return name, Failure(STATUSES.get(code, 500), shown(words, key), code)


class AnthropicBatches(Anthropic, BatchClient):
    """See `endoxa.models.chat.remote.BatchClient`."""

    page = 1000
    after = "after_id"
    _line = staticmethod(read_line)

    async def mark(self) -> str:
        """See `BatchClient.mark`: the newest batch."""
        newest, _ = await self._listed("", 1)
        return newest[0].id if newest else ""

    async def find(self, submission: Submission) -> SubmissionStatus:
        """See `BatchClient.find`."""
        listed, complete = await self._newer(submission.mark)
        unfinished: list[str] = []
        for batch in reversed(listed):
            if self._status(batch).total != submission.requests:
                continue
            if batch.processing_status != "ended":
                unfinished.append(batch.id)
            elif batch.archived_at is not None:
                complete = False
            else:
                lines = await self._lines(batch)
                if lines and str(lines[0]["custom_id"]).startswith(f"{submission.tag}-"):
                    return SubmissionStatus("found", batch.id)
        if unfinished:
            return SubmissionStatus("unfinished", unfinished[0])
        return SubmissionStatus("absent" if complete else "unknown")

    async def _prepare(self, requests: Sequence[BatchRequest], tag: str) -> dict[str, Any]:
        prepared: list[Any] = []
        headers: dict[str, str] = {}
        for name, messages, sampling in requests:
            body = message_body(self._spec, messages, sampling)
            prepared.append({"custom_id": f"{tag}-{name}", "params": body})
            headers |= version_headers(body)
        return {"requests": prepared, "extra_headers": headers}

    def _endpoint(self) -> Any:
        return self._client.messages.batches

    async def _results(self, batch: Any) -> list[str]:
        # Not the address that the batch names: the key goes to that of the provider alone.
        return [await self._client.get(f"{PATH}/batches/{batch.id}/results", cast_to=str)]

    def _status(self, batch: Any) -> BatchStatus:
        counts = batch.request_counts
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        ended = batch.processing_status == "ended"
        return BatchStatus("ended" if ended else "working", done, done + counts.processing)


ANTHROPIC = Provider(
    name="anthropic",
    kind="anthropic",
    open=AnthropicModel,
    open_batch=AnthropicBatches,
    base_url="https://api.anthropic.com",
    key="ANTHROPIC_API_KEY",
    price=list_price,
    libraries=("anthropic", "aiolimiter"),
)
