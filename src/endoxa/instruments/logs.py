"""Logs of lm-evaluation-harness as run folders, so that analysis, pages, tables and Python read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.report.words import plural, slug
from endoxa.runs.folder import RUN, now, write_json
from endoxa.runs.instrument import INSTRUMENTS, Logged
from endoxa.runs.run import read_run
from endoxa.sources.logs import Log, is_log, open_log
from endoxa.sources.spreadsheets import read_csv

UNSCORED = "unscored.csv"


@contextmanager
def runs_and_logs(
    paths: Sequence[Path], *, metadata: Path | None = None, language: str | None = None
) -> Iterator[list[Path]]:
    """The paths, with a temporary run folder for each task in place of its logs; see `write_runs`."""
    logs = [path for path in paths if is_log(path)]
    with TemporaryDirectory(prefix="endoxa-") as folder:
        made = write_runs(logs, Path(folder), metadata=metadata, language=language) if logs else []
        yield [*(path for path in paths if path not in logs), *made]


def write_runs(
    logs: Sequence[Path], into: Path, *, metadata: Path | None = None, language: str | None = None
) -> list[Path]:
    """A finished run folder for each task in the logs: records, `run.json`, and what had no answer.

    Args:
        logs: see `endoxa.sources.logs`.
        into: folder where the run folders are made, by the names of the tasks.
        metadata: BBQ's additional_metadata.csv, for questions.
        language: language of questions.

    Raises:
        UserError: a log is damaged, or its samples are neither sentence pairs nor questions.
    """
    tasks: dict[tuple[str, str], list[Log]] = {}
    for log in map(open_log, logs):
        tasks.setdefault((_kind(log), log.group), []).append(log)
    made = []
    for (kind, task), matching in tasks.items():
        folder = into / slug(task)
        folder.mkdir(parents=True, exist_ok=True)
        facts = _readers()[kind].write(matching, folder, metadata, language)
        models = [{"name": name} for name in dict.fromkeys(log.model for log in matching)]
        described = [
            {"path": str(log.path), "harness": "lm-evaluation-harness", "task": log.task, "model": log.model}
            for log in matching
        ]
        run = {"kind": kind, "endoxa": __version__, "finished": now(), "models": models, "logs": described}
        write_json(folder / RUN, {**run, "identity": {"models": models}, **facts})
        made.append(folder)
    return made


def unscored_lines(folders: Sequence[Path]) -> list[str]:
    """What the logs held without an answer, a sentence for each model and reason."""
    tables = [read_csv(path) for folder in folders if (path := folder / UNSCORED).is_file()]
    if not tables:
        return []
    counted = pl.concat(tables).group_by("model", "reason", maintain_order=True).len()
    return [
        f"{model}: {plural(count, 'pair')} {reason}, not counted." for model, reason, count in counted.rows()
    ]


def _kind(log: Log) -> str:
    """The instrument, by the first sample."""
    _, sample = next(log.samples())
    for kind, reader in _readers().items():
        if isinstance(sample, dict) and reader.holds(sample):
            return kind
    raise UserError(
        f"{log.path} holds neither sentence pairs nor questions that endoxa knows. Expected crows_pairs, bbq, or a "
        "task of `endoxa export`."
    )


def _readers() -> dict[str, Logged]:
    """How logs are read, by instrument."""
    return {name: each.logged() for name, each in INSTRUMENTS.all().items() if each.logged is not None}


def estimate_run(folder: Path) -> None:
    """Write the estimates of a run made from logs into its folder, with the usual settings."""
    _readers()[str(read_run(folder)["kind"])].estimate(folder)
