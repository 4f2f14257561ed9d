"""`endoxa build qa --names` as a user meets it: files, and sentences on the screen."""

import json
import re

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.sources.bbq.rows import write_items
from support.name_samples import NAMES, question

CONTEXT = "A Veldish friend met a Tamori friend."
FRIENDS = ("The Veldish friend", "The Tamori friend")


def endoxa(*words):
    return CliRunner().invoke(app, ["build", "qa", "--names", *map(str, words)], catch_exceptions=True)


@pytest.fixture
def files(tmp_path):
    """Questions of which one cannot be written, and a bank with the words for its groups."""
    rows = [
        question(CONTEXT, FRIENDS),
        question("Veldish people met Tamori people.", ("Veldish people", "Tamori people"), number=1),
    ]
    write_items(rows, tmp_path / "items.jsonl")
    entries = [
        {"group": group, "gender": gender, "name": name}
        for group, both in NAMES.items()
        for gender, names in zip(("female", "male"), both, strict=True)
        for name in names
    ]
    pl.DataFrame(entries).write_csv(tmp_path / "bank.csv")
    return tmp_path


def test_help_has_examples():
    shown = CliRunner().invoke(app, ["build", "qa", "--help"])
    assert shown.exit_code == 0
    assert re.search(r"\n +endoxa build qa --names Nationality.jsonl -o names.jsonl", shown.output)


def test_names_are_written_and_what_is_not_is_listed(files):
    out = files / "made" / "names.jsonl"
    shown = endoxa(
        files / "items.jsonl", "-o", out, "--bank", files / "bank.csv", "--variants", 2, "--seed", 7
    )
    assert shown.exit_code == 0, shown.output
    assert "1 of 2 records rewritten, in 2 variants: 2 records written" in shown.stdout
    assert "Content notice" in shown.stdout
    assert "1 records left out" in shown.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["variant"] for row in rows] == ["1", "2"]
    assert list(rows[0]) == [*question(CONTEXT, FRIENDS), "names", "variant", "built_by", "words"]
    listed = pl.read_csv(out.with_name("names.unwritten.csv"))
    assert listed.columns == ["category", "example_id", "reason", "phrase"]
    assert listed.row(0)[1:] == (1, "a whole group cannot be given one person's name", "Veldish people")


def test_records_that_have_names_already_are_counted_with_that_reason(files):
    out = files / "names.jsonl"
    endoxa(files / "items.jsonl", "-o", out, "--bank", files / "bank.csv", "--variants", 1)
    shown = endoxa(out, "-o", files / "again.jsonl", "--bank", files / "bank.csv")
    assert shown.exit_code != 0
    assert "1: it has names already" in shown.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "names.csv"], "expected a file that ends in .jsonl"),
        (["-o", "{folder}/items.jsonl"], "name another file for the output"),
        (["-o", "{folder}/n.jsonl", "--bank", "{folder}/none.csv"], "There is no file"),
        (["-o", "{folder}/n.jsonl"], "No record of .* could be rewritten with names"),
    ],
)
def test_one_sentence_for_what_can_be_mended(files, words, said):
    shown = endoxa(files / "items.jsonl", *(word.format(folder=files) for word in words))
    assert shown.exit_code != 0
    assert isinstance(shown.exception, UserError)
    assert re.search(said, str(shown.exception))
