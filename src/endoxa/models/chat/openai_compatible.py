"""OpenAI's chat completions, as every server with its interface speaks them, and OpenAI's batches."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from endoxa.models.chat.batches import MAX_BYTES, MAX_REQUESTS, Calls, Line, read_lines, reader
from endoxa.models.chat.clients import openai_client, read_key, shown
from endoxa.models.chat.failures import Failure, error_words
from endoxa.models.chat.service import BatchRequest, BatchStatus, Request, UnusableError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.schema import ChatAnswer, Message, Sampling, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI


PATH = "/chat/completions"


class _Thought(BaseModel):
    text: str = ""


class _Part(BaseModel):
    """A piece of a content that is a list (Mistral's reasoning models)."""

    type: str
    text: str = ""
    thinking: list[_Thought] | str = ""


class _Said(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    message: _Said
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
            "max_tokens_field": self._spec.max_tokens_field,
            "seed_field": self._spec.seed_field,
        }

    async def close(self) -> None:
        """See `ChatService.close`."""
        await self._client.close()


def completion_body(spec: ChatSpec, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """The request's JSON; what is None is left out, and `extra` overrides: a null in it takes a field out."""
    settings = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        spec.max_tokens_field: sampling.max_tokens,
        **({spec.seed_field: sampling.seed} if spec.seed_field else {}),
        "reasoning_effort": sampling.reasoning,
        "response_format": _response_format(sampling.answer_schema),
    }
    whole = {
        "model": spec.served_name,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **settings,
        **sampling.extra,
    }
    return {name: value for name, value in whole.items() if value is not None}


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
    if choice.finish_reason == "error":
        raise UnusableError("the server broke off in the middle of the answer")
    said = choice.message
    text, thoughts = _split(said.content)
    refused = bool(said.refusal) or choice.finish_reason == "content_filter"
    return ChatAnswer(
        text=text or said.refusal or "",
        finish="refusal" if said.refusal else choice.finish_reason or "stop",
        refused=refused,
        usage=_usage(completion.usage),
        served_model=completion.model or "",
        reasoning=said.reasoning_content or said.reasoning or thoughts,
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
    import json

    whole = body if isinstance(body, str) else body.decode(errors="replace")
    try:
        content = json.loads(body)
    except ValueError:
        return f"it is not whole JSON: '{whole}'"
    words, _ = error_words(content) if isinstance(content, dict) and "error" in content else ("", "")
    return words or f"it has no choices: '{whole}'"


TAG = "endoxa"
"""Name of the tag in a batch's metadata."""
PAGE = 100
PAGES = 20
"""So many pages of the list of batches are searched for a tag, newest first."""
_WORKING = frozenset({"validating", "in_progress", "finalizing", "cancelling"})


class _File(BaseModel):
    id: str


class _Counts(BaseModel):
    total: int = 0
    completed: int = 0
    failed: int = 0


class _Error(BaseModel):
    message: str | None = None


class _Errors(BaseModel):
    data: list[_Error] | None = None


class _Batch(BaseModel):
    id: str
    status: str
    metadata: dict[str, str] | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: _Counts | None = None
    errors: _Errors | None = None


class _Page(BaseModel):
    data: list[_Batch]
    has_more: bool = False


class OpenAiBatches:
    """See `endoxa.models.chat.batch.client.BatchClient`."""

    max_requests = MAX_REQUESTS
    max_bytes = MAX_BYTES

    def __init__(
        self, spec: ChatSpec, client: AsyncOpenAI, key: str, options: ChatOptions, *, worked: bool
    ) -> None:
        import openai

        self._spec, self._client, self._key = spec, client, key
        self._calls = Calls(spec, key, options, openai.APIError, worked=worked)

    @classmethod
    def open(cls, spec: ChatSpec, options: ChatOptions, *, worked: bool) -> OpenAiBatches:
        """A client with the key from the environment.

        Raises:
            UserError: a package or the key is missing.
        """
        key = read_key(spec)
        return cls(spec, openai_client(spec, key, options), key, options, worked=worked)

    async def submit(self, requests: Sequence[BatchRequest], *, tag: str) -> str:
        """See `BatchClient.submit`. A batch whose answer got lost on the way is found by its tag, not made twice."""
        content = b"".join(self._line(request) for request in requests)

        async def upload() -> str:
            named = (f"{tag}.jsonl", content, "application/jsonl")
            return (await self._client.files.with_raw_response.create(file=named, purpose="batch")).text

        file = await self._calls.run(upload, reader(_File))
        body = {
            "input_file_id": file.id,
            "endpoint": f"/v1{PATH}",
            "completion_window": "24h",
            "metadata": {TAG: tag},
        }
        tried = False

        async def create() -> str:
            nonlocal tried
            known = await self.find(tag) if tried else []
            tried = True
            if known:
                return await self._client.get(f"/batches/{known[0]}", cast_to=str)
            return await self._client.post("/batches", cast_to=str, body=body)

        return (await self._calls.run(create, reader(_Batch))).id

    def _line(self, request: BatchRequest) -> bytes:
        name, messages, sampling = request
        body = completion_body(self._spec, messages, sampling)
        line = {"custom_id": name, "method": "POST", "url": f"/v1{PATH}", "body": body}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    async def find(self, tag: str) -> list[str]:
        """See `BatchClient.find`."""
        found: list[str] = []
        after: dict[str, str] = {}
        for _ in range(PAGES):
            params = {"limit": PAGE, **after}

            async def send(params: Mapping[str, object] = params) -> str:
                return await self._client.get("/batches", cast_to=str, options={"params": params})

            page = await self._calls.run(send, reader(_Page))
            found += [batch.id for batch in page.data if (batch.metadata or {}).get(TAG) == tag]
            if found or not page.has_more or not page.data:
                break
            after = {"after": page.data[-1].id}
        return found

    async def _retrieve(self, batch_id: str) -> _Batch:
        async def send() -> str:
            return await self._client.get(f"/batches/{batch_id}", cast_to=str)

        return await self._calls.run(send, reader(_Batch))

    async def status(self, batch_id: str) -> BatchStatus:
        """See `BatchClient.status`."""
        batch = await self._retrieve(batch_id)
        counts = batch.request_counts or _Counts()
        done = counts.completed + counts.failed
        if batch.status in _WORKING:
            return BatchStatus("working", done, counts.total)
        if batch.status == "failed":
            said = "; ".join(error.message or "" for error in (batch.errors and batch.errors.data) or ())
            return BatchStatus("failed", done, counts.total, shown(said, self._key))
        return BatchStatus("ended", done, counts.total)

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """See `BatchClient.results`."""
        batch = await self._retrieve(batch_id)
        lines = []
        for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):

            async def send(file_id: str = file_id) -> str:
                return await self._client.get(f"/files/{file_id}/content", cast_to=str)

            lines += await self._calls.run(send, read_lines)
        async for named in self._calls.answers(read_line(line, self._key) for line in lines):
            yield named

    async def close(self) -> None:
        """See `BatchClient.close`."""
        await self._client.close()


def read_line(line: Mapping[str, Any], key: str) -> Line:
    """A line of a file of results or of errors."""
    name, response = str(line["custom_id"]), line.get("response")
    if not isinstance(response, Mapping):
        return Line(name)
    body, status = response.get("body"), int(response.get("status_code") or 0)
    if status == 200:
        return Line(name, answer=lambda: read_completion(json.dumps(body)))
    words, code = error_words(body)
    return Line(name, failure=Failure(status, shown(words, key), code))
