"""What a server ignores or refuses is noticed: seeds, stop sequences, the form of answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import repeats_alike
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.stories.instrument import HARM, ExtractSettings, HarmSettings
from endoxa.runs.answers.language import signs_of_new_question
from endoxa.runs.asking.cost import parse_models, warn_of_schemas
from endoxa.runs.asking.run import why_no_stops
from endoxa.runs.run import measure
from endoxa.schema import ChatAnswer, Message, Sampling
from endoxa.schema.finish import LENGTH
from endoxa.testing.chat_server import Refusal, running
from endoxa.testing.chat_server import Settings as ServerSettings
from support.harm_samples import associations, write_associations
from support.http_server import serving
from support.qa_questions import questions, write


class Unending:
    """Answers up to the last token it may have."""

    name = "http://host/v1#m"

    def describe(self) -> Mapping[str, Any]:
        return {}

    async def check(self) -> None: ...

    async def close(self) -> None: ...

    async def ask(
        self, _messages: Sequence[Message], _sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        return ChatAnswer("0 apples", finish=LENGTH)


SIGNS = ("\nQuestion:", "\nContext:")


def takes_stops(body: Mapping[str, Any]) -> str:
    """A base model's answer, with a question of its own behind it, cut at the first text at which it is to end."""
    whole = "B\n\nQuestion: who was early?\nAnswer: A"
    return whole[
        : min((whole.find(stop) for stop in body.get("stop", ()) if stop in whole), default=None)
    ].strip()


def refuses_stops(body: Mapping[str, Any]) -> str | Refusal:
    return Refusal(400, "Unexpected keys in the request: {'stop'}") if "stop" in body else takes_stops(body)


def thinks(body: Mapping[str, Any]) -> str:
    return f"<think>Two and two ...</think>{takes_stops(body)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "extra", "sent", "said"),
    [
        (takes_stops, {}, SIGNS, 'answers end where a line begins with "Question:", "Context:"'),
        (takes_stops, {"stop": None}, (), ""),
        (refuses_stops, {}, (), "no stop sequences are sent: a trial question with them failed"),
        (thinks, {}, (), "no stop sequences are sent: the model thinks"),
    ],
)
def test_servers_that_take_stop_sequences_are_sent_them(
    reply: Any, extra: Any, sent: tuple[str, ...], said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = write(tmp_path / "questions.jsonl", questions(4))
    bodies: list[Mapping[str, Any]] = []

    def recorded(body: Mapping[str, Any]) -> str | Refusal:
        bodies.append(body)
        return reply(body)

    with running(ServerSettings(reply=recorded)) as server, caplog.at_level(logging.WARNING):
        name = f"{server.url}#small"
        settings = QaSettings(data=str(data), models=(name,), sampling=Sampling(extra=extra))
        done = measure(QUESTIONS, settings, tmp_path / "run")
    asked = [body for body in bodies if "on day" in body["messages"][-1]["content"].lower()]
    assert [tuple(body.get("stop", ())) for body in asked] == [sent] * 4
    assert caplog.text.count("stop sequences") == bool(said)
    assert said in caplog.text
    assert tuple(done.facts["models"][0].get("ends_at", ())) == sent
    answers = pl.read_parquet(tmp_path / "run/records.parquet")["answer"]
    assert set(answers.str.contains("Question:")) == {not sent}


def test_thoughts_that_may_be_unmarked_are_left_whole_and_no_language_takes_more_than_four() -> None:
    reason = asyncio.run(why_no_stops(Unending(), Sampling(), 0, SIGNS))
    assert "may be thinking unmarked" in reason
    assert signs_of_new_question(["en"]) == SIGNS
    assert signs_of_new_question(["es"]) == ("\nPregunta:", "\nContexto:", *SIGNS)
    assert signs_of_new_question(["es", "pt"]) == ("\nPregunta:", "\nPergunta:", "\nContexto:", SIGNS[0])


def constant(text: str) -> Callable[[Any, str | None], tuple[int, Any]]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return lambda _body, _key: (200, {"object": "chat.completion", "model": "small", "choices": [choice]})


def test_repeats_that_are_all_alike_are_said_to_be(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(8))
    with serving(constant("Not known")) as url:
        settings = QaSettings(data=str(data), models=(f"{url}#small",), repeats=2)
        done = measure(QUESTIONS, settings, tmp_path / "run")
    (sentence,) = repeats_alike(tmp_path / "run", done.facts)
    assert "all 2 repeats of each of 8 items" in sentence
    cold = {"settings": {"sampling": {"temperature": 0}}}
    assert repeats_alike(tmp_path / "run", cold) == ()


def test_a_closed_format_nobody_keeps_stops_the_run_and_the_same_command_goes_on(tmp_path: Path) -> None:
    data = write_associations(tmp_path / "associations.csv", associations(12))
    with serving(constant("banana")) as url:
        settings = HarmSettings(data=str(data), models=(f"{url}#small",), repeats=1)
        with pytest.raises(
            UserError, match=r"none of its first .* answers can be read .*banana.*repeat the command"
        ):
            measure(HARM, settings, tmp_path / "run")
        measure(HARM, settings, tmp_path / "run")
    records = pl.read_parquet(tmp_path / "run/records.parquet")
    assert records["association_id"].n_unique() == records.height == 12


@pytest.mark.parametrize(
    ("protocols", "said"),
    [(("baseline",), "banana"), (("explanation", "reprompting"), "banana"), (("baseline",), "<think>well")],
)
def test_questions_that_nobody_answers_stop_the_run_too(
    protocols: tuple[Any, ...], said: str, tmp_path: Path
) -> None:
    data = write(tmp_path / "questions.jsonl", questions(12))
    with serving(constant(said)) as url:
        settings = QaSettings(data=str(data), models=(f"{url}#small",), protocols=protocols)
        with pytest.raises(UserError, match=r"none of its first .* answers can be read"):
            measure(QUESTIONS, settings, tmp_path / "run")
        measure(QUESTIONS, settings, tmp_path / "run")
    records = pl.read_parquet(tmp_path / "run/records.parquet")
    assert records.height == 12 * len(protocols)
    assert set(records["outcome"]) == {"unparsed"}


def test_weights_that_cannot_be_held_to_a_schema_are_read_as_they_write(
    caplog: pytest.LogCaptureFixture,
) -> None:
    specs = parse_models(["hf/some/folder"])
    warn_of_schemas(ExtractSettings(data="x", models=("hf/some/folder",), structured=False), specs)
    assert not caplog.text
    warn_of_schemas(ExtractSettings(data="x", models=("hf/some/folder",), structured=True), specs)
    assert "is read as it comes" in caplog.text
