"""OpenAI and every provider with its interface: chat completions, batches, presets, and servers named by address."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from endoxa.models.chat.presets import Preset, list_price
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
from endoxa.models.spec import KEY_VARIABLE, checked_address, read_address
from endoxa.models.transport import foreign_headers, provider_settings, without_organization
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL, CONTENT_FILTER, ERROR, REFUSAL, TOOL_CALL, finish_reason

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import CompletionUsage


PATH = "/chat/completions"
OPENAI_KIND = "openai"
"""`Provider.kind` of OpenAI itself."""


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
    from openai.types.chat import ChatCompletion

    try:
        completion = ChatCompletion.construct(**json.loads(body))
        choice = min(completion.choices, key=lambda choice: choice.index or 0)
        message = choice.message
        text, thoughts, declined = _split(message.content)
        ended, usage, further = (
            finish_reason(choice.finish_reason),
            _usage(completion.usage),
            message.model_extra,
        )
    except MALFORMED:
        raise UnusableError(_instead(body)) from None
    further = further or {}
    declined = message.refusal or declined
    finish = REFUSAL if declined else TOOL_CALL if message.tool_calls or message.function_call else ended
    if finish == ERROR:
        raise UnusableError("the server broke off in the middle of the answer")
    return ChatAnswer(
        text=text or str(declined),
        finish=finish,
        refused=finish in (REFUSAL, CONTENT_FILTER),
        usage=usage,
        served_model=str(completion.model or ""),
        reasoning=str(further.get("reasoning_content") or further.get("reasoning") or thoughts),
        error=CALLED_A_TOOL if finish == TOOL_CALL and not text.strip() else "",
        system_fingerprint=str(completion.system_fingerprint or ""),
    )


def _split(content: Any) -> tuple[str, str, str]:
    """Text, thoughts and refusal of a content, which is a list of parts with some models (Mistral's that reason)."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    thoughts = []
    for part in content:
        thinking = part.get("thinking", "")
        thoughts += [thinking] if isinstance(thinking, str) else [thought["text"] for thought in thinking]
    texts = [part["text"] for part in content if part["type"] in ("text", "output_text")]
    return "".join(texts), "".join(thoughts), "".join(part.get("refusal", "") for part in content)


def _usage(counted: CompletionUsage | None) -> Usage:
    if counted is None:
        return Usage()
    sent, received = counted.prompt_tokens_details, counted.completion_tokens_details
    return Usage(
        int(counted.prompt_tokens or 0),
        int(counted.completion_tokens or 0),
        int((sent and sent.cached_tokens) or 0),
        int((received and received.reasoning_tokens) or 0),
    )


def _instead(body: str | bytes) -> str:
    """What came in the place of a completion."""
    text = body if isinstance(body, str) else body.decode(errors="replace")
    try:
        content = json.loads(body)
    except ValueError:
        return f"the server returned incomplete JSON: '{text}'"
    fields = content if isinstance(content, dict) else {}
    words, _ = error_words(fields) if "error" in fields else ("", "")
    lacking = "a choice without a message" if fields.get("choices") else "no choices"
    return words or f"the server returned {lacking}: '{text}'"


class OpenAi(Client):
    """OpenAI, or a server with its interface, which must not learn of the organization at OpenAI."""

    _path = PATH
    _body = staticmethod(completion_body)
    _read = staticmethod(read_completion)

    def _open(self) -> AsyncOpenAI:
        import openai

        self._problems = openai.APIError
        settings = provider_settings(openai, self._spec.base_url, self._key, self._options.timeout)
        if self._spec.host.kind == OPENAI_KIND:
            return openai.AsyncOpenAI(**settings)
        headers = foreign_headers(self._key)
        return without_organization(openai.AsyncOpenAI(**settings, default_headers=headers))


class OpenAiModel(OpenAi, RemoteModel):
    """See `endoxa.models.chat.remote.RemoteModel`."""

    async def _models(self) -> list[str]:
        return [str(model.id) for model in (await self._client.models.list()).data or ()]

    def _particulars(self) -> Mapping[str, Any]:
        return {
            "interface": "OpenAI chat completions",
            "max_tokens_field": self._spec.host.max_tokens_field,
            "seed_field": self._spec.host.seed_field,
        }


TAG = "endoxa"
"""Name of the tag in a batch's metadata."""
_WORKING = frozenset({"validating", "in_progress", "finalizing", "cancelling"})


def read_line(line: Mapping[str, Any], key: str) -> Line:
    """A line of a file of results or of errors."""
    name, response = str(line["custom_id"]), line.get("response")
    if not isinstance(response, Mapping):
        return name, None
    body, status = response.get("body"), int(response.get("status_code") or 0)
    if status == 200:
        return name, json.dumps(body)
    words, code = error_words(body)
    return name, Failure(status, shown(words, key), code)


class OpenAiBatches(OpenAi, BatchClient):
    """See `endoxa.models.chat.remote.BatchClient`: a batch is found again by the tag in its metadata."""

    page = 100
    _line = staticmethod(read_line)

    async def find(self, submission: Submission) -> SubmissionStatus:
        """See `BatchClient.find`."""
        for batch in (await self._newer(submission.mark))[0]:
            if (batch.metadata or {}).get(TAG) == submission.tag:
                return SubmissionStatus("found", batch.id)
        return SubmissionStatus("absent")

    async def _prepare(self, requests: Sequence[BatchRequest], tag: str) -> dict[str, Any]:
        lines = []
        for name, messages, sampling in requests:
            body = completion_body(self._spec, messages, sampling)
            line = {"custom_id": name, "method": "POST", "url": f"/v1{PATH}", "body": body}
            lines.append(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        content = (f"{tag}.jsonl", b"".join(lines), "application/jsonl")
        file = await self._client.files.create(file=content, purpose="batch")
        more = {"endpoint": f"/v1{PATH}", "completion_window": "24h"}
        return {"input_file_id": file.id, "metadata": {TAG: tag}, **more}

    def _endpoint(self) -> Any:
        return self._client.batches

    async def _results(self, batch: Any) -> list[str]:
        files = filter(None, (batch.output_file_id, batch.error_file_id))
        return [(await self._client.files.content(file)).text for file in files]

    def _status(self, batch: Any) -> BatchStatus:
        counts = batch.request_counts
        total = (counts and counts.total) or 0
        done = ((counts.completed or 0) + (counts.failed or 0)) if counts else 0
        if batch.status in _WORKING:
            return BatchStatus("working", done, total)
        if batch.status == "failed":
            message = "; ".join(error.message or "" for error in (batch.errors and batch.errors.data) or ())
            return BatchStatus("failed", done, total, shown(message, self._key))
        return BatchStatus("ended", done, total)


LIBRARIES = ("openai", "aiolimiter")


_provider = partial(
    Provider, open=OpenAiModel, open_batch=OpenAiBatches, price=list_price, libraries=LIBRARIES
)


def compatible(name: str, preset: Preset) -> Provider:
    """The provider of an entry of data.

    Raises:
        UserError: its address holds a secret, or is none.
    """
    return _provider(
        name=name,
        kind="server",
        open_batch=OpenAiBatches if preset.batches else None,
        base_url=checked_address(preset.base_url),
        key=preset.key or KEY_VARIABLE,
        max_tokens_field=preset.max_tokens_field,
        seed_field=preset.seed_field,
        unpriced="not known" if preset.key else "own server",
    )


def _read_server(text: str, provider: Provider) -> ChatSpec:
    """Read `http://HOST:PORT/v1#NAME`."""
    url, name = read_address(text)
    return ChatSpec(text, name, provider, url)


OPENAI = _provider(
    name="openai",
    kind=OPENAI_KIND,
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    max_tokens_field="max_completion_tokens",
)
SERVER = _provider(
    name="server",
    kind="server",
    read=_read_server,
    prefixes=("http://", "https://"),
    key=KEY_VARIABLE,
    unpriced="own server",
    likelihoods=True,
)
"""Any other server with OpenAI's interface; only asking can tell whether it has batches and log-likelihoods."""
