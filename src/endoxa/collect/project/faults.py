"""What goes wrong with a database, in words."""

from __future__ import annotations

import sqlite3

_WAIT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DENIED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH}


def told(problem: sqlite3.Error, name: str) -> str:
    """A sentence for the user; `name` is what they know the database by."""
    # Errors that the module itself raises have no code; the low byte is the kind (sqlite.org/rescode.html).
    match getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case code if code in _WAIT:
            return f"{name} is locked by another program: stop it and try again."
        case sqlite3.SQLITE_FULL:
            return f"{name} cannot be written, the disk is full: make room and try again."
        case sqlite3.SQLITE_IOERR:
            return f"{name} cannot be read or written: is the disk full or damaged?"
        case code if code in _DENIED:
            return f"{name} cannot be opened: may this account read and write it and its folder?"
    return f"{name} is no database of ours or is damaged: restore it from a backup."
