from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from endoxa.errors import UserError
from endoxa.models import retrying
from endoxa.models.chat import open_chat, parse_chat_model, remote
from endoxa.models.chat.anthropic import message_body, read_message, version_headers
from endoxa.models.chat.openai import completion_body, read_completion
from endoxa.models.chat.spec import ChatOptions, UnusableError
from endoxa.schema import ChatAnswer, ChatModel, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL
from endoxa.testing.chat_server import FAULTS, ChatServer, Refusal, Settings, letter, running

pytestmark = pytest.mark.slow

KEY = "sk-planted-4c0ffee4c0ffee"
OPTIONS = ChatOptions(timeout=20.0, patience=20.0)
"""A busy machine is slow: only a server that stalls on purpose may run into the timeout."""
IMPATIENT = replace(OPTIONS, timeout=0.5)
QUESTION = [Message("user", "Who is reading?")]
PLAIN = Sampling()


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0.01)
    monkeypatch.setattr(retrying, "LAST_BOUND", 0.02)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def waiting(settings: Settings) -> ChatOptions:
    """How long to wait for such a server."""
    return IMPATIENT if settings.faults and "stall" in settings.kinds else OPTIONS


@asynccontextmanager
async def asked(
    settings: Settings, kind: str = "server", options: ChatOptions | None = None, name: str = "small"
) -> AsyncIterator[tuple[ChatModel, ChatServer]]:
    """A model behind a server of our own, which stands in for the provider."""
    with running(settings) as server:
        text = f"{server.url}#{name}" if kind == "server" else f"{kind}/{name}"
        address = server.url if kind == "openai" else server.url.removesuffix("/v1")
        spec = parse_chat_model(text, {})
        model = open_chat(
            spec if kind == "server" else replace(spec, base_url=address), options or waiting(settings)
        )
        try:
            yield model, server
        finally:
            await model.close()


def told(
    settings: Settings, *texts: str, kind: str = "server", sampling: Sampling = PLAIN, **named: Any
) -> tuple[list[ChatAnswer], ChatServer]:
    """Answers to texts, one after the other."""

    async def main() -> tuple[list[ChatAnswer], ChatServer]:
        async with asked(settings, kind, **named) as (model, server):
            return [await model.ask([Message("user", text)], sampling) for text in texts], server

    return asyncio.run(main())


async def many(model: ChatModel, calls: int, at_once: int) -> list[ChatAnswer]:
    """Answers to numbered questions."""
    gate = asyncio.Semaphore(at_once)

    async def ask(number: int) -> ChatAnswer:
        async with gate:
            return await model.ask([Message("user", f"question {number}")], Sampling(seed=number))

    return list(await asyncio.gather(*map(ask, range(calls))))


def expected(calls: int, *, seeded: bool) -> list[str]:
    return [
        letter({"seed": number if seeded else None, "messages": [{"content": f"question {number}"}]})
        for number in range(calls)
    ]


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_every_fault_is_overcome(kind: str) -> None:
    async def main() -> tuple[list[ChatAnswer], ChatServer]:
        async with asked(Settings(faults=0.3, kinds=FAULTS, seed=1), kind) as (model, server):
            await model.check()
            return await many(model, 100, 32), server

    answers, server = asyncio.run(main())
    assert set(server.broken) == set(FAULTS)
    assert [answer.text for answer in answers] == expected(100, seeded=kind != "anthropic")
    assert {answer.error for answer in answers} == {""}


def test_an_answer_that_stays_empty_is_the_answer() -> None:
    (answer,), server = told(Settings(reply=lambda _: ""), "?")
    assert (answer.text, answer.error, answer.refused) == ("", "", False)
    assert server.requests["POST /v1/chat/completions"] == remote.EMPTY_TRIES


def test_nobody_answers() -> None:
    model = open_chat(parse_chat_model("http://127.0.0.1:9/v1#x", {}), replace(OPTIONS, patience=0.1))
    with pytest.raises(UserError, match=r"at http://127.0.0.1:9/v1 does not answer: for 0 seconds"):
        asyncio.run(model.check())


