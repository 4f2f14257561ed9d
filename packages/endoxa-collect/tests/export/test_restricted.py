"""Restricted releases: everything for one recipient under conditions, and no way back into a public export."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from collect_support.filled_campaign import give_rating
from endoxa.errors import UserError
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
    assert WHO in text
    assert "No re-identification" in text
    assert "**Restricted.**" in (tmp_path / "one" / "README.md").read_text()
    assert not (tmp_path / "public" / "AGREEMENT.md").exists()
    assert "BR" not in (tmp_path / "one" / "people.csv").read_text()
    # Who leaves is on the list with the key of this release.
    withdraw(room[-1])
    gone = {str(row) for row in Tombstone.objects.filter(table="people").values_list("row", flat=True)}
    assert gone >= set(frames["people"].filter(country="UY")["rater"])


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
