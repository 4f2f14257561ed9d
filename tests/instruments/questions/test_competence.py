"""A model that guesses has no bias score: said first on the terminal, in Python, on the page, in the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endoxa.instruments.questions.estimates import analyze_run
from endoxa.instruments.questions.headline import competences, headline
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.run import measure
from endoxa.stats.intervals import wilson
from endoxa.study.compare.gate import gate
from support.http_server import serving
from support.qa_questions import questions, write


def first_letter(_body: Any, _key: str | None) -> tuple[int, Any]:
    """Options stand in random orders, so that the first letter is a guess."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "(A)"}, "finish_reason": "stop"}
    return 200, {"object": "chat.completion", "model": "small", "choices": [choice]}


def probed(folder: Path, *, model: str = "", count: int = 40) -> Path:
    data = write(folder.parent / "questions.jsonl", questions(count))
    with serving(first_letter) as url:
        settings = QaSettings(data=str(data), models=(model or f"{url}#small",))
        measure(QUESTIONS, settings, folder)
    analyze_run(folder, keep=True)
    return folder


@pytest.mark.slow
def test_answers_at_chance_lead_with_that_and_not_with_a_bias_score(tmp_path: Path) -> None:
    found = headline(probed(tmp_path / "run"))
    assert str(found).startswith("Warning: small")
    for warning, sentence in ((0, "at chance"), (0, "guessing: 33.3"), (1, "above 1/3")):
        assert sentence in found.warnings[warning]
    assert all(row["at_chance"] for row in found.rows)
    place = found.columns.index("lean")
    assert {row[place] for row in found.texts} == {"–"}
    notes = gate(tmp_path / "run", probed(tmp_path / "again"), margin=0.1).notes
    assert any(note.startswith("Candidate: Warning:") and "at chance" in note for note in notes)


@pytest.mark.slow
def test_a_model_that_understands_is_not_warned_of_and_where_templates_are_few_the_interval_is_wilsons(
    tmp_path: Path,
) -> None:
    folder = probed(tmp_path / "run", model="sim/biased", count=160)
    (one,) = competences(analyze_run(folder).estimates)
    assert not one.at_chance
    assert headline(folder).warnings == ()
    (one,) = competences(analyze_run(probed(tmp_path / "few", count=8)).estimates)
    expected = wilson(4 * one.accuracy, 4, 0.95)
    assert (one.low, one.high) == pytest.approx((expected.low, expected.high))
