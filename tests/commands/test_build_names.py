"""`endoxa build qa --names` as a user meets it: files, and sentences on the screen."""

import json

import polars as pl
from typer.testing import CliRunner

from endoxa.commands import app


def endoxa(*words):
    return CliRunner().invoke(app, ["build", "qa", "--names", *map(str, words)], catch_exceptions=True)


def test_names_are_written_and_what_is_not_is_listed(questions_and_bank):
    files = questions_and_bank
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
    published = json.loads((files / "items.jsonl").read_text().partition("\n")[0])
    assert list(rows[0]) == [*published, "names", "variant", "built_by", "words"]
    listed = pl.read_csv(out.with_name("names.unwritten.csv"))
    assert listed.columns == ["category", "example_id", "reason", "phrase"]
    assert listed.row(0)[1:] == (1, "a whole group cannot be given one person's name", "Veldish people")
