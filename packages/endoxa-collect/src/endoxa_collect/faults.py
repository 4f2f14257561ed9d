"""What the system or the database refuses: above all a full disk, in a sentence; and tries that come too often."""

from __future__ import annotations

import errno
import sqlite3

_DISK_FULL = "53100"
"""The code of PostgreSQL (its manual, appendix A)."""
_WAIT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DENIED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH}
"""Error codes of databases that are locked, and that this account may not use."""
_FULL = "cannot be written, the disk is full: make room and try again."


class TooOftenError(Exception):
    """Something was tried too often (`security.limits`); a page asks to wait for so many `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"tried too often, wait {seconds} seconds")
        self.seconds = seconds


def is_full(problem: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, says that a disk is full: of this machine, SQLite or PostgreSQL."""
    if problem is None:
        return False
    full = (
        (isinstance(problem, OSError) and problem.errno in {errno.ENOSPC, errno.EDQUOT})
        or f"(os error {errno.ENOSPC})" in str(problem)  # as Polars says it
        # SQLite also says so where it cannot make the index of its log.
        or getattr(problem, "sqlite_errorcode", None) in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
        or getattr(problem, "sqlstate", None) == _DISK_FULL
    )
    return full or is_full(problem.__cause__)


def refusal(problem: BaseException) -> str | None:
    """What was refused, as a sentence; None for a fault of ours, and for a pipe that nobody reads."""
    if isinstance(problem, OSError):
        return None if isinstance(problem, BrokenPipeError) else _refused_file(problem)
    # Django raises its own errors from the library's; by name, so that no command waits for Django to be imported.
    kinds = {kind.__name__ for kind in type(problem).__mro__}
    cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
    if "IntegrityError" in kinds or not ("DatabaseError" in kinds or cause is problem):
        return None
    if isinstance(cause, sqlite3.Error):
        return explanation(cause)
    if is_full(problem):
        return "The disk of the database server is full: make room and try again."
    if "OperationalError" in kinds:
        return "The database cannot be opened: is DATABASE_URL right, does the server run, may this account use it?"
    return None if cause is None else "The database cannot be read or updated: restore it from a backup."


def _refused_file(problem: OSError) -> str:
    name = problem.filename or "A file"
    if is_full(problem):
        return f"{name} {_FULL}"
    return f"{name} cannot be read or written: {problem.strerror or problem}."


def explanation(problem: sqlite3.Error) -> str:
    """An error of SQLite as a sentence."""
    # Errors that the module itself raises have no code; the low byte is the kind (sqlite.org/rescode.html).
    if is_full(problem):
        return f"The database file {_FULL}"
    match getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case code if code in _WAIT:
            return "The database file is locked by another program: stop it and try again."
        case sqlite3.SQLITE_IOERR:
            return "The database file cannot be read or written: is the disk full or damaged?"
        case code if code in _DENIED:
            return "The database file cannot be opened: may this account read and write it and its folder?"
    return "The database file is not an endoxa database or is damaged: restore it from a backup."
