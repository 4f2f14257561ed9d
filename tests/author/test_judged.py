"""What people said of drafts comes back into the table; labels are compared with a person's."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.api.inputs import load_pairs
from endoxa.author.tables import approved, counted, label_votes, with_association_ids
from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.sources.collected import left_out_notes
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.source import reading_files
from endoxa.sources.tables import counted_sources


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
    ("old", "new", "sheet", "match"),
    [
        ("", "", "name,approved\nd1,yes\n", "lacks a name"),
        ("", "", "draft_id,good\nd1,yes\n", "lacks a verdict"),
        ("d1,draft", "d1,maybe", "draft_id,approved\nd1,yes\n", "row 1: the status 'maybe' is unknown"),
        ("d2", "d1", "draft_id,approved\nd1,yes\n", "'d1' is there twice"),
    ],
)
def test_drafts_and_sheets_that_cannot_be_read_say_why(drafts, tmp_path, old, new, sheet, match):
    drafts.write_text(drafts.read_text().replace(old, new, 1) if old else drafts.read_text())
    with pytest.raises(UserError, match=match):
        approved(drafts, judged(tmp_path, sheet))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_only_approved_drafts_are_read_unless_asked_for(tmp_path, suffix, caplog):
    table = pl.DataFrame({"draft_id": ["1", "2", "3", "4"], "status": ["draft", "approved", "rejected", ""]})
    path = tmp_path / f"drafts{suffix}"
    write_table(table, path)
    kept = with_association_ids(read_table(path))
    assert kept["association_id"].to_list() == ["2"]
    assert f"3 drafts of {path.name} left out" in caplog.text
    with reading_files(include_drafts=True):
        assert read_table(path)["draft_id"].to_list() == ["1", "2", "4"]
        assert left_out_notes() == [f"1 draft of {path.name} left out: rejected by people."]


PAIRS = """draft_id,status,source_ids,sent_more,sent_less,identity,note
d1,approved,a1,Bakers are kind.,Bakers are rude.,bakers,mine
d2,rejected,a2,Bakers are loud.,Bakers are calm.,bakers,mine
d3,draft,a3,Bakers are slow.,Bakers are fast.,bakers,mine
"""


@pytest.mark.slow
def test_rejected_and_unjudged_pairs_are_neither_measured_nor_released(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    cli = CliRunner()
    for frame in (load_pairs(path), load_pairs(pl.read_csv(path))):
        assert frame.select("item_id", "association_id").rows() == [("d1", "a1")]
    assert load_pairs(path, include_drafts=True)["item_id"].to_list() == ["d1", "d3"]
    for given, names in (([], ["d1"]), (["--set", "include_drafts=yes"], ["d1", "d3"])):
        out = tmp_path / str(len(given))
        done = cli.invoke(app, ["export", "hub", str(path), "-o", str(out), *given])
        assert done.exit_code == 0, done.output
        assert pl.read_parquet(out / "data" / "pairs.parquet")["item_id"].to_list() == names
    converted = tmp_path / "converted.csv"
    assert cli.invoke(app, ["datasets", "convert", str(path), "-o", str(converted)]).exit_code == 0
    assert pl.read_csv(converted)["item_id"].to_list() == ["d1"]
    path.write_text(PAIRS.replace("approved", "draft"))
    with pytest.raises(UserError, match="no row that people approved"):
        load_pairs(path)


def test_kappa_is_that_of_scikit_learn(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    models = ["x", "x", "y", "y", "z", "x", "y", "z", "z", "x", ""]
    person = ["x", "y", "y", "y", "z", "x", "x", "z", "y", "X", "x"]
    names = [f"l{k}" for k in range(len(models))]
    labels, sheet = tmp_path / "labels.csv", tmp_path / "sheet.csv"
    pl.DataFrame({"draft_id": names, "label": models}).write_csv(labels)
    pl.DataFrame({"draft_id": names, "label": person, "labels": ["x; y; z"] * 11}).write_csv(sheet)
    out = tmp_path / "agreement.csv"
    words = ["analyze", "agreement", str(labels), str(sheet), "-o", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    found = {row["name"]: row for row in pl.read_csv(out).iter_rows(named=True)}
    wanted = metrics.cohen_kappa_score(models[:-1], [one.lower() for one in person[:-1]])
    assert found["cohen_kappa"]["value"] == pytest.approx(wanted)
    assert (found["cohen_kappa"]["n"], found["percent_agreement"]["value"]) == (10, 0.7)


def test_labels_of_nobody_and_outside_the_list_are_refused(tmp_path):
    labels, sheet = tmp_path / "labels.csv", tmp_path / "sheet.csv"
    pl.DataFrame({"draft_id": ["a", "b"], "label": ["x", "x"]}).write_csv(labels)
    pl.DataFrame({"draft_id": ["a"], "label": [""]}).write_csv(sheet)
    with pytest.raises(UserError, match="no row with a label of a person"):
        label_votes(labels, sheet)
    pl.DataFrame({"draft_id": ["a"], "label": ["q"], "labels": ["x; y"]}).write_csv(sheet)
    with pytest.raises(UserError, match="row 1: 'q' is no label"):
        label_votes(labels, sheet)


def test_runs_and_cards_say_where_items_come_from(drafts, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("sent_more,source\na,survey\nb,survey\nc,draft by x\nd,\n")
    assert counted_sources(path) == {"survey": 2, "draft by x": 1, "not said": 1}
    path.write_text("sent_more,source\n" + "".join(f"a,http://{k}\n" for k in range(30)))
    assert counted_sources(path) == {}
    assert counted_sources(drafts) == {}
