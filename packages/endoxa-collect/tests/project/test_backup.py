"""Backups that must not harm what they save, and what goes wrong with files and disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
from pathlib import Path

import pytest

from collect_support.campaign_folders import copied, endoxa, refused, said
from endoxa_collect.addresses import resolved
from endoxa_collect.faults import explanation
from endoxa_collect.files import draft
from endoxa_collect.project import backup
from endoxa_collect.project import folder as folder_module
from endoxa_collect.project.folder import Folder, locked_folder, open_folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "camp"
    done = endoxa("init", folder, "--preset", "laces", "--organisation", "River Lab", "--contact", "555-0100")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def copy(made, tmp_path):
    return copied(made, tmp_path / "camp")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.slow
def test_a_backup_whose_campaign_the_site_could_not_show_is_refused(copy, tmp_path):
    with sqlite3.connect(copy / "db.sqlite3") as database:
        database.execute("UPDATE collect_campaign SET slug = 'two words'")
    assert endoxa("backup", copy, "-o", tmp_path / "b.zip").returncode == 0
    done = endoxa("backup", tmp_path / "back", "--restore", tmp_path / "b.zip", "--no-withdrawals")
    assert "'two words' cannot be the name of a campaign" in said(done)
    assert not (tmp_path / "back").exists()


class TestTarget:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["db.sqlite3", "secret.key", "new.zip", "../camp/withdrawals.jsonl"])
    def test_never_in_the_campaign_itself(self, copy, name):
        before = contents(copy)
        for more in ([], ["--replace"]):
            assert "in the campaign's own folder" in refused("backup", copy, "-o", copy / name, *more)
        assert contents(copy) == before

    def test_never_through_a_link(self, copy, tmp_path):
        (tmp_path / "link.zip").symlink_to(copy / "db.sqlite3")
        assert "in the campaign's own folder" in refused("backup", copy, "-o", tmp_path / "link.zip")

    @pytest.mark.slow
    def test_other_files_only_when_told_to(self, copy, tmp_path):
        target = tmp_path / "mine.txt"
        target.write_text("mine")
        assert "is there already; nothing was changed" in refused("backup", copy, "-o", target)
        assert target.read_text() == "mine"
        assert endoxa("backup", copy, "-o", target, "--replace").returncode == 0
        assert backup.read_archive(target)["secret.key"] == (copy / "secret.key").read_bytes()

    def test_a_failure_leaves_nothing_behind(self, copy, tmp_path, monkeypatch):
        def full(number):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(backup.os, "fsync", full)
        assert "the disk is full" in refused("backup", copy, "-o", tmp_path / "b.zip")
        assert [path.name for path in tmp_path.iterdir()] == ["camp"]
        monkeypatch.undo()
        (tmp_path / "folder").mkdir()
        assert "is a folder" in refused("backup", copy, "-o", tmp_path / "folder", "--replace")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["camp", "folder"]


class TestDatabase:
    @pytest.mark.slow
    def test_an_empty_file_is_no_database(self, copy, tmp_path):
        (copy / "db.sqlite3").write_bytes(b"")
        assert "has no database" in refused("backup", copy, "-o", tmp_path / "b.zip")
        assert "has no database" in refused("serve", copy)

    def test_a_database_of_another_program(self, copy, tmp_path):
        (copy / "db.sqlite3").unlink()
        with sqlite3.connect(copy / "db.sqlite3") as other:
            other.execute("CREATE TABLE mine (one)")
        other.close()
        assert "not an endoxa database" in refused("backup", copy, "-o", tmp_path / "b.zip")

    def test_one_that_cannot_be_opened(self, copy, tmp_path, monkeypatch):
        def closed(*_words, **_more):
            problem = sqlite3.OperationalError("unable to open database file")
            problem.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise problem

        monkeypatch.setattr("endoxa_collect.sqlite._open", closed)
        assert "may this account read" in refused("backup", copy, "-o", tmp_path / "b.zip")


class TestFolder:
    @pytest.mark.slow
    @pytest.mark.parametrize("content", ['{"format": "x"}', '{"format": null}', "[]", "{"])
    def test_a_mark_that_says_nothing(self, copy, content):
        (copy / "endoxa-campaign.json").write_text(content)
        assert "camp is damaged" in refused("account", copy)

    def test_files_that_are_no_text(self, copy):
        (copy / "secret.key").write_bytes(b"\xff\xfe")
        assert "is damaged" in refused("account", copy)
        (copy / "endoxa-campaign.json").write_bytes(b"\xff\xfe")
        assert "is damaged" in refused("account", copy)

    def test_an_empty_secret(self, copy):
        (copy / "secret.key").write_text("\n")
        assert "has lost its secret.key" in refused("serve", copy)

    @pytest.mark.slow
    @pytest.mark.parametrize("words", [["serve"], ["account"], ["backup", "-o", "b.zip"]])
    def test_one_that_this_account_may_not_enter(self, copy, monkeypatch, words):
        def closed(path):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("pathlib.Path.is_file", closed)
        verb, *rest = words
        assert "cannot be read or written: Permission denied" in refused(verb, copy, *rest)
        assert "cannot be read or written: Permission denied" in refused("init", copy, "--preset", "laces")


class TestDatabaseUrl:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "url",
        ["nonsense", "mysql://ana:hidden@localhost/a", "postgres://ana:hidden@host:port/a", "oracle://"],
    )
    def test_what_names_no_database_of_a_campaign(self, made, monkeypatch, url):
        monkeypatch.setenv("DATABASE_URL", url)
        told = refused("account", made)
        assert "write postgres://USER:PASSWORD@HOST/NAME" in told
        assert "hidden" not in told


class TestDisk:
    @pytest.mark.slow
    def test_a_full_one_is_called_full(self, tmp_path):
        # SQLite says of its own limit of pages what it says of a full disk.
        small = """
