"""Whether words were visible, and whether they could hurt: in exports, in copies of them, and in older exports."""

from __future__ import annotations

import polars as pl
import pytest

from collect_support.filled_campaign import fill, give_hurt_answer, give_rating, give_skip, propose
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign, patch_release
from endoxa_collect.models import Card
from endoxa_collect.privacy import withdraw


@pytest.fixture
def people(campaign, make_person):
    return [make_person(campaign, f"ar{n}", origins=["AR"]) for n in range(6)]


@pytest.fixture
def answered(people):
    """Of a pair nobody judged: three opened and rated it, one rated it uncovered, one skipped it under its cover."""
    pair = propose(people[5], "AR", "bailan tango", "es")
    ratings = [give_rating(person, pair, 3) for person in people[:4]]
    for rating, answer in zip(ratings, ("no", "yes", "unsure"), strict=False):
        give_hurt_answer(rating, answer)
    Card.objects.filter(pk=ratings[3].card_id).update(revealed="shown")
    skip = give_skip(people[4], pair)
    Card.objects.filter(pk=skip.card_id).update(revealed="covered")
    return ratings


def test_an_export_says_whether_words_were_visible_and_what_people_said_of_them(campaign, answered, tmp_path):
    export_campaign(campaign, tmp_path / "out")
    _, frames = read_export(tmp_path / "out")
    assert sorted(frames["ratings"]["revealed"]) == ["revealed"] * 3 + ["shown"]
    assert frames["skips"]["revealed"].to_list() == ["covered"]
    said = frames["hurt_answers"]
    assert sorted(said["answer"]) == ["no", "unsure", "yes"]
    assert set(said["rater"]) <= set(frames["people"]["rater"])
    assert set(said["association_id"]) == set(frames["pairs"]["association_id"])
    card = (tmp_path / "out" / "README.md").read_text()
    assert "(1 ratings) or were opened (3)" in card


def test_a_patch_drops_what_was_withdrawn(campaign, answered, people, tmp_path):
    export_campaign(campaign, tmp_path / "one", release="1.0")
    withdraw(people[0])
    patch_release(campaign, tmp_path / "one", tmp_path / "two")
    _, frames = read_export(tmp_path / "two")
    assert sorted(frames["hurt_answers"]["answer"]) == ["unsure", "yes"]


@pytest.mark.slow
def test_what_people_without_a_key_said_cannot_be_linked(campaign, make_person, tmp_path):
    fill(campaign, make_person, 3)
    export_campaign(campaign, tmp_path / "out")
    _, frames = read_export(tmp_path / "out")
    known = set(frames["people"]["rater"]) | {""}
    said = frames["hurt_answers"]
    assert said.height
    assert set(said["rater"]) <= known
    assert all(len(hour) == len("2026-05-04") for hour in said.filter(pl.col("rater") == "")["hour"])
