"""Records in: what is read, and every sentence a user may get."""

import json

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from support.analyze_fixtures import make_records

RECORDS = make_records({("m", "sum"): np.array([1.0, -0.5, 0.2])})


def make_run(folder, records=RECORDS, described=None):
    folder.mkdir()
    records.with_columns(sent_more=pl.lit("Old people knit.")).write_parquet(folder / "records.parquet")
    facts = {"kind": "pairs", "finished": "2026-01-01"}
    content = facts | ({"data": {"sha256": "abc"}} if described is None else described)
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_runs_are_read_without_their_sentences(tmp_path):
    one = make_run(tmp_path / "one")
    other = make_run(tmp_path / "other", RECORDS.with_columns(model=pl.lit("n")), {})
    records = load_records([one, other])
    assert "sent_more" not in records.columns
    assert records["run"].unique().sort().to_list() == [str(one), str(other)]
    assert records.filter(model="m")["data"].unique().to_list() == ["abc"]
    assert records.filter(model="n")["data"].unique().to_list() == [None]
    assert len(records) == 6


def test_a_file_of_records_is_read(tmp_path):
    path = tmp_path / "mine.parquet"
    RECORDS.write_parquet(path)
    assert load_records([path])["data"].to_list() == [None] * 3


def test_nothing_given():
    with pytest.raises(UserError, match="No run was given"):
        load_records([])


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        load_records([tmp_path / "nowhere"])


def test_a_folder_that_is_no_run(tmp_path):
    with pytest.raises(UserError, match=r"is not a run folder: no run\.json found"):
        load_records([tmp_path])


def test_an_unfinished_run(tmp_path):
    run = make_run(tmp_path / "run")
    (run / "records.parquet").unlink()
    with pytest.raises(UserError, match=r"not finished\. Run the same command again"):
        load_records([run])
    other = make_run(tmp_path / "other", described={"finished": None, "data": {"sha256": "abc"}})
    with pytest.raises(UserError, match=r"not finished\. Run the same command again"):
        load_records([other])


def test_one_file_read_in_two_ways_is_two_data_sets(tmp_path):
    data = {"sha256": "abc", "options": {"prefix": "African", "template": None}}
    run = make_run(tmp_path / "run", described={"finished": "2026-01-01", "data": data})
    assert load_records([run])["data"].unique().to_list() == ["abc prefix=African"]


def test_a_run_json_that_is_none(tmp_path):
    run = make_run(tmp_path / "run")
    (run / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read as JSON"):
        load_records([run])


def test_a_file_that_is_no_parquet(tmp_path):
    path = tmp_path / "records.parquet"
    path.write_text("item_id,model", encoding="utf-8")
    with pytest.raises(UserError, match="not a readable Parquet"):
        load_records([path])


def test_a_missing_column_is_named_with_those_found(tmp_path):
    path = tmp_path / "records.parquet"
    RECORDS.drop("score_less").write_parquet(path)
    with pytest.raises(UserError, match=r"have no column 'score_less' \(columns found: item_id"):
        load_records([path])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"score_more": pl.lit(None, dtype=pl.Float64)},
            "item 'i00000', model 'm', rule 'sum' has no score_more",
        ),
        ({"score_more": pl.lit(float("nan"))}, "not finite"),
        ({"score_less": pl.lit(float("-inf"))}, "not finite"),
        ({"neutral_difference": pl.lit(float("inf"))}, "infinite neutral_difference"),
        ({"direction": pl.lit("sideways")}, "direction other than"),
        ({"stereotypical": pl.lit("both")}, "neither 'more' nor 'less'"),
        ({"score_more": pl.lit("high")}, "wrong type"),
        ({"item_id": pl.lit("same")}, "more than once"),
    ],
)
def test_rows_that_cannot_be_used(change, message):
    with pytest.raises(UserError, match=message):
        analyze_pairs(RECORDS.with_columns(**change), resamples=100)


def test_empty_records():
    with pytest.raises(UserError, match=r"empty\. Expected at least one"):
        analyze_pairs(RECORDS.clear(), resamples=100)


def test_a_run_given_twice_is_named(tmp_path):
    run = make_run(tmp_path / "run")
    with pytest.raises(UserError, match=r"more than once\. Give each run once\. Runs: .*run"):
        analyze_pairs(load_records([run, run]), resamples=100)
