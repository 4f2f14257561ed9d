"""Tables of associations are checked as what they are; rows that people withdrew are left out of every table."""

from __future__ import annotations

import logging

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.sources.check import TABLE_CHECKS, check_file
from endoxa.sources.collected import read_withdrawals, respecting_withdrawals, withdrawn_beside
from endoxa.sources.frames import read_table
from endoxa.sources.tables import table_rows
from support.repository import ROOT

SOUND = {
    "association_id": "a1",
    "identity": "people from Chile",
    "attribute": "love poetry",
    "axis": "nationality",
    "region": "",
    "language": "en",
    "polarity": "",
    "source": "river",
    "support": "2",
    "k": "3",
    "ratings": "3",
    "mean": "3.5",
    "variance": "0.25",
    "knowers": "1.0",
    "in_group_ratings": "1",
    "out_group_ratings": "2",
}

PLANTED = [
    ("empty-cell", {"attribute": " "}),
    ("invisible-character", {"attribute": "love\u200bpoetry"}),
    ("duplicate-id", {"attribute": "dance"}),
    ("duplicate-association", {"association_id": "a2", "attribute": "Love  poetry"}),
    ("identity-spellings", {"identity": "People from  Chile", "attribute": "dance"}),
    (
        "attribute-spellings",
        {"association_id": "a2", "identity": "Peruvians", "attribute": "Love po\u00adetry"},
    ),
]


@pytest.fixture
def write(tmp_path):
    """A function that writes rows as a table."""

    def make(*rows, name="pairs.csv"):
        path = tmp_path / name
        frame = pl.DataFrame([SOUND | row for row in rows], schema=dict.fromkeys(SOUND, pl.String))
        frame.write_csv(path) if path.suffix == ".csv" else frame.write_ndjson(path)
        return path

    return make


def test_a_sound_table_has_no_problems(write):
    assert check_file(write({}, {"association_id": "a2", "attribute": "dance", "support": "1"})) == []


@pytest.mark.parametrize(("check", "cells"), PLANTED)
def test_planted_problems_are_found(write, check, cells):
    found = check_file(write({}, cells))
    assert check in {problem.check for problem in found}
    assert all("poetry" not in problem.message for problem in found)


def test_every_check_is_planted_explained_and_in_the_manual():
    planted = {check for check, _ in PLANTED}
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    for check in TABLE_CHECKS:
        assert check.__name__.replace("_", "-") in planted
        assert len(check.__doc__ or "") > 50
    assert not {name for name in planted if f"`{name}`" not in page}


def test_a_table_with_sentences_is_one_of_pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("association_id,identity,attribute,sent_more,sent_less\na,b,c,People sing.,People hum.\n")
    assert "undeclared-language" in {problem.check for problem in check_file(path)}
    path.write_text("association_id,identity,attribute\n")
    with pytest.raises(UserError, match="has no rows"):
        check_file(path)


def withdraw(folder, *ids):
    lines = ["row_id,table", *(f"{name},pairs" for name in ids)]
    (folder / "withdrawals.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl"])
def test_withdrawn_rows_are_left_out_and_counted(write, tmp_path, caplog, name):
    caplog.set_level(logging.WARNING)
    path = write({}, {"association_id": "a2", "attribute": "dance"}, name=name)
    withdraw(tmp_path, "a1")
    assert read_table(path)["association_id"].to_list() == ["a2"]
    assert f"1 rows of {path} were withdrawn" in caplog.text
    assert [row.number for row in table_rows(path, ())] == [2]
    assert read_table(path, respect_withdrawals=False).height == 2


def test_statements_go_with_their_answer(tmp_path):
    answer, other = "0016416a-7a6f-4f9b-8dbe-44abad6e33cc", "01835160-a78f-4454-9f95-107e68fdcf66"
    path = tmp_path / "statements.csv"
    path.write_text(
        f"statement_id,text\n{answer}-1,Women sing\n{answer}-12,Women dance\n{other}-1,Men sing\n"
    )
    withdraw(tmp_path, answer)
    assert read_table(path)["text"].to_list() == ["Men sing"]
    kept = respecting_withdrawals(read_table(path, respect_withdrawals=False), frozenset({answer}))
    assert kept["text"].to_list() == ["Men sing"]


def test_the_list_itself_is_read_whole_and_other_files_of_that_name_mean_nothing(write, tmp_path):
    withdraw(tmp_path, "a1")
    assert read_table(tmp_path / "withdrawals.csv").height == 1
    (tmp_path / "withdrawals.csv").write_text("date,amount\n2026-05-04,100\n")
    assert withdrawn_beside(write({})) == frozenset()
    with pytest.raises(UserError, match="is no list of withdrawals"):
        read_withdrawals(tmp_path / "withdrawals.csv")
    with pytest.raises(UserError, match="cannot be read"):
        read_withdrawals(tmp_path / "missing.csv")
