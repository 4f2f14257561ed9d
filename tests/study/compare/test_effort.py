"""Reasoning effort as a condition: the same questions, its price in tokens of thoughts, cut-offs counted apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import endoxa as ex
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.runs.conditions import read_conditions
from endoxa.runs.run import measure
from support.http_server import serving
from support.qa_questions import questions, write

THOUGHTS = {"low": 10, "high": 300}
CUT_OFF = "On day 3 "


def thinker(body: Any, _key: str | None) -> tuple[int, Any]:
    """Thinks as long as the effort says; at the high one its answers about one day are cut off."""
    effort = body.get("reasoning_effort", "low")
    cut = effort == "high" and CUT_OFF in body["messages"][-1]["content"]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "" if cut else "(A)"},
        "finish_reason": "length" if cut else "stop",
    }
    usage = {
        "prompt_tokens": 50,
        "completion_tokens": THOUGHTS[effort] + 3,
        "completion_tokens_details": {"reasoning_tokens": THOUGHTS[effort]},
    }
    return 200, {"object": "chat.completion", "model": "t", "choices": [choice], "usage": usage}


@pytest.mark.slow
def test_effort_has_its_price_in_tokens_and_cut_offs(tmp_path: Path) -> None:
    asked = [{**row, "question_index": str(k // 4 + 1)} for k, row in enumerate(questions(24))]
    data = str(write(tmp_path / "questions.jsonl", asked))
    file = tmp_path / "effort.toml"
    file.write_text("".join(f'[{effort}]\nreasoning = "{effort}"\n' for effort in THOUGHTS))
    with serving(thinker) as url:
        typed = {("data",): data, ("models",): (f"{url}#t",)}
        runs = [
            measure(QUESTIONS, settings, tmp_path / name).folder
            for name, settings in read_conditions(str(file), QUESTIONS, typed).each.items()
        ]
    for run, tokens in zip(runs, THOUGHTS.values(), strict=True):
        records = pl.read_parquet(run / "records.parquet")
        assert records["reasoning_tokens"].to_list() == [tokens] * 24
    (contrast,) = ex.compare(*runs).contrasts
    price = {change.measure: change for change in contrast.price}
    assert (price["reasoning_tokens"].before, price["reasoning_tokens"].after) == (10, 300)
    assert (price["answer_tokens"].before, price["answer_tokens"].after) == (13, 303)
    assert price["reasoning_tokens"].difference == 290
    assert (price["answers_cut_off"].before, price["answers_cut_off"].after) == (0, pytest.approx(4 / 24))
    assert price["unparsed"].after == pytest.approx(4 / 24)
    assert [str(each) for each in contrast.settings] == ["the reasoning effort (“low”, now “high”)"]
