"""Instruments through both doors: the command line and Python have the same words, defaults and numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import endoxa as ex
from endoxa.commands import app
from endoxa.runs.instrument import INSTRUMENTS
from support import qa_questions, story_runs, tiny

FUNCTIONS = {
    "choices": ex.probe_choices,
    "pairs": ex.probe_pairs,
    "embeddings": ex.probe_embeddings,
    "qa": ex.probe_questions,
    "stories": ex.probe_stories,
    "extract": ex.extract,
    "harm": ex.rate_harm,
}


def command(*words: object) -> Any:
    """The command line in this process; it must succeed."""
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def material(kind: str, folder: Path) -> tuple[Path, str, dict[str, Any]]:
    """Data, model, and options other than the defaults, for an instrument."""
    match kind:
        case "pairs":
            rows = [{"sent_more": pair.sent_more, "sent_less": pair.sent_less} for pair in tiny.PAIRS]
            pl.DataFrame(rows).write_csv(folder / "pairs.csv")
            model = f"hf/{tiny.causal(folder / 'gpt')}"
            return folder / "pairs.csv", model, {"rules": ["sum", "mean"], "seed": 3}
        case "qa":
            data = qa_questions.write(folder / "questions.jsonl", qa_questions.questions(24))
            return data, "sim/biased", {"repeats": 2}
        case _:
            prompts = story_runs.write(folder / "prompts.jsonl", story_runs.prompts()[:6])
            command("probe", "stories", "--data", prompts, "--model", "sim/teller", "--out", folder / "told")
            return folder / "told", "sim/reader-a", {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pairs", "qa", "extract"])
def test_the_same_numbers_through_both_doors(kind: str, tmp_path: Path) -> None:
    data, model, options = material(kind, tmp_path)
    words = [
        part
        for name, value in options.items()
        for one in (value if isinstance(value, list) else [value])
        for part in (f"--{name.removesuffix('s') if isinstance(value, list) else name}", one)
    ]
    printed = command(
        "probe", kind, "--data", data, "--model", model, "--out", tmp_path / "typed", *words
    ).stdout
    result = FUNCTIONS[kind](data, model, out=tmp_path / "called", progress=False, **options)
    typed = ex.read_run(tmp_path / "typed")

    assert str(result.headline()) in printed
    assert result.headline().rows == typed.headline().rows
    assert "Next: " in printed
    assert_frame_equal(result.records, typed.records)
    for table in sorted(path.stem for path in typed.folder.glob("*.csv")):
        assert_frame_equal(result.read(table), typed.read(table))
    own = {name: value for name, value in result.facts["settings"].items() if name != "data"}
    assert own == {name: value for name, value in typed.facts["settings"].items() if name != "data"}


def test_every_instrument_has_a_function_that_tells_its_options() -> None:
    assert set(FUNCTIONS) == set(INSTRUMENTS.entry_names())
    assert "max_cost: " in (ex.probe_questions.__doc__ or "")
    with pytest.raises(TypeError, match=r"no option 'rulez'. Did you mean 'rules?'\?"):
        ex.probe_pairs("pairs.csv", "hf/x", rulez=["sum"])


@pytest.mark.slow
def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    data = qa_questions.write(tmp_path / "questions.jsonl", qa_questions.questions(8))
    words = ("probe", "qa", "--data", data, "--model", "sim/biased", "--out", tmp_path / "run")
    told = json.loads(command(*words, "--json").stdout)
    assert told["kind"] == "qa"
    assert told.get("notes") != []
    assert {row["model"] for row in told["headline"]} == {"sim/biased"}
    assert command(*words, "--quiet").stdout == ""
    out = tmp_path / "qa.csv"
    rows = json.loads(command("analyze", "run", tmp_path / "run", "-o", out, "--json").stdout)["rows"]
    assert {row["model"] for row in rows} == set(pl.read_csv(out)["model"]) == {"sim/biased"}
    assert len(rows) < len(pl.read_csv(out))
