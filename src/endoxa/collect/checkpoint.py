"""Emptying the write-ahead log of an SQLite database, which holds pages as they were before a deletion."""

from __future__ import annotations

import sqlite3
import time

_PAUSE = 0.05


def empty_log(database: sqlite3.Connection, seconds: float = 2.0) -> None:
    """Bring the log into the main file and empty it; where somebody reads or writes for longer, nothing happens.

    SQLite itself would keep writers out for as long as it waits for readers; so it is asked again and again.
    """
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    end = time.monotonic() + seconds
    try:
        database.execute("PRAGMA busy_timeout = 0")
        while not _emptied(database) and time.monotonic() < end:
            time.sleep(_PAUSE)
    finally:
        database.execute(f"PRAGMA busy_timeout = {int(patience)}")


def _emptied(database: sqlite3.Connection) -> bool:
    """Whether there is nothing to wait for: it is done, or this account may not write."""
    try:
        busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as problem:
        return problem.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
    return not busy
