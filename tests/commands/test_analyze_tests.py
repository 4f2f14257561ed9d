"""`endoxa analyze run`: files in, table out, one sentence for what cannot be."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from typer.testing import CliRunner

from endoxa.commands.analyze import app
from endoxa.errors import UserError
from endoxa.schema import TEST_COLUMNS
from support.gate_runs import pairs, write_run

pytestmark = pytest.mark.slow

QUICK = ["--resamples", "100", "--draws", "500"]


@pytest.fixture
def files(tests_and_vectors):
    return tests_and_vectors


def run(*arguments):
    return CliRunner().invoke(app, ["run", *map(str, arguments), *QUICK])


def test_the_acceptance_command(shared, tmp_path):
    folder = shared / "data/reference_scores"
    out = tmp_path / "seat.csv"
    result = run(
        "--tests", folder / "seat_tests.json", "--vectors", folder / "seat_embeddings_cls.npz", "-o", out
    )
    assert result.exit_code == 0, result.output
    table = pl.read_csv(out, infer_schema=False)
    expected = "test n_x n_y n_a n_b name value p_value p_kind n_partitions"
    assert set(expected.split()) <= set(table.columns)
    assert table["n_partitions"].to_list() == ["23951146041928082866135587776380551750", "40116600"]
    assert "1 sampled, 1 exact" in result.output


def test_options_reach_the_table(files):
    out = files / "r.parquet"
    options = ("--ddof", "wefe", "--alternative", "two-sided", "--seed", "9", "--confidence", "0.9")
    result = run("--tests", files / "tests.json", "--vectors", files / "v.npz", "-o", out, *options)
    assert result.exit_code == 0, result.output
    row = pl.read_parquet(out).row(0, named=True)
    assert list(row) == list(TEST_COLUMNS)
    assert pl.read_parquet(out)["test"].to_list() == ["weavers", "potters", "smiths"]
    assert row["alternative"] == "two-sided"
    assert row["confidence"] == 0.9
    for word in ("two-sided", "ddof 0 (WEFE)", "seed 9", "100 resamples"):
        assert word in row["method"]


def test_run_folders_are_one_family_over_models_and_poolings(files):
    folder = files / "run"
    folder.mkdir()
    (folder / "tests.json").write_bytes((files / "tests.json").read_bytes())
    (folder / "vectors").mkdir()
    listed = []
    for i, pooling in enumerate(("cls", "mean")):
        name = f"vectors/1-{pooling}.npz"
        with np.load(files / "v.npz") as arrays:
            np.savez(folder / name, texts=arrays["texts"], vectors=arrays["vectors"] + 0.5 * i)
        listed.append({"model": "hf/tiny", "pooling": pooling, "file": name})
    (folder / "run.json").write_text(json.dumps({"kind": "embeddings", "vectors": listed}), encoding="utf-8")
    out = files / "r.csv"
    result = run(folder, "-o", out)
    assert result.exit_code == 0, result.output
    table = pl.read_csv(out)
    assert table["pooling"].to_list() == ["cls"] * 3 + ["mean"] * 3
    assert set(table["model"]) == {"hf/tiny"}
    expected = stats.false_discovery_control(table["p_value"].to_numpy())
    assert table["p_adjusted"].to_list() == pytest.approx(expected.tolist()), "one family of six"
    assert set(table["verdict"]) <= {"above", "unclear"}
    assert run(folder, "-o", out, "--tests", files / "tests.json").exit_code == 0


def test_texts_without_vectors_are_counted_and_one_is_named(files):
    np.savez(files / "few.npz", texts=np.array(["weavers x0"]), vectors=np.ones((1, 3)))
    message = problem("--tests", files / "tests.json", "--vectors", files / "few.npz", "-o", files / "o.csv")
    assert "83 of the 84 texts of the tests have no vector ('weavers x1'" in message


def problem(*arguments):
    result = run(*arguments)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


def test_runs_of_different_data_are_not_pooled(tmp_path):
    items = pairs(6, 2)
    runs = [write_run(tmp_path / name, items, np.ones(items.height)) for name in ("first", "second")]
    facts = json.loads((runs[1] / "run.json").read_text(encoding="utf-8"))
    facts["data"]["sha256"] = "f" * 64
    (runs[1] / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    words = ["run", *map(str, runs), "-o", str(tmp_path / "estimates.csv")]
    assert "different data" in str(CliRunner().invoke(app, words).exception)
