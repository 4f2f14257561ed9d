"""Lists of withdrawals: whose a list is, whether it is new enough, and that nobody comes back by a wrong one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from collect_support import commands
from collect_support.campaign_folders import LIMIT, copied, endoxa, environment, said
from endoxa.errors import UserError
from endoxa_collect import withdrawals
from endoxa_collect.files import head_for
from endoxa_collect.models import Tombstone
from endoxa_collect.privacy import withdraw
from endoxa_collect.project.folder import Folder
from endoxa_collect.project.replay import replay_folder, require_list

SECRET = "the secret of this folder"


@pytest.fixture
def folder(settings, tmp_path):
    """The folder of a campaign whose list says whose it is, and holds nothing else."""
    settings.FOLDER, settings.SECRET_KEY = tmp_path, SECRET
    made = Folder(tmp_path)
    made.secret.write_text(SECRET)
    made.finish()
    return made


def lines_of(folder):
    return withdrawals.read(folder.withdrawals)


def without_heads(path):
    kept = [line for line in path.read_text().splitlines(keepends=True) if '"list_of"' not in line]
    path.write_text("".join(kept))


def test_a_new_list_says_whose_it_is_and_names_nobody(folder):
    (line,) = folder.withdrawals.read_text().splitlines()
    assert list(json.loads(line)) == ["list_of"]
    assert SECRET not in line
    assert lines_of(folder) == []
    assert withdrawals.heads(folder.withdrawals) == {head_for(SECRET + "\n"), line}


def test_its_own_list_is_taken_also_where_nobody_had_withdrawn(folder, campaign, make_person):
    require_list(folder.withdrawals, SECRET, 0, "backup")
    withdraw(make_person(campaign, "ana"))
    require_list(folder.withdrawals, SECRET, 0, "backup")


def test_the_list_of_another_campaign_is_refused(folder, campaign, make_person):
    withdraw(make_person(campaign, "ana"))
    with pytest.raises(UserError, match="is the list of another campaign"):
        require_list(folder.withdrawals, "another secret", 0, "backup")


def test_a_list_older_than_the_backup_is_refused(folder):
    with pytest.raises(UserError, match="is older than the backup: 1 of the withdrawals"):
        require_list(folder.withdrawals, SECRET, 1, "backup")


@pytest.mark.parametrize("what_is_left", [without_heads, lambda path: path.write_text("")])
def test_a_list_that_lost_its_first_line_is_refused(folder, campaign, make_person, what_is_left):
    withdraw(make_person(campaign, "ana"))
    what_is_left(folder.withdrawals)
    with pytest.raises(UserError, match=r"missing or empty, or lacks its first line.*--no-withdrawals"):
        require_list(folder.withdrawals, SECRET, 0, "backup")


class TestOtherDatabases:
    """What `backup --replay` asks of the list in the folder."""

    @pytest.mark.django_db
    def test_a_list_that_is_missing_or_empty(self, folder):
        assert replay_folder(folder, no_withdrawals=False).people == 0
        folder.withdrawals.write_text("")
        with pytest.raises(UserError, match=r"is missing or empty.*--no-withdrawals"):
            replay_folder(folder, no_withdrawals=False)
        folder.withdrawals.unlink()
        with pytest.raises(UserError, match=r"is missing or empty.*--no-withdrawals"):
            replay_folder(folder, no_withdrawals=False)
        assert replay_folder(folder, no_withdrawals=True).people == 0

    def test_one_of_another_campaign_or_too_old(self, folder, campaign, make_person, settings):
        withdraw(make_person(campaign, "ana"))
        Tombstone.objects.create(campaign=campaign, table="ratings", withdrawn_hour="2026-11-03T14:00Z")
        with pytest.raises(UserError, match="is older than the database: 1 of the withdrawals"):
            replay_folder(folder, no_withdrawals=False)
        Tombstone.objects.all().delete()
        replay_folder(folder, no_withdrawals=False)
        settings.SECRET_KEY = "another"
        with pytest.raises(UserError, match="is the list of another campaign"):
            replay_folder(folder, no_withdrawals=False)
        without_heads(folder.withdrawals)
        with pytest.raises(UserError, match="or lacks its first line"):
            replay_folder(folder, no_withdrawals=False)


PERSON = """
import django; django.setup()
from django.utils import timezone
from endoxa_collect.models import *
from endoxa_collect.privacy import withdraw
person = Person.objects.create(campaign=Campaign.objects.get(), secret_hash="ana", receipt_hash="ana",
    ui_language="en", consent_version=1, consent_language="en", consent_hour=timezone.now())
facts = {"campaign": person.campaign, "language": "en"}
Statement.objects.create(person=person, question="q", axis="a", text="quokka statement", **facts)
Pair.objects.create(country="AR", attribute="quokka words", key="quokka words", source="contributor", author=person,
    moderation="live", **facts)
"""
LEAVE = """
import django; django.setup()
from endoxa_collect.models import *
from endoxa_collect.privacy import withdraw
withdraw(Person.objects.get())
"""


def run(folder, code):
    env = environment(ENDOXA_CAMPAIGN=str(folder), DJANGO_SETTINGS_MODULE="endoxa_collect.settings")
    done = commands.run(code, env=env, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


def people_in(folder):
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        return database.execute("SELECT COUNT(*) FROM collect_person").fetchone()[0]


@pytest.mark.slow
def test_restoring_and_replaying_bring_nobody_back_by_a_wrong_list(tmp_path):
    folder, backup = tmp_path / "camp", tmp_path / "b.zip"
    assert endoxa("init", folder, "--preset", "laces").returncode == 0
    run(folder, PERSON)
    before = copied(folder, tmp_path / "before")
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        dump = "\n".join(database.iterdump())
    assert "quokka" in dump
    assert endoxa("backup", folder, "-o", backup).returncode == 0
    run(folder, LEAVE)
    other = tmp_path / "other"
    assert endoxa("init", other, "--preset", "laces").returncode == 0
    empty = tmp_path / "empty"
    empty.write_text("")
    for wrong, reason in ((other / "withdrawals.jsonl", "another campaign"), (empty, "missing or empty")):
        words = ("backup", tmp_path / "new", "--restore", backup, "--withdrawals", wrong)
        assert reason in said(endoxa(*words))
        assert not (tmp_path / "new").exists()
    done = endoxa(
        "backup", tmp_path / "new", "--restore", backup, "--withdrawals", folder / "withdrawals.jsonl"
    )
    assert done.returncode == 0, done.stderr
    assert people_in(tmp_path / "new") == 0

    # The other road: the database alone was put back, from its own dump.
    (before / "db.sqlite3").unlink()
    with closing(sqlite3.connect(before / "db.sqlite3")) as database:
        database.executescript(dump)
    (before / "withdrawals.jsonl").write_text("")
    assert "--no-withdrawals" in said(endoxa("backup", before, "--replay"))
    assert people_in(before) == 1
    (before / "withdrawals.jsonl").write_bytes((folder / "withdrawals.jsonl").read_bytes())
    done = endoxa("backup", before, "--replay")
    assert "People deleted again: 1." in done.stdout, done.stderr
    assert people_in(before) == 0
    assert not [path for path in before.iterdir() if b"quokka" in path.read_bytes()]
    (before / "withdrawals.jsonl").write_text("")
    assert endoxa("backup", before, "--replay", "--no-withdrawals").returncode == 0
