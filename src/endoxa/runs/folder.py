"""The run folder: `run.json`, the journal, `records.parquet` or `vectors/`, estimates and the page."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.schema.options import OUTPUT, OptionField, with_values
from endoxa.sources.files import replacing
from endoxa.sources.sources import named_file
from endoxa.words.packs import pack_facts

RUN, RECORDS, JOURNAL, UNSCORED = "run.json", "records.parquet", "journal.sqlite", "unscored.csv"
ESTIMATES, TESTS, VECTORS, ANSWERS = "estimates.csv", "tests.json", "vectors", "answers.csv"
RESULTS = (
    RECORDS,
    TESTS,
    ESTIMATES,
    "comparisons.csv",
    "flips.csv",
    "debias.csv",
    "associations.csv",
    "tables.csv",
    "associations_by_language.csv",
    "tables_by_language.csv",
    "differences.csv",
    "identities.csv",
    "counts.csv",
    ANSWERS,
    "report.html",
    UNSCORED,
)

CONDITIONS = "conditions.toml"
"""Beside the runs of conditions, a folder for each: what was asked for."""

LIBRARIES = ("polars", "numpy", "scipy", "statsmodels")

SHOWN = 120
"""Characters of a value that are shown where two runs differ."""
CONTEXT = 20
"""Characters shown before the first difference in longer values."""


class DifferentRunError(UserError):
    """The folder holds a run with other settings."""


def run_folder(path: Path) -> Path:
    """The run that a path names: `out/c#careful` is that of the condition `careful` in `out/c`.

    Whatever else a path names (a run, a table, a log) is returned as it is.

    Raises:
        UserError: there is no such condition, or the folder holds those of several conditions and none is named.
    """
    folder, sign, name = str(path).rpartition("#")
    if path.exists() or not sign:
        if (path / CONDITIONS).is_file() and not (path / RUN).exists():
            names = conditions_in(path)
            example = f": name one, for example {path}#{names[0]}" if names else ""
            raise UserError(
                f"{path} holds the runs of conditions ({', '.join(names) or 'none yet'}){example}."
            )
        return path
    place = Path(folder)
    if not (place / CONDITIONS).is_file():
        raise UserError(
            f"{path} names a condition, but {place} holds no runs of conditions: it has no {CONDITIONS}."
        )
    names = conditions_in(place)
    if name not in names:
        near = f" Expected one of: {', '.join(names)}." if names else ""
        raise UserError(f"{place} holds no run of a condition '{name}'.{near}")
    return place / name


def conditions_in(folder: Path) -> list[str]:
    """Names of the conditions whose runs a folder holds, in the order of its `conditions.toml`.

    Raises:
        UserError: that file cannot be read.
    """
    path = folder / CONDITIONS
    try:
        names = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UserError(f"{path} cannot be read: {problem}.") from problem
    return [name for name in names if (folder / name / RUN).is_file()]


S = TypeVar("S")


def with_paths(settings: S) -> S:
    """The same settings of a command, with the path of every input that they name otherwise.

    That is a run by its condition (`RUN#NAME`), and data by the name of a sample or of a downloaded data set.

    Raises:
        UserError: see `run_folder`; a data set is not downloaded.
    """

    def path_of(entry: OptionField, value: Any) -> Any:
        if entry.option.group == OUTPUT or not entry.is_path or not value:
            return value
        path, kinds = Path(value), (entry.option.metavar or "FILE").rstrip(".").split("|")
        if "RUN" in kinds and (folder := run_folder(path)) != path:
            return type(value)(folder)
        if kinds == ["RUN"] or _NO_FILES.intersection(kinds):
            return value
        file = named_file(str(value), entry.option.sample)
        return value if file is None else str(file) if isinstance(value, str) else file

    return with_values(settings, path_of)


_NO_FILES = frozenset(("DIR", "FOLDER", "NAME"))
"""What options take that are no file, or a name that the command itself looks up."""


def earlier_run(folder: Path, *, restart: bool) -> dict[str, Any] | None:
    """What `run.json` of a folder says; None where the folder is new or empty, or its run may be replaced.

    Args:
        folder: the run folder; made if it is not there.
        restart: whatever run the folder holds may be replaced; nothing is removed here.

    Raises:
        UserError: the folder holds something else than a run, or is a file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"The run folder {folder} cannot be created: {problem.strerror}.") from problem
    path = folder / RUN
    if not path.exists():
        # A run that was killed before it wrote run.json leaves its journal, in which nothing is measured yet.
        if not all(entry.name.removeprefix(".").startswith((JOURNAL, RUN)) for entry in folder.iterdir()):
            raise UserError(f"The folder {folder} is not empty and not a run folder. Choose another --out.")
        return None
    if restart:
        return None
    try:
        before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        list(before["identity"]["models"])
    except (ValueError, KeyError, TypeError, OSError) as problem:
        raise UserError(
            f"{path} is not a readable run. Choose another --out, or pass --restart."
        ) from problem
    return before


