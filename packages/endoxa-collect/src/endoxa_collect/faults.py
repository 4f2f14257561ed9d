"""What the system refuses: tries that come too often, and in a sentence a full disk, which everything may meet."""

from __future__ import annotations

import errno
import sqlite3

_DISK_FULL = "53100"
"""The code of PostgreSQL (its manual, appendix A)."""


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


def refusal(problem: OSError) -> str:
    """What the system refused, as a sentence."""
    name = problem.filename or "A file"
    if is_full(problem):
        return f"{name} cannot be written, the disk is full: make room and try again."
    return f"{name} cannot be read or written: {problem.strerror or problem}."