@pytest.mark.parametrize(
    ("refusal", "refused", "finish"),
    [
        (
            Refusal(400, "This model's maximum context length is 8 tokens.", "context_length_exceeded"),
            False,
            "error",
        ),
        (Refusal(413, "Request exceeds the maximum size", "request_too_large"), False, "error"),
        (Refusal(500, "the request exceeds the available context size"), False, "error"),
        (
            Refusal(400, "filtered due to the content management policy", "content_filter"),
            True,
            "content_filter",
        ),
        (Refusal(403, "the model requires moderation and your input was flagged"), True, "content_filter"),
    ],
)
def test_refusals_of_one_request_are_kept_with_it(refusal: Refusal, refused: bool, finish: str) -> None:
    ((answer,), _) = told(Settings(reply=lambda _: refusal), "?")
    assert (answer.text, answer.refused, answer.finish) == ("", refused, finish)
    assert answer.error == refusal.message


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (
            Refusal(400, "Unsupported parameter: 'top_p'", "unsupported_parameter"),
            "Unsupported parameter: 'top_p'",
        ),
        (Refusal(401, "no"), "refuses the key in the environment variable ENDOXA_SERVER_KEY"),
        (Refusal(402, "pay"), "has no money or quota left"),
        (Refusal(403, "country not supported"), "may not use it"),
        (Refusal(404, "no such model"), "has no model 'small'"),
        (Refusal(429, "You exceeded your current quota", "insufficient_quota"), "has no money or quota left"),
    ],
)
def test_refusals_of_every_request_end_the_run(refusal: Refusal, said: str) -> None:
    async def main() -> tuple[set[str], int]:
        async with asked(Settings(reply=lambda _: refusal, latency=0.02)) as (model, server):
            calls = [model.ask(QUESTION, PLAIN) for _ in range(8)]
            problems = await asyncio.gather(*calls, return_exceptions=True)
            problems += await asyncio.gather(*[model.ask(QUESTION, PLAIN)], return_exceptions=True)
            assert all(isinstance(problem, UserError) for problem in problems)
            return {str(problem) for problem in problems}, server.requests.total()

    problems, sent = asyncio.run(main())
    assert len(problems) == 1
    assert said in problems.pop()
    assert sent <= 8 + (refusal.status == 400)  # one small question, whether it is the settings


def odd(refusal: Refusal) -> Callable[[Mapping[str, Any]], str | Refusal]:
    """Refuses one text."""
    return lambda body: refusal if body["messages"][-1]["content"] == "odd" else "A"


@pytest.mark.parametrize(("texts", "requests"), [(("even", "odd", "even"), 3), (("odd", "odd", "even"), 4)])
def test_a_bad_request_is_that_request_s_own_and_stops_no_other(
    texts: tuple[str, ...], requests: int
) -> None:
    """One that is the first is followed by a small question, whether it is the settings."""

    answers, server = told(Settings(reply=odd(Refusal(400, "cannot read this"))), *texts)
    assert [answer.error for answer in answers] == ["cannot read this" * (text == "odd") for text in texts]
    assert server.requests.total() == requests


@pytest.mark.parametrize("patience", [20.0, 0.1])
def test_the_only_request_left_that_never_works_is_noted(patience: float) -> None:
    """Nothing else is asked that could be answered, however short the patience."""
    options = replace(OPTIONS, attempts=3, patience=patience)
    ((answer,), _) = told(Settings(reply=odd(Refusal(500, "it hurts"))), "odd", options=options)
    assert answer.finish == "error"
    assert answer.error.endswith(" times: status 500: it hurts")
    assert patience < 20 or answer.error.startswith("failed 3")


@pytest.mark.parametrize(
    ("fault", "lost"),
    [("empty", 1), ("drop-late", 1), ("429", 0)],
)
def test_calls_that_may_be_billed_without_an_answer_are_told(fault: str, lost: int) -> None:
    told: list[Usage | None] = []

    async def main() -> int:
        settings = Settings(faults=0.5, kinds=(fault,), seed=4)
        with running(settings) as server:
            spec = parse_chat_model(f"{server.url}#small", {})
            model = open_chat(spec, waiting(settings), lambda _, __, usage: told.append(usage))
            try:
                for _ in range(4):
                    await model.ask(QUESTION, PLAIN)
                assert len(told) == lost * server.broken.total()
            finally:
                await model.close()
            return server.broken.total()

    assert asyncio.run(main())
    assert (None in told) == (lost and fault != "empty")


