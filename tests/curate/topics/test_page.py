"""`endoxa analyze ratings` and its page."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.instruments.reports import write_report


def run(*words):
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(word) for word in words])


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))).replace(
        "\u00a0", " "
    )


@pytest.fixture
def folder(tmp_path):
    rows = [("food", "Chileans", "piscola", "true", k) for k in range(12)]
    rows += [("food", "Peruvians", "ceviche", "false", k) for k in range(8)]
    rows += [("traits", "Germans", "rigid minded", "false", k) for k in range(9)]
    rows += [("traits", "Germans", "exact", "true", k) for k in range(1)]
    rows += [("", "Germans", "tall", "false", 1)] * 3
    body = "\n".join(
        f"{topic},{identity},{attribute},{own},r{k}" for topic, identity, attribute, own, k in rows
    )
    (tmp_path / "said.csv").write_text(f"topic,identity,attribute,in_group,rater\n{body}\n")
    return tmp_path


def test_the_command_and_the_page(folder):
    told = run("analyze", "ratings", folder / "said.csv", "-o", folder / "topics.csv")
    assert told.exit_code == 0, told.output
    assert all(len(line) <= 80 for line in told.output.splitlines() if not re.match("Written|Next", line))
    assert "3 associations of said without a topic left out." in told.output
    assert re.search(r"Chileans: piscola\s+12\b", told.output)
    assert "Next: endoxa report" in told.output
    text = text_of(write_report([folder / "topics.csv"], folder / "topics.html"))
    assert "said: the most frequent of 2 topics is food, 20 of 30 (66.7 %, interval" in text
    assert "3 more have no topic and are left out." in text
    assert "the in-group share is largest for food (60.0 %, interval" in text
    assert "smallest for traits (10.0 %, interval" in text
    assert "Intervals (95 % confidence) resample people" in text
    assert "nobody has approved" not in text.partition("Methods")[0]
    figures = list((folder / "topics_figures").glob("*.svg"))
    assert {path.stem for path in figures} == {"topics", "in-group"}
    for figure in figures:
        assert "piscola" not in figure.read_text(encoding="utf-8")


def test_several_data_sets_and_no_perspective(folder):
    (folder / "other.csv").write_text("topic,identity,attribute\nfood,P,a\nfood,P,b\nsports,P,c\n")
    (folder / "plain.csv").write_text("topic,identity,attribute\nsports,P,a\n")
    out = folder / "topics.csv"
    told = run("analyze", "ratings", folder / "other.csv", folder / "plain.csv", "-o", out)
    assert told.exit_code == 0, told.output
    assert "in-group" not in told.output
    text = text_of(write_report([out], folder / "topics.html"))
    assert "other: the most frequent of 2 topics is food, 2 of 3" in text
    assert "plain: the most frequent of 1 topic is sports, 1 of 1" in text
    assert "Said by people of the group" not in text
    assert "fewer than five people are known" in text


def test_drafts_of_models_are_said(folder):
    (folder / "labels.csv").write_text(
        "text,label,status,scheme\npiscola,food,draft,topics\nrigid minded,traits,approved,topics\n"
    )
    out = folder / "topics.csv"
    told = run("analyze", "ratings", folder / "said.csv", "--topics", folder / "labels.csv", "-o", out)
    assert "12 of 21 have labels of models that nobody has approved." in told.output
    assert "nobody has approved stand behind 12 of 21" in text_of(write_report([out], folder / "t.html"))


def test_json_for_scripts(folder):
    told = run("analyze", "ratings", folder / "said.csv", "-o", folder / "t.csv", "--json")
    assert [row["n"] for row in json.loads(told.output)["rows"]] == [20, 10, 3]
    assert pl.read_csv(folder / "t.csv")["n"].to_list() == [20, 10, 3]
