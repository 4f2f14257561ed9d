"""`endoxa curate review` and `endoxa analyze agreement`: what is printed, what is written."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from support.review_sheets import fill, write_table


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def review(*arguments: object):
    result = run("curate", "review", *arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def sheets(tmp_path):
    table = write_table(tmp_path)
    for name in ("ana", "ben"):
        review(table, "-o", tmp_path / "sheets" / f"{name}.xlsx", "--reviewer", name.title())
    return table, [
        fill(tmp_path / "sheets" / "ana.xlsx", {(n, "decision"): "keep" for n in (2, 3, 4, 5)}),
        fill(tmp_path / "sheets" / "ben.xlsx", {(2, "attribute"): "quiet", (4, "decision"): "omit"}),
    ]


@pytest.mark.slow
def test_sheets_and_tables_are_not_mixed(sheets, tmp_path):
    table, filled = sheets
    result = run("analyze", "agreement", filled[0], table, "-o", tmp_path / "a.csv")
    assert isinstance(result.exception, UserError)
    assert "Give either review sheets or tables of votes" in str(result.exception)
    result = run("analyze", "agreement", *filled, "-o", tmp_path / "a.csv", "--value", "colour")
    assert "has no votes in the column 'colour'. Columns with votes: decision, identity" in str(
        result.exception
    )