def test_a_slow_answer_is_called_slow() -> None:
    options = replace(OPTIONS, timeout=0.1, patience=0.3)
    with pytest.raises(UserError, match="slower than the timeout"):
        told(Settings(latency=5.0), "?", options=options)


@pytest.mark.parametrize(("kind", "status"), [("openai", 401), ("anthropic", 500)])
def test_a_key_is_written_nowhere(
    kind: str, status: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "sk-another-key-0987654321" if status == 401 else None
    refusal = Refusal(status, f"the key {KEY} and its end {KEY[:5]}***{KEY[-6:]} are wrong")
    settings = Settings(key=key, reply=lambda _: refusal)
    said: list[str] = []

    async def main() -> None:
        async with asked(settings, kind, options=replace(OPTIONS, patience=0.1)) as (model, server):
            said.extend([repr(model), str(vars(model)), json.dumps(model.describe())])
            for call in (model.check(), model.ask(QUESTION, PLAIN)):
                try:
                    said.append(repr(await call))
                except UserError as problem:
                    said.extend([str(problem), repr(problem), repr(problem.__cause__)])
            assert server.headers["authorization"] == f"Bearer {KEY}"

    asyncio.run(main())
    written = "\n".join([*said, caplog.text, *capfd.readouterr()])
    assert "0ffee" not in written.replace(f"'_key': '{KEY}'", "")


@pytest.mark.parametrize("kind", ["server", "anthropic"])
def test_check_names_what_is_to_be_had(kind: str) -> None:
    async def main(reply: Any) -> None:
        async with asked(Settings(reply=reply), kind, name="smal") as (model, _):
            await model.check()

    asyncio.run(main(letter))  # an alias that the list does not know
    with pytest.raises(UserError, match=r"has no model 'smal'.* It lists: small"):
        asyncio.run(main(lambda _: Refusal(404, "unknown model", "not_found_error")))


def test_bodies_of_requests() -> None:
    messages = [Message("system", "Be short."), Message("user", "Who?")]
    sampling = Sampling(0.5, 0.9, 8, 3, "low", {"logit_bias": {"5": -1}})
    server = parse_chat_model("http://h/v1#x", {})
    assert completion_body(server, messages, sampling) == {
        "model": "x",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Who?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 8,
        "seed": 3,
        "reasoning_effort": "low",
        "logit_bias": {"5": -1},
    }
    openai = completion_body(parse_chat_model("openai/x", {}), messages, sampling)
    assert openai["max_completion_tokens"] == 8
    assert "max_tokens" not in openai
    bare = completion_body(server, messages, Sampling(None, None, None))
    assert set(bare) == {"model", "messages"}
    claude = parse_chat_model("anthropic/x", {})
    assert message_body(claude, messages, sampling) == {
        "model": "x",
        "max_tokens": 8,
        "system": "Be short.",
        "messages": [{"role": "user", "content": "Who?"}],
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low"},
        "temperature": 0.5,
        "top_p": 0.9,
        "logit_bias": {"5": -1},
    }


def test_a_seed_goes_by_its_name_at_each_provider_and_null_takes_a_field_out() -> None:
    groq, mistral, gemini = (
        completion_body(parse_chat_model(f"{name}/x", {}), QUESTION, Sampling(seed=3))
        for name in ("groq", "mistral", "gemini")
    )
    assert (groq["seed"], mistral["random_seed"]) == (3, 3)
    assert "seed" not in mistral
    assert not any("seed" in field for field in gemini)
    without = Sampling(seed=3, extra={"seed": None, "temperature": None})
    assert not {"seed", "temperature"} & set(
        completion_body(parse_chat_model("groq/x", {}), QUESTION, without)
    )
    assert "max_tokens" not in message_body(
        parse_chat_model("anthropic/x", {}), QUESTION, Sampling(extra={"max_tokens": None})
    )


def test_anthropics_new_interface_is_never_told_how_to_sample() -> None:
    spec = parse_chat_model("anthropic/x", {})
    for temperature in (None, 1.0):
        body = message_body(spec, QUESTION, Sampling(temperature))
        assert "temperature" not in body
        assert version_headers(body) == {}
    assert version_headers(message_body(spec, QUESTION, Sampling(0.0))) == {"anthropic-version": "2023-06-01"}
    assert version_headers(message_body(spec, QUESTION, Sampling(1.0, 0.5))) != {}
    assert message_body(spec, QUESTION, Sampling(reasoning="2048"))["thinking"]["budget_tokens"] == 2048
    assert message_body(spec, QUESTION, Sampling(reasoning="none"))["thinking"] == {"type": "disabled"}

    _, server = told(Settings(), "?", kind="anthropic", sampling=Sampling(0.0))
    assert server.headers["anthropic-version"] == "2023-06-01"


def completion(message: Mapping[str, Any], finish: str | None = "stop", **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more})


