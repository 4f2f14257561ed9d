"""What a server ignores or refuses is noticed: seeds, the form of answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import repeats_alike
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.asking.run import asking_lines
from endoxa.runs.run import measure
from support.http_server import serving
from support.qa_questions import questions, write


def constant(text: str) -> Callable[[Any, str | None], tuple[int, Any]]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return lambda _body, _key: (200, {"object": "chat.completion", "model": "small", "choices": [choice]})


@pytest.mark.slow
def test_repeats_that_are_all_alike_and_a_server_that_changes_are_said(tmp_path: Path) -> None:
    data, fingerprints = write(tmp_path / "questions.jsonl", questions(5)), itertools.count()

    def changing(body: Any, key: str | None) -> tuple[int, Any]:
        status, answer = constant("Not known")(body, key)
        return status, answer | {"system_fingerprint": f"fp_{next(fingerprints) // 8}"}

    with serving(changing) as url:
        settings = QaSettings(data=str(data), models=(f"{url}#small",), repeats=2)
        done = measure(QUESTIONS, settings, tmp_path / "run")
    (sentence,) = repeats_alike(tmp_path / "run", done.facts)
    assert "all 2 repeats of each of 5 items" in sentence
    assert any(
        "changed its configuration during the run: fingerprints fp_0" in line for line in asking_lines(done)
    )
    cold = {"settings": {"sampling": {"temperature": 0}}}
    assert repeats_alike(tmp_path / "run", cold) == ()


@pytest.mark.slow
def test_questions_that_nobody_answers_stop_the_run_and_the_same_command_goes_on(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(12))
    with serving(constant("<think>well")) as url:
        settings = QaSettings(data=str(data), models=(f"{url}#small",))
        with pytest.raises(UserError, match=r"none of its first .* answers can be read"):
            measure(QUESTIONS, settings, tmp_path / "run")
        measure(QUESTIONS, settings, tmp_path / "run")
    records = pl.read_parquet(tmp_path / "run/records.parquet")
    assert records.height == 12
    assert set(records["outcome"]) == {"unparsed"}
