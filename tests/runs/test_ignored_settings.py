"""What a server ignores or refuses is noticed: seeds, the form of answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import repeats_alike
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.stories.instrument import HARM, ExtractSettings, HarmSettings
from endoxa.runs.asking.cost import parse_models, warn_of_schemas
from endoxa.runs.run import measure
from support.harm_samples import associations, write_associations
from support.http_server import serving
from support.qa_questions import questions, write


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
    [(("explanation", "reprompting"), "banana"), (("baseline",), "<think>well")],
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
