"""Making deleted rows unreadable in the files of the database."""

from __future__ import annotations

from django.db import OperationalError, connection


def erase_traces() -> None:
    """Bring SQLite's deletions into its main file and empty its log, which still holds the old pages.

    With `secure_delete` (see `settings`) SQLite overwrites what it deletes; until a checkpoint the write-ahead log has
    the pages as they were. Where somebody is reading for longer than two seconds nothing happens, so this is called
    again when exports and backups have been read and when the site starts and stops. Other programs that read are not
    known here: after them the log goes with its next turn, some hundred answers later.
    PostgreSQL has nothing of the kind: what it deletes stays in its files until something else is written there.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 2000")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except OperationalError:  # locked: others are at work
            return
        finally:
            cursor.execute("PRAGMA busy_timeout = 30000")  # as in `settings.SQLITE_OPTIONS`
