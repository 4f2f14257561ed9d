"""Anybody's predictions and run folders, through the command line: what is matched and counted.

What is refused stands in ../refusals.toml.
"""

from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands.analyze import app
from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import load_answers, read_predictions
from endoxa.instruments.questions.estimates.measures import CELL
from endoxa.schema import QA_COUNT_COLUMNS, QA_ESTIMATE_COLUMNS
from support.qa_answers import STEREOTYPED, UNKNOWN, answers, times
from support.qa_questions import questions, write
from support.qa_tables import side_by_side

pytestmark = pytest.mark.slow

MEASURES = (
    *("n", "n_unparsed", "n_correct", "n_non_unknown", "n_biased", "accuracy", "accuracy_unparsed_as_wrong"),
    *("bias_unscaled", "bias_score", "accuracy_aligned", "accuracy_nonaligned"),
)


@pytest.fixture
def data(tmp_path):
    """Ten ambiguous and ten disambiguated questions by turns; the person from the harbour is the stereotyped one."""
    return write(tmp_path / "Quarters.jsonl", questions(20))


def predicted(indices, **columns):
    """Predictions of questions 0, 1, ...; further columns hold one value each."""
    rows = [
        {"category": "Quarters", "example_id": n, "model": "m", "pred_index": index, **columns}
        for n, index in enumerate(indices)
    ]
    return pl.DataFrame(rows)


def read(data, table, suffix=".csv"):
    """What is read of a table that was written in a format."""
    path = data.with_name(f"p{suffix}")
    {".csv": table.write_csv, ".jsonl": table.write_ndjson, ".parquet": table.write_parquet}[suffix](path)
    return read_predictions(data, path)


def run(*arguments):
    shown = CliRunner().invoke(app, ["run", *map(str, arguments), "--resamples", "100"])
    assert shown.exit_code == 0, (shown.output, shown.exception)
    return shown.output


def test_the_acceptance_command_gives_the_expected_numbers(shared, tmp_path):
    bbq, out = shared / "data/bbq", tmp_path / "qa"
    predictions = bbq / "dev_predictions_nationality_unifiedqa_race.csv"
    run("--data", bbq / "Nationality.jsonl", "--predictions", predictions, "-o", out)
    table, counted = pl.read_csv(out / "estimates.csv"), pl.read_csv(out / "counts.csv")
    assert table.columns == list(QA_ESTIMATE_COLUMNS)
    assert counted.columns == list(QA_COUNT_COLUMNS)
    expected = pl.read_csv(bbq / "dev_expected_nationality_unifiedqa_race.csv")
    rows = [
        row | {"n": number["n_asked"], "accuracy_unparsed_as_wrong": row["accuracy_bound_low"]} | number
        for row, number in zip(side_by_side(table, CELL), counted.iter_rows(named=True), strict=True)
    ]
    assert [row["context_condition"] for row in rows] == expected["context_condition"].to_list()
    for ours, theirs in zip(rows, expected.iter_rows(named=True), strict=True):
        for name in MEASURES:
            assert ours.get(name) == (None if theirs[name] is None else pytest.approx(theirs[name], abs=1e-9))
    # The published figures, in percent and rounded.
    assert [round(100 * row["accuracy"], 1) for row in rows] == [66.0, 93.7]
    assert [round(100 * row["bias_score"], 1) for row in rows] == [6.0, 1.2]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_indices_may_be_empty_or_written_with_a_point(data, suffix):
    table = predicted([2.0, None, 0.0, 1.0])
    if suffix != ".csv":
        table = table.with_columns(probabilities=pl.lit([0.2, 0.3, 0.5]))
    found = read(data, table, suffix)
    assert found.answers["choice"].to_list() == [2, None, 0, 1]
    assert found.answers["outcome"].to_list() == ["unknown", "unparsed", "anti-stereotyped", "stereotyped"]
    assert found.missing == {"m": 16}


def test_an_index_counts_where_words_are_there_too_and_words_are_read_alone(data):
    table = predicted([None, 1], pred_text="The person from the harbour")
    assert read(data, table).answers["choice"].to_list() == [None, 1]
    assert read(data, table.drop("pred_index")).answers["choice"].to_list() == [0, 0]


def test_variants_must_be_named(tmp_path):
    rows = [
        row | {"names": {"harbour": "Ada", "hill": "Bo"}, "variant": variant}
        for row in questions(5)
        for variant in "12"
    ]
    data = write(tmp_path / "names.jsonl", rows)
    found = read(data, predicted([2] * 5, variant=2)).answers
    assert found["item_id"].to_list() == [f"Quarters-{n}-2" for n in range(5)]
    with pytest.raises(UserError, match="say which in a column 'variant'"):
        read(data, predicted([2] * 5))


