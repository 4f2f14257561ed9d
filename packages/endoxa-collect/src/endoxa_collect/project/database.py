"""Update the database to the installed version."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from endoxa.errors import UserError


def prepare() -> None:
    """Make or update the tables.

    Raises:
        UserError: a newer endoxa wrote the database, or one too old to be updated.
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
    if applied and not applied & here:
        # Feedback was kept then; it is counted when it is told now.
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS collect_wave")
    call_command("migrate", verbosity=0, interactive=False)
