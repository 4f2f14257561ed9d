"""Reading the database as it is at one moment, without keeping anybody from answering."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from endoxa.collect.privacy.erasing import erase_traces


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside belongs together; nothing may be written inside.

    On SQLite an ordinary transaction would take the write lock at once (see `settings`), and people in the room would
    wait for the export. Inside another transaction, that one counts. Who left meanwhile is erased afterwards.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
                erase_traces(0)  # at once or not at all: this is no more than reading
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
