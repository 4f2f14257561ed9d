"""Analyzed once: what was estimated is kept in the run folder, and every page, table and command reads it there.

`run.json` says with which settings (`analysis`, or another key where a run has several analyses). With other settings
the estimates are computed again, by the command that asks; the run folder changes only when the run itself is repeated
with those settings. (Associations in stories differ: the command that discovers them leaves them in the folder.)
Records, which may be too many for memory, are written part by part.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError, first_line
from endoxa.runs.folder import RUN, write_json
from endoxa.sources.files import replacing
from endoxa.sources.frames import write_table
from endoxa.sources.spreadsheets import read_csv

ANALYSIS = "analysis"
Tables = dict[str, pl.DataFrame]
"""Tables by the names of their files, without '.csv'."""
Schemas = Mapping[str, Mapping[str, Any]]
"""Types of the columns of each table."""


def settings_of(folder: Path, key: str = ANALYSIS) -> dict[str, Any] | None:
    """The settings of what a run folder holds, whichever version made it; None where it holds nothing."""
    return _entry(folder, key).get("settings")


def holds(folder: Path, settings: Mapping[str, Any], key: str = ANALYSIS) -> bool:
    """Whether what a run folder holds was made with these settings by this version."""
    return _entry(folder, key) == {"settings": dict(settings), "endoxa": __version__}


def kept(folder: Path, settings: Mapping[str, Any], schemas: Schemas, key: str = ANALYSIS) -> Tables | None:
    """The tables of a run folder, if they were made with these settings by this version; else None."""
    if not holds(folder, settings, key):
        return None
    try:
        return {name: read(folder, name, schema) for name, schema in schemas.items()}
    except UserError:
        return None


def read(folder: Path, name: str, schema: Mapping[str, Any]) -> pl.DataFrame:
    """One table that a run folder holds, whatever it was made with.

    Args:
        folder: the run folder.
        name: the table, "estimates" for instance.
        schema: types of its columns.

    Raises:
        UserError: it is not there, or has other columns.
    """
    path = folder / f"{name}.csv"
    try:
        table = read_csv(path, schema_overrides=dict(schema))
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise UserError(f"{path} cannot be read: {first_line(problem)}") from problem
    if table.columns != list(schema):
        raise UserError(
            f"{path} has other columns than this version writes: repeat the command that made it."
        )
    return table


def keep(folder: Path, settings: Mapping[str, Any], tables: Tables, key: str = ANALYSIS) -> None:
    """Write the tables into a run folder, and their settings into its `run.json`, last.

    Raises:
        UserError: they cannot be written.
    """
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv")
    run = json.loads((folder / RUN).read_text(encoding="utf-8"))
    write_json(folder / RUN, {**run, key: {"settings": dict(settings), "endoxa": __version__}})


def once(
    folder: Path,
    settings: Mapping[str, Any],
    schemas: Schemas,
    analyze: Callable[[], Tables],
    key: str = ANALYSIS,
) -> Tables:
    """The tables that a run folder holds for these settings, or those of `analyze`, which it then holds."""
    tables = kept(folder, settings, schemas, key)
    if tables is None:
        tables = analyze()
        keep(folder, settings, tables, key)
    return tables


def _entry(folder: Path, key: str) -> dict[str, Any]:
    """What `run.json` says under a key; empty where it cannot be read."""
    try:
        return dict(json.loads((folder / RUN).read_text(encoding="utf-8"))[key])
    except (OSError, ValueError, TypeError, KeyError):
        return {}


@contextmanager
def parquet_in_parts(path: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Give a function that writes frames to disk at once; at the end they replace `path` as one Parquet file.

    Raises:
        UserError: the disk refuses.
    """
    parts = path.parent / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    number = 0

    def add(frame: pl.DataFrame) -> None:
        nonlocal number
        frame.write_parquet(parts / f"{number:08}.parquet")
        number += 1

    try:
        parts.mkdir()
        yield add
        with replacing(path) as draft:
            pl.scan_parquet(parts / "*.parquet").sink_parquet(draft)
    except (OSError, pl.exceptions.PolarsError) as problem:  # a full disk is either of them
        reason = getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
        raise UserError(
            f"The records cannot be written to {path.parent}: {reason}. Finished work is kept; run the "
            "same command again to continue."
        ) from problem
    shutil.rmtree(parts, ignore_errors=True)
