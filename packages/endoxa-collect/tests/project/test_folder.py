"""A campaign as a folder, from the command line: made, served, backed up, restored."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from contextlib import closing, contextmanager
from uuid import UUID

import pytest

from collect_support import commands
from collect_support.campaign_folders import LIMIT, copied, endoxa, environment, refused
from collect_support.served import free_port
from endoxa.errors import UserError
from endoxa_collect.project.folder import locked_folder, open_folder

pytestmark = pytest.mark.slow


def in_campaign(folder, code, **more):
    """Run lines of Python as the site of a campaign would; what they print."""
    script = f"import django; django.setup()\nfrom endoxa_collect.models import *\n{code}"
    env = environment(ENDOXA_CAMPAIGN=str(folder), DJANGO_SETTINGS_MODULE="endoxa_collect.settings", **more)
    done = commands.run(script, env=env, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def rows_of(folder, query):
    """What a query finds in the database of a campaign."""
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        return database.execute(query).fetchall()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "camp"
    done = endoxa("init", folder, "--preset", "laces", "--organisation", "River Lab", "--contact", "555-0100")
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture
def copy(made, tmp_path):
    """A copy of that campaign, to be changed."""
    return copied(made[0], tmp_path / "camp")


class TestInit:
    def test_makes_a_private_folder_with_an_account_and_a_code(self, made):
        folder, said = made
        assert ": a rehearsal until you press Open, with 384 seed pairs." in said
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for name in ("secret.key", "db.sqlite3"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
        password = re.search(r"Password \(shown once\): (\S+)", said)[1]
        code = re.search(r"Code to join: (\w{8}) ", said)[1]
        with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
            ((name, hashed, *_),) = database.execute("SELECT username, password, email FROM auth_user")
            ((found, ends),) = database.execute("SELECT code, expires_at FROM collect_joincode")
            ((state,),) = database.execute("SELECT state FROM collect_campaign")
            ((content,),) = database.execute("SELECT content FROM collect_settingsversion")
        assert name == "organiser"
        assert hashed.startswith("scrypt$")
        assert password not in hashed
        assert found == code
        assert ends is not None
        assert state == "open"
        assert json.loads(content)["organisation"] == "River Lab"

    def test_a_second_time_nothing_is_changed(self, made):
        before = (made[0] / "db.sqlite3").read_bytes()
        again = endoxa("init", made[0], "--preset", "laces")
        assert again.returncode == 2
        assert again.stderr.count("\n") == 1
        assert "is a campaign already; nothing was changed" in again.stderr
        assert (made[0] / "db.sqlite3").read_bytes() == before

    def test_other_folders_are_left_alone(self, tmp_path):
        (tmp_path / "notes.txt").write_text("mine")
        assert "is not empty" in refused("init", tmp_path, "--preset", "laces")
        assert "is a file" in refused("init", tmp_path / "notes.txt", "--preset", "laces")
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    @pytest.mark.parametrize(
        ("words", "stdin", "said"),
        [
            (["--preset", "laces", "--password-stdin"], "short\n", "The password cannot be used"),
            (["--preset", "laces", "--name", "a b"], "", "'a b' cannot be the name"),
            (["--preset", "laces", "--organisation", "a" * 121], "", "--organisation: String should have at"),
        ],
    )
    def test_what_cannot_be_made_leaves_nothing(self, tmp_path, words, stdin, said):
        done = endoxa("init", tmp_path / "camp", *words, stdin=stdin)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "camp").exists()


class TestFolders:
    @pytest.mark.parametrize(
        "command", [["serve"], ["account"], ["backup", "-o", "x.zip"], ["backup", "--replay"]]
    )
    def test_folders_that_are_none_of_ours(self, tmp_path, command):
        verb, *rest = command
        assert "does not exist" in refused(verb, tmp_path / "nothing", *rest)
        assert "is no campaign" in refused(verb, tmp_path, *rest)

    def test_a_folder_of_a_newer_version_or_without_its_secret(self, copy):
        (copy / "secret.key").unlink()
        assert "has lost its secret.key" in refused("serve", copy)
        (copy / "endoxa-campaign.json").write_text('{"format": 99}')
        assert "A newer endoxa made" in refused("serve", copy)
        (copy / "endoxa-campaign.json").write_text("{")
        assert "is damaged" in refused("serve", copy)

    def test_a_database_of_a_newer_version(self, copy):
        with closing(sqlite3.connect(copy / "db.sqlite3")) as database, database:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('collect', '9999_x', '2026')"
            )
        done = endoxa("account", copy)
        assert done.returncode == 2
        assert "A newer endoxa wrote this database (9999_x)" in done.stderr

    def test_a_database_of_an_earlier_version(self, copy):
        """One that all migrations before made is taken as it is; one that some of them made is not."""
        names = ["0001_initial", "0002_earlier_consents", "0003_quality", "0004_groups", "0005_people"]
        names += ["0006_offline", "0007_interviews", "0008_fewer"]
        rows = [("collect", name) for name in names]
        with closing(sqlite3.connect(copy / "db.sqlite3")) as database, database:
            database.execute("DELETE FROM django_migrations WHERE app = 'collect'")
            database.executemany(
                "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026')", rows
            )
        assert endoxa("account", copy).returncode == 0
        with closing(sqlite3.connect(copy / "db.sqlite3")) as database, database:
            database.execute("DELETE FROM django_migrations WHERE app = 'collect' AND name != '0001_initial'")
        assert "An earlier endoxa wrote this database (0001_initial)" in endoxa("account", copy).stderr

    def test_a_locked_database(self, copy):
        with closing(sqlite3.connect(copy / "db.sqlite3")) as database:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            done = endoxa("account", copy)
        assert done.returncode == 2
        assert "locked by another program" in done.stderr
        assert "Traceback" not in done.stderr


def get(port, path, **headers):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()


def wait_for(port, process):
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        try:
            return get(port, "/")
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
    raise AssertionError("the site did not answer")


def until_refused(port):
    """Wait until nobody answers."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            get(port, "/")
        except (OSError, http.client.HTTPException):
            return
    raise AssertionError("the site went on answering")


