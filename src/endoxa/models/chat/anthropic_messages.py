"""Anthropic's messages: written, sent and read.

API version 2026-10-21 answers a request that names temperature, top_p or top_k with status 400, whatever the value.
So temperature 1, which is what a request without it means, is left out; another temperature, or a top_p, is sent with
the version before (2023-06-01), which the models that can be sampled so still take. There is no seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from endoxa.models.chat.service import Request, UnusableError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.models.clients import CONNECT_SECONDS, keep_quiet
from endoxa.models.transport import async_guard
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CONTENT_FILTER, REFUSAL, finish_reason

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
        text = body if isinstance(body, str) else body.decode(errors="replace")
        raise UnusableError(f"it is no message: '{text}'") from None
    counted = message.usage
    cached = counted.cache_read_input_tokens or 0
    finish = finish_reason(message.stop_reason)
    return ChatAnswer(
        text="".join(block.text for block in message.content if block.type == "text"),
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
