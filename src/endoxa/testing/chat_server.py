"""A chat server that misbehaves on purpose, for tests, rehearsals and benchmarks.

It answers on 127.0.0.1 as OpenAI's interface (models, chat completions, files, batches) and as Anthropic's (messages,
message batches), with a fixed latency and made-up answers, and breaks a given share of its answers in the ways that
servers do. `Settings` explains the options; `--kind` names a way of breaking answers and is repeatable.

    python -m endoxa.testing.chat_server --port 0 --faults 0.3 --latency 0.05 --seed 1
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_ERRORS = {"429": 429, "429-after": 429, "500": 500, "529": 529}
FAULTS = (*_ERRORS, "drop", "drop-late", "stall", "cut", "malformed", "type", "empty", "no-choices")
"""429 without and with Retry-After, 500, overloaded, a connection closed before and after the head of an answer, no
byte at all, a body that ends too early, half a JSON, a web page, an answer without words, an answer without choices."""


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

    def body(self, *, anthropic: bool) -> dict[str, Any]:
        """It in the form of either interface."""
        kind = {"type": self.code or "invalid_request_error"} if anthropic else {"code": self.code or None}
        return {"type": "error", "error": {"type": "invalid_request_error", "message": self.message, **kind}}


Reply = Callable[[Mapping[str, Any]], str | Refusal]
"""The JSON body of a request -> what the model says to it."""


def letter(body: Mapping[str, Any]) -> str:
    """A, B or C: always the same for the same last message and seed."""
    words = f"{body.get('seed')}|{body['messages'][-1]['content']}"
    return "ABC"[hashlib.sha256(words.encode()).digest()[0] % 3]


def answer(body: Mapping[str, Any], text: str, *, anthropic: bool) -> dict[str, Any]:
    """An answer in the form of either interface; a token is a word, and no text leaves nothing to hold one."""
    sent = sum(len(message["content"].split()) for message in body["messages"])
    received = len(text.split())
    if anthropic:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": sent, "output_tokens": received},
        }
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
    }


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server behaves.

    Attributes:
        port: 0 takes a free one.
        model: name of the one model it lists.
        latency: seconds before each answer.
        faults: share of answers that are broken.
        retry_after: value of the header of a "429-after".
        seed: of the faults.
        kinds: in which ways answers are broken, of `FAULTS`.
        key: what Authorization must hold; None takes anybody.
        reply: what the model says.
        looks: how often a batch is looked at before it has ended.
        expired: says of a request's name and its batch's number whether the batch did not get to it.
        stall_after: conversations that are answered before all others wait for ever; None for no limit.
    """

    port: int = 0
    model: str = "small"
    latency: float = 0.0
    faults: float = 0.0
    retry_after: str = "0.01"
    seed: int = 0
    kinds: tuple[str, ...] = FAULTS
    key: str | None = None
    reply: Reply = letter
    looks: int = 1
    expired: Callable[[str, int], bool] = lambda _name, _batch: False
    stall_after: int | None = None


@dataclass(slots=True)
class Batch:
    """What has been handed in, and how often it was looked at."""

    number: int
    requests: list[tuple[str, dict[str, Any]]]
    metadata: Mapping[str, str] = field(default_factory=dict)
    looks: int = 0


