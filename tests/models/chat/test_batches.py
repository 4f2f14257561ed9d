from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from endoxa.errors import UserError
from endoxa.models import retrying
from endoxa.models.chat import anthropic, open_batch, parse_chat_model
from endoxa.models.chat.openai import read_line
from endoxa.models.chat.remote import BatchClient
from endoxa.models.chat.spec import BatchRequest, ChatOptions, Submission, SubmissionStatus
from endoxa.models.retrying import Failure
from endoxa.schema import ChatAnswer, Message, Sampling
from endoxa.testing.chat_server import FAULTS, ChatServer, Refusal, Settings, letter, running

pytestmark = pytest.mark.slow

KEY = "sk-planted-4c0ffee4c0ffee"
OPTIONS = ChatOptions(timeout=20.0, patience=20.0)
"""A busy machine is slow: only a server that stalls on purpose may run into the timeout."""
IMPATIENT = replace(OPTIONS, timeout=0.5)
TAG = Submission("endoxa-0123456789abcdef01234567", 3, "")
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
    clients: list[BatchClient] = []
    with running(settings) as server:
        spec = parse_chat_model(f"{server.url}#small" if kind == "server" else "anthropic/small", {})
        if kind == "anthropic":
            spec = replace(spec, base_url=server.url.removesuffix("/v1"))
        options = IMPATIENT if settings.faults and "stall" in settings.kinds else OPTIONS

        def open_client() -> BatchClient:
            clients.append(open_batch(spec, options))
            return clients[-1]

        try:
            yield open_client, server
        finally:
            for client in clients:
                await client.close()


def requests(number: int) -> list[BatchRequest]:
    return [(f"{i}-0", [Message("user", f"question {i}")], Sampling()) for i in range(number)]


def said(number: int) -> str:
    return letter({"seed": None, "messages": [{"content": f"question {number}"}]})


async def ended(client: BatchClient, batch_id: str) -> dict[str, ChatAnswer | None]:
    while (await client.status(batch_id)).state == "working":
        await asyncio.sleep(0)
    return {name: answer async for name, answer in client.results(batch_id)}


def handed_in(settings: Settings, kind: str, number: int) -> tuple[dict[str, ChatAnswer | None], ChatServer]:
    """The answers of one batch of so many requests."""

    async def main() -> tuple[dict[str, ChatAnswer | None], ChatServer]:
        async with served(settings, kind) as (open_client, server):
            client = open_client()
            return await ended(client, await client.submit(requests(number), TAG)), server

    return asyncio.run(main())


@pytest.mark.parametrize(("kind", "faults"), [("server", 0.4), ("anthropic", 0.0)])
def test_round_trip(kind: str, faults: float) -> None:
    late = {"looks": 3, "expired": lambda name, _: name.split("-")[-2] == "3"}
    answers, server = handed_in(Settings(faults=faults, kinds=WHOLE_FAULTS, seed=2, **late), kind, 20)
    texts = {name: answer and answer.text for name, answer in answers.items()}
    assert texts == {f"{i}-0": None if i == 3 else said(i) for i in range(20)}
    path = "POST /v1/batches" if kind == "server" else "POST /v1/messages/batches"
    assert server.requests[path] == 1 or faults


def test_a_batch_is_found_again_by_its_tag_after_a_kill() -> None:
    async def main() -> tuple[SubmissionStatus, SubmissionStatus, Mapping[str, ChatAnswer | None]]:
        async with served(Settings(), "server") as (open_client, _):
            await open_client().submit(requests(2), Submission("endoxa-another", 2, ""))
            await open_client().submit(requests(5), TAG)
            later = open_client()
            found = await later.find(TAG)
            return (
                found,
                await later.find(Submission("endoxa-none", 5, "")),
                await ended(later, found.batch_id),
            )

    found, none, answers = asyncio.run(main())
    assert found == SubmissionStatus("found", "batch-1")
    assert none == SubmissionStatus("absent")
    assert len(answers) == 5


