"""`endoxa curate evaluate` as a user meets it."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app

GOLD = """statement_id,respondent,question,country,statement,status,gold_identity,gold_attribute
1,1,men,Peru,men are calm,kept,men,calm
2,2,men,Peru,men are neat,kept,men,tidy
3,3,men,Peru,n/a,omitted,,
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.csv").write_text(GOLD)
    return lambda *words: CliRunner().invoke(app, ["curate", "evaluate", *words])


def test_a_table_of_annotators_is_gold(run, tmp_path):
    header = "who,sentence,country,identity,attribute\n"
    rows = [f"{n},Northerners are calm,Peru,Northerners,Calm\n" for n in range(6)]
    two = "6,Bakers are loud and rude,Peru,Bakers,Loud\n6,Bakers are loud and rude,Peru,Bakers,Rude\n"
    (tmp_path / "annotated.csv").write_text(header + "".join(rows) + two)
    done = run("annotated.csv", "--by", "who", "-o", "scores.csv")
    assert done.exit_code == 0, done.output
    assert "7 reviewed statements (7 kept, 0 omitted)" in done.output
    table = pl.read_csv(tmp_path / "scores.csv").filter(reader="rules", subset="all")
    found = dict(table.select("measure", "value").iter_rows())
    assert (found["both"], found["both_loose"], found["pair_f1"]) == (1, 1, 1)
    assert run("annotated.csv", "--by", "who", "--statement-column", "text", "-o", "s.csv").exit_code != 0


def test_another_reading_is_scored_in_place_of_the_rules_and_refused_where_it_lacks_a_statement(
    run, tmp_path
):
    (tmp_path / "model.csv").write_text(
        "statement_id,identity,attribute,omit\n1,men,calm,false\n2,men,tidy,false\n3,,,true\n"
    )
    done = run("gold.csv", "--reading", "model.csv", "-o", "scores.csv")
    assert done.exit_code == 0, done.output
    table = pl.read_csv(tmp_path / "scores.csv")
    assert set(table["reader"]) == {"model"}
    assert set(table.filter(subset="all")["value"]) == {1.0}
    (tmp_path / "model.csv").write_text("statement_id,identity,attribute,omit\n1,men,calm,false\n")
    done = run("gold.csv", "--reading", "model.csv", "-o", "scores.csv")
    assert "no statement_id '2' (2 missing)" in str(done.exception)
