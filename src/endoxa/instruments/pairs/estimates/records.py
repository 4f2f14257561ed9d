"""Records in: read from run folders, and checked before anything is computed from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import DIRECTIONS

REQUIRED = {
    "item_id": pl.String,
    "language": pl.String,
    "axis": pl.String,
    "direction": pl.String,
    "stereotypical": pl.String,
    "model": pl.String,
    "rule": pl.String,
    "score_more": pl.Float64,
    "score_less": pl.Float64,
}
OPTIONAL = {
    "identity": pl.String,
    "identity_key": pl.String,
    "association_id": pl.String,
    "neutral_difference": pl.Float64,
    "data": pl.String,
    "run": pl.String,
}
CONTENT = "content"
"""Column with a number that follows from both sentences: an order without ids, which may be row numbers."""
_SENTENCES = ("sent_more", "sent_less")
_KEY = ("data", "item_id", "model", "rule")


def load_records(runs: Sequence[Path]) -> pl.DataFrame:
    """Records of one or more runs, only the columns the statistics need.

    Args:
        runs: run folders (their `records.parquet` is read), or Parquet files of records.

    Returns:
        The columns of `REQUIRED` and `OPTIONAL`: `run` is the path as given, `data` the SHA-256 of the file
        the pairs were read from, with the reading options if any (null for a single file of records, or where
        `run.json` does not say).

    Raises:
        UserError: nothing was given, a path does not exist, is no run, is a run that is not finished, or is
            no readable table of records.
    """
    if not runs:
        raise UserError("No run was given: name at least one run folder or a records.parquet file.")
    return pl.concat([_load(run) for run in runs])


def check_records(records: pl.DataFrame) -> pl.DataFrame:
    """The columns of `REQUIRED` and `OPTIONAL` and `CONTENT` in their types, null where optional ones are missing.

    Raises:
        UserError: a column is missing or of the wrong type, there is no row, a required cell is null, a score
            is not finite, a label is unknown, or an item was scored twice by one model under one rule.
    """
    missing = [name for name in REQUIRED if name not in records.columns]
    if missing:
        available = ", ".join(records.columns) or "none"
        raise UserError(f"The records have no column '{missing[0]}' (columns found: {available}).")
    columns = {**REQUIRED, **OPTIONAL, CONTENT: pl.UInt64}
    if set(_SENTENCES) <= set(records.columns):
        content = pl.concat_str(_SENTENCES, separator="\t", ignore_nulls=True).hash()
        records = records.with_columns(content.alias(CONTENT))
    try:
        checked = records.select(
            (pl.col(name) if name in records.columns else pl.lit(None, dtype=kind).alias(name)).cast(kind)
            for name, kind in columns.items()
        )
    except pl.exceptions.PolarsError as problem:
        raise UserError(
            f"A column of the records has the wrong type: {str(problem).splitlines()[0]}"
        ) from problem
    if checked.is_empty():
        raise UserError("The records are empty. Expected at least one.")
    _refuse_rows(checked)
    return checked.with_columns(pl.col("data").fill_null(""))


def _load(run: Path) -> pl.DataFrame:
    path, data = (run / "records.parquet", _data_key(run)) if run.is_dir() else (run, None)
    if not path.is_file():
        raise UserError(
            f"'{run}' does not exist. Name a run folder (written by `endoxa probe pairs`) or its records."
        )
    try:
        lazy = pl.scan_parquet(path)
        present = lazy.collect_schema().names()
        wanted = [
            name
            for name in (*REQUIRED, *OPTIONAL, *_SENTENCES)
            if name in present and name not in ("data", "run")
        ]
        table = lazy.select(wanted).collect()
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise UserError(
            f"'{path}' is not a readable Parquet file: {str(problem).splitlines()[0]}"
        ) from problem
    try:
        checked = check_records(table)
    except UserError as problem:
        raise UserError(f"'{path}': {problem}") from problem
    return checked.with_columns(data=pl.lit(data, dtype=pl.String), run=pl.lit(str(run)))


def _data_key(run: Path) -> str | None:
    """What pairs a finished run scored: hash of their file and options it was read with (a prefix, say)."""
    described = run / "run.json"
    if not described.is_file():
        raise UserError(
            f"'{run}' is not a run folder: no run.json found. Expected a folder written by `endoxa probe pairs`."
        )
    try:
        content = json.loads(described.read_text(encoding="utf-8"))
    except (ValueError, OSError) as problem:
        raise UserError(f"'{described}' cannot be read as JSON: {problem}.") from problem
    facts = content if isinstance(content, dict) else {}
    if not (run / "records.parquet").is_file() or not facts.get("finished", True):
        raise UserError(f"The run '{run}' is not finished. Run the same command again to continue.")
    data = facts.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("sha256"), str):
        return None
    options = data.get("options") or {}
    return " ".join([data["sha256"], *(f"{name}={value}" for name, value in options.items() if value)])


def _refuse_rows(records: pl.DataFrame) -> None:
    """Raise for the first row that cannot be used."""
    unfit = {
        **{f"has no {name}": pl.col(name).is_null() for name in REQUIRED},
        "has a score that is not finite": ~(
            pl.col("score_more").is_finite() & pl.col("score_less").is_finite()
        ),
        "has an infinite neutral_difference": pl.col("neutral_difference").is_infinite(),
        f"has a direction other than {', '.join(DIRECTIONS)}": ~pl.col("direction").is_in(DIRECTIONS),
        "names neither 'more' nor 'less' as stereotypical": ~pl.col("stereotypical").is_in(("more", "less")),
    }
    for problem, condition in unfit.items():
        rows = records.filter(condition)
        if len(rows):
            raise UserError(f"The record {_where(rows)} {problem} ({len(rows)} such rows): score it again.")
    twice = records.filter(pl.struct(_KEY).is_duplicated())
    if len(twice):
        runs = twice["run"].drop_nulls().unique().sort().to_list()
        hint = f" Runs: {', '.join(runs)}." if runs else ""
        raise UserError(f"The record {_where(twice)} appears more than once. Give each run once.{hint}")


def _where(rows: pl.DataFrame) -> str:
    row = rows.row(0, named=True)
    return f"of item '{row['item_id']}', model '{row['model']}', rule '{row['rule']}'"
