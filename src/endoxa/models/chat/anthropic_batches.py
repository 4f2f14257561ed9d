"""Anthropic's message batches.

A batch of theirs holds no metadata, and its requests are not shown until it has ended. So our tag stands in the name of
each request, where the results show it, and the list of batches is remembered as it was before a batch is handed in. A
batch whose id was lost is one of those that came after that, with as many requests, and with our tag in its results.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from endoxa.models.chat.anthropic_messages import (
    PATH,
    message_body,
    open_client,
    read_message,
    version_headers,
)
from endoxa.models.chat.batches import MAX_BYTES, MAX_REQUESTS, Calls, Line, read_lines, reader
from endoxa.models.chat.service import BatchRequest, BatchStatus, Submission, SubmissionStatus
from endoxa.models.chat.spec import ChatOptions, ChatSpec, read_key
from endoxa.models.keys import shown
from endoxa.models.retrying import Failure, error_words
from endoxa.schema import ChatAnswer

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

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
"""Our tag in front of a request's name; journals of earlier versions have batches without it."""


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
        if submission.mark is None:
            return SubmissionStatus("unknown")
        listed, complete = await self._newer(submission.mark)
        unfinished: list[str] = []
        for batch in reversed(listed):
            if batch.request_counts.total != submission.requests:
                continue
            if not batch.ended:
                unfinished.append(batch.id)
            elif batch.archived_at is not None:
                complete = False
            elif await self._holds(batch.id, submission.tag):
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

    async def _holds(self, batch_id: str, tag: str) -> bool:
        """Whether the first result of a batch is named with our tag."""
        lines = await self._results(batch_id)
        return bool(lines) and str(lines[0]["custom_id"]).startswith(f"{tag}-")

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
