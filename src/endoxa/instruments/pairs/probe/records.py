"""From the journal to `records.parquet`: rows and items joined chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.probe.items import chunks
from endoxa.instruments.pairs.probe.journal import Journal, Row
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS, UNSCORED
from endoxa.schema import PAIR_COLUMNS, RECORD_COLUMNS
from endoxa.sources.spreadsheets import csv_text

NUMBERS = {
    "score_more": pl.Float64,
    "score_less": pl.Float64,
    "n_tokens_more": pl.Int32,
    "n_tokens_less": pl.Int32,
    "neutral_difference": pl.Float64,
    "n_neutral": pl.Int32,
}


def write_records(
    data: Path,
    settings: PairsSettings,
    journal: Journal,
    out: Path,
    rules: Sequence[Sequence[str]],
) -> tuple[int, int]:
    """Write `records.parquet` (and `unscored.csv` where a pair could not be scored) into `out`.

    Args:
        data: the file of pairs.
        settings: the run's settings.
        journal: finished rows.
        out: the run folder.
        rules: for each model, its rule names by number.

    Returns:
        Rows of `records.parquet`, and of `unscored.csv`.
    """
    models = settings.models
    scored = unscored = 0
    with parquet_in_parts(out / RECORDS) as add:
        for chunk in chunks(data, settings):
            rows = journal.records(chunk.first, chunk.last)
            done = [row for row in rows if row.problem is None]
            failed = [row for row in rows if row.problem is not None]
            add(_frame([chunk.items[row.item - chunk.first] for row in done], done, models, rules))
            if failed:
                items = [chunk.items[row.item - chunk.first]["item_id"] for row in failed]
                _append_unscored(out / UNSCORED, items, failed, models, rules, new=unscored == 0)
            scored, unscored = scored + len(done), unscored + len(failed)
    return scored, unscored


def _frame(
    items: list[dict[str, str | None]], rows: list[Row], models: Sequence[str], rules: Sequence[Sequence[str]]
) -> pl.DataFrame:
    pairs = pl.DataFrame(items, schema=dict.fromkeys(PAIR_COLUMNS, pl.String))
    numbers = pl.DataFrame([{name: getattr(row, name) for name in NUMBERS} for row in rows], schema=NUMBERS)
    names = pl.DataFrame(
        {"model": [models[row.model] for row in rows], "rule": [rules[row.model][row.rule] for row in rows]},
        schema={"model": pl.String, "rule": pl.String},
    )
    return pl.concat([pairs, names, numbers], how="horizontal").select(list(RECORD_COLUMNS))


def _append_unscored(
    path: Path,
    items: list[str],
    rows: list[Row],
    models: Sequence[str],
    rules: Sequence[Sequence[str]],
    *,
    new: bool,
) -> None:
    table = pl.DataFrame(
        {
            "item_id": items,
            "model": [models[row.model] for row in rows],
            "rule": [rules[row.model][row.rule] for row in rows],
            "reason": [row.problem for row in rows],
        }
    )
    with path.open("w" if new else "a", encoding="utf-8") as file:
        file.write(csv_text(table, include_header=new))