def until_free(folder):
    """Wait until nobody holds the folder of a campaign."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            with locked_folder(open_folder(folder)):
                return
        except UserError:
            time.sleep(0.05)
    raise AssertionError("somebody went on holding the folder")


@contextmanager
def being_read(folder):
    """The database of a campaign in the hands of another program that reads it until told to `rollback`."""
    with closing(sqlite3.connect(folder / "db.sqlite3", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM collect_pair").fetchall()
        yield reader


def holding(folder, word):
    """The files of a campaign that hold a word, found by another process: closing a file of SQLite's unlocks it."""
    done = subprocess.run(
        ["grep", "-rlaF", word, "."], cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    return [line.removeprefix("./") for line in done.stdout.split()]


@pytest.fixture
def served(copy):
    """The site of a campaign in a process of its own: its port and the process."""
    port = free_port()
    command = [
        sys.executable,
        "-c",
        "from endoxa.commands import main; main()",
        "collect",
        "serve",
        str(copy),
    ]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), start_new_session=True,
    )  # fmt: skip
    try:
        wait_for(port, process)
        yield port, process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=LIMIT)


class TestServe:
    def test_answers_prints_how_to_join_and_stops_cleanly(self, made, served):
        port, process = served
        code = re.search(r"Code to join: (\w{8}) ", made[1])[1]
        status, headers, page = get(
            port, f"/j/{code}/", **{"User-Agent": "Kestrel/7.3", "X-Forwarded-For": "203.0.113.9"}
        )
        assert status == 200
        assert "River Lab" in page
        assert headers["cache-control"] == "no-store"
        style = re.search(r'href="(/static/[^"]+\.css)"', page)[1]
        status, headers, _ = get(port, style)
        assert status == 200
        assert "immutable" in headers["cache-control"]
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert get(port, "/nothing/")[0] == 404
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0
        assert f"http://127.0.0.1:{port}/j/{code}/" in out
        assert "▄" in out
        assert out.rstrip().endswith("Stopped. Everything is kept.")
        assert err == ""
        assert "Kestrel" not in out
        assert "203.0.113.9" not in out

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_ends_with_the_terminal_or_the_system_too(self, served, number):
        port, process = served
        os.killpg(process.pid, number)
        _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0
        assert err == ""
        with pytest.raises(OSError, match="refused"):
            get(port, "/")

    def test_a_worker_that_dies_is_replaced(self, served):
        port, process = served
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
        until_refused(port)
        assert wait_for(port, process)[0] == 200

    def test_workers_end_with_the_process_that_started_them(self, copy, served):
        process = served[1]
        assert f"process {process.pid})" in refused("serve", copy, "--port", free_port())
        process.kill()
        process.communicate(timeout=LIMIT)
        until_free(copy)

    def test_words_of_somebody_who_left_while_another_was_reading_are_gone_when_it_stops(self, copy, served):
        with being_read(copy) as reader:
            in_campaign(copy, f"{SAID}{GONE}")
            assert "db.sqlite3-wal" in holding(copy, "Zebedina")
            reader.rollback()
            served[1].send_signal(signal.SIGINT)
            served[1].communicate(timeout=LIMIT)
            assert holding(copy, "Zebedina") == []

    def test_a_port_that_is_taken_or_an_address_that_is_not_ours(self, made):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            assert f":{port} cannot be used" in refused(
                "serve", made[0], "--host", "127.0.0.1", "--port", port
            )
        assert "cannot be used" in refused("serve", made[0], "--host", "203.0.113.1")
        assert "is not an address of this machine" in refused(
            "serve", made[0], "--host", "no.such.host.invalid"
        )


