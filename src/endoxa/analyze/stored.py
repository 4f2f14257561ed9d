"""Analyzed once: what was estimated is kept in the run folder, and every page, table and command reads it there.

`run.json` says with which settings (`analysis`). With other settings the estimates are computed again, by the command
that asks; the run folder changes only when the run itself is repeated with those settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.datasets.frames import write_table
from endoxa.probe.folder import RUN, write_json

ANALYSIS = "analysis"
Tables = dict[str, pl.DataFrame]
"""Tables by the names of their files, without '.csv'."""
Schemas = Mapping[str, Mapping[str, Any]]
"""Types of the columns of each table."""


def kept(folder: Path, settings: Mapping[str, Any], schemas: Schemas) -> Tables | None:
    """The tables of a run folder, if they were made with these settings by this version; else None."""
    try:
        said = json.loads((folder / RUN).read_text(encoding="utf-8")).get(ANALYSIS)
    except (OSError, ValueError, AttributeError):
        return None
    if said != {"settings": dict(settings), "endoxa": __version__}:
        return None
    tables: Tables = {}
    for name, schema in schemas.items():
        path = folder / f"{name}.csv"
        try:
            table = pl.read_csv(path, schema_overrides=dict(schema))
        except (OSError, pl.exceptions.PolarsError):
            return None
        if table.columns != list(schema):
            return None
        tables[name] = table
    return tables


def keep(folder: Path, settings: Mapping[str, Any], tables: Tables) -> None:
    """Write the tables into a run folder, and their settings into its `run.json`, last.

    Raises:
        UserError: they cannot be written.
    """
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv")
    run = json.loads((folder / RUN).read_text(encoding="utf-8"))
    write_json(folder / RUN, {**run, ANALYSIS: {"settings": dict(settings), "endoxa": __version__}})


def once(
    folder: Path, settings: Mapping[str, Any], schemas: Schemas, analyze: Callable[[], Tables]
) -> Tables:
    """The tables that a run folder holds for these settings, or those of `analyze`, which it then holds."""
    found = kept(folder, settings, schemas)
    if found is None:
        found = analyze()
        keep(folder, settings, found)
    return found
