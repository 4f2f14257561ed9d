"""Backups that must not harm what they save, and what goes wrong with files and disks."""

from __future__ import annotations

import sqlite3

import pytest
from campaign_folders import copied, endoxa, refused

from endoxa.collect.project import archive


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


class TestTarget:
    @pytest.mark.parametrize("name", ["db.sqlite3", "secret.key", "new.zip", "../camp/withdrawals.jsonl"])
    def test_never_in_the_campaign_itself(self, copy, name):
        before = contents(copy)
        for more in ([], ["--replace"]):
            assert "in the campaign's own folder" in refused("backup", copy, "-o", copy / name, *more)
        assert contents(copy) == before

    def test_never_through_a_link(self, copy, tmp_path):
        (tmp_path / "link.zip").symlink_to(copy / "db.sqlite3")
        assert "in the campaign's own folder" in refused("backup", copy, "-o", tmp_path / "link.zip")

    def test_other_files_only_when_told_to(self, copy, tmp_path):
        target = tmp_path / "mine.txt"
        target.write_text("mine")
        assert "is there already; nothing was changed" in refused("backup", copy, "-o", target)
        assert target.read_text() == "mine"
        assert endoxa("backup", copy, "-o", target, "--replace").returncode == 0
        assert archive.read_archive(target).secret == (copy / "secret.key").read_text()

    def test_a_failure_leaves_nothing_behind(self, copy, tmp_path, monkeypatch):
        def full(number):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(archive.os, "fsync", full)
        assert "No space left on device" in refused("backup", copy, "-o", tmp_path / "b.zip")
        assert [path.name for path in tmp_path.iterdir()] == ["camp"]
        monkeypatch.undo()
        (tmp_path / "folder").mkdir()
        assert "cannot be written" in refused("backup", copy, "-o", tmp_path / "folder", "--replace")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["camp", "folder"]


class TestDatabase:
    def test_an_empty_file_is_no_database(self, copy, tmp_path):
        (copy / "db.sqlite3").write_bytes(b"")
        assert "has no database" in refused("backup", copy, "-o", tmp_path / "b.zip")
        assert "has no database" in refused("serve", copy)

    def test_a_database_of_another_program(self, copy, tmp_path):
        (copy / "db.sqlite3").unlink()
        with sqlite3.connect(copy / "db.sqlite3") as other:
            other.execute("CREATE TABLE mine (one)")
        other.close()
        assert "no database of ours" in refused("backup", copy, "-o", tmp_path / "b.zip")

    def test_one_that_cannot_be_opened(self, copy, tmp_path, monkeypatch):
        def closed(*_words, **_more):
            problem = sqlite3.OperationalError("unable to open database file")
            problem.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise problem

        monkeypatch.setattr("endoxa.collect.project.copying._open", closed)
        assert "may this account read" in refused("backup", copy, "-o", tmp_path / "b.zip")
