"""The folder of a campaign: what is in it, and how the rest of the process learns which one it is.

`secret.key` signs cookies and keys the hashes of receipt codes. `db.sqlite3` is everything that was collected; it is
absent where DATABASE_URL names another database. `withdrawals.jsonl` lists who withdrew, as hashes, so that a restored
backup forgets them too. `in-use.lock` is locked while the site runs and names the process that started it: a folder is
served or replaced by one process and its workers. `endoxa-campaign.json` says that the folder is one of ours; it is
written last.

What the system refuses (a folder that this account may not enter, a full disk) is an OSError here, and a sentence in
every command (`endoxa_collect.faults`).
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import dj_database_url

from endoxa.errors import UserError
from endoxa_collect.files import head_for, take

MARK = "endoxa-campaign.json"
_FORMAT = 1
_ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")


class Folder:
    """Where the parts of a campaign's folder are.

    Attributes:
        path: the folder.
        mark: what says that it is a whole campaign.
        secret: the site's secret.
        database: the SQLite database.
        withdrawals: the list of withdrawals.
        lock: what `serve` and `restore --replace` hold while they work.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.mark = self.path / MARK
        self.secret = self.path / "secret.key"
        self.database = self.path / "db.sqlite3"
        self.withdrawals = self.path / "withdrawals.jsonl"
        self.lock = self.path / "in-use.lock"

    def need_database(self) -> None:
        """Raise a `UserError` where no database is: an empty one would look like a lost campaign."""
        there = self.database.is_file() and self.database.stat().st_size > 0
        if not os.environ.get("DATABASE_URL") and not there:
            raise UserError(
                f"{self.path} has no database: set DATABASE_URL as when the campaign was made, or restore a backup."
            )

    def discard(self) -> None:
        """Take back what was made here, if it was not finished."""
        with suppress(OSError):
            for path in (self.secret, self.mark, self.withdrawals, *self.path.glob("db.sqlite3*")):
                path.unlink(missing_ok=True)
            self.path.rmdir()  # unless it holds something else

    def finish(self) -> None:
        """Mark the folder as complete, and its database as readable by its owner only.

        The list of withdrawals is there from the start and says whose it is, so that a missing or empty one is known to
        be lost.
        """
        if not self.withdrawals.exists():
            write_private(self.withdrawals, head_for(self.secret.read_text()) + "\n")
        if self.database.exists():
            self.database.chmod(0o600)
        content = json.dumps({"kind": "endoxa campaign", "format": _FORMAT}) + "\n"
        self.mark.write_text(content, encoding="utf-8")


def open_folder(path: Path) -> Folder:
    """The campaign in a folder.

    Raises:
        UserError: there is none, it is damaged, or a newer endoxa made it.
    """
    folder = Folder(path)
    if not folder.mark.is_file():
        state = "is no campaign" if path.is_dir() else "does not exist"
        raise UserError(f"{path} {state}: make one with `endoxa collect init {path} --preset laces`.")
    try:
        made = folder.mark.read_text(encoding="utf-8")
        secret = folder.secret.read_text(encoding="utf-8") if folder.secret.exists() else ""
        version = json.loads(made)["format"] + 0
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} is damaged: restore the folder from a backup.") from None
    if version > _FORMAT:
        raise UserError(f"A newer endoxa made {path}: update this one (pip install -U endoxa-collect).")
    if not secret.strip():
        raise UserError(f"{path} has lost its secret.key: restore the folder from a backup.")
    return folder


@contextmanager
def making(path: Path, *, secret: str | None = None) -> Iterator[Folder]:
    """A new folder to fill, which only its owner can enter; marked as complete at the end. Nothing stays if that fails.

    Raises:
        UserError: the folder holds something already.
    """
    refuse_used(path)
    folder = Folder(path)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        folder.path.chmod(0o700)
        write_private(folder.secret, secret or secrets.token_urlsafe(48))
        yield folder
        folder.finish()
    except BaseException:
        folder.discard()
        raise


def refuse_used(path: Path) -> None:
    """Raise a `UserError` if a folder is there and holds anything."""
    if path.is_file():
        raise UserError(f"{path} is a file: name a new folder.")
    if (path / MARK).exists():
        raise UserError(
            f"{path} is a campaign already; nothing was changed. `endoxa collect serve {path}` serves it."
        )
    if path.is_dir() and any(path.iterdir()):
        raise UserError(f"{path} is not empty; nothing was changed: name a new folder, or empty this one.")


def write_private(path: Path, content: str) -> None:
    """Write a file that only its owner can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(content)


def enter(folder: Folder, *, new: bool = False, listening: str = "") -> None:
    """Start Django on this folder; once in a process.

    Args:
        folder: the campaign.
        new: it has no database yet.
        listening: the address at which the site is served.

    Raises:
        UserError: the folder has no database, and is not a new one; or DATABASE_URL names none.
    """
    url = os.environ.get("DATABASE_URL")
    try:
        supported = not url or dj_database_url.parse(url)["ENGINE"] in _ENGINES
    except (ValueError, KeyError):
        supported = False
    if not supported:
        # The address itself holds a password.
        raise UserError(
            "DATABASE_URL is invalid: write postgres://USER:PASSWORD@HOST/NAME, or unset it "
            "for the SQLite file in the folder."
        )
    if not new:
        folder.need_database()
    os.environ["ENDOXA_CAMPAIGN"] = str(folder.path)
    os.environ["ENDOXA_LISTENING"] = listening
    os.environ["DJANGO_SETTINGS_MODULE"] = "endoxa_collect.settings"
    import django

    django.setup()


def prepare() -> None:
    """Bring the tables of the database to the installed version, once Django has started.

    Raises:
        UserError: a newer endoxa wrote the database, or one too old to be updated.
    """
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.recorder import MigrationRecorder

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


@contextmanager
def locked_folder(folder: Folder) -> Iterator[None]:
    """Hold a campaign's folder, so that nobody else serves or replaces it; the worker processes share it.

    Raises:
        UserError: somebody else holds it.
    """
    with folder.lock.open("a+b", buffering=0) as file:
        if not take(file):
            file.seek(0)
            raise UserError(
                f"{folder.path} is being served or restored; nothing was changed: stop that first (Ctrl-C; it is "
                f"process {file.read().decode()})."
            )
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        yield