class BatchStore:
    """What has been handed in.

    Args:
        settings: what the model says, how often a batch is looked at before it has ended, and what it does not get to.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._files: list[bytes] = []
        self.batches: list[Batch] = []

    def openai(self, method: str, path: list[str], kind: str, body: bytes) -> Any:
        """What OpenAI's interface answers about files and batches; `kind` is the type of the body."""
        match method, path:
            case "POST", ["files"]:
                form: Any = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
                self._files += [part.get_payload(decode=True) for part in form.walk() if part.get_filename()]
                return {"id": f"input-{len(self._files) - 1}", "object": "file", "purpose": "batch"}
            case "GET", ["files", name, "content"]:
                lines = [_openai_line(*answered) for answered in self._answered(self.batches[_number(name)])]
                return [line for line in lines if (line["error"] is None) == name.startswith("output")]
            case "POST", ["batches"]:
                request = json.loads(body)
                written = map(json.loads, self._files[_number(request["input_file_id"])].splitlines())
                requests = [(line["custom_id"], line["body"]) for line in written]
                return self._openai(self._begun(requests, request["metadata"]))
            case "GET", ["batches"]:
                return listed([self._openai(batch) for batch in reversed(self.batches)])
            case "GET", ["batches", name] if name.rpartition("-")[2].isdecimal():
                return self._openai(self.batches[_number(name)], looks=1)
        return Refusal(404, f"no such page: {path}")

    def anthropic(self, method: str, path: list[str], query: Mapping[str, str], body: bytes) -> Any:
        """What Anthropic's interface answers about batches."""
        match method, path:
            case "POST", []:
                requests = json.loads(body)["requests"]
                return self._anthropic(self._begun([(it["custom_id"], it["params"]) for it in requests]))
            case "GET", []:
                end = _number(query["after_id"]) if "after_id" in query else len(self.batches)
                page = self.batches[:end][::-1][: int(query.get("limit", "20"))]
                shown = listed([self._anthropic(batch, looks=1) for batch in page])
                return shown | {"has_more": end > len(page)}
            case "GET", [name]:
                return self._anthropic(self.batches[_number(name)], looks=1)
            case "GET", [name, "results"]:
                return [
                    _anthropic_line(*answered) for answered in self._answered(self.batches[_number(name)])
                ]
        return Refusal(404, f"no such page: {path}")

    def _begun(self, requests: list[tuple[str, dict[str, Any]]], *more: Any) -> Batch:
        self.batches.append(Batch(len(self.batches), requests, *more))
        return self.batches[-1]

    def _openai(self, batch: Batch, looks: int = 0) -> dict[str, Any]:
        batch.looks += looks
        ended, total = batch.looks >= self._settings.looks, len(batch.requests)
        files = {"output_file_id": f"output-{batch.number}", "error_file_id": f"errors-{batch.number}"}
        return {
            "id": f"batch-{batch.number}",
            "object": "batch",
            "status": "completed" if ended else "in_progress",
            "metadata": batch.metadata,
            "request_counts": {"total": total, "completed": ended * total, "failed": 0},
            **(files if ended else dict.fromkeys(files)),
        }

    def _anthropic(self, batch: Batch, looks: int = 0) -> dict[str, Any]:
        batch.looks += looks
        ended, total = batch.looks >= self._settings.looks, len(batch.requests)
        none = dict.fromkeys(("errored", "canceled", "expired"), 0)
        return {
            "id": f"msgbatch-{batch.number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": total * (not ended), "succeeded": total * ended, **none},
        }

    def _answered(self, batch: Batch) -> Iterator[tuple[str, dict[str, Any], str | Refusal | None]]:
        for name, body in batch.requests:
            expired = self._settings.expired(name, batch.number)
            yield name, body, None if expired else self._settings.reply(body)


def listed(things: list[dict[str, Any]]) -> dict[str, Any]:
    """A list in the form of either interface, all on one page."""
    return {"object": "list", "data": things, "has_more": False, "first_id": None, "last_id": None}


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _openai_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    if reply is None:
        error = {"code": "batch_expired", "message": "This request could not be executed in time."}
        return {"custom_id": name, "response": None, "error": error}
    if isinstance(reply, Refusal):
        status, content = reply.status, reply.body(anthropic=False)
    else:
        status, content = 200, answer(body, reply, anthropic=False)
    return {"custom_id": name, "response": {"status_code": status, "body": content}, "error": None}


def _anthropic_line(name: str, body: dict[str, Any], reply: str | Refusal | None) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "expired"}
    if isinstance(reply, Refusal):
        result = {"type": "errored", "error": reply.body(anthropic=True)}
    elif reply is not None:
        result = {"type": "succeeded", "message": answer(body, reply, anthropic=True)}
    return {"custom_id": name, "result": result}


