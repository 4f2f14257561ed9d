"""OpenAI and every provider with its interface: chat completions, batches, presets, and servers named by address."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from endoxa.models.chat.presets import Preset, list_price
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
from endoxa.models.clients import CONNECT_SECONDS, foreign_headers, keep_quiet, without_organization
from endoxa.models.keys import shown
from endoxa.models.retrying import Failure, error_words
from endoxa.models.spec import KEY_VARIABLE, checked_address, read_address
from endoxa.models.transport import async_guard
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL, CONTENT_FILTER, ERROR, REFUSAL, TOOL_CALL, finish_reason

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
    refusal: str = ""
    thinking: list[_Thought] | str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[object] | None = None
    function_call: object = None


class _Choice(BaseModel):
    index: int | None = None
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
    system_fingerprint: object = None  # servers may put anything there


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
    """One model behind OpenAI's interface; see `endoxa.models.chat.spec.ChatService`."""

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
    # `strict` needs every property required and no other allowed.
    held_to = {"name": "answer", "strict": True, "schema": sampling.answer_schema}
    settings = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        spec.host.max_tokens_field: sampling.max_tokens,
        **({spec.host.seed_field: sampling.seed} if spec.host.seed_field else {}),
        "reasoning_effort": sampling.reasoning,
        "response_format": {"type": "json_schema", "json_schema": held_to}
        if sampling.answer_schema
        else None,
    }
    fields = {
        "model": spec.served_name,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **settings,
        **sampling.extra,
    }
    return {name: value for name, value in fields.items() if value is not None}


def read_completion(body: str | bytes) -> ChatAnswer:
    """Read a completion's JSON.

    Raises:
        UnusableError: it is none, has no choice, or ended with the server's own error.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        raise UnusableError(_instead(body)) from None
    choice = min(completion.choices, key=lambda choice: choice.index or 0)
    message = choice.message
    text, thoughts, declined = _split(message.content)
    declined = message.refusal or declined
    called = bool(message.tool_calls or message.function_call)
    finish = REFUSAL if declined else TOOL_CALL if called else finish_reason(choice.finish_reason)
    if finish == ERROR:
        raise UnusableError("the server broke off in the middle of the answer")
    return ChatAnswer(
        text=text or declined,
        finish=finish,
        refused=finish in (REFUSAL, CONTENT_FILTER),
        usage=_usage(completion.usage),
        served_model=completion.model or "",
        reasoning=message.reasoning_content or message.reasoning or thoughts,
        error=CALLED_A_TOOL if finish == TOOL_CALL and not text.strip() else "",
        system_fingerprint=str(completion.system_fingerprint or ""),
    )


def _split(content: str | list[_Part] | None) -> tuple[str, str, str]:
    """Text, thoughts and refusal of a content."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    thoughts = [
        part.thinking
        if isinstance(part.thinking, str)
        else "".join(thought.text for thought in part.thinking)
        for part in content
    ]
    texts = [part.text for part in content if part.type in ("text", "output_text")]
    return "".join(texts), "".join(thoughts), "".join(part.refusal for part in content)


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
        return f"the server returned incomplete JSON: '{text}'"
    words, _ = error_words(content) if isinstance(content, dict) and "error" in content else ("", "")
    chosen = isinstance(content, dict) and content.get("choices")
    return (
        words or f"the server returned {'a choice without a message' if chosen else 'no choices'}: '{text}'"
    )


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
    """See `endoxa.models.chat.spec.BatchClient`."""

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
        return cls(spec, open_client(spec, key, options), key, options, worked=worked)

    async def mark(self) -> str:
        """See `BatchClient.mark`."""
        return ""

    async def submit(self, requests: Sequence[BatchRequest], submission: Submission) -> str:
        """See `BatchClient.submit`. A batch whose answer got lost on the way is found by its tag, not made twice."""
        lines = []
        for name, messages, sampling in requests:
            body = completion_body(self._spec, messages, sampling)
            line = {"custom_id": name, "method": "POST", "url": f"/v1{PATH}", "body": body}
            lines.append(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        content = b"".join(lines)

        async def upload() -> str:
            named = (f"{submission.tag}.jsonl", content, "application/jsonl")
            return (await self._client.files.with_raw_response.create(file=named, purpose="batch")).text

        file = await self._calls.run(upload, reader(_File))
        batch = {
            "input_file_id": file.id,
            "endpoint": f"/v1{PATH}",
            "completion_window": "24h",
            "metadata": {TAG: submission.tag},
        }
        tried = False

        async def create() -> str:
            nonlocal tried
            status = await self.find(submission) if tried else SubmissionStatus("absent")
            tried = True
            if status.state == "found":
                return await self._client.get(f"/batches/{status.batch_id}", cast_to=str)
            return await self._client.post("/batches", cast_to=str, body=batch)

        return (await self._calls.run(create, reader(_Batch))).id

    async def find(self, submission: Submission) -> SubmissionStatus:
        """See `BatchClient.find`."""
        after: dict[str, str] = {}
        for _ in range(PAGES):
            params = {"limit": PAGE, **after}

            async def send(params: Mapping[str, object] = params) -> str:
                return await self._client.get("/batches", cast_to=str, options={"params": params})

            page = await self._calls.run(send, reader(_Page))
            for batch in page.data:
                if (batch.metadata or {}).get(TAG) == submission.tag:
                    return SubmissionStatus("found", batch.id)
            if not page.has_more or not page.data:
                break
            after = {"after": page.data[-1].id}
        return SubmissionStatus("absent")

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
            message = "; ".join(error.message or "" for error in (batch.errors and batch.errors.data) or ())
            return BatchStatus("failed", done, counts.total, shown(message, self._key))
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


LIBRARIES = ("openai", "stamina", "aiolimiter")


def _open(spec: ChatSpec, options: ChatOptions, lost: Lost) -> RemoteModel:
    key = read_key(spec)
    return RemoteModel(spec, OpenAiService(spec, open_client(spec, key, options)), key, options, lost)


def _open_batch(spec: ChatSpec, options: ChatOptions, worked: bool) -> OpenAiBatches:
    return OpenAiBatches.open(spec, options, worked=worked)


def compatible(name: str, preset: Preset) -> Provider:
    """The provider of an entry of data.

    Raises:
        UserError: its address holds a secret, or is none.
    """
    return Provider(
        name=name,
        kind="server",
        open=_open,
        open_batch=_open_batch if preset.batches else None,
        base_url=checked_address(preset.base_url),
        key=preset.key or KEY_VARIABLE,
        max_tokens_field=preset.max_tokens_field,
        seed_field=preset.seed_field,
        price=list_price,
        unpriced="not known" if preset.key else "own server",
        user_server=not preset.key,
        libraries=LIBRARIES,
    )


def _read_server(text: str, provider: Provider) -> ChatSpec:
    """Read `http://HOST:PORT/v1#NAME`."""
    url, name = read_address(text)
    return ChatSpec(text, name, provider, url)


OPENAI = Provider(
    name="openai",
    kind=OPENAI_KIND,
    open=_open,
    open_batch=_open_batch,
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    max_tokens_field="max_completion_tokens",
    price=list_price,
    libraries=LIBRARIES,
)
SERVER = Provider(
    name="server",
    kind="server",
    open=_open,
    open_batch=_open_batch,
    read=_read_server,
    prefixes=("http://", "https://"),
    key=KEY_VARIABLE,
    price=list_price,
    unpriced="own server",
    user_server=True,
    likelihoods=True,
    libraries=LIBRARIES,
)
"""Any other server with OpenAI's interface; only asking can tell whether it has batches and log-likelihoods."""
