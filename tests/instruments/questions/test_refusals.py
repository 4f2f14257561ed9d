"""What commands about questions refuse: the table `refusals.toml` beside this file."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.qa_questions import questions, write
from support.refusals import Refusal, assert_refused, refusals
from support.report_qa_samples import Lean, qa_folder, records
from support.report_qa_samples import questions as towns
from support.report_samples import pairs, run_folder, scored

WOLOF = """
[wo]
contexts = ["Démb daje naa ak {first} ak {second}."]
questions = ["Kan la «{attribute}» di wax?"]
unknown = ["Xamuñu ko"]
[wo.friend]
mention = "sama xarit {who}"
option = "Xarit {who}"
people = { "waa Senegaal" = "bu Senegaal", "waa Gàmbi" = "bu Gàmbi" }
"""


@pytest.fixture(scope="module")
def wolof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Associations and texts of a language that has none of ours, each with one fault."""
    home = tmp_path_factory.mktemp("wolof")
    (home / "wolof.csv").write_text(
        "identity,attribute\nwaa Senegaal,gaaw\nwaa Gàmbi,mag\n", encoding="utf-8"
    )
    for name, right, wrong in (
        ("genders", 'option = "Xarit {who}"', 'option = { m = "{who}" }'),
        ("nobody", "sama xarit {who}", "sama xarit"),
        ("number", '"bu Gàmbi"', "3"),
    ):
        (home / f"{name}.toml").write_text(WOLOF.replace(right, wrong), encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions, runs of questions, and a run of sentence pairs."""
    home = tmp_path_factory.mktemp("asked")
    rows = questions(8)
    write(home / "q.jsonl", rows)
    write(home / "twice.jsonl", [*rows, rows[3]])
    town, other = towns()[:8], towns()[8:16]
    answers = records(town, {"openai/a": Lean()})
    qa_folder(home / "town", town, answers, "Town")
    qa_folder(home / "again", town, answers, "Town")
    qa_folder(home / "half", town, answers, "Half", finished=None)
    qa_folder(home / "other", other, records(other, {"openai/a": Lean()}), "Town")
    run_folder(home / "pairs", scored(pairs(6), "hf/a", "sum", 0.5))
    return home


@pytest.mark.parametrize("row", refusals(__file__))
def test_a_refusal_is_one_sentence_and_loses_nothing(row: Refusal, request: pytest.FixtureRequest) -> None:
    assert_refused(row, request)
