"""Bringing the database up to the installed version."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from endoxa.errors import UserError


def prepare() -> None:
    """Make or update the tables.

    Raises:
        UserError: the database is locked, cannot be reached, is none, or was written by a newer endoxa.
    """
    try:
        _refuse_locked()
        _refuse_newer()
        call_command("migrate", verbosity=0, interactive=False)
    except (OperationalError, sqlite3.OperationalError) as problem:
        if "locked" in str(problem):
            raise UserError("The database is locked by another program: stop it and try again.") from None
        raise UserError(
            "The database cannot be opened: is DATABASE_URL right, does the server run, may this account use it?"
        ) from None
    except (DatabaseError, sqlite3.DatabaseError):
        raise UserError("The database cannot be read or updated: restore it from a backup.") from None


def _refuse_locked() -> None:
    # Somebody sits before the terminal: half a minute without a word, as requests may wait, would be too long.
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=3)) as probe:
            probe.execute("BEGIN IMMEDIATE")


def _refuse_newer() -> None:
    loader = MigrationExecutor(connection).loader
    ahead = [
        name for app, name in set(loader.applied_migrations) - set(loader.disk_migrations) if app == "collect"
    ]
    if ahead:
        raise UserError(
            f"A newer endoxa wrote this database ({max(ahead)}): update this one (pip install -U endoxa)."
        )
