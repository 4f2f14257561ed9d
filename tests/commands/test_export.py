"""`endoxa export` as a user meets it: what is printed, and one sentence for what can be mended."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from endoxa.commands import app
from support.export_samples import STATEMENTS, write


def endoxa(*words):
    return CliRunner().invoke(app, ["export", *map(str, words)], catch_exceptions=True)


def test_hub_says_what_stayed_out_and_what_is_open(tmp_path):
    shown = endoxa("hub", write(tmp_path, "statements.csv", STATEMENTS), "-o", tmp_path / "out")
    assert shown.exit_code == 0
    assert "2 statements written" in shown.stdout
    assert "Columns left out: respondent, country, gender (release one with --keep COLUMN)." in shown.stdout
    assert re.search(r"\d+ places are marked '\[open: \.\.\.\]'", shown.stdout)
    assert "  motivation.purpose\n" in shown.stdout
    assert "Warning: no licence" in shown.stderr
    assert (tmp_path / "out" / "data" / "statements.parquet").is_file()