def test_a_batch_whose_answer_got_lost_is_not_made_twice() -> None:
    settings = Settings(faults=0.6, kinds=("drop-late", "cut", "500"), looks=3)

    async def main() -> int:
        async with served(settings, "server") as (open_client, server):
            await open_client().submit(requests(3), TAG)
            return len(server.batches)

    assert asyncio.run(main()) == 1


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_requests_refused_one_by_one(kind: str) -> None:
    replies = {
        "question 0": Refusal(400, "prompt is too long"),
        "question 1": Refusal(400, "filtered by the content policy", ""),
        "question 2": Refusal(500, "overloaded", "api_error"),
        "question 3": Refusal(400, "an odd request"),
    }

    answers, _ = handed_in(
        Settings(reply=lambda body: replies.get(body["messages"][-1]["content"], "A")), kind, 5
    )
    assert answers["2-0"] is None
    kept = {name: (answer.text, answer.error, answer.refused) for name, answer in answers.items() if answer}
    assert kept == {
        "0-0": ("", "prompt is too long", False),
        "1-0": ("", "filtered by the content policy", True),
        "3-0": ("", "an odd request", False),
        "4-0": ("A", "", False),
    }


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_a_batch_refused_as_a_whole(kind: str) -> None:
    with pytest.raises(UserError, match="refuses the key") as raised:
        handed_in(Settings(key="another"), kind, 3)
    assert "0ffee" not in str(raised.value)


def test_a_provider_without_batches() -> None:
    async def main() -> None:
        async with served(Settings(), "server") as (open_client, _):
            await open_client().status("batch-of-another-account")

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
    name, outcome = read_line(line, KEY)
    assert name == "1-0"
    assert outcome is None or (isinstance(outcome, Failure) and outcome.status == 0)


ANTHROPIC_TAGS = [f"endoxa-{k:024x}" for k in range(9)]


def test_a_batch_of_anthropic_is_found_among_others_by_the_names_in_its_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others came before and after, some with as many requests; the list takes several pages."""
    monkeypatch.setattr(anthropic.AnthropicBatches, "page", 2)
    ours, before, same_size, smaller, later = (Submission(tag, 4, "") for tag in ANTHROPIC_TAGS[:5])

    async def main() -> tuple[SubmissionStatus, SubmissionStatus, dict[str, ChatAnswer | None]]:
        async with served(Settings(), "anthropic") as (open_client, _):
            client = open_client()
            await client.submit(requests(4), before)
            mark = await client.mark()
            assert mark == "msgbatch-0"
            await client.submit(requests(4), same_size)
            await client.submit(requests(3), smaller)
            await client.submit(requests(4), ours)
            await client.submit(requests(4), later)
            restarted = open_client()
            found = await restarted.find(replace(ours, mark=mark))
            missing = await restarted.find(Submission(ANTHROPIC_TAGS[8], 4, mark))
            return found, missing, await ended(restarted, found.batch_id)

    found, missing, answers = asyncio.run(main())
    assert found == SubmissionStatus("found", "msgbatch-3")
    assert missing == SubmissionStatus("absent")
    assert {name: answer and answer.text for name, answer in answers.items()} == {
        f"{i}-0": said(i) for i in range(4)
    }


def test_what_cannot_be_told_of_a_batch_of_anthropic() -> None:
    """A batch that has not ended shows no names; another workspace lacks the mark."""
    ours, other = (Submission(tag, 4, "") for tag in ANTHROPIC_TAGS[:2])

    async def main() -> list[SubmissionStatus]:
        async with served(Settings(looks=2), "anthropic") as (open_client, _):
            client = open_client()
            await client.submit(requests(4), other)
            return [
                await client.find(ours),
                await client.find(ours),
                await client.find(replace(ours, mark="msgbatch-elsewhere")),
            ]

    assert asyncio.run(main()) == [
        SubmissionStatus("unfinished", "msgbatch-0"),
        SubmissionStatus("absent"),
        SubmissionStatus("unknown"),
    ]
