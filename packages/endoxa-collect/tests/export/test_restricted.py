"""Restricted releases: everything for one recipient under conditions, and no way back into a public export."""

from __future__ import annotations

import json
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from collect_support.filled_campaign import give_rating
from endoxa.errors import UserError
from endoxa_collect.export.card import agreement
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign, patch_release
from endoxa_collect.models import Release, Tombstone
from endoxa_collect.privacy import withdraw

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


@pytest.mark.slow
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
    assert Counter(frames["people"]["country"]) == {"AR": 5, "UY": 1}
    assert not set(frames["people"]["rater"]) & {str(person.pk) for person in room}
    assert not set(frames["people"]["rater"]) & set(public["people"]["rater"])
    text = (tmp_path / "one" / "AGREEMENT.md").read_text()
    for word in (WHO, "Allowed use", "No re-identification", "Withdrawals", "delete"):
        assert word in text
    card = (tmp_path / "one" / "README.md").read_text()
    assert "**Restricted.**" in card
    assert f"| citation | River Lab ({datetime.now(UTC).year}). title in English. Release 1.1. |" in card
    assert "Nothing is merged here" in card
    assert "**Restricted.**" not in (tmp_path / "public" / "README.md").read_text()
    assert not (tmp_path / "public" / "AGREEMENT.md").exists()
    assert "BR" not in (tmp_path / "one" / "people.csv").read_text()


@pytest.mark.slow
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


@pytest.mark.slow
def test_who_leaves_is_on_the_list_with_the_key_of_this_release(campaign, room, tmp_path):
    export_campaign(campaign, tmp_path / "one", release="1.0", recipient=WHO)
    _, frames = read_export(tmp_path / "one")
    withdraw(room[-1])
    gone = {str(one.row) for one in Tombstone.objects.filter(table="people")}
    (lone,) = frames["people"].filter(country="UY")["rater"]
    assert lone in gone


def test_the_day_of_the_conditions_is_that_of_the_site(campaign, monkeypatch):
    """UTC, whatever clock the machine of the command line shows."""
    monkeypatch.setenv("TZ", "AHEAD-24")  # where it is tomorrow already
    time.tzset()
    try:
        now = datetime.now(UTC)
        days = {f"Made on {day.date()} for" for day in (now, now + timedelta(minutes=1))}
        text = agreement(campaign, "1.0", "A. Bell")
        assert any(day in text for day in days)
    finally:
        monkeypatch.undo()
        time.tzset()