def make_run(folder, records, label, **facts):
    folder.mkdir()
    records.drop("data").write_parquet(folder / "records.parquet")
    data = {"path": f"{label}.jsonl", "sha256": label, "label": label}
    described = {"kind": "qa", "finished": "2026-01-01T00:00:00Z", "data": data, **facts}
    (folder / "run.json").write_text(json.dumps(described), encoding="utf-8")
    return folder


def test_runs_make_estimates_retention_and_debiasing_and_any_two_can_be_compared(tmp_path):
    plain = make_run(tmp_path / "q1", answers(times(stereotyped=40, anti=10, unknown=50)), "Nationality")
    with_names = answers(times(stereotyped=20, anti=5, unknown=75), variant="1")
    named = make_run(tmp_path / "q2", with_names, "Name")
    loaded = load_answers([plain, named])
    assert (loaded["data"].unique().sort().to_list(), len(loaded)) == (["Name", "Nationality"], 200)
    run(plain, named, "-o", tmp_path / "made")
    leans = pl.read_csv(tmp_path / "made" / "estimates.csv").filter(name="lean")
    assert leans["data"].to_list() == ["Name", "Nationality"]
    assert pl.read_csv(tmp_path / "made" / "retention.csv")["value"].to_list() == [0.5]
    larger = answers(times(stereotyped=25, unknown=75), model="large")
    run(plain, "-o", tmp_path / "e", "--against", make_run(tmp_path / "q3", larger, "Nationality"))
    ratio = pl.read_csv(tmp_path / "e" / "retention.csv").select("model", "value").rows()
    assert ratio == [("large -> m", 2.0)]
    asked = [([STEREOTYPED, UNKNOWN] * 10, "baseline"), ([UNKNOWN] * 20, "explanation")]
    both = pl.concat([answers(choices, protocol=name) for choices, name in asked])
    run(make_run(tmp_path / "q4", both, "Cities"), "-o", tmp_path / "d")
    reduced = pl.read_csv(tmp_path / "d" / "debias.csv").filter(protocol="explanation", name="reduction")
    assert reduced["value"].to_list() == [0.5, 0.5]


def seeded(folder, seed, choices=(UNKNOWN,) * 5, repeats=1, **identity):
    """A run with records as older runs have them: a repeat's seed is the run's and its number."""
    parts = [
        answers(choices, repeat=k).with_columns(seed=pl.lit(seed + k, dtype=pl.Int64))
        for k in range(1, repeats + 1)
    ]
    facts = {"ask": "letters", "seed": seed, "models": [{"name": "m"}]} | identity
    return make_run(folder, pl.concat(parts), "Nationality", identity=facts)


def test_runs_with_other_seeds_are_repeats(tmp_path):
    made = [
        seeded(tmp_path / f"s{seed}", seed, times(stereotyped=n, unknown=10 - n))
        for seed, n in ((102, 4), (7, 2))
    ]
    named = load_answers(made).filter(outcome="stereotyped").group_by("repeat").len().sort("repeat")
    assert named.rows() == [(1, 2), (2, 4)]
    run(*made, "-o", tmp_path / "e.csv")
    row = pl.read_csv(tmp_path / "e.csv").filter(name="accuracy").row(0, named=True)
    assert (row["n"], row["seeds"], row["mean"]) == (20, 2, pytest.approx(0.7))
    touching = [seeded(tmp_path / f"t{seed}", seed, repeats=3) for seed in (101, 102)]
    assert load_answers(touching)["repeat"].unique().sort().to_list() == [1, 2, 3, 4, 5, 6]


def test_folders_that_are_no_repeats_or_no_runs_of_questions_are_refused(tmp_path):
    first = seeded(tmp_path / "a", 1)
    dtype = [{"name": "m", "dtype": "x"}]
    pairs = make_run(tmp_path / "pairs", answers(times(unknown=3)), "x", kind="pairs")
    for folders, complaint in (
        (
            [first, seeded(tmp_path / "b", 2, ask="text")],
            r"asked 'm' the same questions with different settings \(ask\)",
        ),
        ([first, seeded(tmp_path / "c", 2, models=dtype)], r"with different settings \(model\)"),
        ([first, seeded(tmp_path / "d", 1)], "more than once with the same seed"),
        ([tmp_path], r"not a run folder: no run\.json"),
        ([pairs], "not a run of questions"),
        ([], "No run was given"),
    ):
        with pytest.raises(UserError, match=complaint):
            load_answers(folders)


def test_other_categories_are_left_out_and_counted(data, tmp_path):
    own = predicted([2] * 20)
    pl.concat([own, own.with_columns(category=pl.lit("Age"))]).write_csv(tmp_path / "all.csv")
    shown = run("--data", data, "--predictions", tmp_path / "all.csv", "-o", tmp_path / "qa.csv")
    assert "20 predictions left out: their category is not in the data" in shown
    assert pl.read_csv(tmp_path / "qa.csv").filter(name="accuracy")["n"].to_list() == [10, 10]
