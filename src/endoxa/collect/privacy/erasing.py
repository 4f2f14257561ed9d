"""Making deleted rows unreadable in the files of the database."""

from __future__ import annotations

from django.db import connection

from endoxa.collect.checkpoint import empty_log


def erase_traces(seconds: float = 2.0) -> None:
    """Bring SQLite's deletions into its main file and empty its log, which still holds the old pages.

    With `secure_delete` (see `settings`) SQLite overwrites what it deletes; until a checkpoint the write-ahead log has
    the pages as they were. Where somebody is reading for longer than these seconds nothing happens, so this is called
    again when exports and backups have been read and when the site starts and stops. Other programs that read are not
    known here: after them the log goes with its next turn, some hundred answers later.
    PostgreSQL has nothing of the kind: what it deletes stays in its files until something else is written there.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    connection.ensure_connection()
    empty_log(connection.connection, seconds)
