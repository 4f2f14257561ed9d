"""A chat model at several addresses: who is asked, what happens when one is down, and what is counted."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from endoxa.errors import UserError
from endoxa.models import retrying
from endoxa.models.chat import ChatOptions, open_batch, open_chat, parse_chat_model, require_batches
from endoxa.models.chat.presets import USER_PROVIDERS
from endoxa.models.chat.spec import ChatSpec
from endoxa.schema import ChatAnswer, ChatModel, Message, Sampling
from endoxa.testing.chat_server import ChatServer, Refusal, Settings, letter

T = TypeVar("T")

OPTIONS = ChatOptions(timeout=20.0, patience=20.0)
DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0.01)
    monkeypatch.setattr(retrying, "LAST_BOUND", 0.02)


@asynccontextmanager
async def started(*settings: Settings) -> AsyncIterator[list[ChatServer]]:
    servers = [ChatServer(one) for one in settings]
    for server in servers:
        await server.start()
    try:
        yield servers
    finally:
        for server in servers:
            await server.close()


OPENED: list[ChatModel] = []


def model_at(urls: list[str], options: ChatOptions = OPTIONS, name: str = "small") -> ChatModel:
    OPENED.append(open_chat(parse_chat_model(f"{','.join(urls)}#{name}", {}), options))
    return OPENED[-1]


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a test, whose models are closed."""

    async def whole() -> T:
        try:
            return await main()
        finally:
            while OPENED:
                await OPENED.pop().close()

    return asyncio.run(whole())


async def many(
    model: ChatModel, calls: int, meanwhile: Callable[[int], Awaitable[None]] | None = None
) -> list[str]:
    """Answers to numbered questions, eight at once; `meanwhile` is told of each that has come."""
    gate, done = asyncio.Semaphore(8), Counter[str]()

    async def ask(number: int) -> ChatAnswer:
        async with gate:
            answer = await model.ask([Message("user", f"question {number}")], Sampling(seed=number))
            done["all"] += 1
            if meanwhile is not None:
                await meanwhile(done["all"])
            return answer

    return [answer.text for answer in await asyncio.gather(*map(ask, range(calls)))]


def expected(calls: int) -> list[str]:
    return [
        letter({"seed": number, "messages": [{"content": f"question {number}"}]}) for number in range(calls)
    ]


def asked(server: ChatServer) -> int:
    return server.requests["POST /v1/chat/completions"]


def test_calls_are_spread_and_counted_by_address() -> None:
    async def main() -> None:
        async with started(*[Settings(latency=0.002)] * 3) as servers:
            urls = [server.url for server in servers]
            model = model_at(urls)
            await model.check()
            assert await many(model, 60) == expected(60)
            facts = model.describe()
        assert facts["server"] == ",".join(urls)
        assert facts["addresses"] == {
            url: {"answered": asked(server), "failed": 0} for url, server in zip(urls, servers, strict=True)
        }
        assert sum(map(asked, servers)) == 60
        assert min(map(asked, servers)) > 10

    run(main)


def test_one_address_has_no_counts() -> None:
    async def main() -> None:
        async with started(Settings()) as (server,):
            model = model_at([server.url])
            assert await many(model, 3) == expected(3)
            assert "addresses" not in model.describe()

    run(main)


def test_a_server_that_dies_in_the_middle_loses_no_answer() -> None:
    async def main() -> None:
        async with started(Settings(latency=0.002), Settings(latency=0.002)) as (first, second):
            urls = [first.url, second.url]
            model = model_at(urls)

            async def die(done: int) -> None:
                if done == 20:
                    await first.close()

            assert await many(model, 100, die) == expected(100)
            counts = model.describe()["addresses"]
        assert sum(one["answered"] for one in counts.values()) == 100
        assert [counts[url]["failed"] > 0 for url in urls] == [True, False]

    run(main)


@pytest.mark.slow
def test_servers_that_break_a_third_of_their_answers_lose_none() -> None:
    async def main() -> None:
        faulty = Settings(faults=0.3, kinds=("500", "drop", "cut", "malformed", "429"), seed=3)
        async with started(faulty, replace(faulty, seed=4)) as servers:
            model = model_at([server.url for server in servers])
            assert await many(model, 150) == expected(150)
            counts = model.describe()["addresses"]
            for server in servers:
                assert counts[server.url]["answered"] + counts[server.url]["failed"] == asked(server)
                assert counts[server.url]["failed"] == server.broken.total()
        assert sum(one["answered"] for one in counts.values()) == 150

    run(main)


