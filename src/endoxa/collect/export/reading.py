"""The tables of an export with their kinds of values, read back from a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from polars.datatypes import DataTypeClass

from endoxa.collect.export.about import About, read_about
from endoxa.collect.export.columns import TABLES, schema_of
from endoxa.datasets.collected import restored
from endoxa.errors import UserError


def read_export(folder: Path) -> tuple[About, dict[str, pl.DataFrame]]:
    """What an export says of itself, and its tables.

    Raises:
        UserError: the folder is no export, or a table is missing or damaged.
    """
    about = read_about(folder)
    if about is None:
        raise UserError(f"{folder} is no export of a campaign: it has no export.json.")
    suffix = next(kind for kind in ("parquet", "jsonl", "csv") if kind in about.formats)
    return about, {
        name: _read(folder / f"{name}.{suffix}", schema_of(name, about.settings)) for name in TABLES
    }


def _read(path: Path, schema: Mapping[str, DataTypeClass]) -> pl.DataFrame:
    try:
        frame = _stored(path, schema)
        return frame.select(pl.col(name).cast(kind) for name, kind in schema.items())
    except (OSError, pl.exceptions.PolarsError) as problem:
        reason = str(problem).splitlines()[0]
        raise UserError(f"{path} cannot be read ({reason}): take the export again.") from problem


def _stored(path: Path, schema: Mapping[str, DataTypeClass]) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.read_parquet(path, glob=False)
    if path.suffix == ".jsonl":
        empty = path.stat().st_size == 0
        return pl.DataFrame(schema=dict(schema)) if empty else pl.read_ndjson(path, schema=dict(schema))
    frame = pl.read_csv(path, schema=dict(schema))
    return frame.with_columns(pl.col(pl.String).map_elements(restored, return_dtype=pl.String))
