"""`endoxa analyze run`."""

import json

import numpy as np
from typer.testing import CliRunner

from endoxa.commands.analyze import app
from endoxa.errors import UserError
from support.analyze_fixtures import make_records

RNG = np.random.default_rng(2)


def make_run(folder, model="m", data="abc"):
    folder.mkdir()
    records = make_records({(model, "sum"): RNG.normal(0.5, 1, 30), (model, "mean"): RNG.normal(0, 1, 30)})
    records.write_parquet(folder / "records.parquet")
    (folder / "run.json").write_text(
        json.dumps({"kind": "pairs", "finished": "2026-01-01", "data": {"sha256": data}}), encoding="utf-8"
    )
    return str(folder)


def test_runs_of_different_data_are_not_pooled(tmp_path):
    runs = [make_run(tmp_path / "one"), make_run(tmp_path / "two", data="xyz")]
    result = CliRunner().invoke(app, ["run", *runs, "-o", str(tmp_path / "e.csv")])
    assert isinstance(result.exception, UserError)
    assert "different data" in str(result.exception)
