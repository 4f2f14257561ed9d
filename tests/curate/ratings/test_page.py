"""Commands and pages about ratings: the finding first, words blurred, nothing claimed that the table does not say."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.reports import write_report
from tests.curate.ratings.test_disagreement import planted as disputed
from tests.curate.ratings.test_leniency import planted as lenient

RUNNER = CliRunner()


def run(*words):
    return RUNNER.invoke(app, [str(word) for word in words])


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ratings")
    disputed(1).write_csv(folder / "disputed.csv")
    lenient(1, {"positive": 0.8, "negative": 0.0}).write_csv(folder / "lenient.csv")
    one = run("analyze", "ratings", folder / "disputed.csv", "-o", folder / "d", "--resamples", 200)
    other = run("analyze", "ratings", folder / "lenient.csv", "-o", folder / "l", "--resamples", 200)
    assert (one.exit_code, other.exit_code) == (0, 0), (one.output, other.output)
    assert "Next: endoxa report" in one.output
    assert all(
        len(line) <= 80 for line in one.output.splitlines() if "Written" not in line and "Next" not in line
    )
    return folder


def test_files_hold_the_columns_promised(folder):
    topics = pl.read_csv(folder / "d/disagreement.csv")
    assert topics.columns[:6] == ["topic", "n_low", "n_high", "share_low", "share_high", "relative_change"]
    assert pl.read_csv(folder / "d/disagreement_pairs.csv").columns[:6] == [
        *("identity", "attribute", "n", "mean", "variance", "group"),
    ]


def test_the_page_of_disagreement(folder):
    page = write_report([folder / "d/disagreement.csv"], folder / "d.html")
    text = text_of(page)
    assert "More disputed than others with about the same mean rating: looks (rank 0." in text
    assert "400 associations with two ratings or more" in text
    assert "a12" in text  # an association, in a blurred column
    for figure in (folder / "d_figures").glob("*.svg"):
        assert "a12" not in figure.read_text(encoding="utf-8")
    assert "relative-change" in {path.stem for path in (folder / "d_figures").glob("*.svg")}


def test_the_page_of_leniency(folder):
    text = text_of(write_report([folder / "l/leniency.csv"], folder / "l.html"))
    assert "Positive ones: people of the group rate them" in text
    assert "Negative ones: a difference" in text
    assert "not distinguishable from chance" in text


def test_a_page_is_of_one_table(folder):
    (folder / "e.csv").write_bytes((folder / "d/disagreement.csv").read_bytes())
    with pytest.raises(UserError, match="one table"):
        write_report([folder / "d/disagreement.csv", folder / "e.csv"], folder / "x.html")


def test_json_for_scripts(folder, tmp_path):
    told = run(
        "analyze",
        "ratings",
        folder / "disputed.csv",
        "-o",
        tmp_path / "d.csv",
        "--json",
        "--resamples",
        100,
    )
    rows = json.loads(told.output)["rows"]
    assert {row["topic"] for row in rows} == {"food", "looks", "music", "work"}