class ChatServer(ThreadingHTTPServer):
    """Answers on 127.0.0.1 in threads until it is closed.

    Attributes:
        settings: how it behaves.
        requests: how often each "METHOD /path" was asked for.
        broken: how often each fault was sent.
        headers: of the last request, by lower-case name.
        replies: conversations that came, answered or not.
        stall_after: see `Settings`; may be changed.
        url: base address of OpenAI's interface; Anthropic's is the same without /v1.
    """

    daemon_threads, block_on_close, request_queue_size = True, False, 128

    def __init__(self, settings: Settings) -> None:
        self.settings, self.stall_after, self.replies = settings, settings.stall_after, 0
        self.requests: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.headers: dict[str, str] = {}
        self.lock = threading.Lock()
        self.store = BatchStore(settings)
        self._dice = random.Random(settings.seed)  # noqa: S311 - not for secrets
        self._connections: list[socket.socket] = []
        super().__init__(("127.0.0.1", settings.port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def batches(self) -> list[list[str]]:
        """The names of the requests of each batch that was handed in."""
        return [[name for name, _ in batch.requests] for batch in self.store.batches]

    def get_request(self) -> tuple[socket.socket, Any]:
        """A connection, which is remembered to be left on closing."""
        connection, address = super().get_request()
        self._connections.append(connection)
        return connection, address

    def fault(self) -> str:
        """A kind of fault for a request, each as often as the others, or empty; they follow the order of requests."""
        hit = self._dice.random() < self.settings.faults
        return self._dice.choice(self.settings.kinds) if hit else ""

    def close(self) -> None:
        """Stop listening and leave every connection."""
        self.shutdown()
        self.server_close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        """Answer until the connection is closed, by whomever."""
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        """Answer, or fail to."""
        url, server = urlsplit(self.path), self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        with server.lock:
            server.requests[f"{self.command} {url.path}"] += 1
            server.headers = {name.lower(): value for name, value in self.headers.items()}
            fault = server.fault()
        time.sleep(server.settings.latency)
        with server.lock:
            asks = self.command == "POST" and url.path.endswith(("/completions", "/messages"))
            server.replies += asks
            stalls = asks and server.stall_after is not None and server.replies > server.stall_after
            if not stalls:
                content = self._refused() or self._content(url.path, dict(parse_qsl(url.query)), body)
                server.broken.update([fault] if fault else [])
        if stalls:
            self.rfile.read(1)
            return
        status = 200
        if isinstance(content, Refusal):
            status, content = content.status, content.body(anthropic="/messages" in url.path)
        elif fault == "no-choices" and isinstance(content, dict):
            content = {name: value for name, value in content.items() if name not in {"choices", "content"}}
        elif fault == "empty" and isinstance(content, dict) and {"choices", "content"} & set(content):
            content = answer(json.loads(body), "", anthropic="content" in content)
        lines = content if isinstance(content, list) else [content]
        self._send(b"\n".join(json.dumps(line).encode() for line in lines), status, fault)

    do_POST = do_GET  # noqa: N815 - the name that http.server looks for

    def _send(self, body: bytes, status: int, fault: str) -> None:
        """Send an answer as it is, or what a faulty server sends in its place; the connection ends where it breaks."""
        kind, length = "application/json", None
        if fault in _ERRORS:
            error = {"message": "try again later", "type": "server_error", "code": None}
            status, body = _ERRORS[fault], json.dumps({"error": error}).encode()
        elif fault == "malformed":
            body = body[: len(body) // 2]
        elif fault == "type":
            kind, body = "text/html", b"<html><body>Please sign in.</body></html>"
        elif fault in {"drop", "drop-late", "stall", "cut"}:
            length, body = len(body), body[: len(body) // 2] if fault == "cut" else b""
            self.close_connection = True
            if fault == "stall":
                self.rfile.read(1)
            if fault in {"drop", "stall"}:
                return
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        if fault == "429-after":
            self.send_header("Retry-After", self.server.settings.retry_after)
        self.end_headers()
        self.wfile.write(body)

    def _refused(self) -> Refusal | None:
        """What a wrong key gets: the key itself, as careless servers do."""
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        if self.server.settings.key in {None, key}:
            return None
        return Refusal(401, f"Incorrect API key provided: {key}.", "invalid_api_key")

    def _content(self, path: str, query: dict[str, str], body: bytes) -> Any:
        """What an undisturbed server answers to whoever has the key."""
        settings, store = self.server.settings, self.server.store
        match self.command, path.strip("/").split("/")[1:]:
            case "GET", ["models"]:
                return listed([{"id": settings.model, "object": "model", "type": "model"}])
            case "POST", ["chat", "completions"] | ["messages"] as words:
                try:
                    request = json.loads(body)
                except ValueError:  # a client that broke off
                    return Refusal(400, "The body is no JSON.", "invalid_json")
                reply, anthropic = settings.reply(request), len(words) == 1
                return reply if isinstance(reply, Refusal) else answer(request, reply, anthropic=anthropic)
            case method, ["files" | "batches", *_] as words:
                return store.openai(method, words, self.headers.get("content-type", ""), body)
            case method, ["messages", "batches", *words]:
                return store.anthropic(method, words, query, body)
        return Refusal(404, f"no such page: {path}")


@contextmanager
def running(settings: Settings) -> Iterator[ChatServer]:
    """A server, until the block is left."""
    server = ChatServer(settings)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.close()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m endoxa.testing.chat_server", description=__doc__)
    parser.add_argument("--kind", dest="kinds", choices=FAULTS, action="append")
    for each in fields(Settings)[:6]:
        name = f"--{each.name.replace('_', '-')}"
        parser.add_argument(name, type=type(each.default), default=each.default)
    chosen = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    server = ChatServer(replace(Settings(), **chosen))
    print(server.url, flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
