"""The command line: what starts fast, what fails well, what the acceptance runs say."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest
from typer.main import get_command

from endoxa.commands import app
from endoxa.commands.plugins import SUMMARIES, first_paragraph

HEAVY = "torch transformers django ray polars numpy scipy statsmodels sklearn pydantic"
COMMANDS = "from endoxa.commands import app; from typer.main import get_command; get_command(app)"


@pytest.mark.slow
def test_starting_loads_nothing_heavy():
    code = f"{COMMANDS}; import sys; print(*(m for m in {HEAVY.split()} if m in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_the_list_of_commands_loads_none_of_them():
    """What `endoxa --help` needs of endoxa, and nothing of what commands need."""
    code = "from endoxa.commands import main; import atexit, sys; sys.argv = ['endoxa', '--help']; "
    code += "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main()"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {f"\n  {name} " in shown.stdout for name in SUMMARIES} == {True}
    loaded = shown.stderr.split()
    assert {name for name in loaded if name.startswith("endoxa")} == {
        "endoxa", "endoxa.commands", "endoxa.commands.plugins", "endoxa.commands.stopping", "endoxa.errors",
        "endoxa.schema", "endoxa.schema.terminal", "endoxa.schema.typed",
    }  # fmt: skip
    unneeded = "annotated_types babel multiprocessing numpy polars pydantic regex rich"
    assert set(unneeded.split()).isdisjoint(loaded)


def test_summaries_are_those_of_the_commands():
    root = get_command(app)
    assert {name: first_paragraph(root.commands[name]) for name in SUMMARIES} == SUMMARIES
    assert root.summary(None, "collect") == first_paragraph(root.commands["collect"])


def test_version(endoxa):
    from endoxa import __version__

    assert endoxa("--version").stdout.strip() == __version__


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "sent_more,sent_less\nThe bakers are patient.,The bakers are impatient.\n", encoding="utf-8"
    )
    return path


@pytest.mark.slow
def test_what_does_not_fit_the_model_is_one_sentence_and_exit_code_2(tmp_path, tiny, pairs, endoxa):
    model, out = ("--model", f"hf/{tiny['causal']}"), ("--out", tmp_path / "run")
    probe = ("probe", "pairs", "--data", pairs)
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare/config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "file").write_text("in the way")
    for words, named in (
        ((*probe, *model, "--rule", "pll", *out), "masked"),
        ((*probe, *model, "--rule", "sums", *out), "Did you mean: sum"),
        ((*probe, "--model", f"hf/{tmp_path / 'bare'}", *out), "no weights"),
        ((*probe, *model, "--out", tmp_path / "file"), "cannot be created"),
    ):
        assert_one_sentence(endoxa(*words), named)


def assert_one_sentence(run, named):
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    said = [line for line in run.stderr.splitlines() if line.startswith("endoxa: ")]
    assert len(said) == 1
    assert named in said[0]


@pytest.mark.slow
def test_whole_road_by_the_command_line(tmp_path, tiny, pairs, endoxa):
    """Two architectures with rules that fit one each; again; other settings; repeated elsewhere."""
    models = [word for kind in ("causal", "masked") for word in ("--model", f"hf/{tiny[kind]}")]
    rules = ("--rule", "sum", "--rule", "crows-word")
    out = tmp_path / "run"
    run = endoxa("probe", "pairs", "--data", pairs, *models, *rules, "--out", out)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("skipped for") == 2
    again = endoxa("probe", "pairs", "--data", pairs, *models, *rules, "--out", out)
    assert "was complete already" in again.stdout
    other = endoxa("probe", "pairs", "--data", pairs, *models, *rules, "--language", "en", "--out", out)
    assert_one_sentence(other, "different run")
    repeated = endoxa("probe", "pairs", "--repeat", out, "--out", tmp_path / "again")
    assert repeated.returncode == 0, repeated.stderr
    assert pl.read_parquet(tmp_path / "again/records.parquet").equals(
        pl.read_parquet(out / "records.parquet")
    )
