"""A command opens each of its inputs once, however many of its steps read it; counted by Python's audit events."""

import os
import sys
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.sources.frames import read_table
from endoxa.sources.source import reading_files, sha256

PAIRS = "sent_more,sent_less,stereo_antistereo,bias_type\n" + "".join(
    f"Farmers get up at {hour}.,Bakers get up at {hour}.,stereo,profession\n" for hour in range(1, 8)
)
_counting: list[list[str]] = []


def _opened(event, arguments):
    if event == "open" and _counting and isinstance(arguments[0], str | os.PathLike):
        _counting[-1].append(os.fspath(arguments[0]))


sys.addaudithook(_opened)


@contextmanager
def openings(path):
    events = []
    counts = []
    _counting.append(events)
    try:
        yield counts
    finally:
        _counting.pop()
        counts.append(events.count(str(path)))


def opened_by(path, *words):
    """How often a command opens the file that it is given."""
    path.write_text(PAIRS)
    with openings(path) as counts:
        result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (result.output, result.exception)
    return counts[0]


def test_checks_and_conversion_open_a_file_once(tmp_path):
    path = tmp_path / "pairs.csv"
    assert opened_by(path, "datasets", "check", str(path)) == 1
    assert opened_by(path, "datasets", "convert", str(path), "--out", str(tmp_path / "out.jsonl")) == 1


@pytest.mark.slow
def test_a_run_opens_its_data_once(tmp_path, tiny):
    path = tmp_path / "pairs.csv"
    model = f"hf/{tiny['causal']}"
    out = str(tmp_path / "run")
    assert opened_by(path, "probe", "pairs", "--data", str(path), "--model", model, "--out", out) == 1


def test_a_file_that_changes_within_a_command_is_read_again(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\n1\n")
    with reading_files():
        assert read_table(path)["a"].to_list() == ["1"]
        before = sha256(path)
        path.write_text("a\n1\n2\n")
        assert read_table(path)["a"].to_list() == ["1", "2"]
        assert sha256(path) != before
