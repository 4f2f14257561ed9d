"""SQLite databases: copy while in use, check, empty the log, and explain errors."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from endoxa.errors import UserError
from endoxa_collect.faults import is_full

_WAIT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DENIED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH}
"""Error codes of databases that are locked, and that this account may not use."""

_SECONDS = 30.0
"""Timeout for locked databases."""
_PAUSE = 0.05


def explanation(problem: sqlite3.Error, name: str) -> str:
    """The error as a sentence; `name` is what the user knows the database by."""
    # Errors that the module itself raises have no code; the low byte is the kind (sqlite.org/rescode.html).
    if is_full(problem):
        return f"{name} cannot be written, the disk is full: make room and try again."
    match getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case code if code in _WAIT:
            return f"{name} is locked by another program: stop it and try again."
        case sqlite3.SQLITE_IOERR:
            return f"{name} cannot be read or written: is the disk full or damaged?"
        case code if code in _DENIED:
            return f"{name} cannot be opened: may this account read and write it and its folder?"
    return f"{name} is not an endoxa database or is damaged: restore it from a backup."


def copy_database(source: Path, target: Path) -> None:
    """Put the content of one database into another, in one transaction; others may go on reading and writing.

    Raises:
        UserError: one of them is locked, cannot be opened, is not a database, is damaged, or the disk is full.
    """
    try:
        with closing(_open(source)) as old, closing(_open(target)) as new:
            old.backup(new)
            # Copies the last pages from the log into the file.
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # For those who left while it was being read; see `privacy.erase_traces`.
            empty_log(old)
    except sqlite3.Error as problem:
        raise UserError(explanation(problem, str(source))) from None


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
    """Take the sign-ins out of a copy, which whoever finds a backup must not be able to use; and the counts of tries.

    Raises:
        UserError: it is not the database of a campaign.
    """
    try:
        with closing(_open(path)) as database, database:
            database.execute("PRAGMA secure_delete = ON")
            database.execute("DELETE FROM django_session")
            database.execute("DELETE FROM collect_attempts")
    except sqlite3.Error as problem:
        raise UserError(explanation(problem, path.name)) from None


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
