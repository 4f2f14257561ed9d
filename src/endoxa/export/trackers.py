"""Results in MLflow and Weights & Biases: estimates as metrics, settings as parameters, page and tables as artifacts.

Each model of a run folder is one run of the tracker. Logging the same run folder again updates it. Where results go is
the tracker's own business: `MLFLOW_TRACKING_URI`, `MLFLOW_EXPERIMENT_NAME`, `WANDB_PROJECT`, `WANDB_MODE=offline`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from endoxa.errors import UserError, first_line, installation
from endoxa.instruments.measures import measures_of, metrics
from endoxa.report.words import plural, short_labels
from endoxa.runs.folder import RUN
from endoxa.runs.run import read_run

Tracker = Literal["mlflow", "wandb"]
PROJECT = "endoxa"
"""Experiment or project where the environment names none."""
_LONGEST = 250
"""Characters of a parameter."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """What a tracker is told of one model in a run folder.

    Attributes:
        id: the same whenever the same run is logged.
        name: model and run folder, as people see it.
        tags: kind, model, version of endoxa, data, notes.
        settings: the settings of the run.
        numbers: metrics by name.
        estimates: the estimates of the model.
        files: page and tables.
    """

    id: str
    name: str
    tags: Mapping[str, str]
    settings: Mapping[str, str]
    numbers: Mapping[str, float]
    estimates: pl.DataFrame
    files: Sequence[Path]


def require_tracker(tracker: Tracker) -> None:
    """Refuse a tracker that is not installed, before anything is measured.

    Raises:
        UserError: its library is missing, or there is no such tracker.
    """
    if tracker not in get_args(Tracker):
        raise UserError(f"There is no tracker '{tracker}'. There are: {', '.join(get_args(Tracker))}.")
    if find_spec(tracker) is None:
        raise UserError(f"--log {tracker} needs {tracker}: {installation(tracker)}.")


def log_run(folder: Path, tracker: Tracker, files: Sequence[Path] = ()) -> str:
    """Send a finished run to a tracker.

    Args:
        folder: the run folder. Its records, with every sentence and answer, stay where they are.
        tracker: "mlflow" or "wandb".
        files: what else becomes an artifact.

    Returns:
        A sentence that says where the results are.

    Raises:
        UserError: the tracker is not installed, it refused, or the folder is no finished run.
    """
    require_tracker(tracker)
    runs = tracked(folder, files)
    try:
        place = _SENT[tracker](runs)
    except Exception as problem:
        reason = first_line(problem)
        raise UserError(
            f"{tracker} refused the results: {reason} The run is kept in {folder}; log it later with "
            f"endoxa report {folder} -o report.html --log {tracker}."
        ) from problem
    metrics_sent = sum(len(run.numbers) for run in runs)
    return f"Logged to {tracker}: {plural(len(runs), 'model')}, {metrics_sent} metrics, {place}"


def tracked(folder: Path, files: Sequence[Path] = ()) -> list[Tracked]:
    """What is logged of a run folder, model by model.

    Raises:
        UserError: the folder is no finished run.
    """
    if not (folder / RUN).is_file() or not read_run(folder).get("finished"):
        raise UserError(f"'{folder}' is not a finished run folder, so there is nothing to log.")
    facts, measures = read_run(folder), measures_of(folder)
    models = [str(model["name"]) for model in facts["models"]]
    labels = short_labels(models)
    artifacts = [path for path in (folder / RUN, folder / "report.html") if path.is_file()]
    artifacts += [*sorted(folder.glob("*.csv")), *files]
    settings = dict(_flat({key: value for key, value in facts["settings"].items() if key != "models"}))
    identity = json.dumps(facts["identity"], sort_keys=True, ensure_ascii=False)
    name = folder.resolve().name
    tags = {"endoxa.version": str(facts["endoxa"]), "endoxa.kind": str(facts["kind"]), "endoxa.run": name}
    return [
        Tracked(
            id=hashlib.sha256(f"{identity}\n{model}".encode()).hexdigest()[:16],
            name=f"{labels[model]} ({name})",
            tags=tags | {"endoxa.model": model},
            settings=settings,
            numbers=dict(metrics(estimates)),
            estimates=estimates,
            files=artifacts,
        )
        for model in models
        # Not all are apart by model: the agreement of extractors is of all of them.
        for estimates in (measures.filter(model=model) if "model" in measures.columns else measures,)
    ]


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Settings that say something, as texts under names with dots."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif value not in (None, [], "", ()):
            yield f"{prefix}{key}", str(value)[:_LONGEST]


def _to_mlflow(runs: Sequence[Tracked]) -> str:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow

    experiment = mlflow.set_experiment(os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT))
    for run in runs:
        earlier = mlflow.MlflowClient().search_runs(
            [experiment.experiment_id], f"tags.`endoxa.id` = '{run.id}'", max_results=1
        )
        with mlflow.start_run(
            run_id=earlier[0].info.run_id if earlier else None, run_name=run.name, log_system_metrics=False
        ):
            mlflow.set_tags({"endoxa.id": run.id, **run.tags})
            mlflow.log_params(dict(run.settings) if not earlier else {})
            mlflow.log_metrics({_metric(name): number for name, number in run.numbers.items()})
            for path in run.files:
                mlflow.log_artifact(str(path))
    return f"experiment '{experiment.name}' of {mlflow.get_tracking_uri()}"


def _metric(name: str) -> str:
    """A name that MLflow takes: it knows letters, digits, spaces and _ - . : / only."""
    return "".join(letter if letter.isalnum() or letter in "_-. :/" else "_" for letter in name)


def _to_wandb(runs: Sequence[Tracked]) -> str:
    import wandb

    # Only what is logged here: no code, no state of the repository, nothing printed, no load of the machine.
    settings = wandb.Settings(
        silent=True,
        console="off",
        disable_code=True,
        disable_git=True,
        x_disable_stats=True,
        x_disable_meta=True,
    )
    project, place = os.environ.get("WANDB_PROJECT", PROJECT), ""
    online = os.environ.get("WANDB_MODE", "online") == "online"
    for run in runs:
        with wandb.init(
            project=project,
            id=run.id,
            resume="allow" if online else None,
            name=run.name,
            group=run.tags["endoxa.run"],
            job_type=run.tags["endoxa.kind"],
            config={**run.settings, **run.tags},
            settings=settings,
        ) as logged:
            logged.summary.update(dict(run.numbers))
            table = run.estimates
            logged.log(
                {"estimates": wandb.Table(columns=table.columns, data=[list(row) for row in table.rows()])}
            )
            artifact = wandb.Artifact(f"endoxa-{run.id}", type="endoxa-run", metadata=dict(run.tags))
            for path in run.files:
                artifact.add_file(str(path))
            logged.log_artifact(artifact)
            place = str(Path(logged.dir).parent if logged.offline else logged.url)
    return f"project '{project}', {place}"


_SENT: Mapping[str, Callable[[Sequence[Tracked]], str]] = {"mlflow": _to_mlflow, "wandb": _to_wandb}
