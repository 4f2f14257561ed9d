"""Results in MLflow's own local store, read back with its own library, and in W&B's offline mode."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import endoxa as ex
from endoxa.export.trackers import log_run, tracked
from support import tiny

pytestmark = pytest.mark.filterwarnings("default")  # warnings of their libraries are not ours
WHERE = "an extra that the tests of trackers need (docs/dependencies.md)"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ex.Result:
    """Two models, scored on the same pairs."""
    place = tmp_path_factory.mktemp("run")
    models = [f"hf/{tiny.causal(place / name)}" for name in ("one", "two")]
    pairs = pl.DataFrame(
        {
            "item_id": [f"p{k}" for k in range(16)],
            "language": "en",
            "identity": [f"g{k % 8}" for k in range(16)],
            "sent_more": [f"{tiny.PAIRS[k % 4].sent_more} {k}" for k in range(16)],
            "sent_less": [f"{tiny.PAIRS[k % 4].sent_less} {k}" for k in range(16)],
        }
    )
    return ex.probe_pairs(pairs, models, rules=["sum"], out=place / "out", progress=False)


@pytest.mark.slow
def test_every_model_is_a_run_with_the_numbers_of_the_estimates(run: ex.Result) -> None:
    first, second = tracked(run.folder)
    assert first.id != second.id
    assert [entry.id for entry in tracked(run.folder)] == [first.id, second.id]
    row = run.estimates.filter(
        model=first.tags["endoxa.model"], name="mean_difference", axis="all", interval="identities"
    ).row(0, named=True)
    assert first.numbers.get("difference/sum") == pytest.approx(row["value"])
    assert {path.name for path in first.files} >= {"run.json", "report.html", "estimates.csv"}
    assert not any(path.suffix == ".parquet" for path in first.files)


@pytest.mark.slow
def test_mlflow_has_metrics_parameters_and_artifacts_once(
    run: ex.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason=WHERE)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "ours")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert "2 models" in log_run(run.folder, "mlflow")
    logged = mlflow.MlflowClient().search_runs([mlflow.get_experiment_by_name("ours").experiment_id])
    assert len(logged) == 2
    by_model = {entry.tags["endoxa.model"]: entry for entry in tracked(run.folder)}
    for entry in logged:
        assert entry.data.metrics == pytest.approx(by_model[entry.data.tags["endoxa.model"]].numbers)
        assert entry.data.params["rules"] == "['sum']"
        files = {file.path for file in mlflow.MlflowClient().list_artifacts(entry.info.run_id)}
        assert {"report.html", "estimates.csv"} <= files


@pytest.mark.slow
def test_wandb_offline_has_a_run_for_every_model(
    run: ex.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason=WHERE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    log_run(run.folder, "wandb")
    written = {path.stem.removeprefix("run-") for path in tmp_path.glob("wandb/offline-run-*/*.wandb")}
    assert written == {entry.id for entry in tracked(run.folder)}
