"""The crash-safe memory of a run: an SQLite file in WAL mode inside the run folder.

Two tables. `scores` remembers every request that was answered, by a hash of its content, so that a run killed in the
middle of a chunk goes on where it was, and so that one sentence has one score wherever it occurs. `records`
holds the finished rows; its key makes every item x model x rule appear once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema import Request, Score, Unscorable

TABLES = """
CREATE TABLE IF NOT EXISTS items (item_id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scores (
    model INTEGER, request BLOB, total REAL, tokens INTEGER, problem TEXT, PRIMARY KEY (model, request)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    model INTEGER, rule INTEGER, item INTEGER, score_more REAL, score_less REAL, n_tokens_more INTEGER,
    n_tokens_less INTEGER, neutral_difference REAL, n_neutral INTEGER, problem TEXT,
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
    score_more: float | None
    score_less: float | None
    n_tokens_more: int
    n_tokens_less: int
    neutral_difference: float | None
    n_neutral: int
    problem: str | None


class Journal:
    """Scores and records of one run, on disk."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; only one process at a time may.

        Raises:
            UserError: another process works on this run, or the disk refuses.
        """
        self._path = path
        with self._explained():
            self._db = sqlite3.connect(path, timeout=2, isolation_level=None)
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(TABLES)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add_items(self, numbered: Iterable[tuple[str, int]]) -> tuple[str, int, int] | None:
        """Remember item ids; return the first id that is there twice with both its numbers, else None."""
        with self._explained(), self._transaction():
            for item_id, number in numbered:
                try:
                    self._db.execute("INSERT INTO items VALUES (?, ?)", (item_id, number))
                except sqlite3.IntegrityError:
                    query = "SELECT number FROM items WHERE item_id = ?"
                    first = self._db.execute(query, (item_id,)).fetchone()[0]
                    return item_id, first, number
        return None

    def clear(self) -> None:
        """Forget everything."""
        with self._explained(), self._transaction():
            for table in ("items", "scores", "records"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608

    def forget_items(self) -> None:
        """Empty the table of ids, before they are read again."""
        with self._explained():
            self._db.execute("DELETE FROM items")

    def known(self, model: int, keys: Sequence[bytes]) -> dict[bytes, Score | Unscorable]:
        """Results of the requests that were answered before."""
        found: dict[bytes, Score | Unscorable] = {}
        for start in range(0, len(keys), LOOKUP):
            some = keys[start : start + LOOKUP]
            marks = ",".join("?" * len(some))
            query = (
                f"SELECT request, total, tokens, problem FROM scores WHERE model = ? AND request IN ({marks})"  # noqa: S608
            )
            with self._explained():
                for key, total, tokens, problem in self._db.execute(query, (model, *some)):
                    found[key] = Score(total, tokens) if problem is None else Unscorable(problem)
        return found

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

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as problem:
            folder = self._path.parent
            if "locked" in str(problem):
                raise UserError(
                    f"Another process is working on the run {folder}: wait for it, or stop it."
                ) from problem
            raise UserError(
                f"The run folder {folder} cannot be written ({problem}): free some space or choose another --out. "
                "What was done is kept; the same command continues."
            ) from problem
        except sqlite3.DatabaseError as problem:
            raise UserError(
                f"The journal of the run {self._path} is damaged ({problem}): start over with --restart."
            ) from problem


def request_key(request: Request) -> bytes:
    """A 16-byte name of a request's content."""
    return hashlib.blake2b(repr(request).encode(), digest_size=16).digest()
