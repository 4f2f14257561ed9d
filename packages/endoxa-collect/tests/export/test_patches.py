"""Patches of releases: they say nothing that a new export would not, and nobody stands out where others left."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from collect_support.filled_campaign import give_mention, give_rating, give_skip, propose
from endoxa_collect.campaign import ProfileField
from endoxa_collect.entry.proposing import merge
from endoxa_collect.export.columns import LEAST
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign, patch_release
from endoxa_collect.privacy import withdraw

AGE = ProfileField(
    name="age", label={"en": "Age"}, purpose={"en": "To compare"}, choices={"young": {}, "old": {}}
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_patch_links_nothing_that_a_new_export_would_not(make_campaign, make_person, tmp_path, seed):
    """People leave at random, twice; a patch of the patch is made, too."""
    chance = random.Random(seed)
    campaign = make_campaign(profile=(AGE,))
    countries = ("AR", "AR", "CL", "CL", "UY", "BR")
    people = [
        make_person(
            campaign,
            f"p{number}",
            origins=[chance.choice(countries)],
            extras={"age": chance.choice(("young", "old"))},
        )
        for number in range(26)
    ]
    pair = propose(people[0], "AR", "love poetry")
    for person in people:
        give_rating(person, pair, 4)
    export_campaign(campaign, tmp_path / "0", release="1.0")
    for patch in (1, 2):
        for person in chance.sample(people, 6):
            people.remove(person)
            withdraw(person)
        patch_release(campaign, tmp_path / str(patch - 1), tmp_path / str(patch))
        export_campaign(campaign, tmp_path / "fresh")
        (about, patched), (_, fresh) = read_export(tmp_path / str(patch)), read_export(tmp_path / "fresh")
        unlinked, unlinked_now = (
            set(frames["ratings"].filter(rater="")["row_id"]) for frames in (patched, fresh)
        )
        assert unlinked >= unlinked_now
        together = Counter(patched["people"].drop("rater").iter_rows())
        assert all(count >= LEAST for count in together.values())
        assert patched["people"].height + about.left_out.people == len(people)
        assert not patched["people"].height or about.left_out.people == 0 or about.left_out.people >= LEAST


@pytest.mark.slow
def test_what_was_merged_into_a_pair_that_went_stays_in_the_patch(campaign, make_person, tmp_path):
    ana, ben, *others = (make_person(campaign, f"p{n}") for n in range(LEAST + 2))
    root = propose(ana, "AR", "love cats")
    child = propose(ben, "AR", "adore cats")
    grandchild = propose(others[0], "AR", "like cats")
    for person in others:
        give_rating(person, child, 4)
    give_skip(ben, grandchild)
    merge(grandchild, child)
    merge(child, root)
    give_mention(others[1], child, "adore any cat")
    export_campaign(campaign, tmp_path / "one", release="1.0")
    withdraw(ana)
    patch_release(campaign, tmp_path / "one", tmp_path / "two")
    export_campaign(campaign, tmp_path / "fresh")
    (_, patched), (_, fresh) = read_export(tmp_path / "two"), read_export(tmp_path / "fresh")
    assert "love cats" not in (tmp_path / "two" / "pairs.csv").read_text()
    (pair,) = patched["pairs"].to_dicts()
    assert (pair["association_id"], pair["attribute"]) == (str(child.public_id), "adore cats")
    assert (pair["ratings"], pair["support"], pair["skips"]) == (LEAST, 3, 1)
    assert patched["pairs"].equals(fresh["pairs"])
    for name in ("ratings", "mentions", "skips"):
        assert set(patched[name]["association_id"]) == {str(child.public_id)}
        assert patched[name].drop("rater").equals(fresh[name].drop("rater"))
