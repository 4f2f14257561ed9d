"""The command group: what is printed, exit codes, and that texts are hidden unless asked for."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from endoxa.commands import app as whole
from endoxa.commands.datasets import app


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("language,sent_more,sent_less\nen,Farmers sing,Bakers sing.\n")
    return path


def test_list_and_info():
    listed = run("list").output
    assert all(name in listed for name in ("crows-pairs", "indibias", "stereoset", "afristereo", "native"))
    shown = run("list", "indibias").output
    assert "none stated" in shown
    assert "5e1b45e5" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("datasets list sample-questions", "comes with endoxa"),
        ("probe pairs --data sample --plan", " 50 "),
        ("probe qa --data sample --model sim/biased --plan", "60"),
        ("probe stories --data sample --model sim/teller --plan", "20"),
        ("probe choices --data sample-choices --model sim/biased --plan", " 64 "),
        ("probe extract --data sample --model sim/reader-a --plan", " 80 "),
        ("probe harm --data sample --model sim/rater --plan", " 9 "),
        ("build pairs sample-statements -o p.csv", "pairs written"),
        ("curate extract sample --map sample -o s.csv", "25 pairs"),
        ("curate associations sample-statements -o a.csv", "19 associations"),
        ("study init study --from sample", "50 associations"),
    ],
)
def test_samples_stand_for_files(words, printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(whole, words.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert printed in result.output


def test_check_hides_texts_unless_asked(pairs):
    hidden = run("check", pairs)
    assert hidden.exit_code == 0
    assert "final-punctuation" in hidden.output
    assert "row 1" in hidden.output
    assert "Farmers" not in hidden.output
    shown = run("check", pairs, "--show-text")
    assert "Farmers" in shown.output
    assert shown.output.index("Content notice") < shown.output.index("Farmers")


def test_a_table_with_names_of_its_own_is_checked_and_converted(tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("stereotype,other\nFarmers sing.,Farmers sing.\n")
    columns = ("--columns", "sent_more=stereotype,sent_less=other")
    checked = run("check", table, *columns)
    assert checked.exit_code == 1
    assert "identical-sentences" in checked.output
    assert run("convert", table, *columns, "-o", tmp_path / "pairs.csv").exit_code == 0
    assert "sent_more" in (tmp_path / "pairs.csv").read_text()


@pytest.mark.slow
def test_a_published_set_is_downloaded_from_a_mirror_folder_and_converted(shared, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    mirror = shared / "data" / "crows_pairs"
    result = run("convert", "crows-pairs", "--mirror", mirror)
    assert result.exit_code == 0, result.output
    assert "(as published)" in result.output
    assert list(tmp_path.glob("cache/**/crows_pairs_anonymized.csv"))
    result = run("convert", "crows-pairs", "-o", tmp_path / "pairs.csv")
    assert "1,508 pairs written" in result.output
