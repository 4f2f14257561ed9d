"""Hostile servers: what every client of the house makes of bodies without end, redirects, and keys that come back."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from endoxa.curate.translation import open_translator
from endoxa.errors import UserError
from endoxa.models.chat import open_chat, parse_chat_model
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.encoders import parse_encoder
from endoxa.models.encoders.server import ServerEncoder
from endoxa.models.scoring import parse_model
from endoxa.models.server import ServerModel
from endoxa.models.spec import ModelOptions
from endoxa.models.transport import byte_limit, hide_key, room_for_results
from endoxa.schema import Message, Sampling

KEY = "sk-planted/4c0ffee4c0ffee"
ESCAPED = "".join(f"\\u{ord(character):04X}" for character in KEY)
BOMB = gzip.compress(bytes(32 * 2**20), 1)
Reply = Callable[[BaseHTTPRequestHandler], tuple[int, dict[str, str], Iterator[bytes] | bytes]]


@contextmanager
def hostile(reply: Reply) -> Iterator[tuple[str, list[str]]]:
    """A server that answers every POST with `reply`; its address, and the paths that were asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(200, {}, json.dumps({"data": [{"id": "m", "object": "model"}]}).encode())

        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(*reply(self))

        def answer(self, status: int, headers: dict[str, str], body: Iterator[bytes] | bytes) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in [body] if isinstance(body, bytes) else body:
                    self.wfile.write(piece)
            except OSError:
                asked.append("hung up")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()


def chat(url: str, kind: str = "server") -> Any:
    spec = parse_chat_model(f"{url}#m" if kind == "server" else f"{kind}/m", {})
    spec = spec if kind == "server" else replace(spec, base_url=url.removesuffix("/v1"))

    async def main() -> Any:
        model = open_chat(spec, ChatOptions(timeout=20, patience=0.2))
        try:
            return await model.ask([Message("user", "?")], Sampling(max_tokens=16))
        finally:
            await model.close()

    return asyncio.run(main())


CLIENTS: dict[str, Callable[[str], Any]] = {
    "chat": chat,
    "anthropic": lambda url: chat(url, "anthropic"),
    "completions": lambda url: ServerModel.connect(parse_model(f"{url}#m"), ModelOptions()),
    "embeddings": lambda url: ServerEncoder.open(parse_encoder(f"{url}#m"), ["rain"]),
    "translator": lambda url: list(open_translator(f"{url}#m").translate(["Na"], "fr", "en")),
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDOXA_SERVER_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


def outcome(ask: Callable[[str], Any], url: str) -> str:
    try:
        return repr(ask(url))
    except UserError as problem:
        return str(problem)


def endless(_: object) -> tuple[int, dict[str, str], Iterator[bytes]]:
    return 200, {}, (b" " * 2**20 for _ in range(200))


def bomb(_: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Encoding": "gzip"}, BOMB


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb"C \uDE00", "C \ufffd"),
        (b"C \xf0\x9f", "C \ufffd"),
        (rb"C \ud83d\ude00 \\ud83d", "C \U0001f600 \\ud83d"),
    ],
)
def test_half_a_character_is_replaced_and_the_answer_read(sent: bytes, read: str) -> None:
    body = b'{"choices": [{"message": {"content": "' + sent + b'"}, "finish_reason": "stop"}]}'
    with hostile(lambda _: (200, {}, body)) as (url, asked):
        assert chat(url).text == read
    assert len(asked) == 1


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
def test_a_redirect_is_refused_with_both_hosts_and_nothing_is_sent_there(client: str) -> None:
    with hostile(lambda _: (200, {}, b"{}")) as (there, received):
        with hostile(lambda _: (307, {"Location": there}, b"")) as (here, asked):
            said = outcome(CLIENTS[client], here)
        for url in (here, there):
            assert url.removeprefix("http://").removesuffix("/v1") in said
        assert asked
        assert not received


@pytest.mark.slow
@pytest.mark.parametrize(("client", "reply"), [*((client, bomb) for client in CLIENTS), ("chat", endless)])
def test_a_body_over_the_limit_is_a_failure_with_a_reason_and_not_asked_for_again(
    client: str, reply: Reply
) -> None:
    with hostile(reply) as (url, asked):
        said = outcome(CLIENTS[client], url)
        ways = 3 if client == "completions" else 1  # a completions server is asked in three ways
        assert sum(path.startswith("/") for path in asked) == ways
    refused_texts = "[None]"  # what a translator makes of a text whose translation cannot be had
    assert "bytes, the most that what was asked for can take" in said or said == refused_texts


def test_the_error_text_of_a_server_is_bounded_and_its_status_counts() -> None:
    with hostile(lambda _: (401, {}, (b"x" * 2**20 for _ in range(100)))) as (url, _):
        assert "refuses the key" in outcome(chat, url)


@pytest.mark.slow
@pytest.mark.parametrize("key", [KEY, ESCAPED])
def test_a_key_that_comes_back_in_any_field_is_nowhere(key: str) -> None:
    """As it is, or with the escapes of JSON."""
    message = f'"content": "A {key}", "reasoning_content": "{key}"'
    choice = f'{{"message": {{{message}}}, "finish_reason": "{key}"}}'
    body = f'{{"model": "m {key}", "choices": [{choice}], "usage": {{"{key}": "{key}"}}}}'
    with hostile(lambda _: (200, {"X-Request-Id": KEY}, body.encode())) as (url, _):
        answer = chat(url)
    assert KEY not in repr(answer)
    assert answer.text == "A (key)"
    assert answer.served_model == "m (key)"
    assert (answer.finish, answer.reasoning) == ("(key)", "(key)")


def test_short_keys_are_words() -> None:
    assert hide_key("an EMPTY room", "EMPTY") == "an EMPTY room"


class Asked:
    """A request of httpx, as far as the limit looks at it."""

    def __init__(self, method: str = "POST", **body: Any) -> None:
        self.method = method
        self.headers, self.content = {"content-type": "application/json"}, json.dumps(body).encode()


def test_the_limit_follows_from_what_is_asked() -> None:
    listing = byte_limit(Asked("GET"))
    with room_for_results(10_000, 100):
        assert byte_limit(Asked("GET")) > max(listing, 10_000 * 100 * 48)
    with room_for_results(1, 100):
        assert byte_limit(Asked("GET")) < listing
    small = byte_limit(Asked(messages=[], max_tokens=16))
    assert 16 * 12 < small < 2**20
    assert byte_limit(Asked(messages=[], max_completion_tokens=100_000)) > 100_000 * 48
    assert byte_limit(Asked(messages=[], max_tokens=1000, n=50)) > 50 * 1000 * 48
    # 64 vectors of 12,288 numbers with 22 characters each
    assert byte_limit(Asked(input=["rain"] * 64)) > 64 * 12_288 * 22
    # a prompt of 10,000 tokens of one byte, each with its log-probability as vLLM writes it
    token = '{"1234": {"logprob": -12.345678901234567, "rank": 12345, "decoded_token": "a"}}, '
    assert byte_limit(Asked(prompt=["a" * 10_000], prompt_logprobs=1)) > 10_000 * len(token)
