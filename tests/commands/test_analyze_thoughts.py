"""`endoxa analyze run`: tables, a sheet and agreement from one run, and sentences for what cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.run import measure
from endoxa.schema.thoughts import AGREEMENT_COLUMNS, CODE_COLUMNS, THOUGHT_COLUMNS
from support.coded_thoughts import questions

CLI = CliRunner()
pytestmark = pytest.mark.slow


def endoxa(*words: object) -> str:
    done = CLI.invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return " ".join(done.output.split())


def refused(*words: object) -> str:
    """The sentence of a refusal."""
    done = CLI.invoke(app, list(map(str, words)))
    assert isinstance(done.exception, UserError), done.output
    return str(done.exception)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs of a thinker and of one who does not think."""
    home = tmp_path_factory.mktemp("runs")
    (home / "q.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in questions()[:24]), encoding="utf-8"
    )
    for name, model in (("q1", "sim/thinker-biased"), ("q2", "sim/biased")):
        measure(QUESTIONS, QaSettings(data=str(home / "q.jsonl"), models=(model,)), home / name)
    return home


def test_everything_from_one_run(runs, tmp_path):
    names = ("thoughts.csv", "thought_codes.csv", "thought_agreement.csv")
    out = [*(tmp_path / "q1" / name for name in names), tmp_path / "check.csv"]
    command = ("analyze", "run", runs / "q1", "-o", tmp_path / "q1")
    said = endoxa(*command, "--sheet", out[3], "--sheet-rows", 5, "--reader", "sim/reader-a")
    assert "5 thoughts to code written" in said
    tables = [pl.read_csv(path) for path in out[:3]]
    expected = (THOUGHT_COLUMNS, CODE_COLUMNS, AGREEMENT_COLUMNS)
    assert [table.columns for table in tables] == [list(columns) for columns in expected]
    assert tables[1].height == 24
    sheet = pl.read_csv(out[3])
    assert sheet.height == 5
    codes = dict(zip(sheet.columns[3:], ("no", "no", "no", "no", "none"), strict=True))
    sheet.with_columns(**{name: pl.lit(code) for name, code in codes.items()}).write_csv(out[3])
    endoxa(*command, "--coded", out[3])
    people = pl.read_csv(out[2])
    assert set(people["first"]) == {"people"}
    assert set(people["n"]) == {5}


def test_what_cannot_be_done_has_a_sentence(runs, tmp_path):
    out = ("-o", tmp_path / "t.csv")
    assert "hold no thoughts" in refused("analyze", "run", runs / "q2", *out, "--reader", "sim/reader-a")
    assert "need --reader" in refused("analyze", "run", runs / "q1", *out, "--plan")
    assert "one by one" in refused("analyze", "run", runs / "q1", runs / "q1", *out)
    planned = endoxa("analyze", "run", runs / "q1", *out, "--reader", "sim/reader-a", "--plan")
    assert "sim/reader-a" in planned
    assert not (tmp_path / "t.csv").exists()