def test_reading_completions() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    whole = read_completion(
        completion({"content": " B\n", "reasoning_content": "hm"}, model="x-1", usage=usage)
    )
    assert whole == ChatAnswer(" B\n", "stop", False, Usage(9, 4, 2, 3), "x-1", "hm")
    assert read_completion(completion({"content": "B", "reasoning": "hm"})).reasoning == "hm"
    declined = read_completion(completion({"content": None, "refusal": "I cannot."}))
    assert (declined.text, declined.finish, declined.refused) == ("I cannot.", "refusal", True)
    filtered = read_completion(completion({"content": ""}, "content_filter"))
    assert (filtered.finish, filtered.refused) == ("content_filter", True)
    pieces = [{"type": "thinking", "thinking": [{"text": "h"}, {"text": "m"}]}, {"type": "text", "text": "B"}]
    parted = read_completion(completion({"content": pieces}, "length"))
    assert (parted.text, parted.reasoning, parted.finish) == ("B", "hm", "length")
    assert read_completion(completion({"content": "B"}, None, usage=None)).finish == "stop"
    among = read_completion(completion({"content": [{"type": "refusal", "refusal": "I cannot."}]}))
    assert (among.text, among.finish, among.refused) == ("I cannot.", "refusal", True)
    with pytest.raises(UnusableError, match="broke off"):
        read_completion(completion({"content": "The ans"}, "error"))
    (first,) = json.loads(completion({"content": "C"}))["choices"]
    others = [{**first, "index": 1, "message": {"content": "A"}}, first]
    assert read_completion(json.dumps({"choices": others})).text == "C"


CALL = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "finish"),
    [
        ({"content": None, "tool_calls": [CALL]}, "tool_calls"),
        ({"content": None, "function_call": CALL["function"]}, "function_call"),
    ],
)
def test_an_answer_that_only_calls_a_tool_says_so_and_is_not_asked_again(
    message: dict[str, Any], finish: str
) -> None:
    answer = read_completion(completion(message, finish))
    assert (answer.text, answer.finish, answer.error) == ("", "tool_calls", CALLED_A_TOOL)
    beside = read_completion(completion({**message, "content": "B"}, finish))
    assert (beside.text, beside.error) == ("B", "")
    block = {"type": "tool_use", "id": "1", "name": "answer", "input": {"choice": "C"}}
    called = {"type": "message", "content": [block], "stop_reason": "tool_use"}
    assert read_message(json.dumps(called)).error == CALLED_A_TOOL
    said = {**called, "content": [{"type": "text", "text": "B"}, block]}
    assert (read_message(json.dumps(said)).text, read_message(json.dumps(said)).error) == ("B", "")


@pytest.mark.parametrize("body", ["", "{}", '{"choices": [{}]}', "<html>", '{"error": {"message": "x"}}'])
def test_what_is_no_completion(body: str) -> None:
    with pytest.raises(UnusableError):
        read_completion(body)
    with pytest.raises(UnusableError):
        read_message(body)


def test_reading_messages() -> None:
    body = {
        "type": "message",
        "model": "x-1",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "B"}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 5,
            "output_tokens": 4,
            "cache_read_input_tokens": 2,
            "cache_creation_input_tokens": None,
            "output_tokens_details": {"thinking_tokens": 3},
        },
    }
    assert read_message(json.dumps(body)) == ChatAnswer("B", "stop", False, Usage(7, 4, 2, 3), "x-1", "hm")
    declined = read_message(json.dumps({**body, "content": [], "stop_reason": "refusal"}))
    assert (declined.text, declined.finish, declined.refused) == ("", "refusal", True)
    assert read_message(json.dumps({**body, "stop_reason": "max_tokens"})).finish == "length"
