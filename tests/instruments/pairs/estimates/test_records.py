"""Records in: what is read, and every sentence a user may get (more in ../refusals.toml)."""

import json

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from support.analyze_fixtures import make_records

RECORDS = make_records({("m", "sum"): np.array([1.0, -0.5, 0.2])})


def make_run(folder, records=RECORDS, **described):
    folder.mkdir()
    records.with_columns(sent_more=pl.lit("Old people knit.")).write_parquet(folder / "records.parquet")
    facts = {"kind": "pairs", "finished": "2026-01-01", "data": {"sha256": "abc"}} | described
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder


def test_runs_and_files_are_read_without_their_sentences(tmp_path):
    one = make_run(tmp_path / "one")
    other = make_run(tmp_path / "other", RECORDS.with_columns(model=pl.lit("n")), data=None)
    records = load_records([one, other])
    assert "sent_more" not in records.columns
    assert records["run"].unique().sort().to_list() == [str(one), str(other)]
    assert records.select("model", "data").unique().sort("model").rows() == [("m", "abc"), ("n", None)]
    assert len(records) == 6
    RECORDS.write_parquet(tmp_path / "mine.parquet")
    assert load_records([tmp_path / "mine.parquet"])["data"].to_list() == [None] * 3


def test_one_file_read_in_two_ways_is_two_data_sets(tmp_path):
    data = {"sha256": "abc", "options": {"prefix": "African", "template": None}}
    assert load_records([make_run(tmp_path / "run", data=data)])["data"].unique().to_list() == [
        "abc prefix=African"
    ]


def no_columns(path):
    RECORDS.drop("score_less").write_parquet(path / "records.parquet")
    return path / "records.parquet"


def no_parquet(path):
    (path / "records.parquet").write_text("item_id,model", encoding="utf-8")
    return path / "records.parquet"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path / "nowhere", "does not exist"),
        (no_parquet, "not a readable Parquet"),
        (no_columns, r"have no column 'score_less' \(columns found: item_id"),
    ],
)
def test_what_holds_no_records_is_one_sentence(make, message, tmp_path):
    with pytest.raises(UserError, match=message):
        load_records([make(tmp_path)])


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


def test_no_run_no_record_and_a_run_given_twice_are_named(tmp_path):
    with pytest.raises(UserError, match="No run was given"):
        load_records([])
    with pytest.raises(UserError, match=r"empty\. Expected at least one"):
        analyze_pairs(RECORDS.clear(), resamples=100)
    run = make_run(tmp_path / "run")
    with pytest.raises(UserError, match=r"more than once\. Give each run once\. Runs: .*run"):
        analyze_pairs(load_records([run, run]), resamples=100)