def differences(earlier: Any, now: Any, where: str = "") -> list[str]:
    """What differs between two identities, as 'limit was 5, is now null'; both as they look in JSON."""
    earlier, now = json.loads(json.dumps([earlier, now]))
    if isinstance(earlier, dict) and isinstance(now, dict):
        keys = {**earlier, **now}
        return [
            difference
            for key in keys
            for difference in differences(earlier.get(key), now.get(key), f"{where} {key}".strip())
        ]
    if isinstance(earlier, list) and isinstance(now, list) and len(earlier) == len(now):
        return [
            difference
            for old, new in zip(earlier, now, strict=True)
            for difference in differences(old, new, where)
        ]
    if earlier == now:
        return []
    was, is_now = _where_they_differ(
        json.dumps(earlier, ensure_ascii=False), json.dumps(now, ensure_ascii=False)
    )
    return [f"{where} was {was}, is now {is_now}"]


NOTES = "notes"
"""Key of what `run.json` says of the data under which `data_notes` stand."""


def clear(folder: Path) -> None:
    """Remove what a run of any kind left in `folder`, but its journal, and nothing else."""
    for name in (RUN, *RESULTS):
        (folder / name).unlink(missing_ok=True)
    for name in ("report_figures", "parts", VECTORS):
        shutil.rmtree(folder / name, ignore_errors=True)


def remove_journal(folder: Path) -> None:
    """Remove the journal of a finished run."""
    for name in (JOURNAL, f"{JOURNAL}-wal", f"{JOURNAL}-shm"):
        (folder / name).unlink(missing_ok=True)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write `content` so that the file is either the old or the new one, whatever happens.

    Raises:
        UserError: it cannot be written.
    """
    with replacing(path) as draft:
        draft.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _where_they_differ(earlier: str, now: str) -> tuple[str, str]:
    """Two texts, long ones from a little before where they differ first."""
    if max(len(earlier), len(now)) <= SHOWN:
        return earlier, now
    start = max(0, len([*takewhile(bool, map(eq, earlier, now))]) - CONTEXT)
    parts = (text[start : start + SHOWN] + "..." * (len(text) > start + SHOWN) for text in (earlier, now))
    was, is_now = (f"...{part}" if start else part for part in parts)
    return was, is_now


def run_facts(
    kind: str,
    settings: BaseModel,
    identity: dict[str, Any],
    command: Sequence[str],
    *,
    created: str,
    kind_facts: dict[str, Any],
) -> dict[str, Any]:
    """Everything needed to repeat a run; the time it finished is filled in later.

    Args:
        kind: name of the instrument.
        settings: the run's settings.
        identity: everything that decides what the run writes.
        command: the words of the command line.
        created: when the run was first started, ISO 8601.
        kind_facts: what only runs of this kind have.
    """
    return {
        "kind": kind,
        "endoxa": __version__,
        "command": list(command),
        "created": created,
        "finished": None,
        **kind_facts,
        **({"packs": list(pack_facts())} if pack_facts() else {}),
        "settings": settings.model_dump(mode="json"),
        "identity": identity,
        "versions": {
            "python": platform.python_version(),
            "platform": sys.platform,
            **{name: version(name) for name in LIBRARIES},
        },
    }


def now() -> str:
    """The time, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def sampling_setting(facts: Mapping[str, Any], name: str) -> Any:
    """A setting of `Sampling` that a `run.json` keeps; None where the provider chose, or nothing was asked."""
    return ((facts.get("settings") or {}).get("sampling") or {}).get(name)


def data_notes(facts: Mapping[str, Any]) -> list[str]:
    """Sentences about the data that a `run.json` keeps, for terminal and page: what was assumed, what was left out."""
    data = facts.get("data")
    notes = data.get(NOTES) if isinstance(data, Mapping) else None
    return [str(note) for note in notes or []]
