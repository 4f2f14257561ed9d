from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from endoxa.errors import UserError
from endoxa.models import retrying
from endoxa.models.chat import BatchClient, BatchRequest, ChatOptions, open_batch, parse_chat_model
from endoxa.models.chat.openai_batches import read_line
from endoxa.schema import ChatAnswer, Message, Sampling
from endoxa.testing.chat_server import FAULTS, ChatServer, Refusal, Settings, letter

KEY = "sk-planted-4c0ffee4c0ffee"
OPTIONS = ChatOptions(timeout=20.0, patience=20.0)
"""A busy machine is slow: only a server that stalls on purpose may run into the timeout."""
IMPATIENT = replace(OPTIONS, timeout=0.5)
TAG = "endoxa-0123456789abcdef01234567"
WHOLE_FAULTS = tuple(kind for kind in FAULTS if kind not in {"empty", "no-choices"})


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0.01)
    monkeypatch.setattr(retrying, "LAST_BOUND", 0.02)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@asynccontextmanager
async def served(
    settings: Settings, kind: str
) -> AsyncIterator[tuple[Callable[[], BatchClient], ChatServer]]:
    """Opens clients of a batch interface of our own."""
    server = ChatServer(settings)
    await server.start()
    spec = parse_chat_model(f"{server.url}#small" if kind == "server" else "anthropic/small", {})
    if kind == "anthropic":
        spec = replace(spec, base_url=server.url.removesuffix("/v1"))
    options = IMPATIENT if settings.faults and "stall" in settings.kinds else OPTIONS
    clients: list[BatchClient] = []

    def open_client() -> BatchClient:
        clients.append(open_batch(spec, options))
        return clients[-1]

    try:
        yield open_client, server
    finally:
        for client in clients:
            await client.close()
        await server.close()


def requests(number: int) -> list[BatchRequest]:
    return [(f"{i}-0", [Message("user", f"question {i}")], Sampling()) for i in range(number)]


def said(number: int) -> str:
    return letter({"seed": None, "messages": [{"content": f"question {number}"}]})


async def ended(client: BatchClient, batch_id: str) -> dict[str, ChatAnswer | None]:
    while (await client.status(batch_id)).state == "working":
        await asyncio.sleep(0)
    return {name: answer async for name, answer in client.results(batch_id)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["server", "anthropic"])
@pytest.mark.parametrize("faults", [0.0, 0.4])
def test_round_trip(kind: str, faults: float) -> None:
    async def main() -> tuple[Mapping[str, ChatAnswer | None], ChatServer]:
        settings = Settings(
            faults=faults, kinds=WHOLE_FAULTS, seed=2, looks=3, expired=lambda name, _: name.startswith("3")
        )
        async with served(settings, kind) as (open_client, server):
            client = open_client()
            batch_id = await client.submit(requests(20), tag=TAG)
            return await ended(client, batch_id), server

    answers, server = asyncio.run(main())
    texts = {name: answer and answer.text for name, answer in answers.items()}
    assert texts == {f"{i}-0": None if i == 3 else said(i) for i in range(20)}
    path = "POST /v1/batches" if kind == "server" else "POST /v1/messages/batches"
    assert server.requests[path] == 1 or faults


def test_a_batch_is_found_again_by_its_tag_after_a_kill() -> None:
    async def main() -> tuple[list[str], list[str], Mapping[str, ChatAnswer | None]]:
        async with served(Settings(), "server") as (open_client, _):
            await open_client().submit(requests(2), tag="endoxa-another")
            await open_client().submit(requests(5), tag=TAG)
            later = open_client()
            found = await later.find(TAG)
            return found, await later.find("endoxa-none"), await ended(later, found[0])

    found, none, answers = asyncio.run(main())
    assert found == ["batch-1"]
    assert none == []
    assert len(answers) == 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_batch_whose_answer_got_lost_is_not_made_twice(seed: int) -> None:
    async def main() -> list[str]:
        settings = Settings(faults=0.6, kinds=("drop-late", "cut", "500"), seed=seed)
        async with served(settings, "server") as (open_client, _):
            client = open_client()
            await client.submit(requests(3), tag=TAG)
            return await client.find(TAG)

    assert len(asyncio.run(main())) == 1


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_requests_refused_one_by_one(kind: str) -> None:
    replies = {
        "question 0": Refusal(400, "prompt is too long"),
        "question 1": Refusal(400, "filtered by the content policy", ""),
        "question 2": Refusal(500, "overloaded", "api_error"),
        "question 3": Refusal(400, "an odd request"),
    }

    async def main() -> Mapping[str, ChatAnswer | None]:
        settings = Settings(reply=lambda body: replies.get(body["messages"][-1]["content"], "A"))
        async with served(settings, kind) as (open_client, _):
            client = open_client()
            return await ended(client, await client.submit(requests(5), tag=TAG))

    answers = asyncio.run(main())
    assert answers["2-0"] is None
    kept = {name: (answer.text, answer.error, answer.refused) for name, answer in answers.items() if answer}
    assert kept == {
        "0-0": ("", "prompt is too long", False),
        "1-0": ("", "filtered by the content policy", True),
        "3-0": ("", "an odd request", False),
        "4-0": ("A", "", False),
    }


def test_a_batch_refused_as_a_whole() -> None:
    async def main() -> None:
        settings = Settings(reply=lambda _: Refusal(400, "Unsupported parameter: 'seed'"))
        async with served(settings, "server") as (open_client, _):
            client = open_client()
            await ended(client, await client.submit(requests(3), tag=TAG))

    with pytest.raises(UserError, match="Unsupported parameter: 'seed'"):
        asyncio.run(main())


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_a_wrong_key(kind: str) -> None:
    async def main() -> None:
        async with served(Settings(key="another"), kind) as (open_client, _):
            await open_client().submit(requests(1), tag=TAG)

    with pytest.raises(UserError, match="refuses the key") as raised:
        asyncio.run(main())
    assert "0ffee" not in str(raised.value)


def test_a_provider_without_batches() -> None:
    for text in ("ollama/x", "hf/x", "sim/biased"):
        with pytest.raises(UserError, match="leave out --batch"):
            open_batch(parse_chat_model(text, {}), OPTIONS)

    async def main() -> None:
        async with served(Settings(), "server") as (open_client, _):
            await open_client().status("batch-none/of/that/kind")

    with pytest.raises(UserError, match="Leave out --batch to ask one by one"):
        asyncio.run(main())


@pytest.mark.parametrize(
    "line",
    [
        {"custom_id": "1-0", "response": None, "error": {"code": "batch_expired", "message": "late"}},
        {"custom_id": "1-0", "response": {"status_code": 0, "body": None}},
        {"custom_id": "1-0"},
    ],
)
def test_lines_without_an_answer_are_asked_again(line: dict[str, Any]) -> None:
    read = read_line(line, KEY)
    assert read.name == "1-0"
    assert read.answer is None
    assert read.failure is None or read.failure.status == 0
