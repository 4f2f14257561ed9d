"""`endoxa analyze agreement` of review sheets: what cannot be compared."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from support.review_sheets import fill, write_table


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_sheets_and_tables_are_not_mixed_and_a_column_without_votes_is_named(tmp_path):
    table = write_table(tmp_path)
    sheets = [tmp_path / "sheets" / f"{name}.xlsx" for name in ("ana", "ben")]
    for sheet in sheets:
        assert run("curate", "review", table, "-o", sheet, "--reviewer", sheet.stem).exit_code == 0
        fill(sheet, {(row, "decision"): "keep" for row in (2, 3, 4, 5)})
    for words, said in (
        ((sheets[0], table), "Give either review sheets or tables of votes"),
        (
            (*sheets, "--value", "colour"),
            "has no votes in the column 'colour'. Columns with votes: decision, identity",
        ),
    ):
        refused = run("analyze", "agreement", *words, "-o", tmp_path / "a.csv").exception
        assert isinstance(refused, UserError)
        assert said in str(refused)
