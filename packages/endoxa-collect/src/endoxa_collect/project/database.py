"""Update the database to the installed version, and explain its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from endoxa.errors import UserError
from endoxa_collect.faults import is_full
from endoxa_collect.sqlite import explanation


@contextmanager
def explained() -> Iterator[None]:
    """Tell the user what is wrong with the database, whatever happens inside; also as a decorator.

    What the database or its library did not say itself is a fault of ours, and goes on as it is.

    Raises:
        UserError: the database is locked, cannot be reached or written, or is none.
    """
    try:
        yield
    except (DatabaseError, sqlite3.Error) as problem:
        # Django raises its own errors from the library's.
        cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
        if isinstance(cause, sqlite3.Error):
            raise UserError(explanation(cause, "The database file")) from None
        if is_full(problem):
            raise UserError("The disk of the database server is full: make room and try again.") from None
        if isinstance(problem, OperationalError):
            raise UserError(
                "The database cannot be opened: is DATABASE_URL right, does the server run, may this account use it?"
            ) from None
        if cause is None:
            raise
        raise UserError("The database cannot be read or updated: restore it from a backup.") from None


@explained()
def prepare() -> None:
    """Make or update the tables.

    Raises:
        UserError: as in `explained`, or a newer endoxa wrote the database, or one too old to be updated.
    """
    # Somebody sits before the terminal: half a minute without a word, as requests may wait, would be too long.
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=3)) as probe:
            probe.execute("BEGIN IMMEDIATE")
    applied = {name for app, name in MigrationRecorder(connection).applied_migrations() if app == "collect"}
    files = MigrationLoader(None).disk_migrations
    here = {name for app, name in files if app == "collect"}
    earlier = {name for (app, _), file in files.items() if app == "collect" for _, name in file.replaces}
    if ahead := applied - here - earlier:
        raise UserError(
            f"A newer endoxa wrote this database ({max(ahead)}): update this one (pip install -U endoxa-collect)."
        )
    if applied and not (applied & here or earlier <= applied):
        raise UserError(
            f"An earlier endoxa wrote this database ({max(applied)}), which this one cannot update: use the version "
            "that wrote it."
        )
    call_command("migrate", verbosity=0, interactive=False)
