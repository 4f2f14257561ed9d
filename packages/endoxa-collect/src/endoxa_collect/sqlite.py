"""SQLite databases: copy while in use, check, and empty the log."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from endoxa.errors import UserError

_WAIT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SECONDS = 30.0
"""Timeout for locked databases."""
_PAUSE = 0.05


def copy_database(source: Path, target: Path) -> None:
    """Put the content of one database into another, in one transaction; others may go on reading and writing."""
    with closing(_open(source)) as old, closing(_open(target)) as new:
        old.backup(new)
        # Copies the last pages from the log into the file.
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # For those who left while it was being read; see `privacy.erase_traces`.
        empty_log(old)


def check_database(path: Path) -> None:
    """Raise a `UserError` unless the file is a whole database with whole references."""
    try:
        with closing(_open(path)) as database:
            sound = database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            sound = sound and not database.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError:
        sound = False
    if not sound:
        raise UserError(f"The database in {path.name} is damaged: take another backup.")


def forget_sessions(path: Path) -> None:
    """Take sign-ins out of a copy, which whoever finds a backup must not be able to use, and the counts of tries."""
    with closing(_open(path)) as database, database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM django_session")
        database.execute("DELETE FROM collect_attempts")


def empty_log(database: sqlite3.Connection, seconds: float = 2.0) -> None:
    """Empty the write-ahead log into the main file; does nothing if others read or write for longer than `seconds`.

    The log holds pages as they were before a deletion. SQLite itself would keep writers out for as long as it waits
    for readers; so it is asked again and again.
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
        return problem.sqlite_errorcode & 0xFF not in _WAIT
    return not busy


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_SECONDS)
