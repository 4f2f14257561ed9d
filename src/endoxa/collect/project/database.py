"""Bringing the database up to the installed version."""

from __future__ import annotations

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
        _refuse_newer()
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as problem:
        if "locked" in str(problem):
            raise UserError("The database is locked by another program: stop it and try again.") from None
        raise UserError(
            "The database cannot be opened: is DATABASE_URL right, does the server run, may this account use it?"
        ) from None
    except DatabaseError:
        raise UserError("The database cannot be read or updated: restore it from a backup.") from None


def _refuse_newer() -> None:
    loader = MigrationExecutor(connection).loader
    ahead = [
        name for app, name in set(loader.applied_migrations) - set(loader.disk_migrations) if app == "collect"
    ]
    if ahead:
        raise UserError(
            f"A newer endoxa wrote this database ({max(ahead)}): update this one (pip install -U endoxa)."
        )
