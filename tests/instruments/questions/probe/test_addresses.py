"""A run at several addresses: every question once, whatever dies, and calls counted by address."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models import retrying
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs.instrument import Run
from endoxa.runs.run import measure
from support.http_server import serving
from support.qa_questions import questions, write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "questions.jsonl", questions(120))


def settings(data: Path, *urls: str, **given: Any) -> QaSettings:
    options = ChatOptions(concurrency=8, patience=30)
    return QaSettings(
        **{"data": str(data), "models": (f"{','.join(urls)}#small",), "options": options} | given
    )


def addresses(run: Run) -> dict[str, dict[str, int]]:
    """What `run.json` counts, which is what the terminal says."""
    facts = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    (use,) = facts["usage"].values()
    counts: dict[str, dict[str, int]] = use["addresses"]
    assert "addresses" not in facts["models"][0]
    said = [line for line in QUESTIONS.summary(settings(run.folder), run) if "calls by address" in line]
    assert len(said) == 1
    for url, one in counts.items():
        assert f"{url}: {one['answered']} answered, {one['failed']} failed" in said[0]
    return counts


@contextmanager
def server_process(port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "endoxa.testing.chat_server", "--latency", "0.05", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_leaves_its_calls_to_the_other(
    data: Path, tmp_path: Path
) -> None:
    with server_process() as (first, process), server_process() as (second, _):

        def kill(_what: str, done: int, _total: int) -> None:
            if done >= 20:
                process.kill()

        run = measure(QUESTIONS, settings(data, first, second, repeats=5), tmp_path / "run", progress=kill)
    table = pl.read_parquet(tmp_path / "run/records.parquet")
    assert len(table) == table.select("item_id", "repeat").n_unique() == 600
    counts = addresses(run)
    assert sum(one["answered"] for one in counts.values()) == 600
    assert counts[first]["failed"] > 0
    assert counts[second]["answered"] > counts[first]["answered"] > 0


@pytest.mark.slow
def test_a_run_goes_on_while_an_address_is_down_and_counts_all_its_starts(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0.01)
    monkeypatch.setattr(retrying, "LAST_BOUND", 0.05)
    impatient = ChatOptions(concurrency=8, patience=0.5, attempts=1000)
    with server_process() as (first, one), server_process() as (second, other):

        def kill(_what: str, done: int, _total: int) -> None:
            if done >= 20:
                one.kill()
                other.kill()

        several = settings(data, first, second, options=impatient, repeats=2)
        with pytest.raises(
            UserError, match=f"at {first},{second} does not answer: for 0 seconds every call failed"
        ):
            measure(QUESTIONS, several, tmp_path / "run", progress=kill)
    with server_process(int(second.split(":")[2].removesuffix("/v1"))) as (again, _):
        assert again == second
        with pytest.raises(UserError) as caught:
            measure(QUESTIONS, settings(data, second, repeats=2), tmp_path / "run")
        assert f"holds an unfinished run of '{first},{second}#small'" in str(caught.value)
        assert f"not as '{second}#small'. Addresses that are down are left out" in str(caught.value)
        run = measure(QUESTIONS, several, tmp_path / "run")
        assert caplog.text.count(f"{first} does not answer; the run begins with the other address") == 1
        table = pl.read_parquet(tmp_path / "run/records.parquet")
        assert len(table) == table.select("item_id", "repeat").n_unique() == 240
        counts = addresses(run)
        assert counts[first]["answered"] > 0
        assert sum(one["answered"] for one in counts.values()) == 240
        complete = measure(QUESTIONS, several, tmp_path / "run")
        assert complete.was_complete
        assert addresses(complete) == counts


def echoed(body: dict[str, Any], _key: str | None) -> tuple[int, Any]:
    """A completions server whose tokens are words, each as likely as the next."""
    choices = []
    for index, prompt in enumerate(body["prompt"]):
        tokens = [*prompt.split(), "next"]
        logprobs = {"tokens": tokens, "token_logprobs": [None, *[-1.0] * (len(tokens) - 1)]}
        choices.append({"index": index, "text": prompt, "logprobs": logprobs})
    return 200, {"choices": choices, "usage": None}


def test_log_likelihoods_are_counted_by_address_too(data: Path, tmp_path: Path) -> None:
    with serving(echoed) as first, serving(echoed) as second:
        several = settings(data, first, second, ask="loglik", options=ChatOptions())
        run = measure(QUESTIONS, several, tmp_path / "run")
    assert sum(one["answered"] for one in addresses(run).values()) == 1 + math.ceil(120 * 4 / 64)
    assert run.counts["records"] == 120
    assert run.facts["models"][0]["log_probabilities"] == "echo"