PEOPLE = """
from django.utils import timezone
from endoxa_collect.cards import drawing, answering
campaign = Campaign.objects.get()
for name in ("ana", "ben"):
    person = Person.objects.create(campaign=campaign, secret_hash=name, receipt_hash=name, ui_language="en",
        consent_version=1, consent_language="en", consent_hour=timezone.now(), profile_done=True, origins=["AR"])
    while person.ratings.count() < 3:
        card = drawing.next_card(person)
        answering.rate(person, card.token, 4, lifted=True) if card.pair else answering.finish_prompt(person, card.token)
"""
LEAVE = """
from endoxa_collect.privacy import withdraw
person = Person.objects.get(secret_hash="ana")
print(*person.ratings.values_list("public_id", flat=True))
withdraw(person)
"""


# Ben rates first: a pair that somebody else rated would stay, without its author, when Ana leaves.
SAID = """
from types import SimpleNamespace
from django.contrib.auth.models import User
from django.utils import timezone
from endoxa_collect.cards import drawing, answering
from endoxa_collect.contributor.survey import save_answer
from endoxa_collect.entry.proposing import propose
from endoxa_collect.organiser.decisions import decide, revision
campaign, user = Campaign.objects.get(), User.objects.get()
ben = Person.objects.create(campaign=campaign, secret_hash="ben", receipt_hash="ben", ui_language="en",
    consent_version=1, consent_language="en", consent_hour=timezone.now(), profile_done=True, origins=["AR"])
while (card := drawing.next_card(ben)).pair is None:
    answering.finish_prompt(ben, card.token)
answering.rate(ben, card.token, 5, lifted=True)
person = Person.objects.create(campaign=campaign, secret_hash="ana", receipt_hash="ana", ui_language="en",
    consent_version=1, consent_language="en", consent_hour=timezone.now(), profile_done=True, origins=["AR"])
pair = propose(person, drawing.next_card(person), country="CL", text="drink tea with Zebedina Quorlwick",
    language="en", via="prompt").pair
decide(campaign, user, pair.public_id, Action.APPROVE, revision(Pair.objects.get(pk=pair.pk)))
question = SimpleNamespace(name="cooks", axis="profession")
save_answer(person, question, ["Zebedina whistles"], "en")
Release.objects.create(campaign=campaign, number="1.0", salt="x")
"""
TAKEN_BACK = """
pair.refresh_from_db()
decide(campaign, user, pair.public_id, Action.PERSONAL, revision(pair))
save_answer(person, question, [], "en")
answering.undo(ben, card.token)
"""
"""Personal data is removed, an answer of the survey and a rating are taken back; nobody leaves."""
COUNTED = """
print(Pair.objects.filter(attribute__contains="Zebedina").count(), Mention.objects.exclude(text="").count(),
    Statement.objects.exclude(text="").count(), Rating.objects.count(), Tombstone.objects.count())
"""


