"""`endoxa collect export` and `expire`: on a campaign in a folder, and the end of keeping."""

from __future__ import annotations

import os
from datetime import date

import pytest
from django.utils import timezone
from typer.testing import CliRunner

from collect_support import commands
from collect_support.filled_campaign import give_rating, propose
from endoxa.errors import UserError
from endoxa_collect import commands as collect
from endoxa_collect.models import AuditEntry, Card, Person, State, Tombstone
from endoxa_collect.privacy import Expired, expire, expire_all


def endoxa(*words, folder):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("ENDOXA", "DATABASE"))
    }
    return commands.run(commands.COMMAND, *words, cwd=folder, env=environment, timeout=240)


@pytest.mark.slow
def test_from_a_new_campaign_to_a_checked_export_and_a_patched_release(tmp_path):
    assert endoxa("collect", "init", "camp", "--preset", "laces", folder=tmp_path).returncode == 0
    words = ("collect", "export", "camp", "-o", "out", "--release", "1.0")
    refused = endoxa(*words, folder=tmp_path)
    assert (refused.returncode, refused.stdout, (tmp_path / "out").exists()) == (2, "", False)
    assert refused.stderr.startswith(
        "endoxa: Nobody is in this release, so it was not made. Nobody has joined yet."
    )
    done = endoxa(*words, "--empty", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Release 1.0 written to out" in done.stdout
    # Beside the campaign, also for whoever stands in its folder.
    assert endoxa("collect", "export", ".", folder=tmp_path / "camp").returncode == 0
    assert (tmp_path / "camp-export" / "pairs.csv").exists()
    checked = endoxa("datasets", "check", "out/pairs.csv", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout
    patched = endoxa("collect", "export", "camp", "-o", "patched", "--patch", "out", folder=tmp_path)
    assert "Release 1.0.1 written to patched" in patched.stdout
    again = endoxa("collect", "export", "camp", "-o", "new", "--release", "1.0", folder=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == ("endoxa: Release 1.0 was made before and never changes; there are: 1.0, 1.0.1.\n")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (OSError(28, "No space left on device"), "A file cannot be written, the disk is full: make room"),
        (OSError(30, "Read-only", "x/lock"), "x/lock cannot be read or written: Read-only."),
    ],
)
def test_a_file_that_the_system_refuses_is_one_sentence_in_every_command(monkeypatch, fault, sentence):
    def failing(*_, **__):
        raise fault

    monkeypatch.setattr("endoxa_collect.project.folder.open_folder", failing)
    for command in ("serve camp", "check camp", "print camp -o a.html"):
        done = CliRunner().invoke(collect.app, command.split())
        assert isinstance(done.exception, UserError), (command, done.exception)
        assert str(done.exception).startswith(sentence)


@pytest.fixture
def ending(make_campaign, make_person):
    """A campaign whose retention ends on 31 May 2027, with somebody in it."""
    campaign = make_campaign(retention="2027-05-31")
    campaign.codes.create(code="ABCDEFGH")
    person = make_person(campaign, connections=["PY"], extras={"age": "old"}, topic_optouts=["food"])
    give_rating(person, propose(person, "CL", "love poetry"), 4)
    open_card = {"tier": "own", "version": 1, "digest": "x", "drawn_at": timezone.now()}
    Card.objects.create(
        campaign=campaign, person=person, country="CL", number=9, expires_at=timezone.now(), **open_card
    )
    return campaign, person


def test_the_day_after_nobody_can_be_linked_and_answers_stay(ending, make_campaign):
    campaign, person = ending
    old = {person.secret_hash, person.receipt_hash}
    assert expire(campaign, date(2027, 5, 31)) == Expired()  # on the last day nothing happens
    assert Person.objects.get().receipt_hash == person.receipt_hash
    assert not AuditEntry.objects.exists()
    # Of all campaigns those that have a date are expired.
    for name, text in (("none", ""), ("odd", "soon")):
        make_campaign(name, retention=text)
    assert expire_all(date(2027, 6, 1)) == Expired(people=1, cards=1)
    found = Person.objects.get()
    assert not old & {found.secret_hash, found.receipt_hash}
    assert (found.connections, found.languages, found.topic_optouts, found.extras) == ([], [], [], {})
    assert (found.origins, found.ratings.count(), found.mentions.count()) == (["AR"], 1, 1)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.codes.get().revoked) == (State.CLOSED, True)
    assert [one.action for one in AuditEntry.objects.all()] == ["retention"]
    assert expire(campaign, date(2027, 6, 2)) == Expired()
    assert AuditEntry.objects.count() == 1
    assert not Tombstone.objects.exists()


@pytest.mark.parametrize(
    ("text", "sentence"), [("", "it has no retention date"), ("soon", "'soon' is invalid")]
)
def test_a_campaign_without_a_date_is_told_so(make_campaign, text, sentence):
    with pytest.raises(UserError, match=sentence):
        expire(make_campaign(retention=text), date(2027, 6, 1))
