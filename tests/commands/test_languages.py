"""`endoxa languages`: the table, and the sheet for speakers."""

from __future__ import annotations

import json
import subprocess
import sys

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


def test_json_has_each_language_with_its_files():
    rows = json.loads(endoxa("check", "--json"))["components"]
    texts = {row["language"]: row["state"] for row in rows if row["component"] == "page texts"}
    assert {code: state for code, state in texts.items() if code != "en"} == dict.fromkeys(
        ("ar", "es", "fr", "hi", "pt", "sw"), "unreviewed"
    )
    (prompts,) = (row for row in rows if (row["component"], row["language"]) == ("story prompts", "hi"))
    assert (prompts["texts"], prompts["files"]) == (116, ["words/hi/stories.yaml"])


def test_a_sheet_has_the_texts_of_a_component(tmp_path):
    endoxa("check", "hi", "--component", "country phrases", "--sheet", tmp_path / "items.csv")
    table = pl.read_csv(tmp_path / "items.csv")
    assert table["text"].to_list() == [row["text"] for row in items("hi", ["country phrases"])]


def test_the_table_needs_neither_torch_nor_the_site():
    code = (
        "import sys; from endoxa.commands import app; app(['languages', 'check'], standalone_mode=False); "
        "print({'torch', 'django'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")
