"""Update the database to the installed version."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from endoxa.errors import UserError


def prepare() -> None:
    """Make or update the tables.

    Raises:
        UserError: a newer endoxa wrote the database.
    """
    # Somebody sits before the terminal: half a minute without a word, as requests may wait, would be too long.
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=3)) as probe:
            probe.execute("BEGIN IMMEDIATE")
    loader = MigrationExecutor(connection).loader
    newer = set(loader.applied_migrations) - set(loader.disk_migrations)
    ahead = [name for app, name in newer if app == "collect"]
    if ahead:
        raise UserError(
            f"A newer endoxa wrote this database ({max(ahead)}): update this one (pip install -U endoxa-collect)."
        )
    call_command("migrate", verbosity=0, interactive=False)
