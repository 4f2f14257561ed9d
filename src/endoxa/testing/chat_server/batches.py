"""Files and batches of both interfaces, kept in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from endoxa.testing.chat_server.replies import HttpRequest, Refusal, Reply, completion, error_body, message

MOMENT = "2026-01-01T00:00:00Z"


@dataclass(slots=True)
class _Batch:
    number: int
    requests: list[tuple[str, dict[str, Any]]]
    input_file: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    looks: int = 0


class BatchStore:
    """What has been handed in.

    Args:
        reply: what the model says.
        looks: how often a batch is looked at before it has ended.
        expired: says of a request's name and its batch's number whether it was not got to in time.
    """

    def __init__(self, reply: Reply, looks: int, expired: Callable[[str, int], bool]) -> None:
        self._reply, self._looks, self._expired = reply, looks, expired
        self._files: dict[str, bytes] = {}
        self.batches: list[_Batch] = []

    def answer(self, method: str, request: HttpRequest) -> Any:
        """What OpenAI's interface answers about files and batches."""
        match method, request.path.strip("/").split("/")[1:]:
            case "POST", ["files"]:
                return self.upload(request)
            case "GET", ["files", name, "content"]:
                return self.content(name)
            case "POST", ["batches"]:
                return self.create_openai(json.loads(request.body))
            case "GET", ["batches"]:
                return listed([self.openai(batch, look=False) for batch in reversed(self.batches)])
            case "GET", ["batches", name] if name.rpartition("-")[2].isdecimal():
                return self.openai(self._named(name))
        return Refusal(404, f"no such page: {request.path}")

    def answer_anthropic(self, method: str, request: HttpRequest) -> Any:
        """What Anthropic's interface answers about batches."""
        match method, request.path.strip("/").split("/")[3:]:
            case "POST", []:
                return self.create_anthropic(json.loads(request.body))
            case "GET", []:
                return self.page_anthropic(request.query)
            case "GET", [name]:
                return self.anthropic(self._named(name))
            case "GET", [name, "results"]:
                return self.results(self._named(name))
        return Refusal(404, f"no such page: {request.path}")

    def _named(self, name: str) -> _Batch:
        return self.batches[int(name.rpartition("-")[2])]

    def upload(self, request: HttpRequest) -> dict[str, Any]:
        """Keep a file of a multipart form."""
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        form = message_from_bytes(head + request.body)
        parts = [part for part in form.walk() if part.get_filename()]
        payload = parts[0].get_payload(decode=True)
        name = f"file-{len(self._files)}"
        self._files[name] = payload if isinstance(payload, bytes) else b""
        return {"id": name, "object": "file", "bytes": len(self._files[name]), "purpose": "batch"}

    def content(self, name: str) -> bytes:
        """What a file holds; the files of results are made when they are asked for."""
        kind, _, number = name.partition("-")
        if kind == "file":
            return self._files[name]
        lines = [_openai_line(*answered) for answered in self._answered(self.batches[int(number)])]
        wanted = [line for line in lines if (line["error"] is None) == (kind == "output")]
        return b"".join(json.dumps(line).encode() + b"\n" for line in wanted)

    def create_openai(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a batch from a file."""
        lines = map(json.loads, self._files[body["input_file_id"]].splitlines())
        requests = [(line["custom_id"], line["body"]) for line in lines]
        metadata = body.get("metadata") or {}
        self.batches.append(_Batch(len(self.batches), requests, body["input_file_id"], metadata))
        return self.openai(self.batches[-1], look=False)

    def create_anthropic(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a batch from the requests themselves."""
        requests = [(request["custom_id"], request["params"]) for request in body["requests"]]
        self.batches.append(_Batch(len(self.batches), requests))
        return self.anthropic(self.batches[-1], look=False)

    def page_anthropic(self, query: Mapping[str, str]) -> dict[str, Any]:
        """A page of the list of batches, newest first."""
        after = query.get("after_id")
        older = self.batches[: self._named(after).number] if after else self.batches
        page = older[::-1][: int(query.get("limit", "20"))]
        shown = [self.anthropic(batch) for batch in page]
        return {**listed(shown), "has_more": len(older) > len(page)}

    def openai(self, batch: _Batch, *, look: bool = True) -> dict[str, Any]:
        """A batch in OpenAI's form."""
        ended = self._look(batch, look=look)
        return {
            "id": f"batch-{batch.number}",
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": batch.number,
            "input_file_id": batch.input_file,
            "status": "completed" if ended else "in_progress",
            "metadata": batch.metadata,
            "output_file_id": f"output-{batch.number}" if ended else None,
            "error_file_id": f"errors-{batch.number}" if ended else None,
            "request_counts": {
                "total": len(batch.requests),
                "completed": ended * len(batch.requests),
                "failed": 0,
            },
        }

    def anthropic(self, batch: _Batch, *, look: bool = True) -> dict[str, Any]:
        """A batch in Anthropic's form."""
        ended = self._look(batch, look=look)
        total = len(batch.requests)
        return {
            "id": f"msgbatch-{batch.number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else total,
                "succeeded": total if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": MOMENT,
            "expires_at": MOMENT,
            "ended_at": MOMENT if ended else None,
            "results_url": None,
        }

    def results(self, batch: _Batch) -> bytes:
        """Anthropic's file of results."""
        lines = [_anthropic_line(*answered) for answered in self._answered(batch)]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def _look(self, batch: _Batch, *, look: bool) -> bool:
        batch.looks += look
        return batch.looks >= self._looks

    def _answered(self, batch: _Batch) -> list[tuple[str, dict[str, Any], str | Refusal | None]]:
        return [
            (name, body, None if self._expired(name, batch.number) else self._reply(body))
            for name, body in batch.requests
        ]


def listed(things: list[dict[str, Any]]) -> dict[str, Any]:
    """A list in the form of either interface, all on one page."""
    return {"object": "list", "data": things, "has_more": False, "first_id": None, "last_id": None}


def _openai_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    if reply is None:
        error = {"code": "batch_expired", "message": "This request could not be executed in time."}
        return {"custom_id": name, "response": None, "error": error}
    if isinstance(reply, Refusal):
        response = {"status_code": reply.status, "body": error_body(reply, anthropic=False)}
    else:
        response = {"status_code": 200, "body": completion(body, reply)}
    return {"custom_id": name, "response": response, "error": None}


def _anthropic_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    result: dict[str, Any]
    if reply is None:
        result = {"type": "expired"}
    elif isinstance(reply, Refusal):
        result = {"type": "errored", "error": error_body(reply, anthropic=True)}
    else:
        result = {"type": "succeeded", "message": message(body, reply)}
    return {"custom_id": name, "result": result}
