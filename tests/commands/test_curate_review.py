"""`endoxa curate review` and `endoxa analyze agreement`: what is printed, what is written."""

from __future__ import annotations

import polars as pl
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
def test_the_round_trip(sheets, tmp_path):
    table, filled = sheets
    output = review(table, *filled, "-o", tmp_path / "out.csv")
    assert "2 conflicts, 2 of them unresolved" in output
    assert "s1#1, attribute: reviewers want different words (ana.xlsx, row 2; ben.xlsx, row 2)" in output
    assert "quiet" not in output, "the words stand in the files"
    assert "krippendorff alpha" in output
    assert pl.read_csv(tmp_path / "out.csv")["reviewed_by"].to_list() == [
        "Ana; Ben",
        "Ana",
        "Ana; Ben",
        "Ana",
    ]
    assert len(pl.read_csv(tmp_path / "out.conflicts.csv")) == 2
    assert (tmp_path / "out.changes.csv").exists()


@pytest.mark.slow
def test_agreement_of_sheets(sheets, tmp_path):
    _, filled = sheets
    result = run("analyze", "agreement", *filled, "-o", tmp_path / "a.csv", "--resamples", 10)
    assert result.exit_code == 0, result.output
    table = pl.read_csv(tmp_path / "a.csv")
    assert table["name"].to_list() == [
        "percent_agreement",
        "cohen_kappa",
        "fleiss_kappa",
        "krippendorff_alpha",
    ]
    assert table["value"][0] == 0.0
    words = run("analyze", "agreement", *filled, "-o", tmp_path / "a.csv", "--value", "attribute")
    assert "quiet" in words.output
    assert pl.read_csv(tmp_path / "a.csv")["value"][0] == 0.5


def test_agreement_of_a_table(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(
        "who,what,vote\nx,1,never\ny,1,never\nx,2,always\ny,2,sometimes\nx,3,always\ny,3,always\n"
    )
    result = run(
        *("analyze", "agreement", path, "-o", tmp_path / "a.csv", "--item", "what", "--rater", "who"),
        *("--value", "vote", "--level", "ordinal", "--order", "never,sometimes,always"),
    )
    assert result.exit_code == 0, result.output
    assert {"krippendorff", "(ordinal)"} <= set(result.output.split())
    assert pl.read_csv(tmp_path / "a.csv").row(-1)[:3] == ("krippendorff_alpha", "x; y", "ordinal")


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