GONE = """
from endoxa_collect.privacy import withdraw
withdraw(person)
"""
READING = """
import os, sqlite3, subprocess, sys
from pathlib import Path
folder = Path(os.environ["ENDOXA_CAMPAIGN"])
reader = sqlite3.connect(folder / "db.sqlite3", isolation_level=None)
reader.execute("BEGIN")
reader.execute("SELECT * FROM collect_pair").fetchall()
"""
READ = """
reader.rollback()
subprocess.run(["grep", "-laF", "Zebedina", "db.sqlite3-wal"], cwd=folder)
"""
READ_TO_THE_END = {
    "an export": """
from endoxa_collect.export.run import export_campaign
export_campaign(campaign, Path({path}))
""",
    "a backup": """
from endoxa_collect.project.backup import back_up
from endoxa_collect.project.folder import Folder
back_up(Folder(folder), Path({path}))
""",
    "the next turn of the log": """
reader.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # as SQLite does by itself
Campaign.objects.update(state="closed")
""",
}
"""What makes an end of it: a command of ours, or after other programs what comes by itself."""
CUT = "\nsys.stdout.flush(); os._exit(0)"
"""Leave the log as it is: who closes a database last would empty it."""
BACK = """
Person.objects.create(id=person.pk, campaign=campaign, secret_hash="ana", receipt_hash="ana", ui_language="en",
    consent_version=1, consent_language="en", consent_hour=timezone.now())
print(Person.objects.count())
"""
"""Somebody who withdrew is there again, as after pg_restore."""
OVER = """
version = campaign.versions.get()
version.content["retention"] = "2026-01-01"
SettingsVersion.objects.filter(pk=version.pk).update(content=version.content)
"""
WHO = "SELECT secret_hash FROM collect_person"


class TestPostgres:
    def test_a_folder_without_a_database_serves_one_elsewhere(self, tmp_path, postgresql):
        folder = tmp_path / "camp"
        url = postgresql
        assert endoxa("init", folder, "--preset", "laces", DATABASE_URL=url).returncode == 0
        assert not (folder / "db.sqlite3").exists()
        again = endoxa("init", tmp_path / "two", "--preset", "laces", DATABASE_URL=url)
        assert "has a campaign 'laces' already" in again.stderr
        assert not (tmp_path / "two").exists()
        assert endoxa("account", folder, DATABASE_URL=url).stdout == "organiser: organiser\n"
        left = in_campaign(folder, f"{PEOPLE}\n{LEAVE}\n{BACK}", DATABASE_URL=url)
        assert left.splitlines()[-1] == "2"
        assert endoxa("backup", folder, "--replay", DATABASE_URL=url).stdout.startswith(
            "People deleted again: 1.\n"
        )
        assert "has no database: set DATABASE_URL" in refused("serve", folder, "--port", free_port())
        assert not (folder / "db.sqlite3").exists()


