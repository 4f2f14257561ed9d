"""The server: connections, routes, counts, and the ways in which it fails to answer."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from endoxa.testing.chat_server.batches import BatchStore, listed
from endoxa.testing.chat_server.replies import Refusal, Reply, answer, letter

_ERRORS = {"429": 429, "429-after": 429, "500": 500, "529": 529}
_IN_ANSWERS = ("empty", "no-choices")
FAULTS = (*_ERRORS, "drop", "drop-late", "stall", "cut", "malformed", "type", *_IN_ANSWERS)
"""429 without and with Retry-After, 500, overloaded, a connection closed before and after the head of an answer, no
byte at all, a body that ends too early, half a JSON, a web page, an answer without words, an answer without choices."""


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
        self.store = BatchStore(settings.reply, settings.looks, settings.expired)
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
            content = (
                None
                if stalls
                else self._refused() or self._content(url.path, dict(parse_qsl(url.query)), body)
            )
            server.broken.update([fault] if fault and not stalls else [])
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
                fields = json.loads(body)
                reply = settings.reply(fields)
                return (
                    reply if isinstance(reply, Refusal) else answer(fields, reply, anthropic=len(words) == 1)
                )
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
