"""The server: connections, routes, counts, and the ways in which it fails to answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from endoxa.testing.chat_server.batches import BatchStore, listed
from endoxa.testing.chat_server.replies import (
    HttpRequest,
    Refusal,
    Reply,
    completion,
    emptied,
    error_body,
    letter,
    message,
    read_request,
    response,
)

FAULTS = (
    "429",
    "429-after",
    "500",
    "529",
    "drop",
    "drop-late",
    "stall",
    "cut",
    "malformed",
    "type",
    "empty",
    "no-choices",
)
"""429 without and with Retry-After, 500, overloaded, a connection closed before and after the head of an answer, no
byte at all, a body that ends too early, half a JSON, a web page, an answer without words, an answer without choices."""

_ERRORS = {"429": 429, "429-after": 429, "500": 500, "529": 529}


class FaultDice:
    """Draws a fault, or none, for each request.

    Args:
        rate: share of requests that get one.
        kinds: which, each as often as the others.
        seed: of the draws; they follow the order of requests.
    """

    def __init__(self, rate: float, kinds: tuple[str, ...], seed: int) -> None:
        self._rate, self._kinds, self._random = rate, kinds, random.Random(seed)  # noqa: S311 - not for secrets

    def draw(self) -> str | None:
        """A kind of fault, or None."""
        return self._random.choice(self._kinds) if self._random.random() < self._rate else None


async def misbehave(
    kind: str, payload: bytes, retry_after: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Send what a faulty server sends in the place of the response `whole`, and close the connection where it breaks.

    Args:
        kind: one of `FAULTS` but "empty" and "no-choices", which are in the answer itself.
        payload: the response as it should be.
        retry_after: value of that header for "429-after".
        reader: the client's side, to notice that it gave up.
        writer: the connection.
    """
    head, _, body = payload.partition(b"\r\n\r\n")
    if kind in _ERRORS:
        error = {"error": {"message": "try again later", "type": "server_error", "code": None}}
        headers = {"Retry-After": retry_after} if kind == "429-after" else {}
        writer.write(response(error, _ERRORS[kind], headers))
    elif kind == "malformed":
        writer.write(response(body[: len(body) // 2]))
    elif kind == "type":
        writer.write(response(b"<html><body>Please sign in.</body></html>", kind="text/html"))
    else:
        if kind == "stall":
            await reader.read(1)
        elif kind != "drop":
            writer.write(head + b"\r\n\r\n" + (body[: len(body) // 2] if kind == "cut" else b""))
            await writer.drain()
        writer.close()


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server behaves.

    Attributes:
        port: 0 takes a free one.
        model: name of the one model it lists.
        latency: seconds before each answer.
        faults: share of answers that are broken.
        kinds: in which ways, of `FAULTS`.
        retry_after: value of the header of a "429-after".
        seed: of the faults.
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
    kinds: tuple[str, ...] = FAULTS
    retry_after: str = "0.01"
    seed: int = 0
    key: str | None = None
    reply: Reply = letter
    looks: int = 1
    expired: Callable[[str, int], bool] = lambda _name, _batch: False
    stall_after: int | None = None


class ChatServer:
    """Answers until it is closed.

    Attributes:
        requests: how often each "METHOD /path" was asked for.
        broken: how often each fault was sent.
        headers: of the last request.
        stall_after: see `Settings`; may be changed.
        said: conversations that came, answered or not.
    """

    def __init__(self, settings: Settings) -> None:
        self.requests: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.headers: dict[str, str] = {}
        self.stall_after, self.replies = settings.stall_after, 0
        self._settings = settings
        self._dice = FaultDice(settings.faults, settings.kinds, settings.seed)
        self._batches = BatchStore(settings.reply, settings.looks, settings.expired)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def batches(self) -> list[list[str]]:
        """The names of the requests of each batch that was handed in."""
        return [[name for name, _ in batch.requests] for batch in self._batches.batches]

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        """Base address of OpenAI's interface; Anthropic's is the same without /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        """Listen on 127.0.0.1."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._settings.port)

    async def close(self) -> None:
        """Stop listening and leave every connection."""
        assert self._server is not None
        self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while not writer.is_closing() and (request := await read_request(reader)) is not None:
                await self._answer(request, reader, writer)
                with contextlib.suppress(ConnectionError):
                    await writer.drain()
        except asyncio.CancelledError:
            # The stream protocol's own callback would complain about a cancelled handler.
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(
        self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests[f"{request.method} {request.path}"] += 1
        self.headers = dict(request.headers)
        fault = self._dice.draw()
        if self._settings.latency:
            await asyncio.sleep(self._settings.latency)
        if request.method == "POST" and request.path.endswith(("/completions", "/messages")):
            self.replies += 1
            if self.stall_after is not None and self.replies > self.stall_after:
                await asyncio.Event().wait()
        content = self._refused(request) or self._content(request)
        if fault in {"empty", "no-choices"} and isinstance(content, dict):
            content = emptied(content, fault)
        payload = response(_body(content, request), content.status if isinstance(content, Refusal) else 200)
        if fault is not None:
            self.broken[fault] += 1
        if fault is None or fault in {"empty", "no-choices"}:
            writer.write(payload)
        else:
            await misbehave(fault, payload, self._settings.retry_after, reader, writer)

    def _refused(self, request: HttpRequest) -> Refusal | None:
        """What a wrong key gets: the key itself, as careless servers do."""
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._settings.key in {None, key}:
            return None
        return Refusal(401, f"Incorrect API key provided: {key}.", "invalid_api_key")

    def _content(self, request: HttpRequest) -> Any:
        """What an undisturbed server answers to whoever has the key."""
        match request.method, request.path.strip("/").split("/")[1:]:
            case "GET", ["models"]:
                return listed([{"id": self._settings.model, "object": "model", "type": "model"}])
            case "POST", ["chat", "completions"]:
                return self._reply(request, completion)
            case "POST", ["messages"]:
                return self._reply(request, message)
            case method, ["files" | "batches", *_]:
                return self._batches.answer(method, request)
            case method, ["messages", "batches", *_]:
                return self._batches.answer_anthropic(method, request)
        return Refusal(404, f"no such page: {request.path}")

    def _reply(self, request: HttpRequest, form: Callable[[Any, str], dict[str, Any]]) -> Any:
        body = json.loads(request.body)
        reply = self._settings.reply(body)
        return reply if isinstance(reply, Refusal) else form(body, reply)


def _body(content: Any, request: HttpRequest) -> Any:
    if isinstance(content, Refusal):
        return error_body(content, anthropic="/messages" in request.path)
    return content


@contextmanager
def running(settings: Settings) -> Iterator[ChatServer]:
    """A server in a thread of its own, until the block is left."""
    server = ChatServer(settings)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