from django.db.backends.signals import connection_created
def limit(connection, **_):
    connection.connection.execute("PRAGMA max_page_count = 60")
connection_created.connect(limit, weak=False)
"""
        done = endoxa("init", tmp_path / "camp", "--preset", "laces", before=small)
        assert "the disk is full" in said(done)
        assert not (tmp_path / "camp").exists()

    @pytest.mark.slow
    def test_full_while_the_campaign_is_made(self, tmp_path):
        small = """
from django.db.models.signals import post_save
from django.db import connection
def fill(**_):
    pages = connection.connection.execute("PRAGMA page_count").fetchone()[0]
    connection.connection.execute(f"PRAGMA max_page_count = {pages}")
post_save.connect(fill, weak=False)
"""
        done = endoxa("init", tmp_path / "camp", "--preset", "laces", before=small)
        assert "the disk is full" in said(done)
        assert not (tmp_path / "camp").exists()

    def test_full_before_there_is_a_database(self, tmp_path, monkeypatch):
        def full(path, content):
            path.touch()
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(folder_module, "write_private", full)
        assert "the disk is full" in refused("init", tmp_path / "camp", "--preset", "laces")
        assert not (tmp_path / "camp").exists()

    @pytest.mark.slow
    def test_full_while_a_backup_is_put_in_place(self, copy, tmp_path):
        assert endoxa("backup", copy, "-o", tmp_path / "b.zip").returncode == 0
        full = """
from endoxa_collect import withdrawals
def append(path, lines):
    raise OSError(28, "No space left on device")
withdrawals.append = append
"""
        # The list of withdrawals is only importable once Django knows a campaign.
        late = f"""
from endoxa_collect.project import backup
real = backup.enter
def enter(folder):
    real(folder)
    exec({full!r})
