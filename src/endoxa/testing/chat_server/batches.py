"""Files and batches of both interfaces, kept in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from endoxa.testing.chat_server.replies import Refusal, Reply, answer

MOMENT = "2026-01-01T00:00:00Z"


@dataclass(slots=True)
class Batch:
    """What has been handed in, and how often it was looked at."""

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
        self._files: list[bytes] = []
        self.batches: list[Batch] = []

    def openai(self, method: str, path: list[str], kind: str, body: bytes) -> Any:
        """What OpenAI's interface answers about files and batches; `kind` is the type of the body."""
        match method, path:
            case "POST", ["files"]:
                form = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
                self._files += [part.get_payload(decode=True) for part in form.walk() if part.get_filename()]
                return {"id": f"input-{len(self._files) - 1}", "object": "file", "purpose": "batch"}
            case "GET", ["files", name, "content"]:
                lines = [_openai_line(*answered) for answered in self._answered(self._named(name))]
                return [line for line in lines if (line["error"] is None) == name.startswith("output")]
            case "POST", ["batches"]:
                fields = json.loads(body)
                lines = map(json.loads, self._files[_number(fields["input_file_id"])].splitlines())
                requests = [(line["custom_id"], line["body"]) for line in lines]
                return self._openai(self._begun(requests, fields["input_file_id"], fields["metadata"]))
            case "GET", ["batches"]:
                return listed([self._openai(batch) for batch in reversed(self.batches)])
            case "GET", ["batches", name] if name.rpartition("-")[2].isdecimal():
                return self._openai(self._named(name), looks=1)
        return Refusal(404, f"no such page: {path}")

    def anthropic(self, method: str, path: list[str], query: Mapping[str, str], body: bytes) -> Any:
        """What Anthropic's interface answers about batches."""
        match method, path:
            case "POST", []:
                requests = json.loads(body)["requests"]
                return self._anthropic(
                    self._begun([(each["custom_id"], each["params"]) for each in requests])
                )
            case "GET", []:
                end = _number(query["after_id"]) if "after_id" in query else len(self.batches)
                page = self.batches[:end][::-1][: int(query.get("limit", "20"))]
                return {
                    **listed([self._anthropic(batch, looks=1) for batch in page]),
                    "has_more": end > len(page),
                }
            case "GET", [name]:
                return self._anthropic(self._named(name), looks=1)
            case "GET", [name, "results"]:
                return [_anthropic_line(*answered) for answered in self._answered(self._named(name))]
        return Refusal(404, f"no such page: {path}")

    def _begun(self, requests: list[tuple[str, dict[str, Any]]], *more: Any) -> Batch:
        self.batches.append(Batch(len(self.batches), requests, *more))
        return self.batches[-1]

    def _named(self, name: str) -> Batch:
        return self.batches[_number(name)]

    def _openai(self, batch: Batch, looks: int = 0) -> dict[str, Any]:
        batch.looks += looks
        ended, total = batch.looks >= self._looks, len(batch.requests)
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
            "request_counts": {"total": total, "completed": ended * total, "failed": 0},
        }

    def _anthropic(self, batch: Batch, looks: int = 0) -> dict[str, Any]:
        batch.looks += looks
        ended, total = batch.looks >= self._looks, len(batch.requests)
        none = dict.fromkeys(("errored", "canceled", "expired"), 0)
        return {
            "id": f"msgbatch-{batch.number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": total * (not ended), "succeeded": total * ended, **none},
            "created_at": MOMENT,
            "expires_at": MOMENT,
            "ended_at": MOMENT if ended else None,
            "results_url": None,
        }

    def _answered(self, batch: Batch) -> list[tuple[str, dict[str, Any], str | Refusal | None]]:
        return [
            (name, body, None if self._expired(name, batch.number) else self._reply(body))
            for name, body in batch.requests
        ]


def listed(things: list[dict[str, Any]]) -> dict[str, Any]:
    """A list in the form of either interface, all on one page."""
    return {"object": "list", "data": things, "has_more": False, "first_id": None, "last_id": None}


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _openai_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    if reply is None:
        error = {"code": "batch_expired", "message": "This request could not be executed in time."}
        return {"custom_id": name, "response": None, "error": error}
    refused = isinstance(reply, Refusal)
    content = reply.body(anthropic=False) if refused else answer(body, reply, anthropic=False)
    response = {"status_code": reply.status if refused else 200, "body": content}
    return {"custom_id": name, "response": response, "error": None}


def _anthropic_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "expired"}
    if isinstance(reply, Refusal):
        result = {"type": "errored", "error": reply.body(anthropic=True)}
    elif reply is not None:
        result = {"type": "succeeded", "message": answer(body, reply, anthropic=True)}
    return {"custom_id": name, "result": result}
