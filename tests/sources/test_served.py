"""Versions of one hosted model stand apart, wherever answers are analysed, and a line says so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import analyze_run
from endoxa.instruments.questions.headline import headline
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.questions.report.page import qa_sections
from endoxa.instruments.questions.report.results import read_results
from endoxa.models.chat.spec import ChatOptions
from endoxa.report.inputs import read_runs
from endoxa.runs.run import measure
from endoxa.sources.served import version_sentences, versions_apart
from endoxa.study.compare.gate import gate
from support.http_server import serving
from support.qa_questions import questions, write

OLD, NEW = "gpt-x-2026-05-01", "gpt-x-2026-06-01"


def test_a_version_is_named_where_there_are_several_and_failures_go_with_their_neighbours() -> None:
    records = pl.LazyFrame(
        {
            "model": ["openai/gpt-x"] * 5 + ["sim/a", "openai/other"],
            "served_model": ["", OLD, OLD, NEW, None, "sim/a", "other-1"],
        }
    )
    found = versions_apart(records).collect()["model"].to_list()
    old, new = "openai/gpt-x (served 2026-05-01)", "openai/gpt-x (served 2026-06-01)"
    assert found == [old, old, old, new, new, "sim/a", "openai/other"]
    (sentence,) = version_sentences(found)
    assert "openai/gpt-x was served as 2 versions" in sentence
    one = records.filter(pl.col("served_model") != NEW)
    assert versions_apart(one).collect()["model"].to_list() == one.collect()["model"].to_list()


def server(*versions: str, change_after: int = 10_000) -> Callable[[Any, str | None], tuple[int, Any]]:
    """Answers A; says the next version after so many calls."""
    calls = itertools.count()

    def answer(_body: Any, _key: str | None) -> tuple[int, Any]:
        version = versions[min(next(calls) // change_after, len(versions) - 1)]
        choice = {"index": 0, "message": {"role": "assistant", "content": "(A)"}, "finish_reason": "stop"}
        return 200, {"object": "chat.completion", "model": version, "choices": [choice]}

    return answer


@pytest.mark.slow
def test_a_run_whose_model_changes_midway_holds_two_models(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(24))
    with serving(server(OLD, NEW, change_after=12)) as url:
        model = f"{url}#gpt-x"
        settings = QaSettings(data=str(data), models=(model,), options=ChatOptions(concurrency=1))
        measure(QUESTIONS, settings, tmp_path / "run")
        settings = QaSettings(data=str(data), models=(model,), seed=1)
        measure(QUESTIONS, settings, tmp_path / "later")
    old, new = f"{model} (served 2026-05-01)", f"{model} (served 2026-06-01)"
    analysis = analyze_run(tmp_path / "run", keep=True)
    overall = analysis.counts.group_by("model").agg(pl.col("n_asked").sum().alias("n")).sort("model")
    served = (
        pl.read_parquet(tmp_path / "run/records.parquet")["served_model"].value_counts().sort("served_model")
    )
    assert overall.rows() == [(old, served["count"][0]), (new, served["count"][1])]
    assert overall["n"].min() > 6
    assert any("was served as 2 versions" in one for one in headline(tmp_path / "run").warnings)
    runs = read_runs([tmp_path / "run", tmp_path / "later"])
    results = read_results(runs, confidence=0.95, seed=0)
    assert [name.label for name in results.names.values()] == [
        "gpt-x (served 2026-05-01)",
        "gpt-x (served 2026-06-01)",
    ]
    assert any("was served as 2 versions" in one.text for one in qa_sections(runs, results)[0].findings)
    with pytest.raises(UserError, match=r"2 models .*was served as 2 versions"):
        gate(tmp_path / "run", tmp_path / "later", margin=0.1)
