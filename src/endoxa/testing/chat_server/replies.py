"""Made-up answers in the form of each interface, and as much of HTTP/1.1 as a test server needs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error in the place of an answer.

    Attributes:
        status: HTTP status.
        message: the words.
        code: the provider's name of the problem.
    """

    status: int
    message: str
    code: str = ""


Reply = Callable[[Mapping[str, Any]], str | Refusal]
"""The JSON body of a request -> what the model says to it."""


def letter(body: Mapping[str, Any]) -> str:
    """A, B or C: always the same for the same last message and seed."""
    words = f"{body.get('seed')}|{body['messages'][-1]['content']}"
    return "ABC"[hashlib.sha256(words.encode()).digest()[0] % 3]


def completion(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """An answer in OpenAI's form; a token is a word."""
    sent = sum(len(message["content"].split()) for message in body["messages"])
    received = len(text.split())
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
    }


def message(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """An answer in Anthropic's form."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": sum(len(turn["content"].split()) for turn in body["messages"]),
            "output_tokens": len(text.split()),
        },
    }


def emptied(answer: dict[str, Any], kind: str) -> dict[str, Any]:
    """An answer of either form without words ("empty") or without anything to hold them ("no-choices")."""
    if kind == "no-choices":
        return {name: value for name, value in answer.items() if name not in {"choices", "content"}}
    if "choices" in answer:
        return {
            **answer,
            "choices": [{**answer["choices"][0], "message": {"role": "assistant", "content": ""}}],
        }
    return {**answer, "content": []}


def error_body(refusal: Refusal, *, anthropic: bool) -> dict[str, Any]:
    """An error in the form of either interface."""
    if anthropic:
        kind = refusal.code or "invalid_request_error"
        return {"type": "error", "error": {"type": kind, "message": refusal.message}}
    return {
        "error": {"message": refusal.message, "type": "invalid_request_error", "code": refusal.code or None}
    }


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request.

    Attributes:
        method: GET, POST ...
        path: without the query.
        query: parameters of the query.
        headers: by lower-case name.
        body: as it came.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection, or None at its end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await _read_body(reader, headers)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    url = urlsplit(target)
    return HttpRequest(method, url.path, dict(parse_qsl(url.query)), headers, body)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    pieces = []
    while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(pieces)


def response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None, kind: str = "application/json"
) -> bytes:
    """A whole response; content that is not bytes becomes JSON."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    lines = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} {phrase}\r\n{head}\r\n".encode() + body
