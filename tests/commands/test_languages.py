"""`endoxa languages`: the table, and the sheet for speakers."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.words.check import items

pytestmark = pytest.mark.usefixtures("nothing_reviewed")

CLI = CliRunner()


def endoxa(*words, code=0):
    done = CLI.invoke(app, ["languages", *map(str, words)])
    assert done.exit_code == code, (done.output, done.exception)
    return done.output


def test_the_table_has_a_row_for_the_languages_of_one_state():
    lines = [line.split() for line in endoxa("check").splitlines()]
    assert ["question", "templates", "unreviewed", "164", "ar", "es", "fr", "hi", "pt", "sw"] in lines
    assert ["question", "templates", "source", "24", "en"] in lines


def test_a_sheet_has_the_texts_of_a_component(tmp_path):
    endoxa("check", "hi", "--component", "country phrases", "--sheet", tmp_path / "items.csv")
    table = pl.read_csv(tmp_path / "items.csv")
    assert table["text"].to_list() == [row["text"] for row in items("hi", ["country phrases"])]