class TestBackup:
    def test_who_left_after_the_backup_is_gone_after_it_is_restored(self, copy, tmp_path):
        in_campaign(copy, PEOPLE)
        backup = tmp_path / "monday.zip"
        done = endoxa("backup", copy, "-o", backup)
        assert done.returncode == 0, done.stderr
        assert "personal data" in done.stdout
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        rows = {UUID(row) for row in in_campaign(copy, LEAVE).split()}
        assert len(rows) == 3
        assert rows_of(copy, WHO) == [("ben",)]

        assert "--replace puts the backup in its place" in refused("backup", copy, "--restore", backup)
        done = endoxa("backup", copy, "--restore", backup, "--replace")
        assert done.returncode == 0, done.stderr
        assert "deleted again: 1" in done.stdout
        assert rows_of(copy, WHO) == [("ben",)]
        assert rows_of(copy, "SELECT COUNT(*) FROM collect_rating") == [(3,)]
        assert rows <= {UUID(row) for (row,) in rows_of(copy, "SELECT row FROM collect_tombstone")}

        moved = tmp_path / "moved"
        assert "Give --withdrawals FILE" in refused("backup", moved, "--restore", backup)
        both = ("--no-withdrawals", "--withdrawals", copy / "withdrawals.jsonl")
        assert "not both" in refused("backup", moved, "--restore", backup, *both)
        assert not moved.exists()
        done = endoxa("backup", moved, "--restore", backup, "--withdrawals", copy / "withdrawals.jsonl")
        assert done.returncode == 0, done.stderr
        assert rows_of(moved, WHO) == [("ben",)]
        assert (moved / "secret.key").read_text() == (copy / "secret.key").read_text()
        assert stat.S_IMODE((moved / "withdrawals.jsonl").stat().st_mode) == 0o600
        assert (moved / "withdrawals.jsonl").read_text() == (copy / "withdrawals.jsonl").read_text()

    def test_what_was_removed_after_the_backup_is_gone_after_it_is_restored(self, copy, tmp_path):
        backup, moved = tmp_path / "monday.zip", tmp_path / "moved"
        copy_it = (
            f"from endoxa_collect.project.backup import back_up\nfrom endoxa_collect.project.folder import Folder\n"
            f"from pathlib import Path\nback_up(Folder(Path({str(copy)!r})), Path({str(backup)!r}))"
        )
        counts = in_campaign(copy, f"{SAID}{COUNTED}{copy_it}\n{TAKEN_BACK}{COUNTED}").splitlines()
        assert counts == ["1 1 1 1 0", "0 0 0 0 4"]
        assert "Zebedina" not in (copy / "withdrawals.jsonl").read_text()
        done = endoxa("backup", moved, "--restore", backup, "--withdrawals", copy / "withdrawals.jsonl")
        assert done.returncode == 0, done.stderr
        assert in_campaign(moved, COUNTED) == "0 0 0 0 4"
        assert b"Zebedina" not in (moved / "db.sqlite3").read_bytes()
        assert (moved / "withdrawals.jsonl").read_text() == (copy / "withdrawals.jsonl").read_text()

    @pytest.mark.parametrize("afterwards", READ_TO_THE_END.values(), ids=READ_TO_THE_END)
    def test_words_of_somebody_who_left_while_another_was_reading_go_afterwards(
        self, copy, tmp_path, afterwards
    ):
        done = in_campaign(
            copy, f"{SAID}{READING}{GONE}{READ}{afterwards.format(path=repr(str(tmp_path / 'out')))}{CUT}"
        )
        assert "db.sqlite3-wal" in done.split()
        assert holding(copy, "Zebedina") == []

    def test_the_list_of_withdrawals_names_nobody(self, copy):
        person, *_ = in_campaign(
            copy, f"{PEOPLE}\nprint(Person.objects.get(secret_hash='ana').pk)\n{LEAVE}"
        ).split()
        whose, text = (copy / "withdrawals.jsonl").read_text().splitlines()
        assert set(json.loads(whose)) == {"list_of"}
        assert set(json.loads(text)) == {"campaign", "hour", "person", "rows", "what"}
        assert len(json.loads(text)["person"]) == 64
        assert person not in text

    def test_sign_ins_and_tries_stay_out_of_backups(self, copy, tmp_path):
        with closing(sqlite3.connect(copy / "db.sqlite3")) as database, database:
            database.execute("INSERT INTO django_session VALUES ('key', 'data', '2030-01-01')")
            database.execute(
                "INSERT INTO collect_attempts (name, start, ends, count) VALUES ('who', 0, 600, 1)"
            )
        assert endoxa("backup", copy, "-o", tmp_path / "b.zip").returncode == 0
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            archive.extract("db.sqlite3", tmp_path)
        for folder, count in ((copy, 1), (tmp_path, 0)):
            assert rows_of(folder, "SELECT COUNT(*) FROM django_session") == [(count,)]
            assert rows_of(folder, "SELECT COUNT(*) FROM collect_attempts") == [(count,)]

    def test_links_that_the_retention_date_ended_do_not_come_back(self, copy, tmp_path):
        backup = tmp_path / "b.zip"
        in_campaign(copy, f"{PEOPLE}{OVER}")
        assert endoxa("backup", copy, "-o", backup).returncode == 0
        assert "the links of 2 people" in endoxa("backup", copy, "--expire").stdout
        done = endoxa("backup", copy, "--restore", backup, "--replace")
        assert "as the retention date is over: 2." in done.stdout
        assert all(who.startswith("expired-") for (who,) in rows_of(copy, WHO))
        assert rows_of(copy, "SELECT state FROM collect_campaign") == [("closed",)]

    def test_a_lost_database_comes_back(self, copy, tmp_path):
        backup = tmp_path / "b.zip"
        assert endoxa("backup", copy, "-o", backup).returncode == 0
        (copy / "db.sqlite3").unlink()
        assert (copy / "withdrawals.jsonl").read_text().count("\n") == 1
        assert "has no database" in refused("backup", copy, "-o", tmp_path / "c.zip")
        assert "has no database" in refused("account", copy)
        assert endoxa("backup", copy, "--restore", backup, "--replace").returncode == 0
        assert rows_of(copy, "SELECT COUNT(*) FROM collect_pair") == [(384,)]
        (copy / "withdrawals.jsonl").unlink()
        assert "Give --withdrawals FILE" in refused("backup", copy, "--restore", backup, "--replace")

    def test_backups_that_cannot_be_used(self, copy, made, tmp_path):
        backup = tmp_path / "b.zip"
        assert endoxa("backup", copy, "-o", backup).returncode == 0
        whole = backup.read_bytes()
        target = tmp_path / "new"
        for cut in (0, 10, len(whole) // 2, len(whole) - 5):
            backup.write_bytes(whole[:cut])
            assert "not an endoxa backup, or is damaged" in refused("backup", target, "--restore", backup)
        bent = bytearray(whole)
        bent[len(whole) // 2] ^= 0xFF
        backup.write_bytes(bent)
        assert "damaged" in refused("backup", target, "--restore", backup)
        assert "does not exist" in refused("backup", target, "--restore", tmp_path / "none.zip")
        backup.write_bytes(whole)
        assert "is not empty" in refused("backup", tmp_path, "--restore", backup)
        (copy / "secret.key").write_text("another")
        assert "another campaign" in refused("backup", copy, "--restore", backup, "--replace")
        assert not target.exists()

    def test_other_databases_are_copied_by_their_own_programs(self, made, tmp_path, monkeypatch):
        monkeypatch.setenv("DATABASE_URL", "postgres://127.0.0.1:1/none")
        assert "use pg_dump" in refused("backup", made[0], "-o", tmp_path / "b.zip")
        assert "endoxa collect backup DIR --replay" in refused(
            "backup", tmp_path / "new", "--restore", tmp_path / "b.zip"
        )

    def test_a_database_server_that_does_not_answer(self, made):
        done = endoxa("account", made[0], DATABASE_URL="postgres://somebody:hidden@127.0.0.1:1/none")
        assert done.returncode == 2
        assert "is DATABASE_URL right" in done.stderr
        assert "hidden" not in done.stderr


def test_the_command_line_loads_no_django():
    code = "import sys, endoxa.commands; print({name.split('.')[0] for name in sys.modules} & {'django', 'granian'})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=True
    )
    assert done.stdout.strip() == "set()"


def test_addresses_are_those_that_phones_can_use(monkeypatch):
    from endoxa_collect.addresses import qr, reached_at

    assert reached_at("127.0.0.1", 80) == ("http://127.0.0.1:80",)
    assert reached_at("::1", 80) == ("http://[::1]:80",)
    assert reached_at("0.0.0.0", 80)[-1] == "http://127.0.0.1:80"
    assert qr("http://127.0.0.1", "utf-8")
    assert qr("http://127.0.0.1", "ascii") == ""
    monkeypatch.setenv("ENDOXA_HTTPS", "1")
    assert reached_at("127.0.0.1", 80) == ("http://127.0.0.1:80",)
    monkeypatch.setenv("ENDOXA_HOSTS", "collect.example.org, www.example.org")
    assert reached_at("127.0.0.1", 80) == ("https://collect.example.org", "https://www.example.org")
