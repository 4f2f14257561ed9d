"""`endoxa build stories` from the command line: prompts, own files, checks."""

from __future__ import annotations

import tomllib

import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales.vocabulary import read_vocabulary

HANDEDNESS = """\
language: en
attributes:
  handedness:
    values: [left-handed, right-handed]
    other: true
persons:
  handedness:
    left-handed: a left-handed person
    right-handed: a right-handed person
"""


def endoxa(*words: object) -> tuple[int, str]:
    """Exit code and what was printed; sentences for users are raised as they are."""
    result = CliRunner().invoke(app, ["build", "stories", *map(str, words)])
    if isinstance(result.exception, UserError):
        raise result.exception
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_a_file_adds_an_attribute_and_its_vocabulary(tmp_path):
    handedness, out = tmp_path / "handedness.yaml", tmp_path / "prompts.jsonl"
    handedness.write_text(HANDEDNESS, encoding="utf-8")
    endoxa("--file", handedness, "--attribute", "handedness", "-o", out)
    table = read_table(out)
    assert table.height == 2 * 36
    assert set(table["target_attribute_value"]) == {"left-handed", "right-handed"}
    assert "The main character is a left-handed person." in table["prompt"][0]
    written = read_vocabulary(tmp_path / "prompts.vocabulary.toml")
    assert written[:-1] == read_vocabulary()
    assert written[-1].answers == ("left-handed", "right-handed", "other", "unknown")
    assert "handedness" in tomllib.loads((tmp_path / "prompts.vocabulary.toml").read_text("utf-8"))


@pytest.mark.slow
def test_a_check_lists_each_fault_with_its_place(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "language: es\npersons:\n  gender:\n    man: un  hombre\n  religion:\n    Jewish: una persona judío\n",
        encoding="utf-8",
    )
    code, said = endoxa("--check", mine)
    assert code == 1
    lines = said.splitlines()
    assert f"{mine}, line 4, persons / gender / man: two blanks stand in a row." in lines
    assert any(line.startswith(f"{mine}, line 6, persons / religion / Jewish: ") for line in lines)
    assert lines[-1].startswith("Spanish (es) checked: ")
    with pytest.raises(UserError, match="line 4, persons / gender / man"):
        endoxa("--file", mine, "-o", tmp_path / "out.jsonl")
