"""What people said of drafts comes back into the table; labels are compared with a person's."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.author.judged import agreement_with, approved
from endoxa.author.statuses import counted, settled
from endoxa.errors import UserError


@pytest.fixture
def drafts(tmp_path):
    path = tmp_path / "drafts.csv"
    names = ["d1", "d2", "d3"]
    pl.DataFrame(
        {"draft_id": names, "status": ["draft"] * 3, "prompt_id": ["p"] * 3, "attribute": ["a", "b", "c"]}
    ).write_csv(path)
    return path


def judged(tmp_path, text):
    path = tmp_path / "judged.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "item_id,accepted\nd1,true\nd2,false\nd3,\n",
        "draft_id,approved\nd1,yes\nd2,No\n",
        "draft_id,approved\nd1,sí\nd2,não\nelsewhere,yes\n",
        "item_id,state,judged_attribute\nd1,changed,better\nd2,rejected,\n",
    ],
)
def test_verdicts_of_rooms_and_sheets(drafts, tmp_path, text):
    table = approved(drafts, judged(tmp_path, text))
    assert table["status"].to_list() == ["approved", "rejected", "draft"]
    assert table["attribute"][0] == ("better" if "judged_attribute" in text else "a")
    assert counted(table) == {"draft": 1, "approved": 1, "rejected": 1}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("draft_id,approved\nd1,perhaps\n", "row 1: 'perhaps' says neither yes nor no"),
        ("draft_id,approved\nd1,yes\nd1,no\n", "row 2: 'd1' is there twice"),
        ("name,approved\nd1,yes\n", "lacks a name"),
        ("draft_id,good\nd1,yes\n", "lacks a verdict"),
        ("draft_id,approved\nx,yes\n", "No row of"),
    ],
)
def test_sheets_that_cannot_be_read_say_why(drafts, tmp_path, text, match):
    with pytest.raises(UserError, match=match):
        approved(drafts, judged(tmp_path, text))


def test_tables_of_drafts_are_checked(drafts, tmp_path):
    text = drafts.read_text()
    drafts.write_text(text.replace("d1,draft", "d1,maybe"))
    with pytest.raises(UserError, match="row 1: the status 'maybe' is unknown"):
        approved(drafts, judged(tmp_path, "draft_id,approved\nd1,yes\n"))
    drafts.write_text(text.replace("d2", "d1"))
    with pytest.raises(UserError, match="'d1' is there twice"):
        approved(drafts, judged(tmp_path, "draft_id,approved\nd1,yes\n"))


def test_only_approved_drafts_are_used_unless_asked_for():
    table = pl.DataFrame(
        {"draft_id": ["1", "2", "3"], "status": ["draft", "approved", "rejected"], "prompt_id": ["p"] * 3}
    )
    kept, left = settled(table)
    assert (kept["association_id"].to_list(), left) == (["2"], 2)
    assert settled(table, drafts=True)[0]["draft_id"].to_list() == ["1", "2"]
    plain = pl.DataFrame({"identity": ["a"], "status": ["draft"]})
    assert settled(plain) == (plain, 0)


def test_kappa_is_that_of_scikit_learn(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    models = ["x", "x", "y", "y", "z", "x", "y", "z", "z", "x", ""]
    person = ["x", "y", "y", "y", "z", "x", "x", "z", "y", "X", "x"]
    names = [f"l{k}" for k in range(len(models))]
    labels, sheet = tmp_path / "labels.csv", tmp_path / "sheet.csv"
    pl.DataFrame({"draft_id": names, "label": models}).write_csv(labels)
    pl.DataFrame({"draft_id": names, "label": person, "labels": ["x; y; z"] * 11}).write_csv(sheet)
    found = agreement_with(labels, sheet)
    wanted = metrics.cohen_kappa_score(models[:-1], [one.lower() for one in person[:-1]])
    assert found["kappa"] == pytest.approx(wanted)
    assert (found["n"], found["unlabelled"], found["agreement"]) == (10, 1, 0.7)
    assert found["low"] < found["kappa"] < found["high"]


def test_kappa_of_one_label_is_not_defined_and_of_none_refused(tmp_path):
    labels, sheet = tmp_path / "labels.csv", tmp_path / "sheet.csv"
    pl.DataFrame({"draft_id": ["a", "b"], "label": ["x", "x"]}).write_csv(labels)
    pl.DataFrame({"draft_id": ["a", "b"], "label": ["x", "x"]}).write_csv(sheet)
    found = agreement_with(labels, sheet)
    assert found["agreement"] == 1
    assert found["kappa"] != found["kappa"]
    pl.DataFrame({"draft_id": ["a"], "label": [""]}).write_csv(sheet)
    with pytest.raises(UserError, match="no row with a label of a person"):
        agreement_with(labels, sheet)
    pl.DataFrame({"draft_id": ["a"], "label": ["q"], "labels": ["x; y"]}).write_csv(sheet)
    with pytest.raises(UserError, match="row 1: 'q' is no label"):
        agreement_with(labels, sheet)
