"""A campaign as a folder, from the command line: made, served, backed up, restored."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from uuid import UUID

import pytest

from collect_support import commands
from collect_support.campaign_folders import LIMIT, endoxa, environment, in_campaign, refused
from collect_support.served import free_port
from endoxa.errors import UserError
from endoxa_collect.project.folder import locked_folder, open_folder

pytestmark = pytest.mark.slow


def in_database(folder, query, *values):
    """What a query finds in the database of a campaign, or changes there."""
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database, database:
        return database.execute(query, values).fetchall()


def done(*words, **env):
    """What a command prints that does its work."""
    made = endoxa(*words, **env)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_a_new_campaign_is_a_private_folder_with_an_account_and_a_code(campaigns):
    folder, said = campaigns / "camp", (campaigns / "init.txt").read_text(encoding="utf-8")
    assert ": a rehearsal until you press Open, with 384 seed pairs." in said
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("secret.key", "db.sqlite3"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    password = re.search(r"Password \(shown once\): (\S+)", said)[1]
    ((name, hashed),) = in_database(folder, "SELECT username, password FROM auth_user")
    ((code, ends),) = in_database(folder, "SELECT code, expires_at FROM collect_joincode")
    assert (name, hashed.partition("$")[0], password in hashed) == ("organiser", "scrypt", False)
    assert f"Code to join: {code} " in said
    assert ends is not None
    assert in_database(folder, "SELECT state FROM collect_campaign") == [("open",)]
    ((content,),) = in_database(folder, "SELECT content FROM collect_settingsversion")
    assert json.loads(content)["organisation"] == "River Lab"


class TestDatabase:
    def test_one_of_a_newer_version(self, copy):
        newer = "INSERT INTO django_migrations (app, name, applied) VALUES ('collect', '9999_x', '2026')"
        in_database(copy, newer)
        made = endoxa("account", copy)
        assert made.returncode == 2
        assert "A newer endoxa wrote this database (9999_x)" in made.stderr

    def test_one_of_an_earlier_version(self, copy):
        """One that all migrations before made is taken as it is; one that some of them made is not."""
        names = ["0001_initial", "0002_earlier_consents", "0003_quality", "0004_groups", "0005_people"]
        in_database(copy, "DELETE FROM django_migrations WHERE app = 'collect'")
        for name in (*names, "0006_offline", "0007_interviews", "0008_fewer"):
            row = "INSERT INTO django_migrations (app, name, applied) VALUES ('collect', ?, '2026')"
            in_database(copy, row, name)
        assert done("account", copy)
        in_database(copy, "DELETE FROM django_migrations WHERE app = 'collect' AND name != '0001_initial'")
        assert "An earlier endoxa wrote this database (0001_initial)" in endoxa("account", copy).stderr


def get(port, path, **headers):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()


def answers(port):
    try:
        return get(port, "/")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def is_free(folder):
    """Whether nobody holds the folder of a campaign."""
    try:
        with locked_folder(open_folder(folder)):
            return True
    except UserError:
        return False


def until(what, *facts):
    """Wait until something is so."""
    limit = time.monotonic() + LIMIT
    while not what(*facts):
        assert time.monotonic() < limit, f"{what.__name__} did not come to be true"
        time.sleep(0.05)


def holding(folder, word):
    """The files of a campaign that hold a word, found by another process: closing a file of SQLite's unlocks it."""
    found = subprocess.run(
        ["grep", "-rlaF", word, "."], cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    return [line.removeprefix("./") for line in found.stdout.split()]


@pytest.fixture
def served(copy):
    """The site of a campaign in a process of its own: its port and the process."""
    port = free_port()
    words = ["collect", "serve", str(copy), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-c", commands.COMMAND, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: answers(port) or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        yield port, process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=LIMIT)


class TestServe:
    def test_answers_prints_how_to_join_and_stops_cleanly(self, campaigns, served):
        port, process = served
        code = re.search(r"Code to join: (\w{8}) ", (campaigns / "init.txt").read_text(encoding="utf-8"))[1]
        visitor = {"User-Agent": "Kestrel/7.3", "X-Forwarded-For": "203.0.113.9"}
        status, headers, page = get(port, f"/j/{code}/", **visitor)
        assert (status, headers["cache-control"]) == (200, "no-store")
        assert "River Lab" in page
        status, headers, _ = get(port, re.search(r'href="(/static/[^"]+\.css)"', page)[1])
        assert (status, "immutable" in headers["cache-control"]) == (200, True)
        assert headers["content-security-policy"].startswith("default-src 'none'")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        assert (process.returncode, err) == (0, "")
        assert f"http://127.0.0.1:{port}/j/{code}/" in out
        assert "▄" in out
        assert out.rstrip().endswith("Stopped. Everything is kept.")
        assert "Kestrel" not in out
        assert "203.0.113.9" not in out

    def test_a_worker_that_dies_is_replaced_and_workers_end_with_the_process_that_started_them(
        self, copy, served
    ):
        port, process = served
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
        until(lambda: not answers(port))
        until(answers, port)
        assert f"process {process.pid})" in refused("serve", copy, "--port", free_port())
        process.kill()
        process.communicate(timeout=LIMIT)
        until(is_free, copy)


WHO = "SELECT secret_hash FROM collect_person"


def test_a_folder_without_a_database_serves_one_in_postgresql(tmp_path, postgresql):
    folder, url = tmp_path / "camp", postgresql
    done("init", folder, "--preset", "laces", DATABASE_URL=url)
    assert not (folder / "db.sqlite3").exists()
    again = endoxa("init", tmp_path / "two", "--preset", "laces", DATABASE_URL=url)
    assert "has a campaign 'laces' already" in again.stderr
    assert not (tmp_path / "two").exists()
    assert done("account", folder, DATABASE_URL=url) == "organiser: organiser\n"
    # Somebody who withdrew is there again, as after pg_restore.
    back = "v.rate_three('ana', 'ben'); v.new_person('ana', id=v.leave('ana').pk); print(v.Person.objects.count())"
    assert in_campaign(folder, back, DATABASE_URL=url).splitlines()[-1] == "2"
    assert done("backup", folder, "--replay", DATABASE_URL=url).startswith("People deleted again: 1.\n")
    assert "has no database: set DATABASE_URL" in refused("serve", folder, "--port", free_port())
    assert not (folder / "db.sqlite3").exists()


class TestBackup:
    def test_who_left_after_the_backup_is_gone_after_it_is_restored(self, copy, tmp_path):
        in_campaign(copy, "v.rate_three('ana', 'ben')")
        backup = tmp_path / "monday.zip"
        assert "personal data" in done("backup", copy, "-o", backup)
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        rows = {UUID(row) for row in in_campaign(copy, "v.leave('ana')").split()}
        assert len(rows) == 3
        # The list of withdrawals names nobody.
        _, text = (copy / "withdrawals.jsonl").read_text().splitlines()
        assert set(json.loads(text)) == {"campaign", "hour", "person", "rows", "what"}
        assert len(json.loads(text)["person"]) == 64
        assert in_database(copy, WHO) == [("ben",)]
        assert "deleted again: 1" in done("backup", copy, "--restore", backup, "--replace")
        assert in_database(copy, WHO) == [("ben",)]
        assert in_database(copy, "SELECT COUNT(*) FROM collect_rating") == [(3,)]
        assert rows <= {UUID(row) for (row,) in in_database(copy, "SELECT row FROM collect_tombstone")}
        moved, withdrawn = tmp_path / "moved", copy / "withdrawals.jsonl"
        done("backup", moved, "--restore", backup, "--withdrawals", withdrawn)
        assert in_database(moved, WHO) == [("ben",)]
        assert (moved / "secret.key").read_text() == (copy / "secret.key").read_text()
        assert stat.S_IMODE((moved / "withdrawals.jsonl").stat().st_mode) == 0o600
        assert (moved / "withdrawals.jsonl").read_text() == withdrawn.read_text()

    def test_what_was_removed_after_the_backup_is_gone_after_it_is_restored(self, copy, tmp_path):
        backup, moved, withdrawn = tmp_path / "monday.zip", tmp_path / "moved", copy / "withdrawals.jsonl"
        copied = f"v.back_up(v.Folder(v.Path({str(copy)!r})), v.Path({str(backup)!r}))"
        counts = in_campaign(
            copy, f"said = v.say(); v.count(); {copied}; v.take_back(said); v.count()"
        ).splitlines()
        assert counts == ["1 1 1 1 0", "0 0 0 0 4"]
        assert "Zebedina" not in withdrawn.read_text()
        done("backup", moved, "--restore", backup, "--withdrawals", withdrawn)
        assert in_campaign(moved, "v.count()") == "0 0 0 0 4"
        assert b"Zebedina" not in (moved / "db.sqlite3").read_bytes()
        assert (moved / "withdrawals.jsonl").read_text() == withdrawn.read_text()

    @pytest.mark.parametrize("afterwards", ["a backup", "the next turn of the log"])
    def test_words_of_somebody_who_left_while_another_was_reading_go_afterwards(
        self, copy, tmp_path, afterwards
    ):
        left = in_campaign(copy, f"v.withdraw_while_read({afterwards!r}, {str(tmp_path / 'out')!r})")
        assert "db.sqlite3-wal" in left.split()
        assert holding(copy, "Zebedina") == []

    def test_sign_ins_and_tries_stay_out_of_backups(self, copy, tmp_path):
        in_database(copy, "INSERT INTO django_session VALUES ('key', 'data', '2030-01-01')")
        tries = "INSERT INTO collect_attempts (name, start, ends, count) VALUES ('who', 0, 600, 1)"
        in_database(copy, tries)
        done("backup", copy, "-o", tmp_path / "b.zip")
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            archive.extract("db.sqlite3", tmp_path)
        for folder, count in ((copy, 1), (tmp_path, 0)):
            for table in ("django_session", "collect_attempts"):
                assert in_database(folder, f"SELECT COUNT(*) FROM {table}") == [(count,)]

    def test_links_that_the_retention_date_ended_do_not_come_back(self, copy, tmp_path):
        backup = tmp_path / "b.zip"
        in_campaign(copy, "v.rate_three('ana', 'ben'); v.end_retention()")
        done("backup", copy, "-o", backup)
        assert "the links of 2 people" in done("backup", copy, "--expire")
        restored = done("backup", copy, "--restore", backup, "--replace")
        assert "as the retention date is over: 2." in restored
        assert all(who.startswith("expired-") for (who,) in in_database(copy, WHO))
        assert in_database(copy, "SELECT state FROM collect_campaign") == [("closed",)]

    def test_damaged_backups_cannot_be_used(self, campaigns, tmp_path):
        whole, backup = (campaigns / "camp.zip").read_bytes(), tmp_path / "b.zip"
        bent = bytearray(whole)
        bent[len(whole) // 2] ^= 0xFF
        cut = [whole[:end] for end in (0, 10, len(whole) // 2, len(whole) - 5)]
        for content in (*cut, bent):
            backup.write_bytes(content)
            assert "damaged" in refused("backup", tmp_path / "new", "--restore", backup)
        assert not (tmp_path / "new").exists()
