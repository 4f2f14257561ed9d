"""Handing exports over: none without an entry in the log, and no number lost to what was broken off."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError
from django.utils import timezone

from collect_support.filled_campaign import give_rating, propose
from endoxa.errors import UserError
from endoxa_collect.export.folder import read_about, read_export
from endoxa_collect.export.run import EmptyReleaseError, export_campaign, numbered, patch_release
from endoxa_collect.models import AuditEntry, Release, Tombstone
from endoxa_collect.organiser.settings import save
from endoxa_collect.privacy import withdraw

pytestmark = pytest.mark.slow


def full(*_, **__):
    raise OperationalError("database or disk is full")


@pytest.fixture(autouse=True)
def _somebody(campaign, make_person):
    """Nobody makes a release of nobody."""
    make_person(campaign, "somebody")


def test_what_cannot_be_logged_is_not_handed_over(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr("endoxa_collect.export.run.record", full)
    for release in (None, "1.0"):
        with pytest.raises(OperationalError):
            export_campaign(campaign, tmp_path / "out", release=release)
    assert not list(tmp_path.iterdir())
    assert not Release.objects.exists()


def test_a_release_of_nobody_is_made_only_where_that_is_meant(campaign, tmp_path):
    save(campaign, 1, {"licence": "CC-BY-4.0"}, AnonymousUser())
    campaign.refresh_from_db()
    with pytest.raises(EmptyReleaseError, match="All that 1 person gave, who has not yet agreed"):
        export_campaign(campaign, tmp_path / "out", release="1.0")
    assert not list(tmp_path.iterdir())
    assert not Release.objects.exists()
    made = export_campaign(campaign, tmp_path / "out", release="1.0", empty=True)
    assert (made.rows["people"], made.left_out.waiting_for_consent) == (0, 1)
    assert export_campaign(campaign, tmp_path / "copy").rows["people"] == 0


def test_an_interrupted_exchange_leaves_the_earlier_copy(campaign, tmp_path, monkeypatch):
    export_campaign(campaign, tmp_path / "out")
    rename = Path.rename

    def once(self, target):
        if self.name == "new":
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", once)
    with pytest.raises(KeyboardInterrupt):
        export_campaign(campaign, tmp_path / "out", release="1.0")
    assert read_about(tmp_path / "out").release == ""
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not Release.objects.exists()
    assert [one.action for one in AuditEntry.objects.all()] == ["export"]


def test_the_earlier_copy_of_a_killed_export_goes_with_the_next(campaign, tmp_path, monkeypatch):
    export_campaign(campaign, tmp_path / "out")
    # Killed: nothing is tidied up, and the process does not run any more.
    monkeypatch.setattr("endoxa.sources.files.shutil", SimpleNamespace(rmtree=lambda *_, **__: None))
    monkeypatch.setattr("endoxa_collect.files.shutil", SimpleNamespace(rmtree=lambda *_, **__: None))
    monkeypatch.setattr("endoxa_collect.files.os.getpid", lambda: 999999999)
    export_campaign(campaign, tmp_path / "out")
    assert len(list(tmp_path.glob(".endoxa-export.999999999.*/new.old/people.csv"))) == 1
    monkeypatch.undo()
    export_campaign(campaign, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_release_that_was_killed_does_not_take_its_number(campaign, tmp_path):
    Release.objects.create(campaign=campaign, number="1.0", salt="killed")
    Release.objects.create(campaign=campaign, number="1.0", salt="killed long ago")
    Release.objects.filter(salt="killed long ago").update(made_at=timezone.now() - timedelta(days=2))
    export_campaign(campaign, tmp_path / "one", release="1.0")
    # The other may be at work yet; when it comes to its end the number is taken.
    assert set(Release.objects.values_list("number", "sha256", "salt").filter(sha256="")) == {
        ("1.0", "", "killed")
    }
    with pytest.raises(UserError, match=r"was made before and never changes; there are: 1\.0\."):
        export_campaign(campaign, tmp_path / "two", release="1.0")


def test_who_leaves_while_a_release_is_made_is_on_its_list(campaign, make_person):
    person = make_person(campaign)
    give_rating(person, propose(person, "CL", "love poetry"), 4)
    with numbered(campaign, "1.0", "salt") as made:
        withdraw(person)
        made.sha256 = "f" * 64
        made.save()
    assert set(Tombstone.objects.filter(table="people").values_list("release__number", flat=True)) == {"1.0"}


def test_of_two_releases_with_one_number_the_first_to_end_counts(campaign, tmp_path):
    def meanwhile(*_):
        export_campaign(campaign, tmp_path / "first", release="1.0")

    with pytest.raises(UserError, match="made by somebody else meanwhile"):
        export_campaign(campaign, tmp_path / "second", release="1.0", pack=meanwhile)
    assert [path.name for path in tmp_path.iterdir()] == ["first"]
    assert Release.objects.get().sha256
    assert AuditEntry.objects.count() == 1


WHO = "A. Bell, River University"


@pytest.fixture
def room(campaign, make_person, make_pairs):
    """Five from one country and one from another: the one has no key in a public export."""
    pairs = make_pairs(campaign, ("AR", "drink mate", "en"), ("UY", "play football", "en"))
    people = [make_person(campaign, f"AR{n}", origins=["AR"]) for n in range(5)]
    people.append(make_person(campaign, "UY", origins=["UY"], connections=["BR"]))
    for person in people:
        for pair in pairs:
            give_rating(person, pair, 4, tier="own" if pair.country in person.origins else "near")
    return people


def test_nothing_is_merged_and_the_conditions_are_there(campaign, room, tmp_path):
    export_campaign(campaign, tmp_path / "public", release="1.0")
    export_campaign(campaign, tmp_path / "one", release="1.1", recipient=f" {WHO}\u202e ")
    _, public = read_export(tmp_path / "public")
    about, frames = read_export(tmp_path / "one")
    assert about.recipient == WHO
    assert public["ratings"]["in_group"].null_count() > 0
    assert Counter(frames["ratings"]["in_group"]) == {True: 6, False: 6}
    assert Counter(frames["ratings"]["tier"]) == {"own": 6, "near": 6}
    assert frames["ratings"]["propensity"].null_count() == 0
    assert Counter(frames["people"]["country"]) == {"AR": 6, "UY": 1}
    assert not set(frames["people"]["rater"]) & {str(person.pk) for person in room}
    assert not set(frames["people"]["rater"]) & set(public["people"]["rater"])
    text = (tmp_path / "one" / "AGREEMENT.md").read_text()
    assert WHO in text
    assert "No re-identification" in text
    assert "**Restricted.**" in (tmp_path / "one" / "README.md").read_text()
    assert not (tmp_path / "public" / "AGREEMENT.md").exists()
    assert "BR" not in (tmp_path / "one" / "people.csv").read_text()
    # Who leaves is on the list with the key of this release.
    withdraw(room[-1])
    gone = {str(row) for row in Tombstone.objects.filter(table="people").values_list("row", flat=True)}
    assert gone >= set(frames["people"].filter(country="UY")["rater"])


def test_it_needs_a_number_and_a_name_and_no_patch_is_made_of_it(campaign, room, tmp_path):
    for number, who, sentence in (
        (None, WHO, "needs a number"),
        ("1.0", " \u200b ", "name the person and inst"),
    ):
        with pytest.raises(UserError, match=sentence):
            export_campaign(campaign, tmp_path / "one", release=number, recipient=who)
    assert not Release.objects.exists()
    export_campaign(campaign, tmp_path / "one", release="1.0", recipient="A *Bell* <b>")
    about = json.loads((tmp_path / "one" / "export.json").read_text(encoding="utf-8"))
    assert about["restricted_to"] == "A *Bell* <b>"
    assert r"A \*Bell\* \<b\>" in (tmp_path / "one" / "AGREEMENT.md").read_text()
    with pytest.raises(UserError, match=r"is a restricted release, of which no patch is made"):
        patch_release(campaign, tmp_path / "one", tmp_path / "two")
    assert not (tmp_path / "two").exists()
