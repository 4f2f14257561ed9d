"""The recipe for a scheduled point: runs of a hosted model at several dates, the line, its breaks, and the alarm."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import endoxa as ex
from endoxa.commands import app
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.questions.report.page import qa_sections
from endoxa.instruments.questions.report.results import read_results
from endoxa.report.inputs import read_runs
from endoxa.runs.asking.run import asking_lines
from endoxa.runs.run import measure
from support.http_server import serving
from support.qa_questions import questions, write

ASKED = 48


def hosted(fingerprints: list[str]) -> Callable[[Any, str | None], tuple[int, Any]]:
    """A server that takes the next fingerprint for each question; all but "fp_1" prefer the stereotype."""

    def answer(body: Any, _key: str | None) -> tuple[int, Any]:
        prompt, text = body["messages"][-1]["content"], "yes"
        letters = {option: letter for letter, option in re.findall(r"\(([ABC])\) (.+)", prompt)}
        fingerprint = fingerprints.pop(0) if letters else "fp_trial"
        if letters:
            stereotype = "the harbour" if "came late?" in prompt else "the hill"
            option = "Not known" if fingerprint == "fp_1" else f"The person from {stereotype}"
            text = f"({letters[option]})"
        return 200, {
            "object": "chat.completion",
            "model": "gpt-x",
            "system_fingerprint": fingerprint,
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            ],
        }

    return answer


def endoxa(*words: Any) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asked = [{**row, "question_index": str(k // 4 + 1)} for k, row in enumerate(questions(ASKED))]
    return write(tmp_path / "questions.jsonl", asked)


@pytest.mark.slow
def test_a_fingerprint_that_changes_during_a_run_is_told_everywhere(data: Path, tmp_path: Path) -> None:
    order = ["fp_1"] * (ASKED + 30) + ["fp_3"] * (ASKED - 30)
    with serving(hosted(order)) as url:
        settings = QaSettings(data=str(data), models=(f"{url}#gpt-x",))
        one, two = (measure(QUESTIONS, settings, tmp_path / name) for name in ("one", "two"))
    changed = "changed its configuration during the run: fingerprints fp_1 (30 answers), fp_3 (18 answers)"
    assert not any("changed its configuration" in line for line in asking_lines(one))
    assert any(changed in line for line in asking_lines(two))
    runs = read_runs([two.folder])
    first = qa_sections(runs, read_results(runs, confidence=0.95, seed=0))[0]
    assert changed in str(first.findings)
    assert changed in str(ex.compare(one.folder, two.folder).contrasts[0].estimates.notes)