def test_waiting_for_one_address_keeps_nobody_from_another() -> None:
    async def main() -> Counter[str]:
        busy = Settings(faults=1.0, kinds=("429-after",), retry_after="1000")
        async with started(busy, Settings()) as (first, second):
            model = model_at([first.url, second.url])
            assert await many(model, 30) == expected(30)
            assert asked(second) == 30
            return first.broken

    assert run(main)["429-after"] <= 8  # what was under way when it first said so


def test_one_silent_address_at_the_start_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with started(Settings()) as (server,):
            model = model_at([DEAD, server.url], replace(OPTIONS, patience=0.1))
            await model.check()
            await model.check()
            assert await many(model, 20) == expected(20)
            assert caplog.messages == [
                f"{DEAD} does not answer; the run begins with the other address and tries again later."
            ]

    run(main)


def refused(urls: list[str], *, check: bool = True) -> str:
    async def main() -> None:
        model = model_at(urls, replace(OPTIONS, patience=0.1))
        await (model.check() if check else many(model, 1))

    with pytest.raises(UserError) as caught:
        run(main)
    return str(caught.value)


@pytest.mark.parametrize("check", [True, False])
def test_all_silent_is_the_usual_error(check: bool) -> None:
    said = refused([DEAD, "http://127.0.0.1:10/v1"], check=check)
    assert "does not answer: for 0 seconds every call failed" in said
    assert DEAD in said


def test_an_address_with_another_model_is_named() -> None:
    async def main() -> None:
        async with started(Settings(), Settings(model="large")) as (first, second):
            urls = [first.url, second.url]
            with pytest.raises(UserError) as caught:
                await model_at(urls).check()
            assert f"{second.url} does not serve 'small', as another address does. It has: large." in str(
                caught.value
            )
            assert asked(first) + asked(second) == 0
            # A name that no address lists may be an alias, and each is asked.
            await model_at(urls, name="alias").check()
            assert (asked(first), asked(second)) == (1, 1)

    run(main)


def test_an_address_that_refuses_the_key_is_named() -> None:
    async def main() -> None:
        async with started(Settings(), Settings(key="sk-other-key-0")) as (first, second):
            model = model_at([first.url, second.url])
            for ask in (model.check(), many(model, 8)):
                with pytest.raises(UserError, match=f"{second.url} refuses the key"):
                    await ask

    run(main)


def test_a_request_that_is_refused_is_no_failure_of_its_address() -> None:
    refusal = Settings(reply=lambda _: Refusal(500, "the request exceeds the available context size"))

    async def main() -> None:
        async with started(refusal, refusal) as servers:
            model = model_at([one.url for one in servers])
            answer = await model.ask([Message("user", "long")], Sampling())
            assert (answer.finish, answer.error) == (
                "error",
                "the request exceeds the available context size",
            )
            assert sum(one["failed"] for one in model.describe()["addresses"].values()) == 0

    run(main)


def test_batches_are_refused_at_several_addresses() -> None:
    spec = parse_chat_model("http://a/v1,http://b/v1#x", {})
    for ask in (require_batches, lambda one: open_batch(one, OPTIONS)):
        with pytest.raises(UserError, match="has several addresses, and a batch is handed in at one"):
            ask(spec)


def test_a_provider_of_ones_own_may_have_several_addresses(tmp_path: Path) -> None:
    """The run knows such a model by its name, so that its addresses may change between two starts."""
    path = tmp_path / "providers.toml"

    def spec(addresses: str) -> ChatSpec:
        path.write_text(f'[lab]\nbase_url = "{addresses}"\n')
        return parse_chat_model("lab/x", {USER_PROVIDERS: str(path)})

    two, three = spec("http://a/v1,http://b/v1"), spec("http://b/v1,http://c/v1,http://d/v1")
    assert (two.where, three.where) == ("http://a/v1,http://b/v1", "http://b/v1,http://c/v1,http://d/v1")
    assert two.host.identity(two, OPTIONS) == three.host.identity(three, OPTIONS) == {"name": "lab/x"}
    with pytest.raises(UserError, match="given twice"):
        spec("http://a/v1,http://a/v1")