backup.enter = enter
"""
        done = endoxa(
            "backup", tmp_path / "new", "--restore", tmp_path / "b.zip", "--no-withdrawals", before=late
        )
        assert "the disk is full" in said(done)
        assert not (tmp_path / "new").exists()

    def test_every_kind_has_its_sentence(self):
        words = {
            sqlite3.SQLITE_BUSY: "locked by another program",
            sqlite3.SQLITE_BUSY_SNAPSHOT: "locked by another program",
            sqlite3.SQLITE_FULL: "the disk is full",
            sqlite3.SQLITE_IOERR_WRITE: "is the disk full or damaged",
            sqlite3.SQLITE_READONLY_DBMOVED: "may this account",
            sqlite3.SQLITE_CANTOPEN: "may this account",
            sqlite3.SQLITE_CORRUPT: "restore it from a backup",
            sqlite3.SQLITE_NOTADB: "restore it from a backup",
        }
        for code, sentence in words.items():
            problem = sqlite3.OperationalError()
            problem.sqlite_errorcode = code
            assert sentence in explanation(problem)
        assert "restore it from a backup" in explanation(sqlite3.ProgrammingError())


BACKUP = backup.__name__
KILLED = """
import os, signal
from importlib import import_module
setattr(import_module("{module}"), "{name}", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
"""


RESTORE = "--restore made.zip --no-withdrawals"


class TestKilled:
    """What a process leaves that is killed in the middle, and what the next of its kind does about it."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("words", "module", "name", "left"),
        [
            ("backup camp -o b.zip", BACKUP, "forget_sessions", "tmp/.endoxa-*/db.sqlite3"),
            ("backup camp -o b.zip", "os", "fsync", ".endoxa-*/backup.zip"),
            (f"backup new {RESTORE}", BACKUP, "_complete", ".endoxa-*/campaign/db.sqlite3"),
            (f"backup empty {RESTORE}", BACKUP, "_complete", "empty/.endoxa-*/campaign/db.sqlite3"),
            ("backup camp --restore made.zip --replace", BACKUP, "_replayed", "camp/.endoxa-*/campaign/db.sqlite3"),
            ("export camp -o out", "endoxa.sources.files", "put_in_place", ".endoxa-*/new/people.csv"),
        ],
        ids=["backup: copying", "backup: packing", "restore: new", "restore: empty", "restore: replace", "export"],
    )  # fmt: skip
    def test_the_next_one_tidies_up(self, copy, tmp_path, monkeypatch, words, module, name, left):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "tmp").mkdir()
        (tmp_path / "empty").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
        backup.back_up(Folder(copy), tmp_path / "made.zip")
        killed = endoxa(*words.split(), before=KILLED.format(module=module, name=name))
        assert killed.returncode == -signal.SIGKILL
        assert len(list(tmp_path.glob(left))) == 1
        assert not (tmp_path / "new").exists()
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


class TestEmptyFolder:
    """One that is there may be a volume: it keeps its place, and nothing is written beside it."""

    @pytest.mark.slow
    def test_takes_the_campaign(self, copy, tmp_path):
        backup.back_up(Folder(copy), tmp_path / "made.zip")
        volume = tmp_path / "mounted" / "volume"
        volume.mkdir(parents=True)
        place = volume.stat().st_ino
        done = endoxa("backup", volume, "--restore", tmp_path / "made.zip", "--no-withdrawals")
        assert done.returncode == 0, done.stderr
        assert "as the retention date is over" not in done.stdout
        assert volume.stat().st_ino == place
        assert open_folder(volume).secret.read_text() == (copy / "secret.key").read_text()
        assert not list(tmp_path.rglob(".endoxa-*"))

    def test_is_left_empty_where_moving_fails(self, copy, tmp_path, monkeypatch):
        staged = copied(copy, tmp_path / "staged")
        (tmp_path / "volume").mkdir()
        rename = Path.rename

        def full(self, target):
            if self.name == folder_module.MARK:
                raise OSError(28, "No space left on device")
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", full)
        (tmp_path / "volume" / "draft").mkdir()
        with pytest.raises(OSError, match="No space"):
            backup._move(Folder(staged), Folder(tmp_path / "volume"))
        assert [path.name for path in (tmp_path / "volume").iterdir()] == ["draft"]


class TestWithdrawals:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b'{"campaign": "laces"', "list, line 1 is not a withdrawal"),
            ("é\n".encode("latin-1"), "is not UTF-8 text"),
        ],
    )
    def test_a_list_of_the_users_is_read_whole_or_not_at_all(self, copy, tmp_path, content, told):
        assert endoxa("backup", copy, "-o", tmp_path / "b.zip").returncode == 0
        (tmp_path / "list").write_bytes(content)
        done = endoxa(
            "backup", tmp_path / "new", "--restore", tmp_path / "b.zip", "--withdrawals", tmp_path / "list"
        )
        assert told in said(done)
        assert not (tmp_path / "new").exists()


class TestInUse:
    @pytest.mark.slow
    def test_no_second_site_and_no_restoring_while_one_runs(self, copy, tmp_path):
        assert endoxa("backup", copy, "-o", tmp_path / "b.zip").returncode == 0
        with locked_folder(open_folder(copy)):
            for words in (["serve", copy], ["backup", copy, "--restore", tmp_path / "b.zip", "--replace"]):
                assert "is being served or restored; nothing was changed" in said(endoxa(*words))
            done = endoxa("backup", copy, "-o", tmp_path / "c.zip")
            assert done.returncode == 0, done.stderr
        assert endoxa("backup", copy, "--restore", tmp_path / "b.zip", "--replace").returncode == 0


def test_names_of_addresses():
    assert resolved("localhost") == "127.0.0.1"
    assert resolved("::1") == "::1"
    assert resolved("") == "0.0.0.0"
