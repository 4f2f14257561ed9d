"""A crash-safe file that remembers what a run has done: SQLite in WAL mode inside the run folder.

What is remembered is the business of each kind of run; here is what they share: one process at a time, whole
transactions, the ids of items, and a sentence for everything that a disk can do. A table that has a column `model`
means by it the number of the model in the run, from 0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from endoxa.errors import UserError

ITEMS = "CREATE TABLE IF NOT EXISTS items (item_id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;"

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

COMMIT_SECONDS = 2.0
"""Seconds between two commits of what is new."""


class JournalError(UserError):
    """Nothing can be remembered any more, so nothing more may be asked."""


class JournalFile:
    """The file and its table of item ids.

    Args:
        path: the file, opened or created; only one process at a time may.
        tables: SQL that makes the tables of this kind of run, where they are not there.

    Raises:
        JournalError: another process works on this run, or the disk refuses.
    """

    def __init__(self, path: Path, tables: str) -> None:
        self._path = path
        with self._explained():
            self._db = sqlite3.connect(path, timeout=2, isolation_level=None)
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(ITEMS + tables)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def empty(self) -> bool:
        """Whether nothing is remembered but ids of items."""
        return not any(
            self._rows(f"SELECT 1 FROM {name} LIMIT 1")  # noqa: S608 - our own tables
            for (name,) in self._rows(TABLES)
            if name != "items"
        )

    def clear(self) -> None:
        """Forget everything."""
        with self._explained(), self._transaction():
            for (name,) in self._rows(TABLES):
                self._db.execute(f"DELETE FROM {name}")  # noqa: S608 - names of our own tables

    def forget_models(self, first: int) -> None:
        """Forget what is remembered of the models from number `first` on, in every table that has a column `model`."""
        query = (
            "SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND c.name = 'model'"
        )
        with self._explained(), self._transaction():
            for (name,) in self._rows(query):
                self._db.execute(f"DELETE FROM {name} WHERE model >= ?", (first,))  # noqa: S608 - our own tables

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

    def forget_items(self) -> None:
        """Empty the table of ids, before they are read again."""
        self._rows("DELETE FROM items")

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What one statement gives."""
        with self._explained():
            return self._db.execute(query, values).fetchall()

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
                raise JournalError(
                    f"Another process is working on the run {folder}. Wait for it, or stop it."
                ) from problem
            raise JournalError(
                f"The run folder {folder} cannot be written ({problem}): free some space or choose another --out. "
                "Finished work is kept; run the same command again to continue."
            ) from problem
        except sqlite3.DatabaseError as problem:
            raise JournalError(
                f"The journal of the run {self._path} is damaged ({problem}): start over with --restart."
            ) from problem
