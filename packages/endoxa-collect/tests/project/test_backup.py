"""Backups that must not harm what they save, and what goes wrong with files and disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, OperationalError
from django.db.transaction import TransactionManagementError

from collect_support.campaign_folders import endoxa, refused, said
from endoxa_collect.faults import refusal
from endoxa_collect.files import draft
from endoxa_collect.project import backup
from endoxa_collect.project.folder import locked_folder, open_folder

pytestmark = pytest.mark.slow


def test_a_full_disk_leaves_nothing_behind(copy, tmp_path, monkeypatch):
    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup.os, "fsync", full)
    assert "the disk is full" in refused("backup", copy, "-o", tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["camp"]


class TestFolder:
    def test_one_that_this_account_may_not_enter(self, copy, monkeypatch):
        def closed(path):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("pathlib.Path.is_file", closed)
        assert "cannot be read or written: Permission denied" in refused("account", copy)

    @pytest.mark.parametrize("url", ["nonsense", "mysql://ana:hidden@localhost/a"])
    def test_an_address_that_names_no_database_of_a_campaign(self, campaigns, monkeypatch, url):
        monkeypatch.setenv("DATABASE_URL", url)
        told = refused("account", campaigns / "camp")
        assert "write postgres://USER:PASSWORD@HOST/NAME" in told
        assert "hidden" not in told


FILLED = """
from django.db.models.signals import post_save
from django.db import connection
def fill(**_):
    pages = connection.connection.execute("PRAGMA page_count").fetchone()[0]
    connection.connection.execute(f"PRAGMA max_page_count = {pages}")
post_save.connect(fill, weak=False)
"""
"""SQLite says of its own limit of pages what it says of a full disk."""


def test_a_full_disk_while_a_campaign_is_made_is_called_full_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "the disk is full" in said(endoxa("init", "new", "--preset", "laces", before=FILLED))
    assert not (tmp_path / "new").exists()


BACKUP = backup.__name__
KILLED = """
import os, signal
from importlib import import_module
setattr(import_module("{module}"), "{name}", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
"""


RESTORE = "--restore made.zip --no-withdrawals"


class TestKilled:
    """What a process leaves that is killed in the middle, and what the next of its kind does about it."""

    @pytest.mark.parametrize(
        ("words", "module", "name", "left"),
        [
            ("backup camp -o b.zip", BACKUP, "forget_sessions", "tmp/.endoxa-*/db.sqlite3"),
            (f"backup empty {RESTORE}", BACKUP, "_complete", "empty/.endoxa-*/campaign/db.sqlite3"),
            ("backup camp --restore made.zip --replace", BACKUP, "_replayed", "camp/.endoxa-*/campaign/db.sqlite3"),
            ("export camp -o out", "endoxa_collect.export.run", "put_in_place", ".endoxa-*/new/people.csv"),
        ],
        ids=["backup", "restore in an empty folder", "restore in place of another", "export"],
    )  # fmt: skip
    def test_the_next_one_tidies_up(self, campaigns, copy, tmp_path, monkeypatch, words, module, name, left):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "tmp").mkdir()
        (tmp_path / "empty").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
        (tmp_path / "made.zip").write_bytes((campaigns / "camp.zip").read_bytes())
        killed = endoxa(*words.split(), before=KILLED.format(module=module, name=name))
        assert killed.returncode == -signal.SIGKILL
        assert len(list(tmp_path.glob(left))) == 1
        done = endoxa(*words.split())
        assert done.returncode == 0, done.stderr
        assert not list(tmp_path.rglob(".endoxa-*"))

    def test_what_runs_or_is_somebody_elses_stays(self, tmp_path):
        for name in ("one.1.abc", f"one.{os.getpid()}.abc", "two.999999999.abc", "one.999999999.abc/in"):
            (tmp_path / f".endoxa-{name}").mkdir(parents=True)
        (tmp_path / "dead").mkdir()
        (tmp_path / ".endoxa-one.999999998.abc").symlink_to(tmp_path / "dead")
        before = set(tmp_path.iterdir())
        with draft(tmp_path, "one") as place:
            assert stat.S_IMODE(place.stat().st_mode) == 0o700
            assert before - set(tmp_path.iterdir()) == {tmp_path / ".endoxa-one.999999999.abc"}
        assert not place.exists()

    def test_a_process_of_another_container_is_known_by_what_it_holds(self, tmp_path):
        with draft(tmp_path, "one") as place:
            other = place.rename(tmp_path / ".endoxa-one.999999999.abc")
            with draft(tmp_path, "one"):
                assert other.is_dir()
        with draft(tmp_path, "one"):
            assert not other.exists()


def test_no_second_site_and_no_restoring_while_one_runs(campaigns, copy, tmp_path):
    restore = ("backup", copy, "--restore", campaigns / "camp.zip", "--replace")
    with locked_folder(open_folder(copy)):
        for words in (("serve", copy), restore):
            assert "is being served or restored; nothing was changed" in said(endoxa(*words))
        assert endoxa("backup", copy, "-o", tmp_path / "c.zip").returncode == 0
    assert endoxa(*restore).returncode == 0


def coded(code, kind=sqlite3.OperationalError):
    cause = kind("told by SQLite")
    cause.sqlite_errorcode = code
    return cause


FULL = "the disk is full: make room and try again."


@pytest.mark.parametrize(
    ("problem", "cause", "told"),
    [
        (coded(sqlite3.SQLITE_BUSY), None, "locked by another program"),
        (coded(sqlite3.SQLITE_FULL), None, FULL),
        (coded(sqlite3.SQLITE_IOERR_WRITE), None, "is the disk full or damaged"),
        (coded(sqlite3.SQLITE_READONLY_DBMOVED), None, "may this account"),
        (coded(sqlite3.SQLITE_NOTADB), None, "restore it from a backup"),
        (OperationalError("full"), coded(sqlite3.SQLITE_FULL), FULL),
        (OperationalError("disk I/O error"), coded(sqlite3.SQLITE_IOERR_SHMSIZE), FULL),
        (OperationalError("no room"), psycopg.errors.DiskFull(), "disk of the database server is full"),
        (DatabaseError("bent"), sqlite3.DatabaseError("bent"), "not an endoxa database or is damaged"),
        (OperationalError("no server"), None, "cannot be opened"),
    ],
)
def test_what_a_database_refuses_has_its_sentence(problem, cause, told):
    problem.__cause__ = cause
    assert told in refusal(problem)


@pytest.mark.parametrize(
    "ours",
    [
        TransactionManagementError("You can't execute queries until the end of the 'atomic' block."),
        IntegrityError("UNIQUE constraint failed"),
        ValueError(),
    ],
)
def test_a_fault_of_ours_is_not_told_as_one_of_the_disk(ours):
    assert refusal(ours) is None
