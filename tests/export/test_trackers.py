"""Results in MLflow's own local store and in W&B's offline mode, read back with their own libraries."""

from __future__ import annotations

import struct
from collections.abc import Iterator
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


def log_records(data: bytes) -> Iterator[bytes]:
    """What W&B's file holds: LevelDB's log format (blocks of 32 KiB, headers of 7 bytes) behind 7 bytes of its own."""
    place, record = 7, b""
    while place + 7 <= len(data):
        if 32768 - place % 32768 < 7:
            place += 32768 - place % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[place : place + 7])
        record += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield record
            record = b""


@pytest.mark.slow
def test_wandb_offline_holds_the_numbers(
    run: ex.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason=WHERE)
    from wandb.proto.wandb_internal_pb2 import Record

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    log_run(run.folder, "wandb")
    written = {}
    for path in tmp_path.glob("wandb/offline-run-*/*.wandb"):
        summary = {}
        for data in log_records(path.read_bytes()):
            record = Record()
            record.ParseFromString(data)
            names = ((item.key or item.nested_key[0], item.value_json) for item in record.summary.update)
            summary.update(names)
        written[path.stem.removeprefix("run-")] = summary
    for entry in tracked(run.folder):
        for name, number in entry.numbers.items():
            assert float(written[entry.id][name]) == pytest.approx(number)
