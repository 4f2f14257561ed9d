"""Whole tables in and out, and outputs that must not be inputs."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.sources.frames import read_table, write_table


@pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".parquet"])
def test_a_table_comes_back_as_text(tmp_path, suffix):
    table = pl.DataFrame({"who": ["bakers", "नाविक"], "n": [1, 2]})
    path = tmp_path / "new" / f"table{suffix}"
    write_table(table, path)
    assert read_table(path, ["who"]).rows() == [("bakers", "1"), ("नाविक", "2")]


@pytest.mark.slow
def test_a_sheet_with_answers_is_not_replaced(tmp_path):
    table, sheet = tmp_path / "t.csv", tmp_path / "ana.xlsx"
    table.write_text(
        "statement_id,statement,identity,attribute\n1,Bakers sing,bakers,sing\n", encoding="utf-8"
    )
    export = ["curate", "review", str(table), "-o", str(sheet)]
    assert CliRunner().invoke(app, export).exit_code == 0
    again = CliRunner().invoke(app, export)
    assert isinstance(again.exception, UserError)
    assert "--overwrite" in str(again.exception)
    assert CliRunner().invoke(app, [*export, "--overwrite"]).exit_code == 0
