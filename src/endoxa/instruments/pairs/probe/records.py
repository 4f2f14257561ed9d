"""The journal of a run (scores as they come in) and its records: `records.parquet`, a row per pair, model and rule."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.probe.items import GROUP, chunks
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS, UNSCORED
from endoxa.runs.journal import JournalFile
from endoxa.schema import PAIR_COLUMNS, RECORD_COLUMNS, Request, Score, Unscorable
from endoxa.sources.spreadsheets import csv_text, read_csv

TABLES = """
CREATE TABLE IF NOT EXISTS scores (
    model INTEGER, request BLOB, total REAL, tokens INTEGER, problem TEXT, PRIMARY KEY (model, request)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    model INTEGER, rule INTEGER, item INTEGER, score_more REAL, score_less REAL, n_tokens_more INTEGER,
    n_tokens_less INTEGER, neutral_difference REAL, n_neutral INTEGER, neutral_preferred REAL,
    compared_with TEXT, problem TEXT,
    PRIMARY KEY (item, model, rule)
) WITHOUT ROWID;
"""
LOOKUP = 500
"""Requests asked for in one SELECT; SQLite allows 999 parameters in its oldest builds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A finished record; `problem` is set, and the scores are not, where the pair could not be scored."""

    model: int
    rule: int
    item: int
    score_more: float | None = None
    score_less: float | None = None
    n_tokens_more: int = 0
    n_tokens_less: int = 0
    neutral_difference: float | None = None
    n_neutral: int = 0
    neutral_preferred: float | None = None
    compared_with: str | None = None
    problem: str | None = None


class Journal(JournalFile):
    """Scores and records of one run, on disk."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; see `JournalFile`."""
        super().__init__(path, TABLES)

    def restore(self, folder: Path, names: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Read the rows of a finished run back from its folder, so that a model can be added.

        Args:
            folder: holds `records.parquet`, and `unscored.csv` where a pair could not be scored.
            names: name and rules of each model, in the order of their numbers.
        """
        with self._explained():
            item_numbers = self._db.execute("SELECT item_id, number FROM items").fetchall()
        items = pl.DataFrame(item_numbers, schema={"item_id": pl.String, "item": pl.Int64}, orient="row")
        numbers = pl.DataFrame(
            [
                (model, rule, number, place)
                for number, (model, rules) in enumerate(names)
                for place, rule in enumerate(rules)
            ],
            schema={"model": pl.String, "rule": pl.String, "model_number": pl.Int64, "rule_number": pl.Int64},
            orient="row",
        )
        tables = [pl.read_parquet(folder / RECORDS)]
        if (folder / UNSCORED).exists():
            listed = read_csv(folder / UNSCORED, schema_overrides={"item_id": pl.String})
            tables.append(listed.rename({"reason": "problem"}).with_columns(n_tokens_more=0, n_tokens_less=0))
        for table in tables:
            joined = table.join(items, on="item_id").join(numbers, on=["model", "rule"])
            rows = joined.select(
                "item",
                *(name for name in (*NUMBERS, "problem") if name in table.columns),
                model="model_number",
                rule="rule_number",
            )
            self.add_records(Row(**row) for row in rows.iter_rows(named=True))

    def answered(self, model: int, keys: Sequence[bytes]) -> dict[bytes, Score | Unscorable]:
        """Results of the requests that were answered before."""
        results: dict[bytes, Score | Unscorable] = {}
        for start in range(0, len(keys), LOOKUP):
            some = keys[start : start + LOOKUP]
            marks = ",".join("?" * len(some))
            query = (
                f"SELECT request, total, tokens, problem FROM scores WHERE model = ? AND request IN ({marks})"  # noqa: S608
            )
            with self._explained():
                for key, total, tokens, problem in self._db.execute(query, (model, *some)):
                    results[key] = Score(total, tokens) if problem is None else Unscorable(problem)
        return results

    def add_scores(self, model: int, results: Iterable[tuple[bytes, Score | Unscorable]]) -> None:
        """Remember results, in one transaction."""
        rows = [
            (model, key, None, None, result.reason)
            if isinstance(result, Unscorable)
            else (model, key, result.total, result.n_tokens, None)
            for key, result in results
        ]
        with self._explained(), self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)", rows)

    def add_records(self, rows: Iterable[Row]) -> None:
        """Remember finished records, in one transaction."""
        marks = ",".join("?" * len(Row.__slots__))
        with self._explained(), self._transaction():
            self._db.executemany(f"INSERT OR REPLACE INTO records VALUES ({marks})", map(astuple, rows))  # noqa: S608

    def count_records(self, model: int, first: int, last: int) -> int:
        """Finished records of a model for items first..last (both included)."""
        query = "SELECT count(*) FROM records WHERE model = ? AND item BETWEEN ? AND ?"
        with self._explained():
            return int(self._db.execute(query, (model, first, last)).fetchone()[0])

    def records(self, first: int, last: int) -> list[Row]:
        """Finished records of items first..last (both included), by item, model and rule."""
        columns = ", ".join(Row.__slots__)
        query = f"SELECT {columns} FROM records WHERE item BETWEEN ? AND ? ORDER BY item, model, rule"  # noqa: S608
        with self._explained():
            return [Row(*row) for row in self._db.execute(query, (first, last))]


def request_key(request: Request) -> bytes:
    """A 16-byte name of a request's content."""
    return hashlib.blake2b(repr(request).encode(), digest_size=16).digest()


NUMBERS = {
    "score_more": pl.Float64,
    "score_less": pl.Float64,
    "n_tokens_more": pl.Int32,
    "n_tokens_less": pl.Int32,
    "neutral_difference": pl.Float64,
    "n_neutral": pl.Int32,
    "neutral_preferred": pl.Float64,
    "compared_with": pl.String,
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
                path = out / UNSCORED
                new = unscored == 0
                table = pl.DataFrame(
                    {
                        "item_id": items,
                        "model": [models[row.model] for row in failed],
                        "rule": [rules[row.model][row.rule] for row in failed],
                        "reason": [row.problem for row in failed],
                    }
                )
                with path.open("w" if new else "a", encoding="utf-8") as file:
                    file.write(csv_text(table, include_header=new))
            scored, unscored = scored + len(done), unscored + len(failed)
    return scored, unscored


def _frame(
    items: list[dict[str, str | None]], rows: list[Row], models: Sequence[str], rules: Sequence[Sequence[str]]
) -> pl.DataFrame:
    pairs = pl.DataFrame(items, schema=dict.fromkeys((*PAIR_COLUMNS, GROUP), pl.String))
    numbers = pl.DataFrame([{name: getattr(row, name) for name in NUMBERS} for row in rows], schema=NUMBERS)
    names = pl.DataFrame(
        {"model": [models[row.model] for row in rows], "rule": [rules[row.model][row.rule] for row in rows]},
        schema={"model": pl.String, "rule": pl.String},
    )
    return pl.concat([pairs, names, numbers], how="horizontal").select(list(RECORD_COLUMNS))
