"""OpenAI's batch interface, and that of every server that has it (`/files`, `/batches`)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from endoxa.models.chat.batches import MAX_BYTES, MAX_REQUESTS, Calls, Line, read_lines, reader
from endoxa.models.chat.openai_compatible import PATH, completion_body, open_client, read_completion
from endoxa.models.chat.service import BatchRequest, BatchStatus, Submission, SubmissionStatus
from endoxa.models.chat.spec import ChatOptions, ChatSpec, read_key
from endoxa.models.keys import shown
from endoxa.models.retrying import Failure, error_words
from endoxa.schema import ChatAnswer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

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
    """See `endoxa.models.chat.service.BatchClient`."""

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
        content = b"".join(self._line(request) for request in requests)

        async def upload() -> str:
            named = (f"{submission.tag}.jsonl", content, "application/jsonl")
            return (await self._client.files.with_raw_response.create(file=named, purpose="batch")).text

        file = await self._calls.run(upload, reader(_File))
        body = {
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
            return await self._client.post("/batches", cast_to=str, body=body)

        return (await self._calls.run(create, reader(_Batch))).id

    def _line(self, request: BatchRequest) -> bytes:
        name, messages, sampling = request
        body = completion_body(self._spec, messages, sampling)
        line = {"custom_id": name, "method": "POST", "url": f"/v1{PATH}", "body": body}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

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
