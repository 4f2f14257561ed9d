"""What became of the answers of every run that asks: counted alike, and said where many were cut off."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.runs.asking.outcomes import MOST_LINES, count_answers, count_lines
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import measure
from endoxa.schema import Sampling
from endoxa.schema.finish import finish_reason
from support.harm_samples import associations, write_associations
from support.http_server import serving
from support.qa_questions import questions
from support.qa_questions import write as write_questions

WORDS = {
    "length": ("max_tokens", "MAX_TOKENS", "model_length", "ERROR_LIMIT", "model_context_window_exceeded"),
    "content_filter": ("SAFETY", "guardrail_intervened", "sensitive", "FINISH_REASON_SAFETY"),
    "stop": (None, "", "STOP", "end_turn", "stop_sequence", "eos_token"),
    "tool_calls": ("tool_calls",),
}


@pytest.mark.parametrize(("word", "reason"), [(word, reason) for reason in WORDS for word in WORDS[reason]])
def test_words_of_providers_mean_one_of_a_few_reasons(word: str | None, reason: str) -> None:
    assert finish_reason(word) == reason


def test_every_answer_is_counted_once_and_a_cut_off_one_also_as_such() -> None:
    cells = {  # finish, error, read, refused, blank
        "read": ("stop", "", True, False, False),
        "read, though cut off": ("length", "", True, False, False),
        "cut off": ("MAX_TOKENS", None, False, False, True),
        "declines": ("end_turn", "", False, True, False),
        "marked as refused": ("refusal", "", False, False, True),
        "filtered": ("SAFETY", "", False, False, True),
        "filtered with a message": ("content_filter", "flagged", False, True, True),
        "failed": ("error", "too long", False, False, True),
        "never asked": ("not asked", "too long", False, False, True),
        "gibberish": ("stop", "", False, False, False),
    }
    names = ("finish", "error", "read", "refused", "blank")
    rows = [dict(zip(names, row, strict=True)) | {"model": "m", "context": ""} for row in cells.values()]
    (counts,) = count_answers(pl.DataFrame(rows))
    assert (counts.asked, counts.answered, counts.read, counts.cut_off) == (10, 4, 2, 2)
    assert (counts.refused, counts.filtered, counts.failed, counts.unread) == (2, 2, 2, 2)
    every = [replace(counts, context=str(place)) for place in range(MOST_LINES)]
    assert len(list(count_lines(every))) == MOST_LINES
    assert len(list(count_lines([*every, counts]))) == 1  # a line for each model where contexts are many


def half_cut_off(text: str) -> Callable[[Any, str | None], tuple[int, Any]]:
    """A server whose every second answer is a reasoning model's that ran out of tokens."""
    calls = iter(range(10_000))

    def answer(_body: Any, _key: str | None) -> tuple[int, Any]:
        cut = next(calls) % 2 == 1
        message = {"role": "assistant", "content": "" if cut else text, "reasoning_content": "I think"}
        choice = {"index": 0, "message": message, "finish_reason": "length" if cut else "stop"}
        return 200, {"object": "chat.completion", "model": "small", "choices": [choice]}

    return answer


DATA: dict[str, Callable[[Path], Path]] = {
    "qa": lambda folder: write_questions(folder / "q.jsonl", questions(20)),
    "harm": lambda folder: write_associations(folder / "a.csv", associations(20)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("qa", "A"), ("harm", "Harm: 4\nFrequent: yes")])
def test_an_answer_that_ran_out_of_tokens_is_not_passed_over_in_silence(
    name: str, text: str, tmp_path: Path
) -> None:
    instrument = INSTRUMENTS.all()[name]
    with serving(half_cut_off(text)) as url:
        settings = instrument.settings(
            data=str(DATA[name](tmp_path)), models=(f"{url}#small",), sampling=Sampling(max_tokens=64)
        )
        done = measure(instrument, settings, tmp_path / "run")
    if instrument.estimate is not None:
        instrument.estimate(settings, tmp_path / "run", lambda *_: None)
    with (tmp_path / "run/answers.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    asked = done.counts["records"]
    assert sum(int(row["asked"]) for row in rows) == asked
    assert sum(int(row["cut_off"]) for row in rows) == asked // 2 == sum(int(row["read"]) for row in rows)
    terminal = "\n".join(instrument.summary(settings, done))
    assert "cut off at the token limit" in terminal
    assert instrument.headline is not None
    warnings = instrument.headline(tmp_path / "run").warnings
    assert any("cut off at max_tokens 64" in one and "--set max_tokens=N" in one for one in warnings)
    assert (name == "harm") == any("rated all" in one and "do not tell" in one for one in warnings)
    assert str(instrument.headline(tmp_path / "run")).startswith("Warning")
