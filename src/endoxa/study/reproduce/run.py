"""A reproduction: cells.csv, run.json and report.html in a folder."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions
from endoxa.runs.folder import LIBRARIES, RUN, now, write_json
from endoxa.schema import Progress
from endoxa.sources.files import sha256
from endoxa.sources.frames import write_table
from endoxa.study.reproduce.compare import compare, counted, finding
from endoxa.study.reproduce.declaration import PublishedResult
from endoxa.study.reproduce.inputs import Inputs, match_models

KIND = "reproduction"
CELLS, REPORT, RUNS = "cells.csv", "report.html", "runs"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What came of a reproduction.

    Attributes:
        result: the published result.
        folder: what was written.
        cells: columns of `schema.reproduction.REPRODUCTION_COLUMNS`.
        facts: run.json.
    """

    result: PublishedResult
    folder: Path
    cells: pl.DataFrame
    facts: dict[str, Any]

    @property
    def finding(self) -> str:
        """How many cells agree, in a sentence."""
        return finding(self.cells)


def reproduce(
    result: PublishedResult,
    data: Path | None,
    out: Path,
    *,
    models: Sequence[str] = (),
    options: ModelOptions | None = None,
    pooling: str | None = None,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Reproduced:
    """Recompute a published result and write cells.csv, run.json and report.html.

    A differing cell is a finding, not an error. Runs of models are kept in `runs/` and continue where they stopped.

    Args:
        result: what is recomputed.
        data: folder with what the result needs.
        out: folder to write; one that holds another result is refused.
        models: LABEL=MODEL or MODEL, see `inputs.match_models`.
        options: how models are loaded.
        pooling: of encoders, where it is not the published one.
        seed: of everything that is drawn.
        progress: told what is done.
        command: the words of the command line, for run.json.

    Raises:
        UserError: a file or model that it cannot do without is missing, a file cannot be read, or the folder holds
            something else.
    """
    if data is not None and not data.is_dir():
        raise UserError(
            f"--data {data} is not a folder. Expected the folder with the files of '{result.name}'."
        )
    inputs = Inputs(
        data,
        match_models(models, result.models, result.name),
        out,
        seed,
        progress,
        options or ModelOptions(),
        pooling,
    )
    new = _require_ours(result, out)
    try:
        cells = compare(result.name, result.citation, result.cells(inputs), result.compute(inputs))
        facts = _facts(result, inputs, cells, command)
        write_table(cells, out / CELLS)
        write_json(out / RUN, facts)
    except UserError:
        if new and not any(out.iterdir()):
            out.rmdir()
        raise
    done = Reproduced(result, out, cells, facts)
    from endoxa.study.reproduce.page import write_report

    write_report(done)
    return done


def _require_ours(result: PublishedResult, out: Path) -> bool:
    """Make the folder; whether it was new.

    Raises:
        UserError: it cannot be made, or holds something else.
    """
    new = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"The folder {out} cannot be created: {problem.strerror}.") from problem
    inside = {path.name for path in out.iterdir()} - {RUNS}
    if not inside:
        return new
    try:
        before = json.loads((out / RUN).read_text(encoding="utf-8"))
        mine = before.get("kind") == KIND and before.get("result") == result.name
    except (OSError, ValueError, AttributeError):
        mine = False
    if not mine:
        raise UserError(
            f"{out} holds something else than a reproduction of '{result.name}'. Choose another --out."
        )
    return new


def _facts(
    result: PublishedResult, inputs: Inputs, cells: pl.DataFrame, command: Sequence[str]
) -> dict[str, Any]:
    """run.json: what was read and with which versions, so that anybody can see what a verdict rests on."""
    return {
        "kind": KIND,
        "result": result.name,
        "title": result.title,
        "citation": result.citation,
        "endoxa": version("endoxa"),
        "command": list(command),
        "finished": now(),
        "seed": inputs.seed,
        "options": asdict(inputs.options),
        "pooling": inputs.pooling,
        "data": str(inputs.data) if inputs.data is not None else None,
        "files": [{"path": str(path), "sha256": sha256(path)} for path in inputs.read if path.is_file()],
        "models": [
            {"label": match.label, "name": match.model, "published_model": match.genuine}
            for match in inputs.models
        ],
        "counts": counted(cells),
        "finding": finding(cells),
        "versions": {
            "python": platform.python_version(),
            "platform": sys.platform,
            **{name: version(name) for name in LIBRARIES},
        },
    }
