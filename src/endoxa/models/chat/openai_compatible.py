"""OpenAI's chat completions, as every server with its interface speaks them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from endoxa.models.chat.service import Request, UnusableError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.models.clients import CONNECT_SECONDS, foreign_headers, keep_quiet, without_organization
from endoxa.models.retrying import error_words
from endoxa.models.transport import async_guard
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CONTENT_FILTER, ERROR, REFUSAL, finish_reason

if TYPE_CHECKING:
    from openai import AsyncOpenAI


PATH = "/chat/completions"
OPENAI_KIND = "openai"
"""`Provider.kind` of OpenAI itself."""


class _Thought(BaseModel):
    text: str = ""


class _Part(BaseModel):
    """A piece of a content that is a list (Mistral's reasoning models)."""

    type: str
    text: str = ""
    thinking: list[_Thought] | str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class _CompletionDetails(BaseModel):
    reasoning_tokens: int | None = None


class _Counted(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Counted | None = None
    model: str | None = None


def open_client(spec: ChatSpec, key: str, options: ChatOptions) -> AsyncOpenAI:
    """A client of OpenAI, or of a server with its interface, which must not learn of the organization at OpenAI."""
    import openai

    keep_quiet()
    is_openai = spec.kind == OPENAI_KIND
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=spec.base_url,
        max_retries=0,
        timeout=openai.Timeout(options.timeout, connect=min(options.timeout, CONNECT_SECONDS), pool=None),
        http_client=openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks=async_guard(key, openai.APIConnectionError)
        ),
        default_headers=None if is_openai else foreign_headers(key),
    )
    return client if is_openai else without_organization(client)


class OpenAiService:
    """One model behind OpenAI's interface; see `endoxa.models.chat.service.ChatService`."""

    def __init__(self, spec: ChatSpec, client: AsyncOpenAI) -> None:
        import openai

        self._spec, self._client = spec, client
        self.problems: type[Exception] = openai.APIError

    def request(self, messages: Sequence[Message], sampling: Sampling) -> Request:
        """See `ChatService.request`."""
        return Request(completion_body(self._spec, messages, sampling))

    async def send(self, request: Request) -> str:
        """See `ChatService.send`."""
        return await self._client.post(PATH, cast_to=str, body=request.body)

    def read(self, body: str | bytes) -> ChatAnswer:
        """See `ChatService.read`."""
        return read_completion(body)

    async def models(self) -> list[str]:
        """See `ChatService.models`."""
        return [str(model.id) for model in (await self._client.models.list()).data or ()]

    def describe(self) -> Mapping[str, Any]:
        """See `ChatService.describe`."""
        return {
            "interface": "OpenAI chat completions",
            "max_tokens_field": self._spec.host.max_tokens_field,
            "seed_field": self._spec.host.seed_field,
        }

    async def close(self) -> None:
        """See `ChatService.close`."""
        await self._client.close()


def completion_body(spec: ChatSpec, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """The request's JSON; what is None is left out, and `extra` overrides: a null in it takes a field out."""
    settings = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        spec.host.max_tokens_field: sampling.max_tokens,
        **({spec.host.seed_field: sampling.seed} if spec.host.seed_field else {}),
        "reasoning_effort": sampling.reasoning,
        "response_format": _response_format(sampling.answer_schema),
    }
    fields = {
        "model": spec.served_name,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **settings,
        **sampling.extra,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A JSON schema as the interface takes it; `strict` needs every property required and no other allowed."""
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def read_completion(body: str | bytes) -> ChatAnswer:
    """Read a completion's JSON.

    Raises:
        UnusableError: it is none, has no choice, or ended with the server's own error.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        raise UnusableError(_instead(body)) from None
    choice = completion.choices[0]
    finish = finish_reason(choice.finish_reason)
    if finish == ERROR:
        raise UnusableError("the server broke off in the middle of the answer")
    message = choice.message
    text, thoughts = _split(message.content)
    return ChatAnswer(
        text=text or message.refusal or "",
        finish=REFUSAL if message.refusal else finish,
        refused=bool(message.refusal) or finish in (REFUSAL, CONTENT_FILTER),
        usage=_usage(completion.usage),
        served_model=completion.model or "",
        reasoning=message.reasoning_content or message.reasoning or thoughts,
    )


def _split(content: str | list[_Part] | None) -> tuple[str, str]:
    """Text and thoughts of a content."""
    if content is None or isinstance(content, str):
        return content or "", ""
    thoughts = [
        part.thinking
        if isinstance(part.thinking, str)
        else "".join(thought.text for thought in part.thinking)
        for part in content
    ]
    return "".join(part.text for part in content if part.type == "text"), "".join(thoughts)


def _usage(counted: _Counted | None) -> Usage:
    if counted is None:
        return Usage()
    sent, received = counted.prompt_tokens_details, counted.completion_tokens_details
    return Usage(
        counted.prompt_tokens or 0,
        counted.completion_tokens or 0,
        (sent.cached_tokens if sent else None) or 0,
        (received.reasoning_tokens if received else None) or 0,
    )


def _instead(body: str | bytes) -> str:
    """What came in the place of a completion."""
    text = body if isinstance(body, str) else body.decode(errors="replace")
    try:
        content = json.loads(body)
    except ValueError:
        return f"it is not whole JSON: '{text}'"
    words, _ = error_words(content) if isinstance(content, dict) and "error" in content else ("", "")
    return words or f"it has no choices: '{text}'"
