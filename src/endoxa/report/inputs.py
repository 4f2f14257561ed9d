"""Run folders in: their `run.json`, checked to be finished runs of pairs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run folder and what its `run.json` says."""

    folder: Path
    facts: Mapping[str, Any]


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """The runs in the order given; a folder named twice counts once.

    Raises:
        UserError: none is given, or a folder is not a finished run of sentence pairs.
    """
    if not folders:
        raise UserError("No run folder was given: name at least one, for instance `endoxa report out/run1`.")
    unique = {folder.resolve(): folder for folder in reversed(folders)}
    return [_read_run(unique[place]) for place in reversed(unique)]


def _read_run(folder: Path) -> Run:
    path = folder / "run.json"
    if not path.is_file():
        raise UserError(
            f"'{folder}' is not a run folder: it has no run.json. Make one with `endoxa probe pairs`."
        )
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"'{path}' cannot be read as JSON ({error}): the run folder is damaged.") from error
    if not isinstance(facts, dict):
        raise UserError(f"'{path}' holds no JSON object: the run folder is damaged.")
    if facts.get("kind") != "pairs":
        raise UserError(
            f"'{folder}' is a run of kind '{facts.get('kind')}': this report is made from 'pairs' runs."
        )
    if not facts.get("finished") or not (folder / "records.parquet").is_file():
        raise UserError(
            f"The run in '{folder}' is not finished: repeat its `endoxa probe pairs` command, it goes on "
            "where it stopped."
        )
    return Run(folder, facts)
